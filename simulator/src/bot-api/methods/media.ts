import type { Message } from '@grammyjs/types';
import { badRequest } from '../../api-error.ts';
import type { FileKind } from '../../control-protocol.ts';
import { isJsonObject } from '../../json.ts';
import { takeNumber } from '../../world/world.ts';
import type { Call, MethodHandler } from '../call.ts';
import { readMedia, readMediaItem } from '../media.ts';
import { readArray } from '../params.ts';
import { sendMessage, sendMessages } from '../send.ts';

const MAX_ALBUM_ITEMS = 10;

function sender(kind: FileKind): MethodHandler {
  return (call) => sendMessage(call, () => ({ content: readMedia(call, kind) }));
}

function sendMediaGroup(call: Call): Promise<Message[]> {
  return sendMessages(call, () => {
    const items = readArray(call.params, 'media') ?? [];
    if (items.length === 0) throw badRequest('there are no messages to send');
    if (items.length > MAX_ALBUM_ITEMS) throw badRequest('too many messages to send as an album');
    const types = new Set(items.map((item) => (isJsonObject(item) ? item.type : undefined)));
    if (types.has('animation')) {
      throw badRequest('can\'t parse InputMedia: type "animation" can\'t be used in sendMediaGroup');
    }
    const unmixable = [...types].find((type) => type === 'document' || type === 'audio');
    if (types.size > 1 && unmixable) throw badRequest(`${unmixable} can't be mixed with other media types`);
    const albumId = String(1_000_000 + takeNumber(call.world));
    return items.map((item) => {
      if (!isJsonObject(item)) throw badRequest("can't parse InputMedia: expected an Object");
      return { content: { ...readMediaItem(call, item), media_group_id: albumId } };
    });
  });
}

/** Methods that send files. */
export const mediaMethods: { readonly [method: string]: MethodHandler } = {
  sendPhoto: sender('photo'),
  sendDocument: sender('document'),
  sendVideo: sender('video'),
  sendAudio: sender('audio'),
  sendVoice: sender('voice'),
  sendAnimation: sender('animation'),
  sendSticker: sender('sticker'),
  sendVideoNote: sender('video_note'),
  sendMediaGroup,
};
