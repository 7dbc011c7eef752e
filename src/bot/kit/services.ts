import type { UserFromGetMe } from 'grammy/types';
import type { Services } from '../../app/services.ts';
import type { BroadcastSender } from '../../core/broadcasts/index.ts';
import type { Arrivals } from '../../core/inbox/index.ts';
import type { Jobs } from '../../core/jobs/index.ts';
import type { SettingsEditor } from '../../core/stored-settings/index.ts';
import type { Toolbox } from '../../core/tools/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log/logger.ts';
import type { Observer } from '../../lib/log/observer.ts';
import type { TelegramAddress } from '../../lib/start-link.ts';
import type { TelegramClient } from '../../telegram/telegram-client.ts';
import type { Answers } from '../answers/asking.ts';
import type { Titles } from '../answers/titles.ts';
import type { ChatAdmins } from '../choices/groups.ts';
import type { RequestSender } from '../features/access-requests/request-sender.ts';
import type { NoticeSender } from '../features/budget-notices/notice-sender.ts';
import type { Saving } from '../features/save/saving.ts';
import type { TaskRunner } from '../features/tasks/task-runner.ts';
import type { AlbumDecision, AlbumMemory } from '../inputs/album-memory.ts';
import type { IncomingQuestions } from '../inputs/incoming-questions.ts';
import type { LinkMemory } from '../inputs/link-memory.ts';
import type { MessageParts } from '../inputs/message-parts.ts';
import type { QuestionService } from '../questions.ts';
import type { RichSupport } from '../reply-stream/page-formats.ts';
import type { ActionRegistry } from './actions.ts';
import type { AnswerExtension, BotJobKind, Command } from './feature.ts';
import type { KeyboardChanges } from './keyboards.ts';
import type { Notices } from './notices.ts';

/** Services that the bot gets: those of the product and a few for the bot alone. */
export interface GivenServices extends Services, TelegramAddress {
  readonly client: TelegramClient;
  /** The bot's own account if known; otherwise `getMe` is called. */
  readonly botInfo?: UserFromGetMe | undefined;
  /** Updates received by all processes. */
  readonly arrivals: Arrivals;
  readonly toolbox: Toolbox;
  /** Settings that admins change. Default: they can't. */
  readonly settingsEditor?: Pick<SettingsEditor, 'change' | 'makeFirstAdmin'> | undefined;
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

/** Everything that code of the bot may use: what it was given, and its own running parts. */
export interface BotServices extends GivenServices {
  /** Commands of all features. */
  readonly commands: readonly Command[];
  /** Callback actions of all features. */
  readonly actions: ActionRegistry;
  /** Returns what features add to answers, in their order. */
  readonly listAnswerExtensions: () => readonly AnswerExtension[];
  /** Returns the bot's username. */
  readonly findUsername: () => Promise<string>;
  readonly keyboards: KeyboardChanges;
  readonly admins: ChatAdmins;
  readonly messageParts: MessageParts;
  readonly questions: IncomingQuestions;
  readonly albums: AlbumMemory<AlbumDecision>;
  readonly lastLinks: LinkMemory;
  readonly richSupport: RichSupport;
  /** Background jobs of all kinds. */
  readonly jobs: Jobs<BotServices, BotJobKind>;
  readonly answers: Answers;
  /** Automatic titles of conversations. */
  readonly titles: Titles;
  readonly questionService: QuestionService;
  readonly saving: Saving;
  readonly taskRunner: TaskRunner;
  readonly broadcastSender: BroadcastSender;
  readonly notices: Notices;
  readonly noticeSender: NoticeSender;
  readonly requestSender: RequestSender;
}
