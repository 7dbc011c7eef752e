import type { Message, MessageId, MessageOrigin } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { publishChat } from '../../world/chats.ts';
import { addMessage, deleteMessages, type MessageContent } from '../../world/messages.ts';
import { toApiBotUser, toApiChat } from '../../world/views.ts';
import { isServiceMessage } from '../../world/visibility.ts';
import { type Chat, type StoredMessage, unixTime, type World } from '../../world/world.ts';
import type { Call, MethodHandler } from '../call.ts';
import { readBoolean, readInteger, readIntegers } from '../params.ts';
import { readCaption, toCaptionContent } from '../read-text.ts';
import { sendMessages } from '../send.ts';
import {
  checkAccess,
  checkAdministrator,
  findMessage,
  isCreationMessage,
  isSupergroupOrChannel,
  mayInChannel,
  readChat,
  readMessage,
} from '../targets.ts';

const MAX_IDS = 100;
/** Maximum age of a message that a bot can delete. */
const DELETABLE_FOR_SECONDS = 48 * 3600;

function deleteMessage(call: Call): true {
  const chat = readChat(call);
  checkAccess(call, chat);
  if (readInteger(call.params, 'message_id') === undefined) throw badRequest('message identifier is not specified');
  const stored = readMessage(call, chat, 'delete');
  checkDeletable(call, stored);
  deleteMessages(call.world, chat, [stored.body.message_id]);
  return true;
}

/** Deletes all messages or none. Unknown ids are skipped, so `ok` does not prove a deletion. */
function deleteSeveralMessages(call: Call): true {
  const chat = readChat(call);
  checkAccess(call, chat);
  const ids = readIntegers(call.params, 'message_ids', MAX_IDS);
  for (const id of ids) {
    const stored = findMessage(call, chat, id);
    if (stored) checkDeletable(call, stored);
  }
  deleteMessages(call.world, chat, ids);
  return true;
}

/** @throws ApiError 400 if the bot may not delete the message. */
function checkDeletable(call: Call, stored: StoredMessage): void {
  if (isDeletable(call, stored)) return;
  throw badRequest(`message can't be deleted${isSupergroupOrChannel(stored.chat) ? '' : ' for everyone'}`);
}

/** Follows TDLib's `can_delete_channel_message` and `can_revoke_message`. */
function isDeletable(call: Call, stored: StoredMessage): boolean {
  const { chat, body, authorBotId } = stored;
  if (unixTime(call.world) - body.date > DELETABLE_FOR_SECONDS) return false;
  if (
    isSupergroupOrChannel(chat) &&
    (isCreationMessage(stored) || body.migrate_from_chat_id || body.forum_topic_created)
  )
    return false;
  if (chat.type === 'private' || mayInChannel(call, chat, 'canDeleteMessages')) return true;
  return authorBotId === call.bot.id && (chat.type !== 'channel' || mayInChannel(call, chat, 'canPostMessages'));
}

/** Returns the content to send again: everything except id, chat, date, author, reply and keyboard. */
function toCopy(stored: StoredMessage): MessageContent {
  const {
    message_id: _id,
    chat: _chat,
    date: _date,
    from: _from,
    sender_chat: _senderChat,
    message_thread_id: _topic,
    is_topic_message: _isTopic,
    reply_to_message: _reply,
    reply_markup: _markup,
    edit_date: _edited,
    media_group_id: _album,
    quote: _quote,
    via_bot: _viaBot,
    ...content
  } = stored.body;
  return content;
}

function readSourceChat(call: Call): Chat {
  const chat = readChat(call, 'from_chat_id');
  checkAccess(call, chat, 'read');
  return chat;
}

function toOrigin(world: World, stored: StoredMessage): MessageOrigin {
  const { body, chat } = stored;
  if (body.forward_origin) return body.forward_origin;
  if (body.from) return { type: 'user', sender_user: body.from, date: body.date };
  return { type: 'channel', chat: toChannel(world, chat), message_id: body.message_id, date: body.date };
}

function toChannel(world: World, chat: Chat) {
  const channel = toApiChat(world, chat);
  if (channel.type !== 'channel') throw new Error(`a message without an author stands in a ${channel.type} chat`);
  return channel;
}

function forwardable(call: Call, purpose: 'forward' | 'copy', ids: readonly number[]): StoredMessage[] {
  const chat = readSourceChat(call);
  const found = ids.flatMap((id) => findMessage(call, chat, id) ?? []);
  if (found.length === 0) throw badRequest(`message to ${purpose} not found`);
  const usable = found.filter(({ body }) => !isServiceMessage(body) && body.has_protected_content !== true);
  if (usable.length === 0) throw badRequest(`the message can't be ${purpose === 'forward' ? 'forwarded' : 'copied'}`);
  return usable;
}

function readOneId({ params }: Call): number[] {
  return [readInteger(params, 'message_id') ?? 0];
}

function forward(call: Call, ids: readonly number[]): Promise<Message[]> {
  return sendMessages(call, () =>
    forwardable(call, 'forward', ids).map((stored) => ({
      content: { ...toCopy(stored), forward_origin: toOrigin(call.world, stored) },
      richSource: stored.richSource,
    })),
  );
}

async function copy(call: Call, ids: readonly number[]): Promise<MessageId[]> {
  const sent = await sendMessages(call, () =>
    forwardable(call, 'copy', ids).map((stored) => {
      const { forward_origin: _, ...content } = toCopy(stored);
      return { content: withCaption(call, content), richSource: stored.richSource };
    }),
  );
  return sent.map(({ message_id }) => ({ message_id }));
}

/** Applies the `caption` or `remove_caption` parameter of a copy. */
function withCaption(call: Call, content: MessageContent): MessageContent {
  const isRemoved = readBoolean(call.params, 'remove_caption');
  if (call.params.caption === undefined && !isRemoved) return content;
  const { caption: _caption, caption_entities: _entities, ...rest } = content;
  return isRemoved ? rest : { ...rest, ...toCaptionContent(readCaption(call.world, call.params)) };
}

function toIds(messages: readonly { readonly message_id: number }[]): MessageId[] {
  return messages.map(({ message_id }) => ({ message_id }));
}

function pinChatMessage(call: Call): true {
  const chat = readChat(call);
  checkAccess(call, chat);
  checkAdministrator(call, chat, 'manage pinned messages in the chat');
  const stored = readMessage(call, chat, 'pin');
  if (isServiceMessage(stored.body)) throw badRequest("a service message can't be pinned");
  unpin(chat, stored.body.message_id);
  chat.pinnedMessageIds.push(stored.body.message_id);
  publishChat(call.world, chat);
  announcePin(call, stored);
  return true;
}

function announcePin(call: Call, { chat, body }: StoredMessage): void {
  addMessage(call.world, {
    chat,
    from: chat.type === 'channel' ? undefined : toApiBotUser(call.bot),
    author: call.bot,
    content: { pinned_message: body },
  });
}

function unpinChatMessage(call: Call): true {
  const chat = readChat(call);
  checkAccess(call, chat);
  checkAdministrator(call, chat, 'manage pinned messages in the chat');
  const id = readInteger(call.params, 'message_id') ?? chat.pinnedMessageIds.at(-1);
  if (id === undefined || !unpin(chat, id)) throw badRequest('message to unpin not found');
  publishChat(call.world, chat);
  return true;
}

function unpinAllChatMessages(call: Call): true {
  const chat = readChat(call);
  checkAccess(call, chat);
  checkAdministrator(call, chat, 'manage pinned messages in the chat');
  chat.pinnedMessageIds.splice(0);
  publishChat(call.world, chat);
  return true;
}

function unpin(chat: Chat, id: number): boolean {
  const at = chat.pinnedMessageIds.indexOf(id);
  if (at < 0) return false;
  chat.pinnedMessageIds.splice(at, 1);
  return true;
}

/** Methods that delete, forward, copy and pin messages. */
export const messageMethods: { readonly [method: string]: MethodHandler } = {
  deleteMessage,
  deleteMessages: deleteSeveralMessages,
  forwardMessage: async (call) => (await forward(call, readOneId(call)))[0],
  forwardMessages: async (call) => toIds(await forward(call, readIntegers(call.params, 'message_ids', MAX_IDS))),
  copyMessage: async (call) => (await copy(call, readOneId(call)))[0],
  copyMessages: (call) => copy(call, readIntegers(call.params, 'message_ids', MAX_IDS)),
  pinChatMessage,
  unpinChatMessage,
  unpinAllChatMessages,
};
