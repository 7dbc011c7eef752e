import type { Accounts, ApiKeys } from '../../../core/accounts/index.ts';
import type { Limits } from '../../../core/limits/index.ts';
import type { Catalogue } from '../../../core/models/index.ts';
import type { Sessions } from '../../../core/sessions/index.ts';
import type { UsageDeps } from '../management/usage.ts';
import type { AuthenticateSessionDeps } from './authenticate-session.ts';
import type { SignInDeps } from './sign-in.ts';

/** Dependencies of sign-in and the routes under `/api/me`. */
export interface AccountApiDeps extends AuthenticateSessionDeps, SignInDeps, UsageDeps {
  readonly accounts: Pick<Accounts, 'ensureTelegramUser' | 'findUser' | 'updateSettings'>;
  readonly sessions: Sessions;
  readonly apiKeys: ApiKeys;
  readonly limits: Pick<Limits, 'readQuotas' | 'readBudgets'>;
  readonly catalogue: Catalogue;
}
