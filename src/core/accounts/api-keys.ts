import { and, arrayOverlaps, asc, eq, isNull, not, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { apiKeys, users } from '../../database/schema/index.ts';
import type { Clock } from '../../lib/clock.ts';
import { createSecret, hashSecret } from '../../lib/ids.ts';
import { type BudgetAmounts, createBudgets, hasBudget, printScope } from '../limits/index.ts';
import { ADMIN_RULES, type AdminRule, markAdminRules, SetByAdminError, toRuleMarks } from './admin-rules.ts';
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
  /** Rules that an admin has set, which the owner can't change. */
  readonly adminRules: readonly AdminRule[];
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
export type ApiKeys = ReturnType<typeof createApiKeys>;

/** Rules of a new key. Default: none, with the scope `use`. */
export interface NewKeyRules extends Partial<KeyPolicy> {
  readonly scope?: KeyScope | undefined;
  /** Amounts from 0 to `MAX_DOLLARS`, at most nine decimals (`dollarsSchema`). */
  readonly budget?: BudgetAmounts | undefined;
}

/** Maximum time for which the secret before a rotation works. */
export const MAX_OVERLAP_MS = 7 * 86_400_000;
/** Length of the shown prefix: `sk-sb-` and four more characters. */
export const KEY_PREFIX_LENGTH = 10;
/** Prefix of every key, by which users and secret scanners recognize it. */
export const KEY_PREFIX = 'sk-sb-';
const MAX_KEYS = 10;

export interface ApiKeysOptions {
  /** Default 10. */
  readonly maxKeys?: number | undefined;
  /** Whether an admin changes the keys: the rules that are set then are the admin's. Default: their owner does. */
  readonly isAdmin?: boolean | undefined;
}

/** Creates the keys of users in the database, which stores their SHA-256 only. */
export function createApiKeys(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  { maxKeys = MAX_KEYS, isAdmin = false }: ApiKeysOptions = {},
) {
  const isOwn = (userId: number) =>
    and(eq(apiKeys.userId, userId), isNull(apiKeys.revokedAt), eq(apiKeys.isUniversal, false));
  const isThat = (userId: number, keyId: number) => and(eq(apiKeys.id, keyId), isOwn(userId));
  const update = async (userId: number, keyId: number, columns: KeyColumns, condition?: SQL) => {
    const [row] = await db
      .update(apiKeys)
      .set(columns)
      .where(and(isThat(userId, keyId), condition))
      .returning();
    return row && toApiKey(row);
  };
  /** Changes rules that an admin may have set. */
  const updateRules = async (userId: number, keyId: number, columns: KeyColumns, rules: readonly AdminRule[]) => {
    const isFree = isAdmin || rules.length === 0 ? undefined : not(arrayOverlaps(apiKeys.adminRules, [...rules]));
    const key = await update(userId, keyId, columns, isFree);
    if (key || !isFree) return key;
    const { adminRules = [] } = (await find(userId, keyId)) ?? {};
    const set = rules.filter((rule) => adminRules.includes(rule));
    if (set.length > 0) throw new SetByAdminError(set);
    return undefined;
  };
  /** Returns undefined if the user has no such active key. */
  const find = async (userId: number, keyId: number): Promise<ApiKey | undefined> => {
    const [row] = await db.select().from(apiKeys).where(isThat(userId, keyId));
    return row && toApiKey(row);
  };
  const mark = async (key: ApiKey | undefined, marks: ReturnType<typeof toRuleMarks>) => {
    if (!key || !isAdmin) return key;
    await markAdminRules(db, key.id, marks);
    const [row] = await db.select().from(apiKeys).where(eq(apiKeys.id, key.id));
    return row && toApiKey(row);
  };

  return {
    /** Maximum number of active keys of a user. */
    maxKeys,
    /**
     * Creates a key, which has its budget from the first request on. The caller checks that the user may have one with the
     * scope `manage`, and this budget.
     * @returns undefined if the user has the maximum number of keys.
     */
    create: (
      userId: number,
      label: string,
      { scope = 'use', budget = {}, ...policy }: NewKeyRules = {},
    ): Promise<NewSecret | undefined> =>
      db.transaction(async (tx) => {
        // The lock serialises concurrent calls, so that the count stays correct.
        await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update');
        if ((await tx.$count(apiKeys, isOwn(userId))) >= maxKeys) return undefined;
        const secret = createSecret(KEY_PREFIX);
        const isBudgeted = hasBudget(budget);
        const ruled = [...toRuleMarks(policy).set, ...(isBudgeted ? ['budget' as const] : [])];
        const adminRules = isAdmin ? ruled : [];
        const values = { userId, label, scope, adminRules, ...toPolicyColumns(policy), ...toSecretColumns(secret) };
        const [row] = await tx
          .insert(apiKeys)
          .values({ ...values, createdAt: new Date(clock.now()) })
          .returning();
        if (row && isBudgeted)
          await createBudgets({ db: tx, clock }).setBudget(printScope({ kind: 'key', id: row.id }), budget);
        return row && { key: toApiKey(row), secret };
      }),
    /** Lists active keys, oldest first. */
    async list(userId: number): Promise<readonly ApiKey[]> {
      const rows = await db.select().from(apiKeys).where(isOwn(userId)).orderBy(asc(apiKeys.id));
      return rows.map(toApiKey);
    },
    find,
    /** Returns undefined if the user has no such active key. */
    rename: (userId: number, keyId: number, label: string): Promise<ApiKey | undefined> =>
      update(userId, keyId, { label }),
    /**
     * Changes the given rules; `undefined` removes a rule. Takes effect within a second.
     * @param changes valid by `createKeyPolicySchemas`.
     * @returns undefined if the user has no such active key.
     * @throws SetByAdminError, unless an admin changes it.
     */
    async change(userId: number, keyId: number, changes: Partial<KeyPolicy>): Promise<ApiKey | undefined> {
      const columns = toPolicyColumns(changes);
      // An update without columns is not valid SQL.
      if (Object.keys(columns).length === 0) return find(userId, keyId);
      const rules = ADMIN_RULES.filter((rule) => Object.hasOwn(changes, rule));
      return mark(await updateRules(userId, keyId, columns, rules), toRuleMarks(changes));
    },
    /**
     * Replaces the secret of a key. The previous one works for `overlapMs` more, the one before it no longer.
     * @param overlapMs from 0 to `MAX_OVERLAP_MS`.
     * @param prefix that of the secret to replace, so that a repeated request does not replace the new one. Default: any.
     * @returns undefined if the user has no such active key, or the secret another prefix.
     */
    async rotate(userId: number, keyId: number, overlapMs: number, prefix?: string): Promise<NewSecret | undefined> {
      if (!(overlapMs >= 0 && overlapMs <= MAX_OVERLAP_MS)) throw new RangeError('overlapMs is out of range');
      const secret = createSecret(KEY_PREFIX);
      // One statement, so that of concurrent rotations the later one ends the secret before the earlier one.
      const columns = {
        ...toSecretColumns(secret),
        previousHash: overlapMs > 0 ? sql`${apiKeys.hash}` : null,
        previousExpiresAt: overlapMs > 0 ? new Date(clock.now() + overlapMs) : null,
      };
      const hasPrefix = prefix === undefined ? undefined : eq(apiKeys.prefix, prefix);
      const key = await update(userId, keyId, columns, hasPrefix);
      return key && { key, secret };
    },
    /**
     * Makes a key unusable until it is resumed, within a second.
     * @returns undefined if the user has no such active key.
     */
    async pause(userId: number, keyId: number): Promise<ApiKey | undefined> {
      const pausedAt = sql`coalesce(${apiKeys.pausedAt}, ${new Date(clock.now()).toISOString()}::timestamptz)`;
      return mark(await update(userId, keyId, { pausedAt }), toRuleMarks({}, true));
    },
    /**
     * Returns undefined if the user has no such active key.
     * @throws SetByAdminError, unless an admin resumes it.
     */
    async resume(userId: number, keyId: number): Promise<ApiKey | undefined> {
      return mark(await updateRules(userId, keyId, { pausedAt: null }, ['pause']), toRuleMarks({}, false));
    },
    /**
     * Revokes a key; it stops working within a second.
     * @returns false if the user has no such active key.
     */
    async revoke(userId: number, keyId: number): Promise<boolean> {
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
    adminRules: ADMIN_RULES.filter((rule) => row.adminRules.includes(rule)),
    createdAt,
    pausedAt: row.pausedAt ?? undefined,
    previousExpiresAt: row.previousExpiresAt ?? undefined,
    lastUse: at ? { at, route: route ?? '', network: network ?? '' } : undefined,
  };
}
