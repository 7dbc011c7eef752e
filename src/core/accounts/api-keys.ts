import { and, asc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeys, users } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { createSecret, hashSecret } from '../../lib/ids.ts';
import { type KeyPolicy, type KeyScope, toKeyPolicy, toPolicyColumns } from './key-policy.ts';

/** An API key as its owner sees it. The secret is not stored. */
export interface ApiKey {
  readonly id: number;
  /** First characters of the secret, for recognition. */
  readonly prefix: string;
  /** Name given by the owner. */
  readonly label: string;
  readonly scope: KeyScope;
  readonly policy: KeyPolicy;
  readonly createdAt: Date;
  /** Time since which the key is paused. */
  readonly pausedAt: Date | undefined;
  /** Time until which the secret before the last rotation works; may be past. */
  readonly previousExpiresAt: Date | undefined;
  readonly lastUse: KeyUse | undefined;
}

/** A key with its secret, which can't be read again. */
export interface NewSecret {
  readonly key: ApiKey;
  readonly secret: string;
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
   * Creates a key. The caller checks that the user may have one with the scope `manage`.
   * @returns undefined if the user has the maximum number of keys.
   */
  create(userId: number, label: string, rules?: NewKeyRules): Promise<NewSecret | undefined>;
  /** Lists active keys, oldest first. */
  list(userId: number): Promise<readonly ApiKey[]>;
  /** Returns undefined if the user has no such active key. */
  find(userId: number, keyId: number): Promise<ApiKey | undefined>;
  /** Returns undefined if the user has no such active key. */
  rename(userId: number, keyId: number, label: string): Promise<ApiKey | undefined>;
  /**
   * Changes the given rules; `undefined` removes a rule. Takes effect within a second.
   * @param changes valid by `createKeyPolicySchemas`.
   * @returns undefined if the user has no such active key.
   */
  change(userId: number, keyId: number, changes: Partial<KeyPolicy>): Promise<ApiKey | undefined>;
  /**
   * Replaces the secret of a key. The previous one works for `overlapMs` more, the one before it no longer.
   * @param overlapMs from 0 to `MAX_OVERLAP_MS`.
   * @param prefix that of the secret to replace, so that a repeated request does not replace the new one. Default: any.
   * @returns undefined if the user has no such active key, or the secret another prefix.
   */
  rotate(userId: number, keyId: number, overlapMs: number, prefix?: string): Promise<NewSecret | undefined>;
  /**
   * Makes a key unusable until it is resumed, within a second.
   * @returns undefined if the user has no such active key.
   */
  pause(userId: number, keyId: number): Promise<ApiKey | undefined>;
  /** Returns undefined if the user has no such active key. */
  resume(userId: number, keyId: number): Promise<ApiKey | undefined>;
  /**
   * Revokes a key; it stops working within a second.
   * @returns false if the user has no such active key.
   */
  revoke(userId: number, keyId: number): Promise<boolean>;
}

/** Rules of a new key. Default: none, with the scope `use`. */
export interface NewKeyRules extends Partial<KeyPolicy> {
  readonly scope?: KeyScope | undefined;
}

/** Maximum time for which the secret before a rotation works. */
export const MAX_OVERLAP_MS = 7 * 86_400_000;
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
  const update = async (userId: number, keyId: number, columns: KeyColumns, prefix?: string) => {
    const hasPrefix = prefix === undefined ? undefined : eq(apiKeys.prefix, prefix);
    const [row] = await db
      .update(apiKeys)
      .set(columns)
      .where(and(isThat(userId, keyId), hasPrefix))
      .returning();
    return row && toApiKey(row);
  };

  return {
    maxKeys,
    create: (userId, label, { scope = 'use', ...policy } = {}) =>
      db.transaction(async (tx) => {
        // The lock serialises concurrent calls, so that the count stays correct.
        await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update');
        if ((await tx.$count(apiKeys, isOwn(userId))) >= maxKeys) return undefined;
        const secret = createSecret(KEY_PREFIX);
        const values = { userId, label, scope, ...toPolicyColumns(policy), ...toSecretColumns(secret) };
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
    rename: (userId, keyId, label) => update(userId, keyId, { label }),
    change(userId, keyId, changes) {
      const columns = toPolicyColumns(changes);
      // An update without columns is not valid SQL.
      return Object.keys(columns).length === 0 ? this.find(userId, keyId) : update(userId, keyId, columns);
    },
    async rotate(userId, keyId, overlapMs, prefix) {
      if (!(overlapMs >= 0 && overlapMs <= MAX_OVERLAP_MS)) throw new RangeError('overlapMs is out of range');
      const secret = createSecret(KEY_PREFIX);
      // One statement, so that of concurrent rotations the later one ends the secret before the earlier one.
      const columns = {
        ...toSecretColumns(secret),
        previousHash: overlapMs > 0 ? sql`${apiKeys.hash}` : null,
        previousExpiresAt: overlapMs > 0 ? new Date(clock.now() + overlapMs) : null,
      };
      const key = await update(userId, keyId, columns, prefix);
      return key && { key, secret };
    },
    pause: (userId, keyId) =>
      update(userId, keyId, {
        pausedAt: sql`coalesce(${apiKeys.pausedAt}, ${new Date(clock.now()).toISOString()}::timestamptz)`,
      }),
    resume: (userId, keyId) => update(userId, keyId, { pausedAt: null }),
    async revoke(userId, keyId) {
      return (await update(userId, keyId, { revokedAt: new Date(clock.now()) })) !== undefined;
    },
  };
}

type KeyRow = typeof apiKeys.$inferSelect;
type KeyColumns = { readonly [column in keyof KeyRow]?: KeyRow[column] | SQL };

function toSecretColumns(secret: string) {
  return { hash: hashSecret(secret), prefix: secret.slice(0, KEY_PREFIX_LENGTH) };
}

export function toApiKey(row: KeyRow): ApiKey {
  const { id, prefix, label, scope, createdAt } = row;
  const { lastUsedAt: at, lastUsedRoute: route, lastUsedNetwork: network } = row;
  return {
    id,
    prefix,
    label,
    scope,
    policy: toKeyPolicy(row),
    createdAt,
    pausedAt: row.pausedAt ?? undefined,
    previousExpiresAt: row.previousExpiresAt ?? undefined,
    lastUse: at ? { at, route: route ?? '', network: network ?? '' } : undefined,
  };
}
