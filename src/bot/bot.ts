import { Composer } from 'grammy';
import type { Update, UserFromGetMe } from 'grammy/types';
import { toGrammySignal } from '../telegram/grammy-signal.ts';
import { listUnreadParts } from '../telegram/rich-message-text.ts';
import type { UpdateKind } from '../telegram/updates/poll-updates.ts';
import { answerKind } from './answers/recovery.ts';
import { createGroupLookups } from './choices/groups.ts';
import { createBotServices } from './create-bot-services.ts';
import { accessRequests } from './features/access-requests/feature.ts';
import { administration } from './features/administration/feature.ts';
import { answerButtons } from './features/answer-buttons/feature.ts';
import { apiKeys } from './features/api-keys/feature.ts';
import { broadcasts } from './features/broadcasts/feature.ts';
import { budgetNotices } from './features/budget-notices/feature.ts';
import { charts } from './features/charts.ts';
import { chat } from './features/chat.ts';
import { compare } from './features/compare/feature.ts';
import { webConsole } from './features/console.ts';
import { conversations } from './features/conversations/feature.ts';
import { editedQuestions } from './features/edited-questions.ts';
import { feedback } from './features/feedback.ts';
import { files } from './features/files/feature.ts';
import { firstAdmin } from './features/first-admin.ts';
import { groupSettings } from './features/group-settings/feature.ts';
import { help } from './features/help.ts';
import { imagine } from './features/imagine/feature.ts';
import { inlineMode } from './features/inline-mode/feature.ts';
import { invitations } from './features/invitations/feature.ts';
import { library } from './features/library/feature.ts';
import { memory } from './features/memory/feature.ts';
import { menus } from './features/menus.ts';
import { models } from './features/models/feature.ts';
import { personalData } from './features/personal-data/feature.ts';
import { personas } from './features/personas/feature.ts';
import { readAloud } from './features/read-aloud/feature.ts';
import { readPage } from './features/read-page.ts';
import { save } from './features/save/feature.ts';
import { settings } from './features/settings/feature.ts';
import { share } from './features/share/feature.ts';
import { stats } from './features/stats/feature.ts';
import { sendMonthlySummaries } from './features/stats/monthly-summary.ts';
import { stop } from './features/stop.ts';
import { summarise } from './features/summarise.ts';
import { tasks } from './features/tasks/feature.ts';
import { topics } from './features/topics.ts';
import { usage } from './features/usage.ts';
import { welcome } from './features/welcome.ts';
import { type ActionRegistry, createActionRegistry } from './kit/actions.ts';
import { isGroup } from './kit/chats.ts';
import { BotContext } from './kit/context.ts';
import { createDialogs } from './kit/dialogs.ts';
import type { Feature, FeatureHandlers } from './kit/feature.ts';
import { publishProfile } from './kit/profile.ts';
import type { GivenServices } from './kit/services.ts';
import { createCommandCase, createForwardedCommands } from './middleware/commands.ts';
import { createErrorBoundary } from './middleware/error-boundary.ts';
import {
  createAnonymousAdmins,
  createGroupMessagesFeature,
  createLeftGroupsFeature,
  createMentionsOnly,
  createMigrationFeature,
  isStored,
} from './middleware/group-updates.ts';
import { createDraftStop, createReachabilityFeature } from './middleware/private-updates.ts';
import { createUserFilter, isMessageOfOthers } from './middleware/user-filter.ts';

export type { GivenServices } from './kit/services.ts';

/** The bot: handles updates and sends messages. Independent of polling or webhook. */
export interface SwitchboardBot {
  /** Kinds of updates to request. Telegram stores the list, so it is always sent completely. */
  readonly allowedUpdates: readonly UpdateKind[];
  /**
   * Returns whether handling the update would have no effect, as for most messages in groups that don't have messages
   * remembered. Always false until `setUp` has resolved. Remembers parts of albums and long texts for a short time, so
   * it must be called with the updates in order.
   */
  hasNoEffect(update: Update): boolean;
  /**
   * Handles one update. Updates of one chat must be handled one after the other; different chats may overlap. Answers
   * continue after it has resolved: see `listBusyChats`.
   * @param listFollowing returns the queued updates of the same chat. Default none.
   * @throws if `getMe` fails, in which case the update was not handled. Other failures are logged and reported in the
   * chat, and the update counts as handled.
   */
  handleUpdate(update: Update, listFollowing?: () => Promise<readonly Update[]>): Promise<void>;
  /**
   * Carries out a run of a task in its chat, or tells the user about it. Belongs to the updates of the chat: one after
   * the other. May be called again for the same run.
   */
  runTask(runId: number): Promise<void>;
  /**
   * Returns the chats with running answers or image jobs. After `stop`: the chats whose work the next process has to
   * recover.
   */
  listBusyChats(): ReadonlySet<number>;
  /** Counts running and waiting background jobs by kind. */
  countJobs(): Readonly<Record<string, number>>;
  /**
   * Resumes the work of a chat that a crash has interrupted, or reports it to the users. Never throws; the signal ends
   * it early.
   */
  recover(chatId: number, signal: AbortSignal): Promise<void>;
  /** Aborts the work of a chat whose lease another process has taken over. That process resumes the recorded work. */
  abandon(chatId: number): void;
  /** Sends broadcasts, notices about budgets, and requests for access, until the signal aborts. Only one process may run it at a time. */
  sendBroadcasts(signal: AbortSignal): Promise<void>;
  /** Sends monthly summaries to admins until the signal aborts. One process at a time should run it. */
  sendMonthlySummaries(signal: AbortSignal): Promise<void>;
  /**
   * Calls `getMe`, and publishes commands and descriptions.
   * @throws if `getMe` fails; failures to publish are logged.
   */
  setUp(signal: AbortSignal): Promise<void>;
  /** Returns the bot's username. @throws if `getMe` fails */
  findUsername(): Promise<string>;
  /** Calls `getMe` again with the next update, after settings at BotFather have changed. */
  forgetSettings(): void;
  /**
   * Lets running answers, image jobs and uploads finish for 8 s, then stops them, stores their state and reports it.
   * Takes about 15 s at most.
   */
  stop(): Promise<void>;
}

/** In the order of middleware, and of commands in Telegram's menu and `/help`. */
export const FEATURES: readonly Feature[] = [
  conversations,
  topics,
  share,
  imagine,
  summarise,
  save,
  files,
  library,
  models,
  compare,
  personas,
  memory,
  tasks,
  stop,
  groupSettings,
  settings,
  apiKeys,
  budgetNotices,
  usage,
  webConsole,
  personalData,
  help,
  stats,
  broadcasts,
  administration,
  accessRequests,
  invitations,
  firstAdmin,
  welcome,
  inlineMode,
  editedQuestions,
  feedback,
  answerButtons,
  readAloud,
  readPage,
  charts,
  // The following features handle updates that no previous one has handled.
  chat,
  menus,
];

/** Kinds of background jobs, in the order in which they are recovered. */
const jobKinds = [answerKind, ...FEATURES.flatMap((feature) => feature.jobs ?? [])];
/** Callback actions of all features. */
export const actions: ActionRegistry = createActionRegistry(FEATURES.map((feature) => feature.actions ?? {}));
/** Commands of all features. */
export const commands = FEATURES.flatMap((feature) => feature.commands ?? []);

export function createBot(given: GivenServices): SwitchboardBot {
  let botInfo = given.botInfo;
  let pendingRequest: Promise<UserFromGetMe> | undefined;
  const getMe = async (signal?: AbortSignal) => {
    if (botInfo) return botInfo;
    pendingRequest ??= given.client.api.getMe(signal && toGrammySignal(signal)).finally(() => {
      pendingRequest = undefined;
    });
    botInfo = await pendingRequest;
    return botInfo;
  };
  given.groupAccess.useTelegram(createGroupLookups(given));
  const listAnswerExtensions = () => handlers;
  const services = createBotServices(given, getMe, { commands, actions, jobKinds, listAnswerExtensions });
  const { admins, jobs, messageParts, taskRunner } = services;
  const handlers: readonly FeatureHandlers[] = FEATURES.map((feature) => feature.create(services));
  const dialogs = Object.assign({}, ...handlers.map((one) => one.dialogs));
  const composer = new Composer<BotContext>();
  composer.use(
    createErrorBoundary(services),
    (ctx, next) => {
      messageParts.record(ctx.message);
      const unreadTypes = listUnreadParts(ctx.update);
      // Telegram may have changed their form.
      if (unreadTypes.length > 0) services.logger.warn({ unreadTypes }, 'parts of a rich message could not be read');
      return next();
    },
    createForwardedCommands(),
    createCommandCase(new Set(commands.map(({ name }) => name))),
    createMigrationFeature(services),
    createDraftStop(services),
    createReachabilityFeature(services),
    createGroupMessagesFeature(services),
    createLeftGroupsFeature(services),
    createAnonymousAdmins(services),
    createUserFilter(services),
    ...handlers.flatMap(({ early }) => early ?? []),
    createDialogs(services, dialogs),
    createMentionsOnly(services),
    ...handlers.flatMap(({ middleware }) => middleware ?? []),
  );
  const handle = composer.middleware();

  return {
    allowedUpdates: [
      'message',
      'edited_message',
      'callback_query',
      'inline_query',
      'chosen_inline_result',
      'guest_message',
      'message_reaction',
      'my_chat_member',
      'stopped_message_generation',
    ],
    hasNoEffect(update) {
      messageParts.record(update.message);
      return botInfo !== undefined && isMessageOfOthers(services, update, botInfo) && !isStored(services, update);
    },
    async handleUpdate(update, listFollowing) {
      const ctx = new BotContext(update, services.client.api, await getMe());
      const isOwnChat = ctx.msgId !== undefined && ctx.chatId !== undefined && !ctx.guestMessage;
      if (isOwnChat) services.client.messageIds.record(ctx.chatId, ctx.msgId);
      if (listFollowing) ctx.listFollowing = listFollowing;
      ctx.isFromAdmin = async () =>
        ctx.from !== undefined && ctx.chat !== undefined && isGroup(ctx.chat) && admins.has(ctx.chat.id, ctx.from.id);
      await handle(ctx, async () => {});
    },
    runTask: (runId) => taskRunner.run(runId),
    listBusyChats: () => jobs.listBusyChats(),
    countJobs: () => jobs.count(),
    recover: (chatId, signal) => jobs.recover(chatId, signal),
    abandon: (chatId) => jobs.abandon(chatId),
    async sendBroadcasts(signal) {
      const { broadcastSender, noticeSender, requestSender } = services;
      await Promise.all([broadcastSender, noticeSender, requestSender].map((sender) => sender.run(signal)));
    },
    sendMonthlySummaries: (signal) => sendMonthlySummaries(services, signal),
    async setUp(signal) {
      await getMe(signal);
      await services.groups.start();
      await publishProfile(services, signal);
    },
    findUsername: async () => (await getMe()).username,
    forgetSettings() {
      botInfo = undefined;
    },
    async stop() {
      // Uses that are written now may cause notices.
      const ending = services.keyUses.flush().then(() => services.notices.close());
      await Promise.all([jobs.close().then(() => services.titles.close()), ending]);
      await services.keyboards.close();
      await services.groups.close();
    },
  };
}
