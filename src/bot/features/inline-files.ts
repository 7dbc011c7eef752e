import { Composer } from 'grammy';
import type { InlineQuery, InlineQueryResult } from 'grammy/types';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import type { BotDeps } from '../bot-deps.ts';
import type { BotContext } from '../context.ts';
import { toSearch } from '../files/file-menu.ts';
import { toFileResult, toLinkResult } from '../files/inline-results.ts';
import { FILES_PAYLOAD } from './files.ts';

/** The most that one answer may have. */
const RESULTS_PER_PAGE = 50;
/** What has been renamed or deleted shows soon, and whoever types on asks anew anyway. */
const CACHE_SECONDS = 2;
/** Of queries that were answered too late; the person has typed on. */
const TOO_LATE = /query is too old|query id is invalid/i;

/** `@bot name` in any chat: shares what the person has stored. An empty query shows the newest. */
export function createInlineFilesFeature(deps: BotDeps): Composer<BotContext> {
  const composer = new Composer<BotContext>();
  composer.on('inline_query', (ctx) => answerQuery(deps, ctx, ctx.inlineQuery));
  return composer;
}

async function answerQuery(deps: BotDeps, ctx: BotContext, { query, offset }: InlineQuery): Promise<void> {
  const start = /^\d{1,9}$/.test(offset) ? Number(offset) : 0;
  const search = toSearch(query);
  const page = { search, offset: start, limit: RESULTS_PER_PAGE };
  const { files, totalCount } = await deps.storage.list(ctx.person.id, page);
  const { noFiles, noneFound } = ctx.texts.fileMenu.inline;
  const end = start + files.length;
  const answer = (results: readonly InlineQueryResult[]) =>
    ctx.answerInlineQuery(results, {
      is_personal: true,
      cache_time: CACHE_SECONDS,
      next_offset: files.length > 0 && end < totalCount ? String(end) : '',
      ...(totalCount === 0 && {
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
