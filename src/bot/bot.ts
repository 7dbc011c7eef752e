import { Composer } from 'grammy';
import type { Update, UserFromGetMe } from 'grammy/types';
import { toGrammySignal } from '../telegram/grammy-signal.ts';
import type { UpdateKind } from '../telegram/poll-updates.ts';
import { resumeAnswers } from './answers/interrupted-answers.ts';
import { type BotServices, createBotServices } from './bot-services.ts';
import { createAnonymousAdmins } from './entrance/anonymous-admins.ts';
import { createAudience, isTalkOfOthers } from './entrance/audience.ts';
import { createDoor } from './entrance/door.ts';
import { createDraftStop } from './entrance/draft-stop.ts';
import { createGroupTalkFeature, isRemembered } from './entrance/group-talk.ts';
import { createMentionsOnly } from './entrance/mentions-only.ts';
import { createMigrationFeature } from './entrance/migration.ts';
import { createReachabilityFeature } from './entrance/reachability.ts';
import { administration } from './features/administration/index.ts';
import { announcements } from './features/announcements/index.ts';
import { answerButtons } from './features/answer-buttons/index.ts';
import { apiKeys } from './features/api-keys/index.ts';
import { chat } from './features/chat/index.ts';
import { editedQuestions } from './features/edited-questions/index.ts';
import { feedback } from './features/feedback/index.ts';
import { files } from './features/files/index.ts';
import { groupSettings } from './features/group-settings/index.ts';
import { help } from './features/help/index.ts';
import { imagine } from './features/imagine/index.ts';
import { tellInterruptedDrawings } from './features/imagine/interrupted-drawings.ts';
import { inlineMode } from './features/inline-mode/index.ts';
import { menus } from './features/menus/index.ts';
import { models } from './features/models/index.ts';
import { personalData } from './features/personal-data/index.ts';
import { personas } from './features/personas/index.ts';
import { readAloud } from './features/read-aloud/index.ts';
import { readPage } from './features/read-page/index.ts';
import { save } from './features/save/index.ts';
import { settings } from './features/settings/index.ts';
import { share } from './features/share/index.ts';
import { stats } from './features/stats/index.ts';
import { stop } from './features/stop/index.ts';
import { summarise } from './features/summarise/index.ts';
import { threads } from './features/threads/index.ts';
import { topics } from './features/topics/index.ts';
import { usage } from './features/usage/index.ts';
import { welcome } from './features/welcome/index.ts';
import type { BotDeps } from './framework/bot-deps.ts';
import { type ActionRegistry, createActionRegistry } from './framework/choice.ts';
import { BotContext } from './framework/context.ts';
import { createDialogs } from './framework/dialog.ts';
import type { Feature } from './framework/feature.ts';
import { publishProfile } from './framework/profile.ts';
import { createChatAdmins } from './groups/chat-admins.ts';

export type { BotDeps } from './framework/bot-deps.ts';

/** The bot: updates in, messages out. Where updates come from is not its business. */
export interface SwitchboardBot {
  /** The kinds of updates it wants; Telegram remembers the list, so it is always sent whole. */
  readonly allowedUpdates: readonly UpdateKind[];
  /** Whether nothing would come of handling it, as of most of what is said in groups that don't want it remembered. False until `setUp` has resolved. */
  isPointless(update: Update): boolean;
  /**
   * Handles one update. Updates of one chat must come one after the other; different chats may overlap.
   * Answers go on being written after it has resolved: see `listBusyChats`.
   * @param listFollowing the updates of the same chat that wait already. Default none.
   * @throws where nothing has come of it, because Telegram does not say who the bot is. Other failures are told to people in the
   * chat, and count as handled.
   */
  handleUpdate(update: Update, listFollowing?: () => Promise<readonly Update[]>): Promise<void>;
  /** Chats where answers or drawings are under way. After `stop`: where something is left for the next process to tell. */
  listBusyChats(): ReadonlySet<number>;
  /** Goes on with what a crash has cut short in a chat, or tells people of it. Never throws; the signal ends it early. */
  recover(chatId: number, signal: AbortSignal): Promise<void>;
  /** Another process works for this chat now, and goes on with what the database knows of: nothing more of that is written there. */
  abandon(chatId: number): void;
  /** Sends announcements of admins until the signal aborts. One process at a time may do so. */
  announce(signal: AbortSignal): Promise<void>;
  /**
   * Asks Telegram who the bot is, and publishes its commands and descriptions.
   * @throws where Telegram does not say who the bot is; what can't be published is logged.
   */
  setUp(signal: AbortSignal): Promise<void>;
  /** Asks Telegram again, with the next update, who the bot is: its settings at BotFather have changed. */
  forgetSettings(): void;
  /** Lets answers, drawings and files that are under way end for 8 s, then keeps what there is and says so. Takes about 15 s at most. */
  stop(): Promise<void>;
}

/** In this order they are asked whether an update is for them, and in this order Telegram and /help list their commands. */
const FEATURES: readonly Feature<BotServices>[] = [
  threads,
  topics,
  share,
  imagine,
  summarise,
  save,
  files,
  models,
  personas,
  stop,
  groupSettings,
  settings,
  apiKeys,
  usage,
  personalData,
  help,
  stats,
  announcements,
  administration,
  welcome,
  inlineMode,
  editedQuestions,
  feedback,
  answerButtons,
  readAloud,
  readPage,
  // From here on, features take what no other one has taken.
  chat,
  menus,
];

/** What buttons of the bot mean. */
export const actions: ActionRegistry = createActionRegistry(FEATURES.map((feature) => feature.actions ?? {}));
/** The commands of all features. */
export const commands = FEATURES.flatMap((feature) => feature.commands ?? []);

export function createBot(deps: BotDeps): SwitchboardBot {
  let known = deps.botInfo;
  let asked: Promise<UserFromGetMe> | undefined;
  const getMe = async (signal?: AbortSignal) => {
    if (known) return known;
    asked ??= deps.client.api.getMe(signal && toGrammySignal(signal)).finally(() => {
      asked = undefined;
    });
    known = await asked;
    return known;
  };
  const services = createBotServices({ ...deps, commands }, getMe);
  const { answers, announcing, inline, jobs, keyboards, saving, voices } = services;
  const admins = createChatAdmins(deps);
  const handlers = FEATURES.map((feature) => feature.create(services));
  const dialogs = Object.assign({}, ...handlers.map((one) => one.dialogs));
  const composer = new Composer<BotContext>();
  composer.use(
    createDoor(deps),
    createMigrationFeature(deps),
    createDraftStop(deps, answers),
    createReachabilityFeature(deps),
    createGroupTalkFeature(deps),
    createAnonymousAdmins(deps),
    createAudience({ ...deps, actions }),
    ...handlers.flatMap(({ early }) => early ?? []),
    createDialogs(services, dialogs),
    createMentionsOnly(),
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
    isPointless: (update) => known !== undefined && isTalkOfOthers(update, known) && !isRemembered(deps, update),
    async handleUpdate(update, listFollowing) {
      const ctx = new BotContext(update, deps.client.api, await getMe());
      const isOwnChat = ctx.msgId !== undefined && ctx.chatId !== undefined && !ctx.guestMessage;
      if (isOwnChat) deps.client.messageIds.note(ctx.chatId, ctx.msgId);
      if (listFollowing) ctx.listFollowing = listFollowing;
      ctx.isFromAdmin = async () => ctx.from !== undefined && (await admins.has(ctx, ctx.from.id));
      await handle(ctx, async () => {});
    },
    listBusyChats: () => new Set([answers, jobs, saving, voices, inline].flatMap((work) => [...work.listBusyChats()])),
    async recover(chatId, signal) {
      await resumeAnswers(deps, answers, chatId, signal);
      await tellInterruptedDrawings(deps, jobs, chatId, signal);
      await saving.recover(chatId, signal);
      await inline.recover(chatId);
    },
    // Nobody goes on with what is being read aloud: it ends here.
    abandon(chatId) {
      for (const work of [answers, jobs, saving, inline]) work.abandon(chatId);
    },
    announce: (signal) => announcing.run(signal),
    async setUp(signal) {
      await getMe(signal);
      await deps.groups.start();
      await publishProfile(services, signal);
    },
    forgetSettings() {
      known = undefined;
    },
    async stop() {
      await Promise.all([answers.close(), jobs.close(), saving.close(), voices.close(), inline.close()]);
      await keyboards.close();
      await deps.groups.close();
    },
  };
}
