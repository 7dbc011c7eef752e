import type { Database } from '../../database/connect.ts';
import type { Clock } from '../../lib/clock.ts';
import type { UsageRecorder } from '../accounts/index.ts';
import type { Models } from '../models/index.ts';
import { type AuditFilter, type ListedAction, listAuditLog } from './audit-pages.ts';
import type { ChangeOptions } from './carry-out.ts';
import { type Access, type AccessChanges, changeAccess, readAccess } from './change-access.ts';
import { changePlan } from './change-plan.ts';
import { type ListedBroadcast, listBroadcasts } from './list-broadcasts.ts';
import { listPlans, type NamedPlan } from './list-plans.ts';
import { createManagedBudgets, type ManagedBudgetsDeps } from './managed-budgets.ts';
import { createManagedKeys } from './managed-keys.ts';
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
import type { Page, PageRequest } from './page.ts';
import { createUsageLedger } from './usage/usage-ledger.ts';
import { findListedUser, type ListedUser, listUsers, type UserFilter } from './user-directory.ts';

/** Lists and changes for operators. Each change is in the audit log. */
export type Management = ReturnType<typeof createManagement>;

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

export function createManagement(deps: ManagementDeps) {
  const { db, rules } = deps;
  return {
    listUsers: (filter: UserFilter, page: PageRequest): Promise<Page<ListedUser>> => listUsers(db, rules, filter, page),
    findUser: (id: number): Promise<ListedUser | undefined> => findListedUser(db, rules, id),
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
      options: ChangeOptions<ListedUser> & { readonly userId: number },
      plan: string | undefined,
    ): Promise<ListedUser | undefined> => changePlan(deps, options, plan),
    /** Lists the plans that users can be put on: those of the providers file, and the built-in ones. */
    listPlans: (): readonly NamedPlan[] => listPlans(rules.plans),
    isAdmin: (telegramId: number): boolean => rules.adminIds.includes(telegramId),
    readAccess: (telegramId: number): Promise<Access> => readAccess(db, rules, telegramId),
    /** Bans, unbans, allows and disallows an account, within a second. */
    changeAccess: (
      options: ChangeOptions<Access> & { readonly telegramId: number },
      changes: AccessChanges,
    ): Promise<Access> => changeAccess(deps, options, changes),
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
