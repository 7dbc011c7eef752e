import type { InlineQuery, InlineQueryResult, Update } from '@grammyjs/types';
import { isJsonObject, type JsonObject } from '../../lib/json.ts';
import { ApiError } from '../api-error.ts';
import { findCachedFile } from '../bot-api/cached-result.ts';
import { forgetOldQueries } from '../bot-api/methods/queries.ts';
import { readOptionalText, toTextContent } from '../bot-api/read-text.ts';
import { isInlineKeyboard } from '../bot-api/reply-markup.ts';
import type { InlineChoice, InlineRequest, InlineRequested } from '../control-protocol.ts';
import { toMediaContent } from '../world/media-content.ts';
import { addMessage, type MessageContent } from '../world/messages.ts';
import { toApiBotUser, toApiUser } from '../world/views.ts';
import { type Bot, type Chat, type StoredMessage, takeNumber, type World } from '../world/world.ts';
import { ControlFailure, invalid, notFound } from './control-failure.ts';
import { choosePerson } from './write-as-person.ts';

const MAX_QUERY_LENGTH = 256;
const MAX_INLINE_MESSAGES = 1000;

/** A person types `@bot query` somewhere. The results come as the event `inline-answer`. @throws ControlFailure */
export function askInline(world: World, bot: Bot, request: InlineRequest, chat: Chat | undefined): InlineRequested {
  const person = world.people.get(request.from);
  if (!person) throw notFound('person');
  if (!bot.inlineMode) throw new ControlFailure(409, 'inline_mode_off', 'the bot has no inline mode');
  const query = [...request.query].slice(0, MAX_QUERY_LENGTH).join('');
  const id = `${bot.id}${1_000_000 + takeNumber(world)}`;
  forgetOldQueries(world, bot);
  bot.inlineQueries.set(id, { id, personId: person.id, query, createdAt: world.clock.now(), results: undefined });
  bot.updates.push(
    'inline_query',
    (updateId): Update => ({
      update_id: updateId,
      inline_query: {
        id,
        from: toApiUser(person),
        query,
        offset: request.offset ?? '',
        ...(chat === undefined ? {} : { chat_type: toChatType(chat, person.id) }),
      },
    }),
  );
  return { inlineQueryId: id };
}

function toChatType(chat: Chat, personId: number): NonNullable<InlineQuery['chat_type']> {
  return chat.type === 'private' && chat.id === personId ? 'sender' : chat.type;
}

/** A person sends one of the results: a text, or a file that the bot knows. The bot hears of it as `chosen_inline_result`. @throws ControlFailure */
export function chooseInlineResult(world: World, bot: Bot, choice: InlineChoice, chat: Chat): StoredMessage {
  const query = bot.inlineQueries.get(choice.inlineQueryId);
  const result = query?.results?.find(({ id }) => id === choice.resultId);
  if (!query || !result) throw notFound('result');
  const person = choosePerson(world, chat, query.personId);
  const stored = addMessage(world, {
    chat,
    from: chat.type === 'channel' ? undefined : toApiUser(person),
    content: { ...toContent(world, bot, result), via_bot: toApiBotUser(bot) },
  });
  const inlineMessageId = keepInlineMessage(world, bot, stored);
  bot.updates.push(
    'chosen_inline_result',
    (updateId): Update => ({
      update_id: updateId,
      chosen_inline_result: {
        result_id: result.id,
        from: toApiUser(person),
        query: query.query,
        ...(inlineMessageId === undefined ? {} : { inline_message_id: inlineMessageId }),
      },
    }),
  );
  return stored;
}

/** Only messages with a keyboard can be edited later, so only they have an id. */
function keepInlineMessage(world: World, bot: Bot, stored: StoredMessage): string | undefined {
  if (!stored.body.reply_markup) return undefined;
  const id = Buffer.from(`inline ${takeNumber(world)} ${stored.body.message_id}`).toString('base64url');
  bot.inlineMessages.set(id, stored);
  for (const oldest of bot.inlineMessages.keys()) {
    if (bot.inlineMessages.size <= MAX_INLINE_MESSAGES) break;
    bot.inlineMessages.delete(oldest);
  }
  return id;
}

function toContent(world: World, bot: Bot, result: InlineQueryResult): MessageContent {
  const fields: JsonObject = { ...result };
  const message = fields.input_message_content;
  if (!isJsonObject(message) || typeof message.message_text !== 'string') {
    const file = message === undefined ? findCachedFile(world, bot, result) : undefined;
    if (!file) throw invalid('only results with a text message or a file can be chosen here');
    return toMediaContent(file.kind, file, { durationSeconds: 0, size: file.size ?? { width: 0, height: 0 } });
  }
  try {
    const text = readOptionalText(world, { ...message, text: message.message_text });
    const markup = fields.reply_markup;
    return { ...toTextContent(text), ...(isInlineKeyboard(markup) ? { reply_markup: markup } : {}) };
  } catch (error) {
    if (error instanceof ApiError) throw invalid(error.message);
    throw error;
  }
}
