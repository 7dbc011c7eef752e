import type { Message, TextQuote } from '@grammyjs/types';
import { badRequest } from '../api-error.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { addMessage, type MessageContent, toReplyTarget } from '../world/messages.ts';
import { toApiBotUser, toBotMessage } from '../world/views.ts';
import type { Chat, StoredMessage } from '../world/world.ts';
import type { Call } from './call.ts';
import { type Params, readBoolean, readInteger, readObject } from './params.ts';
import { readReplyMarkup, toMarkupContent } from './reply-markup.ts';
import { findMessage, isCreationMessage, readTopicId, readWritableChat } from './targets.ts';

export interface Outgoing {
  readonly content: MessageContent;
  readonly richSource?: StoredMessage['richSource'];
}

/**
 * Implements the common part of all sending methods: chat, topic, reply target, keyboard.
 * `makeContents` runs after these have been validated and may return several messages (an album).
 * @throws ApiError 400, 403
 */
export async function sendMessages(
  call: Call,
  makeContents: (chat: Chat) => readonly Outgoing[] | Promise<readonly Outgoing[]>,
): Promise<Message[]> {
  const chat = readWritableChat(call);
  const reply = readReply(call, chat);
  const topicId = readTopicId(call, chat) ?? reply.topicId;
  const markup = readReplyMarkup(call.params);
  const outgoing = await makeContents(chat);
  return outgoing.map(({ content, richSource }) => {
    const stored = addMessage(call.world, {
      chat,
      from: chat.type === 'channel' ? undefined : toApiBotUser(call.bot),
      author: call.bot,
      content: {
        ...content,
        ...reply.content,
        ...toMarkupContent(markup),
        ...(readBoolean(call.params, 'protect_content') ? { has_protected_content: true } : {}),
      },
      ...(topicId === undefined ? {} : { topicId }),
      richSource,
      keyboard: markup.keyboard,
    });
    return toBotMessage(call.bot, stored.body);
  });
}

/** Sends one message. @throws ApiError 400, 403 */
export async function sendMessage(
  call: Call,
  makeContent: (chat: Chat) => Outgoing | Promise<Outgoing>,
): Promise<Message | undefined> {
  const [message] = await sendMessages(call, async (chat) => [await makeContent(chat)]);
  return message;
}

interface Reply {
  readonly content: MessageContent;
  readonly topicId?: number;
}

/** Reads `reply_parameters`, or the older separate parameters. */
function readReplyParameters(params: Params): JsonObject {
  return (
    readObject(params, 'reply_parameters') ?? {
      message_id: readInteger(params, 'reply_to_message_id'),
      allow_sending_without_reply: readBoolean(params, 'allow_sending_without_reply'),
    }
  );
}

/** Returns the id of the message that the call replies to; 0 if none. */
export function readReplyId(params: Params): number {
  return Number(readReplyParameters(params).message_id ?? 0);
}

function readReply(call: Call, chat: Chat): Reply {
  const parameters = readReplyParameters(call.params);
  const messageId = readReplyId(call.params);
  if (messageId === 0) return { content: {} };
  // Telegram's servers refuse the reply. `allow_sending_without_reply` covers only the look-up in the Bot API server.
  if (chat.staleMessageIds.has(messageId)) throw badRequest('REPLY_MESSAGE_ID_INVALID');
  const target = findMessage(call, chat, messageId);
  if (!target) {
    if (parameters.allow_sending_without_reply === true) return { content: {} };
    throw badRequest('message to be replied not found');
  }
  if (isCreationMessage(target)) throw badRequest('REPLY_MESSAGE_ID_INVALID');
  const reply = toReplyTarget(target);
  const topicId = target.body.message_thread_id;
  return {
    content: { ...(reply ? { reply_to_message: reply } : {}), ...readQuote(parameters, target.body) },
    ...(topicId === undefined ? {} : { topicId }),
  };
}

function readQuote(parameters: JsonObject, target: Message): { quote?: TextQuote } {
  const { quote, quote_position: position } = parameters;
  if (typeof quote !== 'string' || quote === '') return {};
  const text = target.text ?? target.caption ?? '';
  const at = text.indexOf(quote, typeof position === 'number' ? position : 0);
  const found = at >= 0 ? at : text.indexOf(quote);
  if (found < 0) throw badRequest('QUOTE_TEXT_INVALID');
  return { quote: { text: quote, position: found, is_manual: true } };
}

/** Reads `link_preview_options` as message content. */
export function readLinkPreview(call: Call): MessageContent {
  const options = readObject(call.params, 'link_preview_options');
  return isJsonObject(options) ? { link_preview_options: options } : {};
}
