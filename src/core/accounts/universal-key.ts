import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeys, users } from '../../database/schema/index.ts';
import { createSecret, hashSecret } from '../../lib/ids.ts';
import { KEY_PREFIX, KEY_PREFIX_LENGTH } from './api-keys.ts';
import { readUniversalKeyFile, removeUniversalKeyFile, writeUniversalKeyFile } from './universal-key-file.ts';

/** Where the universal key can be found. */
export type UniversalKey =
  /** `UNIVERSAL_API_KEY=off`. */
  | { readonly kind: 'off' }
  /** In `UNIVERSAL_API_KEY`. */
  | { readonly kind: 'configured' }
  /** In a file of this process. */
  | { readonly kind: 'file'; readonly path: string; readonly secret: string }
  /** Made by another process, or by a version that did not keep it: only its hash is known here. */
  | { readonly kind: 'elsewhere'; readonly path: string }
  /** There is none, because it could not be kept. */
  | { readonly kind: 'unkept' };

/**
 * Makes sure that there is a shared key for users who have none of their own.
 * @param configured the key from the settings; it replaces any other. Unset: the one that was made at the first start stays.
 * `off`: there is none, and an existing one is revoked.
 * @param path the file for a random key. The file of a key that is revoked here is removed.
 * @throws UniversalKeyFileError: no key was made.
 */
export async function ensureUniversalKey(
  db: Database,
  configured: string | undefined,
  path: string,
): Promise<UniversalKey> {
  if (configured !== undefined) await removeUniversalKeyFile(path);
  return alone(db, async (tx) => {
    if (configured === 'off') {
      await tx.update(apiKeys).set({ revokedAt: new Date() }).where(isCurrent);
      return { kind: 'off' };
    }
    const [current] = await tx.select({ hash: apiKeys.hash }).from(apiKeys).where(isCurrent);
    if (configured !== undefined) {
      if (current?.hash !== hashSecret(configured)) await replaceUniversalKey(tx, configured);
      return { kind: 'configured' };
    }
    if (!current) return { kind: 'file', path, secret: await makeUniversalKey(tx, path) };
    const secret = await readUniversalKeyFile(path);
    return secret !== undefined && hashSecret(secret) === current.hash
      ? { kind: 'file', path, secret }
      : { kind: 'elsewhere', path };
  });
}

/**
 * Revokes the shared key and makes another, which replaces that in the file.
 * @throws UniversalKeyFileError: the key is still the same.
 */
export async function rotateUniversalKey(db: Database, path: string): Promise<string> {
  return alone(db, (tx) => makeUniversalKey(tx, path));
}

/** Any number that nobody else uses for an advisory lock in this database. */
const UNIVERSAL_KEY_LOCK = 7_246_003_912;

/** Several processes may start at once: without that each would make a key, and show one that the next has revoked. */
function alone<Result>(db: Database, work: (tx: Database) => Promise<Result>): Promise<Result> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${UNIVERSAL_KEY_LOCK})`);
    return work(tx);
  });
}

/** The file comes before the commit: a key that is valid can always be found. */
async function makeUniversalKey(tx: Database, path: string): Promise<string> {
  const secret = createSecret(KEY_PREFIX);
  await replaceUniversalKey(tx, secret);
  await writeUniversalKeyFile(path, secret);
  return secret;
}

const isCurrent = and(eq(apiKeys.isUniversal, true), isNull(apiKeys.revokedAt));

/** One's own may be short: its first characters must not be most of it. */
function toShownLength(secret: string): number {
  return Math.min(KEY_PREFIX_LENGTH, Math.floor(secret.length / 4));
}

/** The person behind the shared key stays the same, so that its `user` number does. */
async function replaceUniversalKey(tx: Database, secret: string): Promise<void> {
  const values = {
    hash: hashSecret(secret),
    prefix: secret.slice(0, toShownLength(secret)),
    label: 'universal',
    isUniversal: true,
    revokedAt: null,
  };
  const [previous] = await tx
    .select({ userId: apiKeys.userId })
    .from(apiKeys)
    .where(eq(apiKeys.isUniversal, true))
    .limit(1);
  await tx.update(apiKeys).set({ revokedAt: new Date() }).where(isCurrent);
  const userId = previous?.userId ?? (await tx.insert(users).values({}).returning({ id: users.id }))[0]?.id;
  if (userId === undefined) throw new Error('The database gave no id for the owner of the universal key');
  await tx
    .insert(apiKeys)
    .values({ userId, ...values })
    .onConflictDoUpdate({ target: apiKeys.hash, set: { revokedAt: null, isUniversal: true } });
}
