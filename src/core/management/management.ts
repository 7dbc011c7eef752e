import type { Database } from '../../database/connect.ts';
import type { ApiKeyIdentity, ApiKeys, UsageRecorder } from '../accounts/index.ts';
import { type AuditFilter, type ListedAction, listAuditLog } from './audit-pages.ts';
import { findManager, type Manager } from './manager.ts';
import type { Page, PageRequest } from './page.ts';
import { createUsageLedger, type UsageLedger } from './usage/usage-ledger.ts';
import { type AccessRules, findListedUser, type ListedUser, listUsers, type UserFilter } from './user-directory.ts';

/** Lists and changes for operators. Each change is in the audit log. */
export interface Management {
  /**
   * Returns the admin whose key this is; undefined unless it has the scope `manage` and its owner is an admin now.
   */
  findManager(identity: ApiKeyIdentity): Promise<Manager | undefined>;
  listUsers(filter: UserFilter, page: PageRequest): Promise<Page<ListedUser>>;
  findUser(id: number): Promise<ListedUser | undefined>;
  listAuditLog(filter: AuditFilter, page: PageRequest): Promise<Page<ListedAction>>;
  readonly usage: UsageLedger;
}

export interface ManagementDeps {
  readonly db: Database;
  readonly apiKeys: Pick<ApiKeys, 'find'>;
  /** Its fields are read at each call, so that a reloaded configuration takes effect. */
  readonly rules: AccessRules;
  readonly recorder: Pick<UsageRecorder, 'flush'>;
}

export function createManagement({ db, apiKeys, rules, recorder }: ManagementDeps): Management {
  return {
    findManager: (identity) => findManager(apiKeys, identity),
    listUsers: (filter, page) => listUsers(db, rules, filter, page),
    findUser: (id) => findListedUser(db, rules, id),
    listAuditLog: (filter, page) => listAuditLog(db, filter, page),
    usage: createUsageLedger({ db, recorder }),
  };
}
