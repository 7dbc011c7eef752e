import type { InlineQuery, InlineQueryResult, Update } from '@grammyjs/types';
import { ApiError } from '../api-error.ts';
import { toInlineContent } from '../bot-api/inline-content.ts';
import { forgetOldQueries } from '../bot-api/methods/queries.ts';
import type { InlineChoice, InlineRequest, InlineRequested } from '../control-protocol.ts';
import { keepInlineMessage } from '../world/inline-messages.ts';
import { addMessage, type MessageContent } from '../world/messages.ts';
import { toApiBotUser, toApiUser } from '../world/views.ts';
import { type Bot, type Chat, type StoredMessage, takeNumber, type World } from '../world/world.ts';
import { ControlFailure, invalid, notFound } from './control-failure.ts';
import { choosePerson } from './write-as-person.ts';

const MAX_QUERY_LENGTH = 256;

/**
 * Sends an inline query (`@bot query`) of a user to the bot. The results arrive as the event `inline-answer`. @throws
 * ControlFailure
 */
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

/**
 * Sends one inline result as the user: a text, or a file known to the bot. If inline feedback is on, the bot gets
 * `chosen_inline_result`. @throws ControlFailure
 */
export function chooseInlineResult(world: World, bot: Bot, choice: InlineChoice, chat: Chat): StoredMessage {
  const query = bot.inlineQueries.get(choice.inlineQueryId);
  const result = query?.results?.find(({ id }) => id === choice.resultId);
  if (!query || !result) throw notFound('result');
  const person = choosePerson(world, chat, query.personId);
  const { topicId } = choice;
  if (topicId !== undefined && !chat.topics.has(topicId)) throw notFound('topic');
  const stored = addMessage(world, {
    chat,
    from: chat.type === 'channel' ? undefined : toApiUser(person),
    content: { ...toContent(world, bot, result), via_bot: toApiBotUser(bot) },
    ...(topicId === undefined ? {} : { topicId }),
  });
  // Only messages with a keyboard can be edited later, so only they get an id.
  const inlineMessageId = stored.body.reply_markup && keepInlineMessage(world, bot, stored);
  if (!bot.inlineFeedback) return stored;
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

function toContent(world: World, bot: Bot, result: InlineQueryResult): MessageContent {
  try {
    return toInlineContent(world, bot, result);
  } catch (error) {
    if (error instanceof ApiError) throw invalid(error.message);
    throw error;
  }
}
