import type { UserFromGetMe } from 'grammy/types';
import type { Accounts, ApiKeys, KeyUses, UsageReports } from '../../core/accounts/index.ts';
import type { Administration, MonthlySummaries, ServiceReports } from '../../core/administration/index.ts';
import type { Broadcasts } from '../../core/broadcasts/index.ts';
import type { BudgetNotices } from '../../core/budget-notices/index.ts';
import type { Conversations } from '../../core/conversations/index.ts';
import type { DocumentTexts } from '../../core/documents/index.ts';
import type { Feedback } from '../../core/feedback/index.ts';
import type {
  ChatGeneration,
  ImageGeneration,
  TextToSpeech,
  ToolAnswers,
  Transcription,
} from '../../core/generation/index.ts';
import type { Groups } from '../../core/groups/index.ts';
import type { ImageJobs } from '../../core/image-jobs/index.ts';
import type { Arrivals } from '../../core/inbox/index.ts';
import type { Interactions } from '../../core/interactions/index.ts';
import type { Library } from '../../core/library/index.ts';
import type { Budgets, Limits } from '../../core/limits/index.ts';
import type { Memories } from '../../core/memory/index.ts';
import type { Catalogue } from '../../core/models/index.ts';
import type { PersonalData } from '../../core/personal-data/index.ts';
import type { Personas } from '../../core/personas/index.ts';
import type { StoredResponses } from '../../core/responses/index.ts';
import type { Sessions } from '../../core/sessions/index.ts';
import type { SharedConversations } from '../../core/shared-conversations/index.ts';
import type { Storage } from '../../core/storage/index.ts';
import type { TaskLedger, Tasks } from '../../core/tasks/index.ts';
import type { Toolbox } from '../../core/tools/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Observer } from '../../lib/observer.ts';
import type { TelegramAddress } from '../../lib/start-link.ts';
import type { TelegramClient } from '../../telegram/telegram-client.ts';

/** Dependencies of the bot on the rest of the product. */
export interface BotDeps extends TelegramAddress {
  readonly client: TelegramClient;
  /** The bot's own account if known; otherwise `getMe` is called. */
  readonly botInfo?: UserFromGetMe | undefined;
  readonly accounts: Accounts;
  readonly apiKeys: ApiKeys;
  readonly keyUses: Pick<KeyUses, 'flush' | 'onNewNetwork'>;
  readonly usageReports: UsageReports;
  readonly budgets: Pick<Budgets, 'readBudget' | 'setBudget'>;
  readonly limits: Pick<Limits, 'planNames' | 'readQuotas' | 'readBudgets' | 'readKeyBudget'>;
  readonly budgetNotices: BudgetNotices;
  readonly administration: Administration;
  readonly broadcasts: Broadcasts;
  readonly serviceReports: ServiceReports;
  readonly monthlySummaries: MonthlySummaries;
  readonly personalData: Pick<PersonalData, 'retentionDays' | 'countData' | 'export' | 'forget'>;
  readonly feedback: Pick<Feedback, 'isAnswer' | 'rateMessage' | 'toggleAnswer' | 'countOpinions'>;
  readonly conversations: Conversations;
  /** Ids by which the API continues conversations. */
  /** Codes of sign-in links to the console. */
  readonly sessions: Pick<Sessions, 'createCode'>;
  readonly responses: Pick<StoredResponses, 'ensureForAnswer'>;
  /** Updates received by all processes. */
  readonly arrivals: Arrivals;
  readonly personas: Personas;
  readonly library: Pick<Library, 'search' | 'find' | 'read' | 'countWaitingOf'>;
  readonly memories: Memories;
  readonly tasks: Tasks;
  readonly taskLedger: Pick<TaskLedger, 'findRun' | 'endRun' | 'endSettledRuns' | 'recordNotice'>;
  readonly groups: Groups;
  readonly interactions: Interactions;
  readonly generation: ChatGeneration;
  readonly toolAnswers: ToolAnswers;
  readonly toolbox: Pick<Toolbox, 'list' | 'hasBuiltIn' | 'limits' | 'withPermission'>;
  readonly images: ImageGeneration;
  readonly transcription: Transcription;
  /** Reads answers aloud. */
  readonly speech: TextToSpeech;
  readonly imageJobs: ImageJobs;
  readonly catalogue: Catalogue;
  readonly storage: Storage;
  readonly sharedConversations: SharedConversations;
  readonly documents: Pick<DocumentTexts, 'canRead' | 'read' | 'readPage' | 'renderPages'>;
  /** Loads a web page that a user has named; public addresses only. */
  readonly openPage: (url: string, signal: AbortSignal, userId: number) => Promise<Buffer>;
  /** Base URL of the API: `https://ai.example.org/ai/openai`. */
  readonly apiUrl: string;
  /** Address of the console: `https://ai.example.org/console/`. */
  readonly consoleUrl: string;
  /** Base URL of file links, without a trailing slash: `https://files.example.org`. */
  readonly cloudUrl: string;
  /** The operator has configured a public address for these links. Default true. */
  readonly isReachable?: boolean | undefined;
  /**
   * Models are asked for titles of conversations; otherwise the first words of the question are the title. Default
   * true.
   */
  readonly asksForTitles?: boolean | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Observes each `reply` until the chat shows all of it. Default none. */
  readonly observer?: Observer | undefined;
}
