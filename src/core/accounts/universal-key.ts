import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeys, users } from '../../database/schema/index.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import { makeDirectory } from '../../lib/files/make-directory.ts';
import { createSecret, hashSecret } from '../../lib/ids.ts';
import { KEY_PREFIX, KEY_PREFIX_LENGTH } from './api-keys.ts';

/** Location of the universal key. */
export type UniversalKey =
  /** `UNIVERSAL_API_KEY=off`. */
  | { readonly kind: 'off' }
  /** Set by `UNIVERSAL_API_KEY`. */
  | { readonly kind: 'configured' }
  /** In a file readable by this process. */
  | { readonly kind: 'file'; readonly path: string; readonly secret: string }
  /** Created by another process, or by a version that did not store it: only its hash is known here. */
  | { readonly kind: 'elsewhere'; readonly path: string }
  /** There is no key, because it could not be stored. */
  | { readonly kind: 'unkept' };

/**
 * Ensures that the universal key exists: one key for users without their own.
 * @param configured key from the configuration, which replaces any other; `off` revokes the existing key. Unset: the
 * key generated at the first start is kept.
 * @param path file of a generated key. The file of a key that is revoked here is removed.
 * @throws UniversalKeyFileError if the key could not be stored; then no key was created.
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
 * Revokes the universal key and creates another one, which replaces it in the file.
 * @throws UniversalKeyFileError if the key could not be stored; then the old key stays valid.
 */
export async function rotateUniversalKey(db: Database, path: string): Promise<string> {
  return alone(db, (tx) => makeUniversalKey(tx, path));
}

/** Arbitrary id of the advisory lock, unique in this database. */
const UNIVERSAL_KEY_LOCK = 7_246_003_912;

/**
 * Runs work under an advisory lock. Without it, processes that start together would each create a key and revoke the
 * previous one.
 */
function alone<Result>(db: Database, work: (tx: Database) => Promise<Result>): Promise<Result> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${UNIVERSAL_KEY_LOCK})`);
    return work(tx);
  });
}

/** Writes the file before the commit, so that a valid key is always in the file. */
async function makeUniversalKey(tx: Database, path: string): Promise<string> {
  const secret = createSecret(KEY_PREFIX);
  await replaceUniversalKey(tx, secret);
  await writeUniversalKeyFile(path, secret);
  return secret;
}

const isCurrent = and(eq(apiKeys.isUniversal, true), isNull(apiKeys.revokedAt));

/** Returns the length of the shown prefix. A configured key may be short: at most a quarter of it is shown. */
function toShownLength(secret: string): number {
  return Math.min(KEY_PREFIX_LENGTH, Math.floor(secret.length / 4));
}

/** Replaces the universal key. Its user stays the same, and so does the `user` number of API responses. */
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

/** Thrown when the file of the universal key can't be written; the message contains the cause. */
export class UniversalKeyFileError extends Error {
  override readonly name = 'UniversalKeyFileError';
  constructor(path: string, cause: unknown) {
    super(`The universal API key can't be stored in ${path}: ${describeError(cause)}`, { cause });
  }
}

/** Returns the key in the file; undefined if there is no readable file. */
async function readUniversalKeyFile(path: string): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.trim() || undefined;
}

/**
 * Replaces the file, readable by its owner only. After a crash it contains the old key or the new one.
 * @throws UniversalKeyFileError
 */
async function writeUniversalKeyFile(path: string, secret: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await makeDirectory(dirname(path));
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${secret}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw new UniversalKeyFileError(path, error);
  }
}

/** Removes the file of an invalid key. Failures are ignored: the key in it grants no access. */
async function removeUniversalKeyFile(path: string): Promise<void> {
  await rm(path, { force: true }).catch(() => {});
}
