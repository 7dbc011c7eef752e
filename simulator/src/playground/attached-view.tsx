import type { Message } from '@grammyjs/types';
import type { ComponentChild } from 'preact';
import type { ChatMessage } from '../control-protocol.ts';
import type { ReaderState } from './entities-view.tsx';
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
} from './media-view.tsx';
import { summarize } from './summary.ts';
import { translate } from './texts.ts';

/**
 * Renders the file, album, location or card of a message; null for text only.
 * @param group one message, or all of an album
 */
export function renderAttached(group: readonly ChatMessage[], reader: ReaderState): ComponentChild {
  if (group.length > 1) return renderAlbum(group, reader);
  const { message } = group[0] as ChatMessage;
  return renderOne(message, reader, false);
}

/** Tells whether the bubble contains only photos, videos or animations, apart from text. */
export function isPictured(group: readonly ChatMessage[]): boolean {
  const isAlbum = group.length > 1;
  return group.every(({ message }) => message.photo ?? message.video ?? (!isAlbum && message.animation));
}

function renderAlbum(group: readonly ChatMessage[], reader: ReaderState) {
  const isGrid = isPictured(group);
  const items = group.map(({ message }) => (
    <div key={message.message_id} class="album-item" data-message={message.message_id}>
      {renderOne(message, reader, isGrid)}
    </div>
  ));
  return <div class={isGrid ? `album album-${Math.min(group.length, 10)}` : 'album-list'}>{items}</div>;
}

function renderOne(message: Message, reader: ReaderState, isTile: boolean): ComponentChild {
  const isHidden = message.has_media_spoiler === true && !reader.revealed;
  if (message.photo)
    return renderPhoto(message.photo, {
      isHidden,
      isTile,
      label: message.caption?.slice(0, 100) ?? translate('Photo'),
    });
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
    return (
      <div class="dice">
        {message.dice.emoji}
        <span class="pill">{String(message.dice.value)}</span>
      </div>
    );
  if (message.text === undefined && !message.rich_message) return <div class="card dim">{summarize(message)}</div>;
  return null;
}
