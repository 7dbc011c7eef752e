import { and, desc, eq, gte, lt } from 'drizzle-orm';
import type { Database } from '../../database/connect.ts';
import { lockUser } from '../../database/lock-user.ts';
import { adminActions, broadcasts, users } from '../../database/schema/index.ts';
import { toStorableText } from '../../database/storable.ts';
import type { Clock } from '../../lib/clock.ts';
import type { UsageRecorder } from '../accounts/index.ts';
import type { AdminAction } from '../administration/index.ts';
import { type BroadcastCounts, readCounts } from '../broadcasts/index.ts';
import type { Plan, Plans } from '../limits/index.ts';
import type { Models } from '../models/index.ts';
import type { AccessRules } from './access-rules.ts';
import { type Access, type AccessChanges, changeAccess, readAccess } from './change-access.ts';
import { type ChangeRequest, changeAudited } from './change-audited.ts';
import { createManagedBudgets, type ManagedBudgetsDeps } from './managed-budgets.ts';
import { createManagedKeys } from './managed-keys.ts';
import { findManagedUser, listUsers, type ManagedUser, type UserFilter } from './managed-users.ts';
import {
  countFiles,
  countIdempotentRequests,
  type FileTotals,
  listProviders,
  listUserFiles,
  type ProviderOverview,
  readDatabaseVersion,
  type UserFiles,
} from './overviews.ts';
import { type Page, type PageRequest, toPage } from './page.ts';
import { createUsageLedger } from './usage/usage-ledger.ts';
import { findNames, findUserNames } from './user-names.ts';

/** All kinds of actions. */
export const ADMIN_ACTIONS = adminActions.action.enumValues;

interface AuditFilter {
  readonly adminTelegramId?: number | undefined;
  readonly action?: AdminAction['action'] | undefined;
  readonly subject?: string | undefined;
  readonly from?: Date | undefined;
  /** Excluded. */
  readonly to?: Date | undefined;
}

/** An entry of the audit log. */
export interface ListedAction extends AdminAction {
  readonly id: number;
}

/** States of broadcasts. */
export const BROADCAST_STATES = broadcasts.state.enumValues;

/** A broadcast without its message. */
export interface ListedBroadcast {
  readonly id: number;
  readonly adminTelegramId: number;
  readonly state: (typeof BROADCAST_STATES)[number];
  readonly createdAt: Date;
  /** Undefined while something is left to send. */
  readonly endedAt: Date | undefined;
  readonly counts: BroadcastCounts;
}

/** A plan and its name. */
export interface NamedPlan extends Plan {
  readonly name: string;
}

/** Plans that exist without being configured; they have no limits. */
const BUILT_IN: readonly string[] = ['admin', 'free'];

export interface ManagementDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly models: Pick<Models, 'providers' | 'circuits'>;
  /** Its fields are read at each call, so that a reloaded configuration takes effect. */
  readonly rules: ManagedBudgetsDeps['rules'];
  readonly recorder: Pick<UsageRecorder, 'flush'>;
  /** Maximum number of rows of the usage ledger that one query may sum up or search. Default: unlimited. */
  readonly maxRowsRead?: number | undefined;
}

/** Lists and changes for operators. Each change is in the audit log. */
export function createManagement(deps: ManagementDeps) {
  const { db, rules } = deps;
  return {
    listUsers: (filter: UserFilter, page: PageRequest): Promise<Page<ManagedUser>> =>
      listUsers(db, rules, filter, page),
    findUser: (id: number): Promise<ManagedUser | undefined> => findManagedUser(db, rules, id),
    /** Lists the audit log, newest first. */
    listAuditLog: (filter: AuditFilter, page: PageRequest): Promise<Page<ListedAction>> =>
      listAuditLog(db, filter, page),
    /** Lists broadcasts, newest first. */
    listBroadcasts: (page: PageRequest): Promise<Page<ListedBroadcast>> => listBroadcasts(db, page),
    /**
     * Puts a user on a plan, within a second.
     * @param plan undefined: the default plan.
     * @returns undefined if there is no such user.
     */
    changePlan: (
      request: ChangeRequest<ManagedUser> & { readonly userId: number },
      plan: string | undefined,
    ): Promise<ManagedUser | undefined> => changePlan(deps, request, plan),
    /**
     * Writes a note about a user.
     * @param note undefined: none.
     * @returns undefined if there is no such user.
     */
    changeNote: (
      request: ChangeRequest<ManagedUser> & { readonly userId: number },
      note: string | undefined,
    ): Promise<ManagedUser | undefined> => changeNote(deps, request, note),
    /** Returns what is stored about the names of Telegram accounts, by their id. */
    findNames: (telegramIds: readonly number[]): Promise<ReadonlyMap<number, string>> =>
      findNames(db, rules, telegramIds),
    /** Returns the same by the ids of users. */
    findUserNames: (userIds: readonly number[]): Promise<ReadonlyMap<number, string>> =>
      findUserNames(db, rules, userIds),
    /** Lists the plans that users can be put on: those of the providers file, and the built-in ones, by name. */
    listPlans: (): readonly NamedPlan[] => listPlans(rules.plans),
    isAdmin: (telegramId: number): boolean => rules.adminIds.includes(telegramId),
    readAccess: (telegramId: number): Promise<Access> => readAccess(db, rules, telegramId),
    /** Bans, unbans, allows and disallows an account, within a second. */
    changeAccess: (
      request: ChangeRequest<Access> & { readonly telegramId: number },
      changes: AccessChanges,
    ): Promise<Access> => changeAccess(deps, request, changes),
    /** Lists providers in the order of preference. Circuit breakers are those of this process. */
    listProviders: (): Promise<readonly ProviderOverview[]> => listProviders(db, deps.models, deps.clock.now()),
    countFiles: (): Promise<FileTotals> => countFiles(db),
    /** Lists users with files by id. */
    listUserFiles: (page: PageRequest): Promise<Page<UserFiles>> => listUserFiles(db, page),
    /** Returns the version of the database, such as `17.5`. */
    readDatabaseVersion: (): Promise<string> => readDatabaseVersion(db),
    /** Counts running requests with an idempotency key, over all processes. */
    countIdempotentRequests: (): Promise<number> => countIdempotentRequests(db),
    keys: createManagedKeys(deps),
    budgets: createManagedBudgets(deps),
    usage: createUsageLedger(deps),
  };
}

function listPlans(plans: Plans): readonly NamedPlan[] {
  const names = [...new Set([...Object.keys(plans), ...BUILT_IN])].sort();
  return names.map((name) => ({ ...plans[name], name }));
}

async function lockManagedUser(tx: Database, rules: AccessRules, userId: number): Promise<ManagedUser | undefined> {
  await lockUser(tx, userId);
  return findManagedUser(tx, rules, userId);
}

function changePlan(
  deps: { readonly db: Database; readonly clock: Clock; readonly rules: AccessRules },
  { userId, ...request }: ChangeRequest<ManagedUser> & { readonly userId: number },
  plan: string | undefined,
): Promise<ManagedUser | undefined> {
  return changeAudited(deps, request, {
    read: (tx) => lockManagedUser(tx, deps.rules, userId),
    async change(tx, current) {
      await tx
        .update(users)
        .set({ plan: plan ?? null })
        .where(eq(users.id, userId));
      const result = (await findManagedUser(tx, deps.rules, userId)) ?? current;
      const subject = `${current.telegramId ?? `user:${userId}`}`;
      return { result, entry: { action: 'plan', subject, reason: result.plan } };
    },
  });
}

/** The note itself is not in the audit log, which a user can't have deleted. */
function changeNote(
  deps: { readonly db: Database; readonly clock: Clock; readonly rules: AccessRules },
  { userId, ...request }: ChangeRequest<ManagedUser> & { readonly userId: number },
  note: string | undefined,
): Promise<ManagedUser | undefined> {
  return changeAudited(deps, request, {
    read: (tx) => lockManagedUser(tx, deps.rules, userId),
    async change(tx, current) {
      if (current.note === note) return { result: current };
      await tx
        .update(users)
        .set({ note: note === undefined ? null : toStorableText(note) })
        .where(eq(users.id, userId));
      const result = (await findManagedUser(tx, deps.rules, userId)) ?? current;
      return { result, entry: { action: 'note', subject: `${current.telegramId ?? `user:${userId}`}`, reason: '' } };
    },
  });
}

async function listBroadcasts(db: Database, { limit, after }: PageRequest): Promise<Page<ListedBroadcast>> {
  const rows = await db
    .select()
    .from(broadcasts)
    .where(after && lt(broadcasts.id, Number(after[0])))
    .orderBy(desc(broadcasts.id))
    .limit(limit + 1);
  // Only one broadcast runs at a time; the counts of the others are stored.
  const counted = await Promise.all(rows.map(async (row) => ({ ...row, counts: await readCounts(db, row) })));
  return toPage(counted, limit, {
    toItem: ({ id, adminTelegramId, state, createdAt, endedAt, counts }) => ({
      id,
      adminTelegramId,
      state,
      createdAt,
      counts,
      endedAt: endedAt ?? undefined,
    }),
    toKey: ({ id }) => [id],
  });
}

async function listAuditLog(
  db: Database,
  { adminTelegramId, action, subject, from, to }: AuditFilter,
  { limit, after }: PageRequest,
): Promise<Page<ListedAction>> {
  const rows = await db
    .select()
    .from(adminActions)
    .where(
      and(
        adminTelegramId === undefined ? undefined : eq(adminActions.adminTelegramId, adminTelegramId),
        action && eq(adminActions.action, action),
        subject === undefined ? undefined : eq(adminActions.subject, subject),
        from && gte(adminActions.createdAt, from),
        to && lt(adminActions.createdAt, to),
        after && lt(adminActions.id, Number(after[0])),
      ),
    )
    .orderBy(desc(adminActions.id))
    .limit(limit + 1);
  return toPage(rows, limit, { toItem: (row) => ({ ...row, keyId: row.keyId ?? undefined }), toKey: ({ id }) => [id] });
}
