import type { Accounts, ApiKeys } from '../../../core/accounts/index.ts';
import type { Conversations } from '../../../core/conversations/index.ts';
import type { TextToSpeech } from '../../../core/generation/index.ts';
import type { Library } from '../../../core/library/index.ts';
import type { Limits } from '../../../core/limits/index.ts';
import type { Memories } from '../../../core/memory/index.ts';
import type { Catalogue } from '../../../core/models/index.ts';
import type { Sessions } from '../../../core/sessions/index.ts';
import type { Storage } from '../../../core/storage/index.ts';
import type { TaskLedger, Tasks } from '../../../core/tasks/index.ts';
import type { HeldBytes } from '../../../lib/held-bytes.ts';
import type { InFlightRequests } from '../../in-flight-requests.ts';
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
  readonly storage: Storage;
  readonly conversations: Pick<
    Conversations,
    | 'listConversations'
    | 'findListedConversation'
    | 'readVisibleMessages'
    | 'readRecord'
    | 'renameConversation'
    | 'deleteConversation'
    | 'listOpenAnswers'
  >;
  readonly library: Pick<Library, 'findConversations'>;
  readonly uploads: InFlightRequests;
  /** Returns the base URL of file links, without a trailing slash. */
  readonly cloudUrl: () => string;
  readonly speech: Pick<TextToSpeech, 'isAvailable'>;
  readonly tasks: Tasks;
  readonly taskLedger: Pick<TaskLedger, 'endSettledRuns'>;
  readonly memories: Memories;
  readonly heldBytes: HeldBytes;
}
