import type { Message } from '@grammyjs/types';
import type { ChatMessage } from '../control-protocol.ts';
import { h } from './dom.ts';
import type { ReaderState } from './entities-view.ts';
import {
  renderAudio,
  renderContact,
  renderDocument,
  renderLocation,
  renderPhoto,
  renderPoll,
  renderSticker,
  renderVideo,
  renderVideoNote,
  renderVoice,
} from './media-view.ts';
import { summarize } from './summary.ts';

/**
 * The file, files, place or card that a message carries; null for mere text.
 * @param group one message, or all of an album
 */
export function renderAttached(group: readonly ChatMessage[], reader: ReaderState): HTMLElement | null {
  if (group.length > 1) return renderAlbum(group, reader);
  const { message } = group[0] as ChatMessage;
  return renderOne(message, reader, false);
}

function renderAlbum(group: readonly ChatMessage[], reader: ReaderState) {
  const isGrid = group.every(({ message }) => message.photo ?? message.video);
  const items = group.map(({ message }) =>
    h(
      'div',
      { class: 'album-item', 'data-message': message.message_id, 'data-key': message.message_id },
      renderOne(message, reader, isGrid),
    ),
  );
  return h('div', { class: isGrid ? `album album-${Math.min(group.length, 10)}` : 'album-list' }, items);
}

function renderOne(message: Message, reader: ReaderState, isTile: boolean): HTMLElement | null {
  const isHidden = message.has_media_spoiler === true && !reader.revealed;
  if (message.photo)
    return renderPhoto(message.photo, { isHidden, isTile, label: message.caption?.slice(0, 100) ?? 'Photo' });
  if (message.animation) return renderVideo(message.animation, { isAnimation: true, isTile });
  if (message.video) return renderVideo(message.video, { isTile });
  if (message.video_note) return renderVideoNote(message.video_note);
  if (message.voice) return renderVoice(message.voice);
  if (message.audio) return renderAudio(message.audio);
  if (message.document) return renderDocument(message.document);
  if (message.sticker) return renderSticker(message.sticker);
  if (message.venue) return renderLocation(message.venue.location, message.venue);
  if (message.location) return renderLocation(message.location);
  if (message.contact) return renderContact(message.contact);
  if (message.poll) return renderPoll(message.poll);
  if (message.dice)
    return h('div', { class: 'dice' }, message.dice.emoji, h('span', { class: 'pill' }, String(message.dice.value)));
  if (message.text === undefined && !message.rich_message) return h('div', { class: 'card dim' }, summarize(message));
  return null;
}
