import { Composer } from 'grammy';
import type { InlineQuery, InlineQueryResult } from 'grammy/types';
import { classifyTelegramError } from '../../../telegram/telegram-errors.ts';
import type { BotDeps } from '../../framework/bot-deps.ts';
import type { BotContext } from '../../framework/context.ts';
import { onPress } from '../../framework/press.ts';
import { toSearch } from '../../framework/search.ts';
import { listLinksWritten } from '../../inputs/links.ts';
import { FILES_PAYLOAD, toFileResult, toLinkResult } from '../files/inline-results.ts';
import { texts as filesTexts } from '../files/texts/index.ts';
import { ASK_RESULT, toAskResult } from './ask-result.ts';
import type { InlineWork } from './inline-answers.ts';

/** The most that one answer may have. */
const RESULTS_PER_PAGE = 50;
/** What has been renamed or deleted shows soon, and whoever types on asks anew anyway. */
const CACHE_SECONDS = 2;
/** Of queries that were answered too late; the person has typed on. */
const TOO_LATE = /query is too old|query id is invalid/i;

/**
 * `@bot words` in any chat: the first result asks the model, the others are what the person has stored under such a name. An empty
 * query shows the newest files.
 */
export function createInlineModeFeature(deps: BotDeps, work: InlineWork): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('inline_query', (ctx) => answerQuery(deps, ctx, ctx.inlineQuery));
  composer.on('chosen_inline_result', async (ctx) => {
    const { result_id: resultId, inline_message_id: inlineMessageId, query } = ctx.chosenInlineResult;
    if (resultId !== ASK_RESULT || inlineMessageId === undefined) return;
    // Where there is no room just now, the button stays.
    const content = query.trim();
    const attachments = listLinksWritten(content);
    await work.begin(ctx, { inlineMessageId, content, attachments, showsQuestion: true });
  });
  composer.use(
    onPress(deps, 'answer-inline', async (ctx, { question, isGuest = false }) => {
      const inlineMessageId = ctx.callbackQuery?.inline_message_id;
      if (inlineMessageId === undefined) return { hint: ctx.texts.stalePress };
      const asked = {
        inlineMessageId,
        content: question,
        attachments: listLinksWritten(question),
        showsQuestion: !isGuest,
      };
      return { hint: ctx.texts.inline.outcomes[await work.begin(ctx, asked)] };
    }),
    onPress(deps, 'retry-inline', async (ctx, { answerId }) => ({
      hint: ctx.texts.inline.outcomes[await work.retry(ctx, answerId)],
    })),
    onPress(deps, 'stop-inline', (ctx, { answerId }) => ({
      hint: work.stop(ctx.person, answerId) ? ctx.texts.stopped : ctx.texts.nothingToStop,
    })),
  );
  return composer;
}

async function answerQuery(deps: BotDeps, ctx: BotContext, { query, offset }: InlineQuery): Promise<void> {
  const start = /^\d{1,9}$/.test(offset) ? Number(offset) : 0;
  const search = toSearch(query);
  const ask = search === undefined || start > 0 ? undefined : await toAskResult(deps, ctx, query.trim());
  const page = { search, offset: start, limit: RESULTS_PER_PAGE - (ask ? 1 : 0) };
  const { files, totalCount } = await deps.storage.list(ctx.person.id, page);
  const { noFiles, noneFound } = filesTexts[ctx.locale].inline;
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
    await answer(files.map((file) => toFileResult(deps, ctx, file)));
  } catch (error) {
    const failure = classifyTelegramError(error);
    if (failure.kind !== 'rejected') throw error;
    if (TOO_LATE.test(failure.description)) return;
    // One file that Telegram no longer knows spoils them all. Links always work.
    deps.logger.warn({ reason: failure.description }, 'stored files could not be offered inline; their links are');
    await answer(files.map((file) => toLinkResult(deps, ctx, file)));
  }
}
