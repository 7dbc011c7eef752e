import { Composer } from 'grammy';
import type { InlineKeyboardMarkup, Message } from 'grammy/types';
import { z } from 'zod';
import { createId } from '../../../lib/ids.ts';
import { AlbumMemory } from '../../inputs/album-memory.ts';
import { isRecording } from '../../inputs/attachment.ts';
import { explainUnreadable, isSpoken } from '../../inputs/incoming-questions.ts';
import { findSentFile, type SentFile, sentFile } from '../../inputs/sent-file.ts';
import { type ActionAnswer, type CallbackActionOf, type CallbackActionsOf, onAction } from '../../kit/actions.ts';
import { findCommandText, readAddressedText } from '../../kit/address.ts';
import { isGroup, toChatTopic, toTypingTopicId } from '../../kit/chats.ts';
import type { BotContext } from '../../kit/context.ts';
import type { Feature, FeatureHandlers } from '../../kit/feature.ts';
import type { BotServices } from '../../kit/services.ts';
import { texts as imagineTexts } from '../imagine/texts.ts';
import type { SaveRequest } from './save-journal.ts';
import { saveKind } from './saving.ts';
import { texts } from './texts.ts';

const actions = {
  /** Identifies a job of this process only. */
  'stop-saving': { fields: { saveId: z.string() } },
  'retry-saving': {
    fields: {
      files: z.array(sentFile),
      /** Message that the answer replies to. */
      replyTo: z.number(),
      /** The message with the button shows other files and is kept; false: it is replaced by the answer. */
      isAnswerKept: z.boolean(),
    },
  },
};

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/**
 * `/save`, and files that are sent without text: stores in private chats all files that are no question to the model,
 * and everywhere those that `/save` is the caption of or replies to.
 */
export const save: Feature = {
  commands: [{ name: 'save', menus: ['private', 'group'], describe: (locale) => texts[locale].command }],
  actions,
  jobs: [saveKind],
  create: createHandlers,
};

function createHandlers(services: BotServices): FeatureHandlers {
  const { questions, saving, transcription } = services;
  const composer = new Composer<BotContext>();
  // Only one message of an album has the caption with the command; it applies to the later parts too.
  const commanded = new AlbumMemory<'meant'>();
  const advised = new Set<number>();
  /** Says that a stored recording can't be answered, if the user expects an answer. */
  const explainRecording = async (ctx: BotContext, message: Message) => {
    const isQuestion = readAddressedText(message, ctx.me) !== '';
    // Admins get a hint once about how to enable transcription, also for voice messages, which expect an answer.
    const isAdvised = ctx.user.role === 'admin' && (isQuestion || isSpoken(message)) && !advised.has(ctx.user.id);
    if (isAdvised) advised.add(ctx.user.id);
    if (isAdvised || isQuestion) await ctx.reply(texts[ctx.locale][isAdvised ? 'howToTranscribe' : 'cannotListen']);
  };
  composer.on('message', async (ctx, next) => {
    const { message } = ctx;
    const isCommand = findCommandText(message, ctx.me, 'save') !== undefined;
    // Stickers are messages, not files.
    const own = message.sticker ? undefined : findSentFile(message, message.date, ctx.texts);
    if (isCommand && own) commanded.record(message, 'meant');
    const found = isCommand
      ? ((own && { file: own, message }) ?? findRepliedFile(ctx, message))
      : own && { file: own, message };
    if (!found) return isCommand ? ctx.reply(texts[ctx.locale].howToSave) : next();
    const isMeant = isCommand || commanded.find(message) !== undefined;
    const asked = isMeant || isGroup(ctx.chat) ? undefined : await questions.find(ctx);
    const unreadable = typeof asked === 'object' && 'unreadable' in asked ? asked : undefined;
    if (!isMeant && (isGroup(ctx.chat) || (asked && !unreadable))) return next();
    const albumId = found.message === message ? message.media_group_id : undefined;
    // In a group the parts before the command were not meant for the bot yet.
    const before = isCommand && albumId !== undefined ? services.messageParts.listBefore(message) : [];
    const files = [...before.flatMap((part) => findSentFile(part, part.date, ctx.texts) ?? []), found.file];
    const request = toSaveRequest(ctx, message, files, found.message.message_id);
    if (albumId === undefined) await saving.save(request);
    else await saving.gather(albumId, request);
    if (isCommand || !own) return;
    if (isRecording(own) && !transcription.isAvailable()) await explainRecording(ctx, message);
    else if (unreadable) await explainUnreadable(ctx, unreadable);
  });
  composer.use(
    onAction(services, 'stop-saving', (ctx, { saveId }) => stopSaving(services, ctx, saveId)),
    onAction(services, 'retry-saving', (ctx, retry) => retrySaving(services, ctx, retry)),
  );
  return { middleware: composer };
}

interface FoundFile {
  readonly file: SentFile;
  /** Message of the file, or the one that refers to it; the answer replies to it. */
  readonly message: Message;
}

/** Finds the file of the message that is replied to, in this chat or another. */
function findRepliedFile(ctx: BotContext, message: Message): FoundFile | undefined {
  const { reply_to_message: replied, external_reply: external } = message;
  const file = replied && findSentFile(replied, replied.date, ctx.texts);
  if (file) return { file, message: replied };
  const elsewhere = external && findSentFile(external, external.origin.date, ctx.texts);
  return elsewhere && { file: elsewhere, message };
}

function toSaveRequest(ctx: BotContext, message: Message, files: readonly SentFile[], replyTo: number): SaveRequest {
  const { user, chatId, texts: words, me } = ctx;
  const chatTopic = toChatTopic(message);
  return {
    updateId: ctx.update.update_id,
    viewer: { user, chatId, texts: words, me },
    chatTopic,
    typingTopicId: toTypingTopicId(message.chat, chatTopic),
    isPrivate: !isGroup(message.chat),
    files: files.map((file) => ({ ...file, storedId: createId() })),
    replyTo,
    statusMessageId: undefined,
  };
}

async function stopSaving({ jobs }: BotServices, ctx: BotContext, saveId: string): Promise<ActionAnswer> {
  const chatTopic = ctx.msg && toChatTopic(ctx.msg);
  if (chatTopic && (await jobs.stopOne(saveKind, saveId, chatTopic, ctx.user.id))) return { hint: ctx.texts.stopped };
  return {
    hint: ctx.texts.nothingToStop,
    afterwards: async () => {
      // The message remains from a process that has ended; no other code will update it.
      if (!jobs.find(saveKind, saveId)) await ctx.editMessageText(texts[ctx.locale].cutShort).catch(() => {});
    },
  };
}

async function retrySaving(
  { saving }: BotServices,
  ctx: BotContext,
  retry: CallbackActionOf<'retry-saving'>,
): Promise<ActionAnswer> {
  const message = ctx.callbackQuery?.message;
  if (!message) return { hint: ctx.texts.staleButton };
  const chatTopic = toChatTopic(message);
  const request: SaveRequest = {
    updateId: ctx.update.update_id,
    viewer: { user: ctx.user, chatId: ctx.chatId, texts: ctx.texts, me: ctx.me },
    chatTopic,
    typingTopicId: toTypingTopicId(message.chat, chatTopic),
    isPrivate: !isGroup(message.chat),
    files: retry.files,
    replyTo: retry.replyTo,
    statusMessageId: retry.isAnswerKept ? undefined : message.message_id,
  };
  const outcome = await saving.save(request, `retry:${message.chat.id}:${message.message_id}`);
  if (outcome === 'running') return { hint: imagineTexts[ctx.locale].atIt };
  if (outcome !== 'started') {
    const { queueFull, storageUnavailable } = texts[ctx.locale].failures;
    return { hint: outcome === 'full' ? queueFull : storageUnavailable, isAlert: true };
  }
  if (!retry.isAnswerKept) return {};
  const noButtons: InlineKeyboardMarkup = { inline_keyboard: [] };
  return { afterwards: () => ctx.editMessageReplyMarkup({ reply_markup: noButtons }).catch(() => {}) };
}
