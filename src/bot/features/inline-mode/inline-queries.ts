import { Composer } from 'grammy';
import type { InlineQuery, InlineQueryResult, InlineQueryResultArticle } from 'grammy/types';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import { listLinksWritten } from '../../inputs/links.ts';
import { onAction } from '../../kit/actions.ts';
import type { BotContext } from '../../kit/context.ts';
import { storeKeyboard } from '../../kit/keyboards.ts';
import { toSearch } from '../../kit/names.ts';
import type { BotServices } from '../../kit/services.ts';
import { findAnsweringModel } from '../../models/model-choice.ts';
import { FILES_PAYLOAD, toFileResult, toLinkResult } from '../files/inline-results.ts';
import { toShownQuestion } from './inline-answers.ts';
import { texts } from './texts.ts';

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
export function createInlineQueries(services: BotServices): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  const { inline: work } = services;
  composer.on('inline_query', (ctx) => answerQuery(services, ctx, ctx.inlineQuery));
  composer.on('chosen_inline_result', async (ctx) => {
    const { result_id: resultId, inline_message_id: inlineMessageId, query } = ctx.chosenInlineResult;
    if (resultId !== ASK_RESULT || inlineMessageId === undefined) return;
    // If the work is refused now, the button remains for another attempt.
    const content = query.trim();
    const attachments = listLinksWritten(content);
    await work.begin(ctx, { inlineMessageId, content, attachments, showsQuestion: true });
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
      return { hint: texts[ctx.locale].outcomes[await work.begin(ctx, inlineQuestion)] };
    }),
    onAction(services, 'retry-inline', async (ctx, { answerId }) => ({
      hint: texts[ctx.locale].outcomes[await work.retry(ctx, answerId)],
    })),
    onAction(services, 'stop-inline', (ctx, { answerId }) => ({
      hint: work.stop(ctx.user, answerId) ? ctx.texts.stopped : ctx.texts.nothingToStop,
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
