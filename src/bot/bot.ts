import { Composer } from 'grammy';
import type { Update, UserFromGetMe } from 'grammy/types';
import { createAnnouncementSender } from '../core/announcements/index.ts';
import { toGrammySignal } from '../telegram/grammy-signal.ts';
import type { UpdateKind } from '../telegram/poll-updates.ts';
import { createAnswers } from './answers/answers.ts';
import { resumeAnswers } from './answers/interrupted-answers.ts';
import { createAnonymousAdmins } from './entrance/anonymous-admins.ts';
import { createAudience, isTalkOfOthers } from './entrance/audience.ts';
import { createDoor } from './entrance/door.ts';
import { createGroupTalkFeature, isRemembered } from './entrance/group-talk.ts';
import { createMentionsOnly } from './entrance/mentions-only.ts';
import { createMigrationFeature } from './entrance/migration.ts';
import { createReachabilityFeature } from './entrance/reachability.ts';
import { createAllowFeature } from './features/administration/allow.ts';
import { createAuditFeature } from './features/administration/audit.ts';
import { createBanFeature } from './features/administration/ban.ts';
import { createPlanFeature } from './features/administration/plan.ts';
import { createStatsFeature } from './features/administration/stats.ts';
import { createTakeDownFeature } from './features/administration/take-down.ts';
import { createAnnounceFeature, previewByMessage } from './features/announcements/announce.ts';
import { createAnnouncementCourier } from './features/announcements/announcement-courier.ts';
import { createAnswerButtonsFeature } from './features/answer-buttons/answer-buttons.ts';
import { createRetryFeature } from './features/answer-buttons/retry.ts';
import { createToolPermissionsFeature } from './features/answer-buttons/tool-permissions.ts';
import { createKeyFeature, makeKeyByText, renameKeyByText } from './features/api-keys/api-keys.ts';
import { createChatFeature } from './features/chat/chat.ts';
import { createUnknownCommandFeature } from './features/chat/unknown-command.ts';
import { createUnreadableFeature } from './features/chat/unreadable.ts';
import { createEditedQuestionsFeature } from './features/edited-questions/edited-questions.ts';
import { createFeedbackFeature } from './features/feedback/feedback.ts';
import { askAboutFile, createAskAboutFileFeature } from './features/files/ask-about-file.ts';
import { createDeleteByKeyFeature, deleteByKey } from './features/files/delete-by-key.ts';
import { createFileChangesFeature, renameByText } from './features/files/file-changes.ts';
import { createFileLinkFeature, handOverByPassword } from './features/files/file-link.ts';
import { createFilesFeature, listFiles } from './features/files/files.ts';
import { createGroupSettingsFeature, saveGroupInstructions } from './features/group-settings/group-settings.ts';
import { createAdminMenuFeature, createHelpFeature } from './features/help/help.ts';
import { listAnswerTools } from './features/imagine/answer-tools.ts';
import { createImagineFeature, imagineByText } from './features/imagine/imagine.ts';
import { tellInterruptedDrawings } from './features/imagine/interrupted-drawings.ts';
import { createPictureButtonsFeature } from './features/imagine/picture-buttons.ts';
import { createPictureJobs } from './features/imagine/picture-jobs.ts';
import { createGuestQuestionsFeature } from './features/inline-mode/guest-questions.ts';
import { createInlineWork } from './features/inline-mode/inline-answers.ts';
import { createInlineModeFeature } from './features/inline-mode/inline-mode.ts';
import { createMenusFeature } from './features/menus/menus.ts';
import { createModelLinkFeature } from './features/models/model-link.ts';
import { createModelsFeature, searchModelByText } from './features/models/models.ts';
import { createExportFeature } from './features/personal-data/export.ts';
import { createForgetFeature } from './features/personal-data/forget.ts';
import { createPrivacyFeature } from './features/personal-data/privacy.ts';
import {
  createOwnPersonasFeature,
  makePersonaByText,
  namePersonaByText,
  renamePersonaByText,
  rewritePersonaByText,
} from './features/personas/own-personas.ts';
import { createPersonaLinkFeature } from './features/personas/persona-link.ts';
import { createPersonasFeature } from './features/personas/personas.ts';
import { createSystemPromptFeature, saveSystemPrompt } from './features/personas/system-prompt.ts';
import { createReadAloudFeature } from './features/read-aloud/read-aloud.ts';
import { speakAnswer } from './features/read-aloud/speak-answer.ts';
import { createVoiceJobs } from './features/read-aloud/voice-jobs.ts';
import { createReadPageFeature } from './features/read-page/read-page.ts';
import { createSaveFeature } from './features/save/save.ts';
import { createSaveJobs } from './features/save/save-jobs.ts';
import { createAnswerSettingsFeature } from './features/settings/answer-settings.ts';
import { createAnswerStyleFeature } from './features/settings/answer-style.ts';
import { createSettingsFeature } from './features/settings/settings.ts';
import { createShareFeature } from './features/share/share.ts';
import { createSharedLinkFeature } from './features/share/shared-link.ts';
import { createDraftStopFeature, createStopFeature } from './features/stop/stop.ts';
import { createSummariseFeature } from './features/summarise/summarise.ts';
import { createContinueElsewhereFeature } from './features/threads/continue-elsewhere.ts';
import { createNewConversationFeature } from './features/threads/new-conversation.ts';
import { createThreadChangesFeature, renameThreadByText } from './features/threads/thread-changes.ts';
import { createThreadsFeature, listThreads } from './features/threads/threads.ts';
import { createTopicsFeature } from './features/topics/topics.ts';
import { createUsageFeature } from './features/usage/usage.ts';
import { createWelcomeFeature } from './features/welcome/welcome.ts';
import type { BotDeps } from './framework/bot-deps.ts';
import { BotContext } from './framework/context.ts';
import { createDialogs } from './framework/dialog.ts';
import { createKeyboardChanges } from './framework/keyboard-changes.ts';
import { publishProfile } from './framework/profile.ts';
import { createChatAdmins } from './groups/chat-admins.ts';
import { createAlbumMemory } from './inputs/album-memory.ts';
import { createIncomingQuestions } from './inputs/incoming-questions.ts';
import { createLinkMemory } from './inputs/link-memory.ts';
import { createAsker } from './questions/ask.ts';
import { createRichSupport } from './reply-stream/index.ts';

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

export function createBot(deps: BotDeps): SwitchboardBot {
  const keyboards = createKeyboardChanges(deps);
  const jobs = createPictureJobs(deps);
  const voices = createVoiceJobs(deps);
  const answers = createAnswers(
    { ...deps, keyboards, richSupport: createRichSupport() },
    {
      listTools: (asking, replyTo) => listAnswerTools(deps, jobs, asking, replyTo),
      onSettled: (job) => void speakAnswer(deps, voices, job),
    },
  );
  const asker = createAsker(deps, answers);
  const imagining = { ...deps, jobs };
  const saving = createSaveJobs(deps);
  const work = { answers, drawings: jobs, saving, voices };
  const inline = createInlineWork(deps, async () => (await getMe()).username);
  const albums = createAlbumMemory<'drawn' | 'told'>();
  const announcing = createAnnouncementSender({ ...deps, courier: createAnnouncementCourier(deps) });
  const questions = createIncomingQuestions(deps);
  const lastLinks = createLinkMemory(deps);
  const admins = createChatAdmins(deps);
  const features = new Composer<BotContext>();
  features.use(
    createDoor(deps),
    createMigrationFeature(deps),
    createDraftStopFeature(deps, answers),
    createReachabilityFeature(deps),
    createGroupTalkFeature(deps),
    createAnonymousAdmins(deps),
    createAudience(deps),
    // Before the dialogs: they are of chats that the bot is not in.
    createInlineModeFeature(deps, inline),
    createGuestQuestionsFeature(deps, inline),
    createFeedbackFeature({ ...deps, keyboards }),
    // Before the dialogs, which an edit does not end.
    createEditedQuestionsFeature(deps, asker, answers),
    createDialogs(
      { ...deps, keyboards },
      {
        'system-prompt': (ctx, text) => saveSystemPrompt(deps, ctx, text),
        'model-search': (ctx, text, retry) => searchModelByText(deps, asker, ctx, text, retry),
        imagine: (ctx, text, draftId) => imagineByText(imagining, ctx, text, draftId),
        'file-search': (ctx, text) => listFiles(deps, ctx, text),
        'file-name': (ctx, text, fileId) => renameByText(deps, ctx, text, fileId),
        'file-owner-key': (ctx, text, fileId) => deleteByKey(deps, ctx, text, fileId),
        'key-name': (ctx, text) => makeKeyByText(deps, ctx, text),
        'key-new-name': (ctx, text, keyId) => renameKeyByText(deps, ctx, text, keyId),
        announcement: (ctx) => previewByMessage(deps, ctx),
        'persona-name': (ctx, text) => namePersonaByText(deps, ctx, text),
        'persona-instructions': (ctx, text, name) => makePersonaByText(deps, ctx, text, name),
        'persona-new-name': (ctx, text, personaId) => renamePersonaByText(deps, ctx, text, personaId),
        'persona-new-instructions': (ctx, text, personaId) => rewritePersonaByText(deps, ctx, text, personaId),
        'group-instructions': (ctx, text) => saveGroupInstructions(deps, ctx, text),
        'thread-search': (ctx, text) => listThreads(deps, ctx, text),
        'thread-title': (ctx, text, threadId) => renameThreadByText(deps, ctx, text, threadId),
        'file-question': (ctx, text, fileId) => askAboutFile(deps, asker, ctx, { text, fileId }),
        'file-password': (ctx, text, fileId) => handOverByPassword(deps, ctx, text, fileId),
      },
    ),
    createMentionsOnly(),
    createFilesFeature(deps),
    createFileChangesFeature(deps),
    createDeleteByKeyFeature(deps),
    createAdminMenuFeature(deps),
    createTakeDownFeature(deps),
    createBanFeature(deps),
    createAllowFeature(deps),
    createAnnounceFeature(deps, announcing),
    createAuditFeature(deps),
    createStatsFeature(deps),
    createKeyFeature(deps),
    createUsageFeature(deps),
    createPlanFeature(deps),
    createFileLinkFeature(deps),
    createSharedLinkFeature(deps),
    createContinueElsewhereFeature(deps, { answers }),
    createModelLinkFeature(deps),
    createPersonaLinkFeature(deps),
    createWelcomeFeature(imagining, asker),
    createHelpFeature(deps),
    createNewConversationFeature(deps),
    createTopicsFeature(deps),
    createThreadsFeature(deps),
    createThreadChangesFeature(deps, { answers }),
    createShareFeature(deps),
    createModelsFeature(deps, asker),
    createSystemPromptFeature(deps),
    createPersonasFeature(deps),
    createOwnPersonasFeature(deps),
    createGroupSettingsFeature(deps),
    createSettingsFeature(deps),
    createAnswerSettingsFeature(deps),
    createAnswerStyleFeature(deps),
    createImagineFeature(imagining, albums),
    createPictureButtonsFeature(imagining),
    createSaveFeature(deps, saving, questions),
    createAskAboutFileFeature(deps),
    createPrivacyFeature(deps),
    createExportFeature(deps),
    createForgetFeature(deps, { ...work, inline }),
    createSummariseFeature(deps, asker),
    createStopFeature(deps, work),
    createRetryFeature(deps, asker),
    createAnswerButtonsFeature(deps, asker, answers),
    createToolPermissionsFeature(deps, asker, answers),
    createReadAloudFeature(deps, voices),
    createReadPageFeature(deps, { asker, lastLinks }),
    createUnknownCommandFeature(),
    createChatFeature(deps, { asker, albums, questions, lastLinks }),
    createUnreadableFeature(deps),
    createMenusFeature(deps),
  );
  const handle = features.middleware();

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
      await publishProfile(deps, signal);
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
