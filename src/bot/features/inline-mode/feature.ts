import { Composer } from 'grammy';
import type { InlineQuery, InlineQueryResult, InlineQueryResultArticle } from 'grammy/types';
import { z } from 'zod';
import type { StoredFile } from '../../../core/storage/index.ts';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import { findAnsweringModel } from '../../choices/model-choice.ts';
import { listLinksWritten } from '../../inputs/links.ts';
import { type ActionDefinitions, type CallbackActionsOf, onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import type { Feature } from '../../kit/feature.ts';
import { storeKeyboard } from '../../kit/keyboards.ts';
import { toSearch } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { joinLines, toNameLine } from '../../kit/views.ts';
import { texts as files } from '../files/texts.ts';
import { toFileLink, toFileTitle } from '../files/views.ts';
import { createGuestQuestions } from './guest-questions.ts';
import {
  beginInlineAnswer,
  inlineKind,
  retryInlineAnswer,
  stopInlineAnswer,
  toShownQuestion,
} from './inline-answers.ts';
import { texts } from './texts.ts';

const access = 'inline';

const actions = {
  /** Below the placeholder of an inline or guest question. */
  'answer-inline': { fields: { question: z.string(), isGuest: z.boolean().optional() }, access },
  'stop-inline': { fields: { answerId: z.number() }, access },
  /** Below a failed answer in an inline or guest message. */
  'retry-inline': { fields: { answerId: z.number() }, access },
} satisfies ActionDefinitions;

declare module '../../kit/actions.ts' {
  interface FeatureActions extends CallbackActionsOf<typeof actions> {}
}

/**
 * `@bot words` in any chat, and guest questions from chats that the bot is not a member of. The answer is one message,
 * which can only be edited.
 */
export const inlineMode: Feature = {
  actions,
  jobs: [inlineKind],
  create: (services) => ({
    early: new Composer<BotContext>(createInlineQueries(services), createGuestQuestions(services)),
  }),
};

/** Id of the result that asks the model; the ids of all others are file ids. */
const ASK_RESULT = 'ask';
/** Lifetime of the typed question: either it is sent by then, or never. */
const TTL_MS = 3_600_000;

/** Telegram's limit for one response. */
const RESULTS_PER_PAGE = 50;
/** Short, so that renamed and deleted files show soon; a query changes with each character anyway. */
const CACHE_SECONDS = 2;
/** Telegram's error for an expired query. */
const TOO_LATE = /query is too old|query id is invalid/i;

/**
 * `@bot words` in any chat: the first result asks the model, the others are the user's files with matching names. An
 * empty query shows the newest files.
 */
function createInlineQueries(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('inline_query', (ctx) => answerQuery(services, ctx, ctx.inlineQuery));
  composer.on('chosen_inline_result', async (ctx) => {
    const { result_id: resultId, inline_message_id: inlineMessageId, query } = ctx.chosenInlineResult;
    if (resultId !== ASK_RESULT || inlineMessageId === undefined) return;
    // If the work is refused now, the button remains for another attempt.
    const content = query.trim();
    const attachments = listLinksWritten(content);
    await beginInlineAnswer(services, ctx, { inlineMessageId, content, attachments, showsQuestion: true });
  });
  composer.use(
    onAction(services, 'answer-inline', async (ctx, { question, isGuest = false }) => {
      const inlineMessageId = ctx.callbackQuery?.inline_message_id;
      if (inlineMessageId === undefined) return { hint: ctx.texts.staleButton };
      const inlineQuestion = {
        inlineMessageId,
        content: question,
        attachments: listLinksWritten(question),
        showsQuestion: !isGuest,
      };
      return { hint: texts[ctx.locale].outcomes[await beginInlineAnswer(services, ctx, inlineQuestion)] };
    }),
    onAction(services, 'retry-inline', async (ctx, { answerId }) => ({
      hint: texts[ctx.locale].outcomes[await retryInlineAnswer(services, ctx, answerId)],
    })),
    onAction(services, 'stop-inline', async (ctx, { answerId }) => ({
      hint: (await stopInlineAnswer(services, ctx.user, answerId)) ? ctx.texts.stopped : ctx.texts.nothingToStop,
    })),
  );
  return composer;
}

async function answerQuery(services: BotServices, ctx: BotContext, { query, offset }: InlineQuery): Promise<void> {
  const start = /^\d{1,9}$/.test(offset) ? Number(offset) : 0;
  const search = toSearch(query);
  const ask = search === undefined || start > 0 ? undefined : await toAskResult(services, ctx, query.trim());
  const page = { search, offset: start, limit: RESULTS_PER_PAGE - (ask ? 1 : 0) };
  const { files, totalCount } = await services.storage.list(ctx.user.id, page);
  const { noFiles, noneFound } = texts[ctx.locale];
  const end = start + files.length;
  const answer = (results: readonly InlineQueryResult[]) =>
    ctx.answerInlineQuery([...(ask ? [ask] : []), ...results], {
      is_personal: true,
      cache_time: CACHE_SECONDS,
      next_offset: files.length > 0 && end < totalCount ? String(end) : '',
      ...(totalCount === 0 &&
        !ask && {
          button: { text: search === undefined ? noFiles : noneFound, start_parameter: FILES_PAYLOAD },
        }),
    });
  try {
    await answer(files.map((file) => toFileResult(services, ctx, file)));
  } catch (error) {
    const failure = classifyTelegramError(error);
    if (failure.kind !== 'rejected') throw error;
    if (TOO_LATE.test(failure.description)) return;
    // One file id that Telegram does not know makes it refuse all results. Links always work.
    services.logger.warn(
      { reason: failure.description },
      'stored files could not be offered inline; offering links instead',
    );
    await answer(files.map((file) => toLinkResult(services, ctx, file)));
  }
}

/**
 * Returns the result that asks the model: once sent, its message becomes the answer. It has a button because only
 * messages with buttons can be edited, and because chosen results may not be reported. Undefined if there is no model.
 */
async function toAskResult(
  services: BotServices,
  ctx: BotContext,
  question: string,
): Promise<InlineQueryResultArticle | undefined> {
  const model = findAnsweringModel(services.catalogue, ctx.user)?.entry;
  if (!model) return undefined;
  const words = texts[ctx.locale];
  const shown = toShownQuestion(question);
  const button = { text: words.answer, action: { kind: 'answer-inline', question } } as const;
  return {
    type: 'article',
    id: ASK_RESULT,
    title: words.ask(model.displayName ?? model.id),
    description: shown,
    input_message_content: {
      message_text: `${shown}\n${words.waiting}`,
      entities: [{ type: 'blockquote', offset: 0, length: shown.length }],
      link_preview_options: { is_disabled: true },
    },
    reply_markup: await storeKeyboard(services, { userId: ctx.user.id, chatId: undefined }, [[button]], TTL_MS),
  };
}

/** `/start` payload for users who come from inline mode: shows the file list, which explains how to add files. */
export const FILES_PAYLOAD = 'files';

/**
 * Returns the inline result of a file: Telegram's copy, or the link if there is none. Passwords and download limits
 * only apply to the link, so files with them are shared as links.
 */
function toFileResult(services: BotServices, ctx: BotContext, file: StoredFile): InlineQueryResult {
  const isBound = file.hasPassword || file.downloadsLeft !== undefined;
  return (isBound ? undefined : toCachedResult(ctx, file)) ?? toLinkResult(services, ctx, file);
}

/** Returns an inline result that sends the link of a file as text. */
function toLinkResult(services: BotServices, ctx: BotContext, file: StoredFile): InlineQueryResult {
  const { text, entities } = joinLines([toNameLine(toFileTitle(file)), { text: toFileLink(services, ctx.me, file) }]);
  return {
    type: 'article',
    id: file.id,
    title: toFileTitle(file),
    description: files[ctx.locale].inline.link(ctx.texts.size(file.sizeBytes)),
    input_message_content: {
      message_text: text,
      entities: [...entities],
      // A preview would count as a download.
      link_preview_options: { is_disabled: true },
    },
  };
}

/**
 * Returns Telegram's copy of a file as an inline result; undefined if Telegram has none, or inline mode does not
 * support its type.
 */
function toCachedResult(ctx: BotContext, file: StoredFile): InlineQueryResult | undefined {
  if (!file.telegram) return undefined;
  const { kind, fileId } = file.telegram;
  const common = { id: file.id, title: file.name };
  const description = ctx.texts.size(file.sizeBytes);
  switch (kind) {
    case 'document':
      return { type: 'document', ...common, description, document_file_id: fileId };
    case 'photo':
      return { type: 'photo', ...common, description, photo_file_id: fileId };
    case 'video':
      return { type: 'video', ...common, description, video_file_id: fileId };
    case 'audio':
      return { type: 'audio', id: file.id, audio_file_id: fileId };
    case 'voice':
      return { type: 'voice', ...common, voice_file_id: fileId };
    case 'animation':
      return file.mediaType === 'image/gif'
        ? { type: 'gif', ...common, gif_file_id: fileId }
        : { type: 'mpeg4_gif', ...common, mpeg4_file_id: fileId };
    case 'sticker':
      return { type: 'sticker', id: file.id, sticker_file_id: fileId };
    case 'video_note':
      return undefined;
  }
}
