import type { Middleware } from 'grammy';
import type { User } from '../../core/accounts/index.ts';
import type { ChatTopic, MessageExtras, StoredMessage } from '../../core/conversations/index.ts';
import type { Group } from '../../core/groups/index.ts';
import type { JobKind, JobRequest } from '../../core/jobs/index.ts';
import type { ModelEntry } from '../../core/models/index.ts';
import type { BuiltInTool, Tool } from '../../core/tools/index.ts';
import type { Locale } from '../../texts/locale.ts';
import type { Answer, GeneratedAnswer } from '../answers/answer.ts';
import type { AnswerButtons, FinishedAnswer, UsualButtons } from '../answers/keyboards.ts';
import type { AnswerOutcome } from '../answers/writing.ts';
import type { Texts } from '../texts/locales.ts';
import type { ActionDefinitions } from './actions.ts';
import type { BotContext } from './context.ts';
import type { DialogHandlers } from './dialogs.ts';
import type { ActionButton } from './keyboards.ts';
import type { BotServices } from './services.ts';

/** One capability of the bot: a file or folder of `features/` that exports it, and an entry in `bot.ts`. */
export interface Feature {
  /** Commands for Telegram's menu and `/help`, in the order of the features. Default none. */
  readonly commands?: readonly Command[];
  /** Definitions of its callback actions. Default none. */
  readonly actions?: ActionDefinitions;
  /** Kinds of its background jobs. Default none. */
  readonly jobs?: readonly BotJobKind[];
  readonly create: (services: BotServices) => FeatureHandlers;
}

/** Kind of background job in chats. */
export interface BotJobKind<Request extends JobRequest = JobRequest> extends JobKind<BotServices, Request> {
  /**
   * Says how many jobs `/stop` has stopped: "2 images". Without it the command leaves them alone, because the chat that
   * they belong to does not show them.
   */
  readonly describeStopped?: (count: number, locale: Locale) => string;
}

/** Command; `name` has no slash. */
export type Command = ListedCommand | { readonly name: string; readonly menus: readonly [] };

/** Command menu of Telegram: in private chats, in groups, or in private chats of admins. */
export type CommandMenu = 'private' | 'group' | 'admin';

interface ListedCommand {
  readonly name: string;
  readonly menus: readonly [CommandMenu, ...CommandMenu[]];
  /** Has an effect on a private service only. */
  readonly isForPrivateService?: true;
  readonly describe: (locale: Locale) => string;
}

export interface FeatureHandlers extends AnswerExtension {
  /** Handles an update or passes it on to the next feature. Default none. */
  readonly middleware?: Middleware<BotContext>;
  /**
   * Middleware that runs before the dialogs: for updates that don't end one, such as those of chats that the bot is not
   * a member of. Default none.
   */
  readonly early?: Middleware<BotContext>;
  /** Handlers for texts that the feature has asked for. Default none. */
  readonly dialogs?: Partial<DialogHandlers>;
}

/** Additions of a feature to answers in chats of the bot. Answers in inline mode have no extensions. */
export interface AnswerExtension {
  /**
   * Returns the feature's tools for an answer; called when the answer starts. Tools that the operator or the user has
   * switched off are left out later. Default none.
   */
  readonly tools?: (answer: Answer) => readonly FeatureTool[];
  /** Returns an addition to the system prompt, looked up when the answer starts; undefined without one. Default none. */
  readonly instructions?: (answer: Answer) => Promise<PromptAddition | undefined>;
  /**
   * Returns whether the user does not wait for the answer: nothing shows before it is complete, no text and no typing.
   * Default false.
   */
  readonly isQuiet?: (question: StoredMessage) => boolean;
  /** Returns whether an answer has nothing to report, so that it is not sent. Default false. */
  readonly isSilent?: (question: StoredMessage, generated: GeneratedAnswer) => boolean;
  /** Returns a title above the text. Default none. */
  readonly title?: (extras: MessageExtras) => string | undefined;
  /** Returns a line above the answer, and above messages about it. Default none. */
  readonly heading?: (answered: AnsweredQuestion) => string | undefined;
  /** Returns the buttons below the answer in place of the usual ones. Default the usual ones. */
  readonly answerButtons?: (answered: AnsweredQuestion) => readonly ActionButton[] | undefined;
  /**
   * Returns another arrangement of the usual buttons below a finished answer; undefined if it has nothing to do with the
   * answer. Default undefined.
   */
  readonly arrangeButtons?: (
    finished: FinishedAnswer,
    usual: UsualButtons,
    texts: Texts,
  ) => Promise<AnswerButtons | undefined>;
  /** Returns whether an answer has buttons though the conversation ends with another message. Default false. */
  readonly keepsButtons?: (
    answer: Pick<StoredMessage, 'parentId' | 'extras'>,
    newest: StoredMessage | undefined,
  ) => boolean;
  /** Returns the answers that have buttons at the same time as this one. Default none. */
  readonly listShownBeside?: (answer: StoredMessage, chatId: number) => Promise<readonly ShownButtons[]>;
  /** Returns the buttons below the message about its failure. Default the usual ones. */
  readonly failureButtons?: (answered: AnsweredQuestion) => FailureButtons | undefined;
  /** Returns a line below the answer. Default none. */
  readonly status?: (shown: Pick<StoredMessage, 'extras'>, texts: Texts) => string | undefined;
  /** Returns whether a failure of the answer is shown in its own messages. Default in a message of its own. */
  readonly showsFailure?: (shown: Pick<StoredMessage, 'extras'>) => boolean;
  /** Called when the answer is stored, before the chat shows all of it. Never throws. Default none. */
  readonly afterStored?: (stored: StoredAnswer) => Promise<void>;
  /**
   * Called when the chat shows the answer. Never throws.
   * @returns `settled` if it has recorded that nothing is left to do; `unfinished` if the signal aborted it and another
   * process has to do it; undefined if it has nothing to do with the answer. Default undefined.
   */
  readonly afterShown?: (shown: ShownAnswer, signal: AbortSignal) => Promise<AnswerOutcome | undefined>;
  /** Called after this process has settled the answer: it is shown, or its failure is. Never throws. Default none. */
  readonly onSettled?: (answer: Answer) => void;
}

/** Telegram message with the last page of an answer, which has its buttons. */
export interface ShownButtons {
  readonly answerId: number;
  readonly telegramMessageId: number;
}

/** Answer that is stored and about to be shown. */
export interface StoredAnswer {
  readonly answer: Answer;
  /** Returns the answers that are written at the same time, this one included. */
  readonly listBatch: () => readonly Answer[];
  /** The answer itself, or the one that it was to replace. */
  readonly shown: Pick<StoredMessage, 'extras'>;
  readonly chatId: number;
}

/** Answer that the chat shows completely. */
export interface ShownAnswer {
  readonly answer: Answer;
  readonly answered: AnsweredQuestion;
  readonly generated: GeneratedAnswer;
}

/** Buttons of a feature below a message about a failure. */
export interface FailureButtons {
  readonly row: readonly ActionButton[];
  /** The usual buttons, such as Retry, are left out. */
  readonly isAll: boolean;
}

/** Facts about an answer for what is shown with it, and for messages about it. */
export interface AnsweredQuestion {
  readonly answerId: number;
  readonly question: StoredMessage;
  /** Where it is shown now. */
  readonly chatTopic: ChatTopic;
  readonly replyTo: number | undefined;
  readonly userId: number;
  /** Name of the user in a group. Default unknown. */
  readonly userName?: string | undefined;
  readonly texts: Texts;
}

/** Tool of a feature. The operator can switch it off by its name. */
export type FeatureTool = Tool & { readonly name: BuiltInTool };

export interface PromptAddition {
  readonly text: string;
  /** Kept with the answer. Default none. */
  readonly extras?: MessageExtras;
  /** Another user may have written a part of the text. Default false. */
  readonly hasForeignText?: boolean;
}

/** User who asks, location in Telegram, and model that answers. */
export interface AnswerContext {
  readonly user: User;
  readonly texts: Texts;
  /** Language of the user's app as an IETF tag. Default unknown. */
  readonly language?: string | undefined;
  readonly chatTopic: ChatTopic;
  readonly isGroup: boolean;
  /** In comments each page replies to the previous one. Default false. */
  readonly isInChain?: boolean;
  /** Group with its settings; undefined outside groups. */
  readonly group: Group | undefined;
  /** Name of the user in a group; undefined if it is no longer known. */
  readonly userName?: string | undefined;
  /** Topic in which typing is shown. Unlike message sends, it names a forum's General topic. */
  readonly typingTopicId: number | undefined;
  readonly model: ModelEntry;
}
