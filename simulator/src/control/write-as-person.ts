import type { MessageEntity, RichBlock, Update } from '@grammyjs/types';
import { ApiError } from '../api-error.ts';
import { checkBlocks } from '../bot-api/rich-message.ts';
import type { FileKind, MessageEdit, NewMessage, Reaction } from '../control-protocol.ts';
import { fixFormattedText } from '../formatting/fix-formatted-text.ts';
import { listBotsIn } from '../world/chats.ts';
import { toMediaContent } from '../world/media-content.ts';
import { addMessage, editMessage, type MessageContent, publishChange, toReplyTarget } from '../world/messages.ts';
import { REACTION_EMOJI } from '../world/reaction-emoji.ts';
import { storeFile } from '../world/store-file.ts';
import { toApiChat, toApiUser } from '../world/views.ts';
import { type Chat, type StoredMessage, unixTime, type World } from '../world/world.ts';
import { ControlFailure, invalid, notFound } from './control-failure.ts';
import { summonGuests } from './guest-queries.ts';

const MAX_TEXT_LENGTH = 4096;
const MAX_CAPTION_LENGTH = 1024;

/** File sent by a user. The multipart route builds it from a form. */
export interface NewFile {
  readonly from?: number;
  /** Default by MIME type, see `NewFileMessage` in `control-protocol.ts`. */
  readonly kind?: FileKind;
  readonly bytes: Buffer;
  readonly fileName?: string;
  readonly mimeType?: string;
  readonly caption?: string;
  readonly replyTo?: number;
  readonly topicId?: number;
  /** Equal for all files of one album. */
  readonly mediaGroupId?: string;
  /** Duration of a recording. Default 0. */
  readonly durationSeconds?: number;
}

/** Sends a text or a rich message as a user. @throws ControlFailure */
export function sendText(world: World, chat: Chat, message: NewMessage): StoredMessage {
  if (message.blocks) {
    const blocks = message.hasUncheckedBlocks ? [...message.blocks] : readPersonBlocks(message.blocks);
    return post(world, chat, message, { rich_message: { blocks } });
  }
  const text = readPersonText(message.text, message.entities, MAX_TEXT_LENGTH);
  if (text.text === '') throw invalid('a message needs a text');
  return post(world, chat, message, {
    text: text.text,
    ...(text.entities.length > 0 ? { entities: text.entities } : {}),
  });
}

/** Sends a file as a user. @throws ControlFailure */
export function sendFile(world: World, chat: Chat, message: NewFile): StoredMessage {
  const kind = message.kind ?? chooseKind(message.mimeType ?? '');
  const caption = readPersonText(message.caption ?? '', undefined, MAX_CAPTION_LENGTH);
  if (message.bytes.length === 0) throw invalid('the file is empty');
  const { bytes, fileName, mimeType } = message;
  const file = storeFile(world, kind, { bytes, fileName, mimeType });
  if (kind === 'photo' && !file.size) throw invalid('a photo must be a PNG, JPEG, GIF or WebP image');
  const { durationSeconds = 0 } = message;
  const media = toMediaContent(kind, file, { durationSeconds, size: file.size ?? { width: 320, height: 320 } });
  const album = message.mediaGroupId === undefined ? {} : { media_group_id: message.mediaGroupId };
  return post(world, chat, message, { ...media, ...album, ...toCaption(caption) });
}

function chooseKind(mimeType: string): FileKind {
  if (mimeType === 'image/jpeg' || mimeType === 'image/png') return 'photo';
  if (mimeType.startsWith('audio/ogg')) return 'voice';
  if (mimeType.startsWith('audio/')) return 'audio';
  return mimeType === 'video/mp4' ? 'video' : 'document';
}

function toCaption({ text, entities }: { text: string; entities: MessageEntity[] }): MessageContent {
  if (text === '') return {};
  return { caption: text, ...(entities.length > 0 ? { caption_entities: entities } : {}) };
}

function readPersonText(text: string, entities: readonly MessageEntity[] | undefined, maxLength: number) {
  try {
    const fixed = fixFormattedText({ text: text.toWellFormed(), entities: [...(entities ?? [])] });
    if (fixed.text.length <= maxLength) return fixed;
  } catch (error) {
    if (error instanceof ApiError) throw invalid(error.message);
    throw error;
  }
  throw invalid(`the text is longer than ${maxLength} UTF-16 units`);
}

function readPersonBlocks(blocks: readonly RichBlock[]): RichBlock[] {
  try {
    return checkBlocks(blocks);
  } catch (error) {
    if (error instanceof ApiError) throw invalid(error.message);
    throw error;
  }
}

type Place = Pick<NewMessage, 'from' | 'replyTo' | 'topicId'>;

function post(world: World, chat: Chat, place: Place, content: MessageContent): StoredMessage {
  if (chat.botStatuses.size > 0 && [...chat.botStatuses.values()].every((status) => status === 'blocked')) {
    throw new ControlFailure(409, 'bot_blocked', 'the person has blocked the bot');
  }
  if (chat.upgradedToId !== undefined) throw new ControlFailure(409, 'upgraded', 'the group has become a supergroup');
  if (chat.isDeleted) throw new ControlFailure(409, 'deleted', 'the chat is deleted');
  const target = place.replyTo === undefined ? undefined : findMessage(chat, place.replyTo);
  const topicId = place.topicId ?? target?.body.message_thread_id;
  const topic = topicId === undefined ? undefined : chat.topics.get(topicId);
  if (topicId !== undefined && !topic) throw notFound('topic');
  if (topic?.isClosed) throw new ControlFailure(409, 'topic_closed', 'the topic is closed');
  const reply = target && toReplyTarget(target);
  const stored = addMessage(world, {
    chat,
    from: chat.type === 'channel' ? undefined : toApiUser(choosePerson(world, chat, place.from)),
    content: { ...content, ...(reply ? { reply_to_message: reply } : {}) },
    ...(topicId === undefined ? {} : { topicId }),
  });
  summonGuests(world, stored);
  return stored;
}

/** Returns the acting user: the given one, or the first member of the chat. @throws ControlFailure */
export function choosePerson(world: World, chat: Chat, id: number | undefined) {
  const person = world.people.get(id ?? [...chat.memberIds][0] ?? 0);
  if (!person) throw notFound('person');
  if (!chat.memberIds.has(person.id)) throw new ControlFailure(403, 'not_a_member', 'the person is not in the chat');
  return person;
}

/** @throws ControlFailure */
export function findMessage(chat: Chat, messageId: number): StoredMessage {
  const stored = chat.messages.get(messageId);
  if (!stored) throw notFound('message');
  return stored;
}

/** Edits the text or caption of a user's own message. @throws ControlFailure */
export function editAsPerson(world: World, stored: StoredMessage, edit: MessageEdit): void {
  if (stored.authorBotId !== undefined) throw new ControlFailure(403, 'not_the_author', "a bot's message is its own");
  const { body } = stored;
  const isText = body.text !== undefined;
  const fixed = readPersonText(edit.text, edit.entities, isText ? MAX_TEXT_LENGTH : MAX_CAPTION_LENGTH);
  if (isText && fixed.text === '') throw invalid('a message needs a text');
  const { text: _text, entities: _entities, caption: _caption, caption_entities: _captionEntities, ...rest } = body;
  const content = isText
    ? { text: fixed.text, ...(fixed.entities.length > 0 ? { entities: fixed.entities } : {}) }
    : { ...rest, ...toCaption(fixed) };
  editMessage(world, stored, { content });
}

/**
 * Sets the reactions of a user to a message; an empty list removes them. Bots that are administrators get an update.
 * @throws ControlFailure
 */
export function react(world: World, stored: StoredMessage, reaction: Reaction): void {
  const { chat } = stored;
  const person = choosePerson(world, chat, reaction.from);
  const unknown = reaction.emoji.find((emoji) => !REACTION_EMOJI.has(emoji));
  if (unknown !== undefined) throw invalid(`${unknown} is no reaction`);
  const before = stored.reactions.get(person.id) ?? [];
  if (reaction.emoji.length === 0) stored.reactions.delete(person.id);
  else stored.reactions.set(person.id, [...reaction.emoji]);
  publishChange(world, stored);
  for (const bot of listBotsIn(world, chat)) {
    if (chat.type !== 'private' && chat.botStatuses.get(bot.id) !== 'administrator') continue;
    bot.updates.push(
      'message_reaction',
      (updateId): Update => ({
        update_id: updateId,
        message_reaction: {
          chat: toApiChat(world, chat),
          message_id: stored.body.message_id,
          user: toApiUser(person),
          date: unixTime(world),
          old_reaction: before.map(toReactionType),
          new_reaction: reaction.emoji.map(toReactionType),
        },
      }),
    );
  }
}

function toReactionType(emoji: string) {
  if (!isReactionEmoji(emoji)) throw invalid(`${emoji} is no reaction`);
  return { type: 'emoji' as const, emoji };
}

type ReactionEmoji = Extract<
  NonNullable<NonNullable<Update['message_reaction']>['new_reaction'][number]>,
  { type: 'emoji' }
>['emoji'];

function isReactionEmoji(emoji: string): emoji is ReactionEmoji {
  return REACTION_EMOJI.has(emoji);
}
