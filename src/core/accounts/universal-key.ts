import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeys, people } from '../../database/schema/index.ts';
import { createSecret, hashSecret } from '../../lib/ids.ts';
import { KEY_PREFIX, KEY_PREFIX_LENGTH } from './api-keys.ts';

/**
 * Makes sure that there is a shared key for whoever has none of their own.
 * @param configured the key from the settings; it replaces any other. Unset: the one that was made at the first start stays.
 * `off`: there is none, and one that there was is revoked.
 * @returns the key where a new random one was made: the only time anybody can see it.
 */
export async function ensureUniversalKey(db: Database, configured: string | undefined): Promise<string | undefined> {
  return alone(db, async (tx) => {
    if (configured === 'off') {
      await tx.update(apiKeys).set({ revokedAt: new Date() }).where(isCurrent);
      return undefined;
    }
    const [current] = await tx.select({ hash: apiKeys.hash }).from(apiKeys).where(isCurrent);
    if (configured === undefined) return current ? undefined : makeUniversalKey(tx);
    if (current?.hash !== hashSecret(configured)) await replaceUniversalKey(tx, configured);
    return undefined;
  });
}

/** Revokes the shared key and makes another, which is returned: the only time anybody can see it. */
export async function rotateUniversalKey(db: Database): Promise<string> {
  return alone(db, makeUniversalKey);
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

async function makeUniversalKey(tx: Database): Promise<string> {
  const secret = createSecret(KEY_PREFIX);
  await replaceUniversalKey(tx, secret);
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
    .select({ personId: apiKeys.personId })
    .from(apiKeys)
    .where(eq(apiKeys.isUniversal, true))
    .limit(1);
  await tx.update(apiKeys).set({ revokedAt: new Date() }).where(isCurrent);
  const personId = previous?.personId ?? (await tx.insert(people).values({}).returning({ id: people.id }))[0]?.id;
  if (personId === undefined) throw new Error('The database gave no id for the owner of the universal key');
  await tx
    .insert(apiKeys)
    .values({ personId, ...values })
    .onConflictDoUpdate({ target: apiKeys.hash, set: { revokedAt: null, isUniversal: true } });
}
