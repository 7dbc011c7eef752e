import { and, asc, count, eq, isNull } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeys, users } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { createSecret, hashSecret } from '../../lib/ids.ts';

/** An API key as its owner sees it. The secret is not stored. */
export interface ApiKey {
  readonly id: number;
  /** First characters of the secret, for recognition. */
  readonly prefix: string;
  /** Name given by the owner. */
  readonly label: string;
  readonly createdAt: Date;
  readonly lastUse: KeyUse | undefined;
}

/** Last use of a key. */
export interface KeyUse {
  readonly at: Date;
  /** E.g. `/ai/openai/chat/completions`. */
  readonly route: string;
  /** Network of the client's address, e.g. `203.0.113.0/24`; the address itself is not stored. */
  readonly network: string;
}

/** API keys managed by their users. */
export interface ApiKeys {
  /** Maximum number of active keys of a user. */
  readonly maxKeys: number;
  /**
   * Creates a key.
   * @returns the key and its secret, which can't be read again; undefined if the user has the maximum number of keys.
   */
  create(userId: number, label: string): Promise<{ readonly key: ApiKey; readonly secret: string } | undefined>;
  /** Lists active keys, oldest first. */
  list(userId: number): Promise<readonly ApiKey[]>;
  /** Returns undefined if the user has no such active key. */
  find(userId: number, keyId: number): Promise<ApiKey | undefined>;
  /** Returns undefined if the user has no such active key. */
  rename(userId: number, keyId: number, label: string): Promise<ApiKey | undefined>;
  /**
   * Revokes a key; it stops working within a second.
   * @returns false if the user has no such active key.
   */
  revoke(userId: number, keyId: number): Promise<boolean>;
}

/** Length of the shown prefix: `sk-sb-` and four more characters. */
export const KEY_PREFIX_LENGTH = 10;
/** Prefix of every key, by which users and secret scanners recognize it. */
export const KEY_PREFIX = 'sk-sb-';
const MAX_KEYS = 10;

/** API keys in the database, by their SHA-256. */
export function createApiKeys(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  { maxKeys = MAX_KEYS }: { readonly maxKeys?: number | undefined } = {},
): ApiKeys {
  const isOwn = (userId: number) =>
    and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt), eq(apiKeys.isUniversal, false));
  const isThat = (userId: number, keyId: number) => and(eq(apiKeys.id, keyId), isOwn(userId));

  return {
    maxKeys,
    create: (userId, label) =>
      db.transaction(async (tx) => {
        // The lock serialises concurrent calls, so that the count stays correct.
        await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update');
        const [own] = await tx.select({ count: count() }).from(apiKeys).where(isOwn(userId));
        if ((own?.count ?? 0) >= maxKeys) return undefined;
        const secret = createSecret(KEY_PREFIX);
        const values = { userId, label, hash: hashSecret(secret), prefix: secret.slice(0, KEY_PREFIX_LENGTH) };
        const [row] = await tx
          .insert(apiKeys)
          .values({ ...values, createdAt: new Date(clock.now()) })
          .returning();
        return row && { key: toApiKey(row), secret };
      }),
    async list(userId) {
      const rows = await db.select().from(apiKeys).where(isOwn(userId)).orderBy(asc(apiKeys.id));
      return rows.map(toApiKey);
    },
    async find(userId, keyId) {
      const [row] = await db.select().from(apiKeys).where(isThat(userId, keyId));
      return row && toApiKey(row);
    },
    async rename(userId, keyId, label) {
      const [row] = await db.update(apiKeys).set({ label }).where(isThat(userId, keyId)).returning();
      return row && toApiKey(row);
    },
    async revoke(userId, keyId) {
      const revokedAt = new Date(clock.now());
      const rows = await db.update(apiKeys).set({ revokedAt }).where(isThat(userId, keyId)).returning();
      return rows.length > 0;
    },
  };
}

function toApiKey(row: typeof apiKeys.$inferSelect): ApiKey {
  const { id, prefix, label, createdAt, lastUsedAt: at, lastUsedRoute: route, lastUsedNetwork: network } = row;
  return { id, prefix, label, createdAt, lastUse: at ? { at, route: route ?? '', network: network ?? '' } : undefined };
}
