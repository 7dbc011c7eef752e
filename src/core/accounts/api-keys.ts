import { and, asc, count, eq, isNull } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeys, users } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { createSecret, hashSecret } from '../../lib/ids.ts';

/** A key as its owner sees it. The key itself is nowhere kept. */
export interface ApiKey {
  readonly id: number;
  /** Its first characters, for recognising it. */
  readonly prefix: string;
  /** The owner's name for it. */
  readonly label: string;
  readonly createdAt: Date;
  readonly lastUse: KeyUse | undefined;
}

/** When and how a key was used last. */
export interface KeyUse {
  readonly at: Date;
  /** `/ai/openai/chat/completions` */
  readonly route: string;
  /** Not the address: the network it is in, `203.0.113.0/24`. */
  readonly network: string;
}

/** The keys of people, made and revoked by themselves. */
export interface ApiKeys {
  /** Keys of a person that are not revoked, at most. */
  readonly maxKeys: number;
  /** @returns the key itself beside its row: the only time anybody can see it. Undefined where the person has as many as may be. */
  create(userId: number, label: string): Promise<{ readonly key: ApiKey; readonly secret: string } | undefined>;
  /** Those that are not revoked, oldest first. */
  list(userId: number): Promise<readonly ApiKey[]>;
  /** Undefined where the person has no such key (any more). */
  find(userId: number, keyId: number): Promise<ApiKey | undefined>;
  /** Undefined where the person has no such key (any more). */
  rename(userId: number, keyId: number, label: string): Promise<ApiKey | undefined>;
  /** The key stops working within a second. @returns false where the person has no such key (any more). */
  revoke(userId: number, keyId: number): Promise<boolean>;
}

/** Shown for recognising a key: `sk-sb-` and four more characters. */
export const KEY_PREFIX_LENGTH = 10;
/** Every key begins with it, so that people and scanners recognise the kind of secret. */
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
        // Two wishes at once wait for each other here: the count stays true.
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
