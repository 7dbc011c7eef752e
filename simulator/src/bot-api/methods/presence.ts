import { badRequest } from '../../api-error.ts';
import { publish } from '../../world/chats.ts';
import { type DraftContent, showDraft } from '../../world/drafts.ts';
import type { Chat } from '../../world/world.ts';
import type { Call, MethodHandler } from '../call.ts';
import { readBoolean, readInteger, readString } from '../params.ts';
import { readOptionalText } from '../read-text.ts';
import { readRichMessage } from '../rich-message.ts';
import { readTopicId, readWritableChat } from '../targets.ts';

const ACTION_LIFE_MS = 5000;
/** Id of the General topic of every forum. Only chat actions may name it. */
const GENERAL_TOPIC_ID = 1;

const ACTIONS: ReadonlySet<string> = new Set([
  'typing',
  'upload_photo',
  'record_video',
  'upload_video',
  'record_voice',
  'upload_voice',
  'record_audio',
  'upload_audio',
  'upload_document',
  'choose_sticker',
  'find_location',
  'record_video_note',
  'upload_video_note',
]);

function sendChatAction(call: Call): true {
  const chat = readWritableChat(call);
  const isGeneral = chat.isForum && readInteger(call.params, 'message_thread_id') === GENERAL_TOPIC_ID;
  const topicId = isGeneral ? undefined : readTopicId(call, chat);
  const action = readString(call.params, 'action') ?? '';
  if (!ACTIONS.has(action)) throw badRequest('wrong parameter action in request');
  publish(call.world, chat, () => ({
    type: 'chat-action',
    chatId: chat.id,
    ...(topicId === undefined ? {} : { topicId }),
    action,
    expiresAt: call.world.clock.now() + ACTION_LIFE_MS,
  }));
  return true;
}

function sendMessageDraft(call: Call): true {
  const { chat, ...place } = readDraftPlace(call);
  const { text, entities } = readOptionalText(call.world, call.params);
  showDraft(call.world, chat, { ...place, text, entities, richSource: undefined, richBlocks: undefined });
  return true;
}

function sendRichMessageDraft(call: Call): true {
  const { chat, ...place } = readDraftPlace(call);
  const { content, richSource } = readRichMessage(call, 'draft');
  showDraft(call.world, chat, {
    ...place,
    text: '',
    entities: [],
    richSource,
    richBlocks: content.rich_message.blocks,
  });
  return true;
}

type DraftPlace = Pick<DraftContent, 'draftId' | 'topicId' | 'canStop' | 'keepOnStop'> & { readonly chat: Chat };

function readDraftPlace(call: Call): DraftPlace {
  const chat = readWritableChat(call);
  if (chat.type !== 'private') throw badRequest('TEXTDRAFT_PEER_INVALID');
  const draftId = readString(call.params, 'draft_id') ?? '0';
  if (!/^-?\d{1,19}$/.test(draftId) || BigInt(draftId) === 0n) throw badRequest('draft identifier must be non-zero');
  return {
    chat,
    draftId,
    topicId: readTopicId(call, chat),
    canStop: readBoolean(call.params, 'can_stop'),
    keepOnStop: readBoolean(call.params, 'keep_on_stop'),
  };
}

/** Methods for chat actions ("typing…") and drafts. */
export const presenceMethods: { readonly [method: string]: MethodHandler } = {
  sendChatAction,
  sendMessageDraft,
  sendRichMessageDraft,
};
