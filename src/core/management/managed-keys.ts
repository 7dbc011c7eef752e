import { and, asc, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { contains } from '../../database/expressions.ts';
import { apiKeys, users } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import type { Clock } from '../../lib/clock.ts';
import { type ApiKey, type ApiKeys, createApiKeys, type KeyPolicy, toApiKey } from '../accounts/index.ts';
import type { AdminAction } from '../administration/index.ts';
import { type ChangeRequest, changeAudited } from './change-audited.ts';
import { type Page, type PageRequest, toPage } from './page.ts';

/** An API key and its owner. */
export interface ManagedKey extends ApiKey {
  readonly userId: number;
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
  /** Text in the name, in any case, or at the beginning of the secret, of which ten characters are stored. */
  readonly search?: string | undefined;
}

type KeyChangeRequest = ChangeRequest<ManagedKey> & { readonly keyId: number };

interface NewKey {
  readonly label: string;
  readonly policy: Partial<KeyPolicy>;
}

interface KeyDeps {
  readonly db: Database;
  readonly clock: Clock;
}

/** Lists and changes active API keys of all users, except the universal key. */
export function createManagedKeys({ db, clock }: KeyDeps) {
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
        return findKey(tx, keyId);
      },
      async change(tx, key) {
        const result = await change(keysIn(tx), key);
        return { result, entry: entry && { ...entry, subject: `key:${keyId}` } };
      },
    });
  return {
    /** Lists keys by id. */
    async list({ userId, search = '' }: KeyFilter, { limit, after }: PageRequest): Promise<Page<ManagedKey>> {
      const rows = await db
        .select()
        .from(apiKeys)
        .where(
          and(
            isActive,
            userId === undefined ? undefined : eq(apiKeys.userId, userId),
            search === '' ? undefined : isFound(search),
            after && gt(apiKeys.id, Number(after[0])),
          ),
        )
        .orderBy(asc(apiKeys.id))
        .limit(limit + 1);
      return toPage(rows, limit, { toItem: toManagedKey, toKey: ({ id }) => [id] });
    },
    find: (keyId: number): Promise<ManagedKey | undefined> => findKey(db, keyId),
    /** Returns undefined if there is no such user, and `full` if the user has the maximum number of keys. */
    create: (
      { manager, userId }: Pick<ChangeRequest<ManagedKey>, 'manager'> & { readonly userId: number },
      { label, policy }: NewKey,
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
            const created = await keysIn(tx).create(userId, label, policy);
            if (!created) return { result: 'full' as const };
            const result = { key: { ...created.key, userId }, secret: created.secret };
            return { result, entry: { action: 'create-key', subject: `key:${created.key.id}`, reason: '' } };
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
      alter(request, { action: 'rotate-key', reason: '' }, async (keys, { userId, id }) => {
        const rotated = await keys.rotate(userId, id, overlapMs);
        return rotated && { key: { ...rotated.key, userId }, secret: rotated.secret };
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

/** Returns the condition that a key has the text in its name, or at the beginning of its secret. */
function isFound(search: string): SQL | undefined {
  return or(contains(apiKeys.label, search), sql`starts_with(${apiKeys.prefix}, ${toStorableText(search)})`);
}

const isActive = and(isNull(apiKeys.revokedAt), eq(apiKeys.isUniversal, false));

async function findKey(db: Database, keyId: number): Promise<ManagedKey | undefined> {
  const [row] = await db
    .select()
    .from(apiKeys)
    .where(and(isActive, eq(apiKeys.id, keyId)));
  return row && toManagedKey(row);
}

function toManagedKey(row: typeof apiKeys.$inferSelect): ManagedKey {
  return { ...toApiKey(row), userId: row.userId };
}
