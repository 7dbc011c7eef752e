import type { InlineQueryResult, InlineQueryResultsButton, SentGuestMessage } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import type { InlineFile } from '../../control-protocol.ts';
import { isJsonObject } from '../../json.ts';
import type { StoredFile } from '../../world/file-store.ts';
import { keepInlineMessage } from '../../world/inline-messages.ts';
import { addMessage, toReplyTarget } from '../../world/messages.ts';
import { toApiBotUser } from '../../world/views.ts';
import type { Bot, World } from '../../world/world.ts';
import { findCachedFile } from '../cached-result.ts';
import type { Call, MethodHandler } from '../call.ts';
import { toInlineContent } from '../inline-content.ts';
import type { Params } from '../params.ts';
import { readArray, readBoolean, readObject, readString } from '../params.ts';

/** Lifetime of callback and inline queries. Telegram does not document it; field reports say about a minute. */
const QUERY_LIFE_MS = 60_000;
const MAX_ANSWER_LENGTH = 200;
const MAX_RESULTS = 50;
const MAX_RESULT_ID_BYTES = 64;
const MAX_OFFSET_BYTES = 64;
const START_PARAMETER = /^[\w-]{1,64}$/;
const TOO_OLD = 'query is too old and response timeout expired or query ID is invalid';

function answerCallbackQuery({ world, bot, params }: Call): true {
  const query = bot.callbackQueries.get(readString(params, 'callback_query_id') ?? '');
  if (!query || world.clock.now() - query.createdAt > QUERY_LIFE_MS) throw badRequest(TOO_OLD);
  const text = readString(params, 'text');
  if (text !== undefined && text.length > MAX_ANSWER_LENGTH) throw badRequest('MESSAGE_TOO_LONG');
  const url = readString(params, 'url');
  if (url !== undefined && !isOwnDeepLink(bot, url)) throw badRequest('URL_INVALID');
  bot.callbackQueries.delete(query.id);
  world.events.append({
    type: 'callback-answer',
    callbackQueryId: query.id,
    personId: query.personId,
    ...(query.chatId === undefined ? {} : { chatId: query.chatId }),
    ...(text === undefined ? {} : { text }),
    showAlert: readBoolean(params, 'show_alert'),
    ...(url === undefined ? {} : { url }),
  });
  return true;
}

/** Tells whether a URL opens this bot. Answers to callback queries without a game may contain no other URL. */
function isOwnDeepLink(bot: Bot, url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.hostname === 't.me' && parsed.pathname.toLowerCase() === `/${bot.username.toLowerCase()}`;
}

function answerInlineQuery({ world, bot, params }: Call): true {
  const query = bot.inlineQueries.get(readString(params, 'inline_query_id') ?? '');
  if (!query || query.results || world.clock.now() - query.createdAt > QUERY_LIFE_MS) throw badRequest(TOO_OLD);
  const results = (readArray(params, 'results') ?? []).map(toInlineResult);
  if (results.length > MAX_RESULTS) throw badRequest('RESULTS_TOO_MUCH');
  if (new Set(results.map(({ id }) => id)).size < results.length) throw badRequest('RESULT_ID_DUPLICATE');
  const files = Object.fromEntries(
    results.flatMap((result) => {
      const file = findCachedFile(world, bot, result);
      return file ? [[result.id, toInlineFile(file)]] : [];
    }),
  );
  const button = readButton(params);
  const nextOffset = readString(params, 'next_offset') ?? '';
  if (Buffer.byteLength(nextOffset, 'utf8') > MAX_OFFSET_BYTES) throw badRequest('NEXT_OFFSET_INVALID');
  query.results = results;
  const shown = { results, files, nextOffset, ...(button ? { button } : {}) };
  world.events.append({ type: 'inline-answer', inlineQueryId: query.id, ...shown });
  return true;
}

function toInlineFile({ id, kind, fileName: name }: StoredFile): InlineFile {
  return { fileId: id, kind, ...(name === undefined ? {} : { name }) };
}

/** Reads the button above inline results. @throws ApiError 400 if it has no valid start parameter. */
function readButton(params: Params): InlineQueryResultsButton | undefined {
  const button = readObject(params, 'button');
  if (button === undefined) return undefined;
  const { text, start_parameter: parameter } = button;
  if (typeof text !== 'string' || text === '') throw badRequest('BUTTON_TEXT_INVALID');
  if (typeof parameter === 'string' && START_PARAMETER.test(parameter)) return { text, start_parameter: parameter };
  throw badRequest(parameter === undefined ? 'web apps do not open here' : 'START_PARAM_INVALID');
}

function toInlineResult(value: unknown): InlineQueryResult {
  if (!isInlineResult(value)) throw badRequest("can't parse InlineQueryResult: expected an Object with type and id");
  const bytes = Buffer.byteLength(value.id, 'utf8');
  if (bytes < 1 || bytes > MAX_RESULT_ID_BYTES) throw badRequest('RESULT_ID_INVALID');
  return value;
}

function isInlineResult(value: unknown): value is InlineQueryResult {
  return isJsonObject(value) && typeof value.type === 'string' && typeof value.id === 'string';
}

/** Sends the answer of a guest bot below the message that mentions it. */
function answerGuestQuery({ world, bot, params }: Call): SentGuestMessage {
  const query = bot.guestQueries.get(readString(params, 'guest_query_id') ?? '');
  if (!query || world.clock.now() - query.createdAt > QUERY_LIFE_MS) throw badRequest(TOO_OLD);
  const content = toInlineContent(world, bot, toInlineResult(readObject(params, 'result')));
  bot.guestQueries.delete(query.id);
  const { chat, body } = query.asked;
  const reply = toReplyTarget(query.asked);
  const stored = addMessage(world, {
    chat,
    from: toApiBotUser(bot),
    author: bot,
    content: {
      ...content,
      ...(body.from ? { guest_bot_caller_user: body.from } : {}),
      ...(reply ? { reply_to_message: reply } : {}),
    },
    ...(body.message_thread_id === undefined ? {} : { topicId: body.message_thread_id }),
  });
  return { inline_message_id: keepInlineMessage(world, bot, stored) };
}

/** Removes queries that can no longer be answered. */
export function forgetOldQueries(world: World, bot: Bot): void {
  const oldest = world.clock.now() - QUERY_LIFE_MS;
  for (const [id, { createdAt }] of bot.callbackQueries) if (createdAt < oldest) bot.callbackQueries.delete(id);
  for (const [id, { createdAt }] of bot.guestQueries) if (createdAt < oldest) bot.guestQueries.delete(id);
  // A result can be chosen after the query has expired, so answered queries are kept while there are few.
  for (const [id, { createdAt }] of bot.inlineQueries) {
    if (createdAt < oldest && bot.inlineQueries.size > 100) bot.inlineQueries.delete(id);
  }
}

/** Methods that answer callback, inline and guest queries. */
export const queryMethods: { readonly [method: string]: MethodHandler } = {
  answerCallbackQuery,
  answerInlineQuery,
  answerGuestQuery,
};
