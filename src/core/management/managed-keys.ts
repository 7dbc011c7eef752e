import { and, asc, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { contains } from '../../database/expressions.ts';
import { apiKeys, users } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import type { Clock } from '../../lib/clock.ts';
import { type ApiKey, type ApiKeys, createApiKeys, type KeyPolicy, toApiKey } from '../accounts/index.ts';
import type { AdminAction } from '../administration/index.ts';
import { type BudgetAmounts, hasBudget } from '../limits/index.ts';
import type { AccessRules } from './access-rules.ts';
import { type ChangeRequest, changeAudited } from './change-audited.ts';
import { describeBudget } from './managed-budgets.ts';
import { type Page, type PageRequest, toPage } from './page.ts';
import { findUserNames, hasName, toShownUserName } from './user-names.ts';

/** An API key and its owner. */
export interface ManagedKey extends ApiKey {
  readonly userId: number;
  /** What admins call the owner; undefined without a note or a stored name. */
  readonly userName?: string | undefined;
}

/** A key with its secret, which can't be read again. */
export interface ManagedSecret {
  readonly key: ManagedKey;
  readonly secret: string;
}

/** Changes of a key. A field that is present with `undefined` is reset; a missing one stays. */
export interface KeyChanges {
  readonly label?: string | undefined;
  readonly policy: Partial<KeyPolicy>;
  readonly isPaused?: boolean | undefined;
}

/** Filter for keys. Default: all. */
export interface KeyFilter {
  readonly userId?: number | undefined;
  /**
   * Text in the name of the key or the owner, in any case, or at the beginning of the secret, of which ten characters are
   * stored.
   */
  readonly search?: string | undefined;
}

type KeyChangeRequest = ChangeRequest<ManagedKey> & { readonly keyId: number };

interface NewKey {
  readonly label: string;
  readonly policy: Partial<KeyPolicy>;
  readonly budget: BudgetAmounts;
}

interface KeyDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly rules: AccessRules;
}

/** Lists and changes active API keys of all users, except the universal key. */
export function createManagedKeys({ db, clock, rules }: KeyDeps) {
  const keysIn = (tx: Database) => createApiKeys({ db: tx, clock }, { isAdmin: true });
  /** Carries out a change of a key with its audit entry, unless nothing changes. */
  const alter = <Result>(
    { keyId, ...request }: KeyChangeRequest,
    entry: Pick<AdminAction, 'action' | 'reason'> | undefined,
    change: (keys: ApiKeys, key: ManagedKey) => Promise<Result>,
  ) =>
    changeAudited({ db, clock }, request, {
      async read(tx) {
        await tx.select({ id: apiKeys.id }).from(apiKeys).where(eq(apiKeys.id, keyId)).for('update');
        return findKey(tx, rules, keyId);
      },
      async change(tx, key) {
        const result = await change(keysIn(tx), key);
        return { result, entry: entry && { ...entry, subject: `key:${keyId}` } };
      },
    });
  return {
    /** Lists keys by id. */
    async list({ userId, search = '' }: KeyFilter, { limit, after }: PageRequest): Promise<Page<ManagedKey>> {
      const rows = await selectKeys(db)
        .where(
          and(
            isActive,
            userId === undefined ? undefined : eq(apiKeys.userId, userId),
            search === '' ? undefined : isFound(rules, search),
            after && gt(apiKeys.id, Number(after[0])),
          ),
        )
        .orderBy(asc(apiKeys.id))
        .limit(limit + 1);
      return toPage(rows, limit, { toItem: (row) => toManagedKey(rules, row), toKey: ({ key }) => [key.id] });
    },
    find: (keyId: number): Promise<ManagedKey | undefined> => findKey(db, rules, keyId),
    /** Returns undefined if there is no such user, and `full` if the user has the maximum number of keys. */
    create: (
      { manager, userId }: Pick<ChangeRequest<ManagedKey>, 'manager'> & { readonly userId: number },
      { label, policy, budget }: NewKey,
    ): Promise<ManagedSecret | 'full' | undefined> =>
      changeAudited<{ readonly id: number }, ManagedSecret | 'full'>(
        { db, clock },
        { manager, check: () => {} },
        {
          async read(tx) {
            const [user] = await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update');
            return user;
          },
          async change(tx) {
            const created = await keysIn(tx).create(userId, label, { ...policy, budget });
            if (!created) return { result: 'full' as const };
            const userName = (await findUserNames(tx, rules, [userId])).get(userId);
            const reason = hasBudget(budget) ? describeBudget(budget) : '';
            const result = { key: { ...created.key, userId, userName }, secret: created.secret };
            return { result, entry: { action: 'create-key', subject: `key:${created.key.id}`, reason } };
          },
        },
      ),
    /** The others return undefined if there is no such key. Changes take effect within a second. */
    change(request: KeyChangeRequest, { label, policy, isPaused }: KeyChanges): Promise<ManagedKey | undefined> {
      const reason = describeChanges({ label, policy, isPaused });
      return alter(request, reason === '' ? undefined : { action: 'change-key', reason }, async (keys, key) => {
        const { userId, id } = key;
        if (label !== undefined) await keys.rename(userId, id, label);
        if (isPaused !== undefined) await (isPaused ? keys.pause(userId, id) : keys.resume(userId, id));
        return { ...key, ...(await keys.change(userId, id, policy)) };
      });
    },
    rotate: (request: KeyChangeRequest, overlapMs: number): Promise<ManagedSecret | undefined> =>
      alter(request, { action: 'rotate-key', reason: '' }, async (keys, { userId, id, userName }) => {
        const rotated = await keys.rotate(userId, id, overlapMs);
        return rotated && { key: { ...rotated.key, userId, userName }, secret: rotated.secret };
      }),
    revoke: (request: KeyChangeRequest): Promise<ManagedKey | undefined> =>
      alter(request, { action: 'revoke-key', reason: '' }, async (keys, key) => {
        await keys.revoke(key.userId, key.id);
        return key;
      }),
  };
}

/** Names the changed fields for the audit log, which contains neither names nor notes of users. */
function describeChanges({ label, policy, isPaused }: KeyChanges): string {
  const names = [...(label === undefined ? [] : ['label']), ...Object.keys(policy)];
  return [...names, ...(isPaused === undefined ? [] : [isPaused ? 'paused' : 'resumed'])].join(', ');
}

/** Returns the condition that a key has the text in its name or its owner's, or at the beginning of its secret. */
function isFound(rules: AccessRules, search: string): SQL | undefined {
  const isPrefix = sql`starts_with(${apiKeys.prefix}, ${toStorableText(search)})`;
  return or(contains(apiKeys.label, search), isPrefix, hasName(rules, search));
}

const isActive = and(isNull(apiKeys.revokedAt), eq(apiKeys.isUniversal, false));

function selectKeys(db: Database) {
  const { note, name, username } = users;
  return db.select({ key: apiKeys, note, name, username }).from(apiKeys).innerJoin(users, eq(users.id, apiKeys.userId));
}

async function findKey(db: Database, rules: AccessRules, keyId: number): Promise<ManagedKey | undefined> {
  const [row] = await selectKeys(db).where(and(isActive, eq(apiKeys.id, keyId)));
  return row && toManagedKey(rules, row);
}

function toManagedKey(
  rules: AccessRules,
  { key, ...names }: Awaited<ReturnType<typeof selectKeys>>[number],
): ManagedKey {
  return { ...toApiKey(key), userId: key.userId, userName: toShownUserName(rules, names) };
}
