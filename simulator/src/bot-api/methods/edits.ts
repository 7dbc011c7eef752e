import { isDeepStrictEqual } from 'node:util';
import type { Message } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import { editMessage, type MessageContent } from '../../world/messages.ts';
import { toBotMessage } from '../../world/views.ts';
import { isServiceMessage } from '../../world/visibility.ts';
import type { StoredMessage } from '../../world/world.ts';
import type { Call, MethodHandler } from '../call.ts';
import { readMediaItem } from '../media.ts';
import { readObject, readString } from '../params.ts';
import { readCaption, readText, toCaptionContent, toTextContent } from '../read-text.ts';
import { readReplyMarkup, toMarkupContent } from '../reply-markup.ts';
import { readRichMessage } from '../rich-message.ts';
import { type Outgoing, readLinkPreview } from '../send.ts';
import { checkAccess, readChat, readMessage } from '../targets.ts';

const NOT_MODIFIED =
  'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message';

/** Fields that an edit of the text or media replaces. All other fields are kept. */
const CONTENT_FIELDS = [
  'text',
  'entities',
  'link_preview_options',
  'rich_message',
  'caption',
  'caption_entities',
  'show_caption_above_media',
  'has_media_spoiler',
  'photo',
  'video',
  'animation',
  'document',
  'audio',
  'voice',
  'video_note',
  'sticker',
  'reply_markup',
] as const;

const MEDIA_FIELDS = ['photo', 'video', 'animation', 'document', 'audio', 'voice', 'video_note', 'sticker'] as const;

/** Returns the message to edit. @throws ApiError 400 if it does not exist or the method can't edit it. */
function readTarget(call: Call): StoredMessage {
  const inlineId = readString(call.params, 'inline_message_id');
  if (inlineId !== undefined) {
    const stored = call.bot.inlineMessages.get(inlineId);
    if (!stored?.chat.messages.has(stored.body.message_id)) throw badRequest('MESSAGE_ID_INVALID');
    return checkContentEditable(call, stored);
  }
  if (readString(call.params, 'chat_id') === undefined && readString(call.params, 'message_id') === undefined) {
    throw badRequest('message identifier is not specified');
  }
  const chat = readChat(call);
  checkAccess(call, chat, 'edit');
  const stored = readMessage(call, chat, 'edit');
  if (!isEditable(call, stored)) throw badRequest("message can't be edited");
  return checkContentEditable(call, stored);
}

/** Refuses stickers and video notes, except for edits of the keyboard. */
function checkContentEditable({ method }: Call, stored: StoredMessage): StoredMessage {
  const isFixed = stored.body.sticker !== undefined || stored.body.video_note !== undefined;
  if (isFixed && method !== 'editMessageReplyMarkup') throw badRequest("message can't be edited");
  return stored;
}

/** Follows TDLib's `can_edit_message`. Messages of upgraded groups can't be edited. */
function isEditable({ bot }: Call, { authorBotId, keyboard, body, chat }: StoredMessage): boolean {
  // A message with a reply keyboard can't be edited either: the keyboard would be lost.
  const isOwn = authorBotId === bot.id && !isServiceMessage(body);
  return isOwn && !keyboard && !body.forward_origin && chat.upgradedToId === undefined;
}

function applyEdit(call: Call, stored: StoredMessage, outgoing: Outgoing): Message | true {
  const content = { ...outgoing.content, ...toMarkupContent(readReplyMarkup(call.params)) };
  if (isDeepStrictEqual(pickContent(stored.body), content)) throw badRequest(NOT_MODIFIED);
  editMessage(call.world, stored, { content, richSource: outgoing.richSource });
  return readString(call.params, 'inline_message_id') === undefined ? toBotMessage(call.bot, stored.body) : true;
}

function pickContent(body: Message): MessageContent {
  const content: MessageContent = {};
  for (const field of CONTENT_FIELDS) if (body[field] !== undefined) Object.assign(content, { [field]: body[field] });
  return content;
}

async function editMessageText(call: Call): Promise<Message | true> {
  const stored = readTarget(call);
  const isRich = call.world.botApiVersion !== '10.0' && readObject(call.params, 'rich_message') !== undefined;
  const outgoing: Outgoing = isRich
    ? await readRichMessage(call, 'message')
    : {
        content: { ...toTextContent(readText(call.world, call.params, 'MESSAGE_TOO_LONG')), ...readLinkPreview(call) },
      };
  if (stored.body.text === undefined && stored.body.rich_message === undefined) {
    throw badRequest('there is no text in the message to edit');
  }
  return applyEdit(call, stored, outgoing);
}

function editMessageCaption(call: Call): Message | true {
  const stored = readTarget(call);
  const caption = toCaptionContent(readCaption(call.world, call.params));
  const media = pickMedia(stored.body);
  if (Object.keys(media).length === 0) throw badRequest('there is no caption in the message to edit');
  return applyEdit(call, stored, { content: { ...media, ...caption } });
}

function pickMedia(body: Message): MessageContent {
  const content: MessageContent = {};
  for (const field of MEDIA_FIELDS) if (body[field] !== undefined) Object.assign(content, { [field]: body[field] });
  if (body.has_media_spoiler) content.has_media_spoiler = true;
  return content;
}

function editMessageMedia(call: Call): Message | true {
  const stored = readTarget(call);
  const item = readObject(call.params, 'media');
  if (!item) throw badRequest("can't parse media: expected an Object");
  return applyEdit(call, stored, { content: readMediaItem(call, item) });
}

function editMessageReplyMarkup(call: Call): Message | true {
  const stored = readTarget(call);
  const { reply_markup: _, ...content } = pickContent(stored.body);
  return applyEdit(call, stored, { content, richSource: stored.richSource });
}

/**
 * Always refuses, because live locations are not simulated. The error still tells whether the message exists and
 * belongs to the bot.
 */
function stopMessageLiveLocation(call: Call): never {
  readReplyMarkup(call.params);
  readTarget(call);
  throw badRequest('there is no live location in the message to edit');
}

/** Methods that edit the bot's own messages. */
export const editMethods: { readonly [method: string]: MethodHandler } = {
  editMessageText,
  editMessageCaption,
  editMessageMedia,
  editMessageReplyMarkup,
  stopMessageLiveLocation,
};
