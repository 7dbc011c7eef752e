import type {
  Animation,
  Audio,
  Contact,
  Document,
  Location,
  PhotoSize,
  Poll,
  Sticker,
  Video,
  VideoNote,
  Voice,
} from '@grammyjs/types';
import { fileUrl } from './control-client.ts';
import { h } from './dom.ts';
import { formatDuration, formatSize } from './format.ts';
import { icon } from './icons.ts';

/** Pictures larger than this on the longer side are shown from the biggest size that the message has. */
const MAX_PHOTO_WIDTH = 430;
const MAX_PHOTO_HEIGHT = 430;

/** The size with the most pixels. */
export function largestPhoto(sizes: readonly PhotoSize[]) {
  return [...sizes].sort((left, right) => right.width * right.height - left.width * left.height)[0];
}

/** A photo as a button that opens it large. */
export function renderPhoto(
  sizes: readonly PhotoSize[],
  options: { isHidden?: boolean; isTile?: boolean | undefined; label?: string },
) {
  const photo = largestPhoto(sizes);
  if (!photo) return h('p', { class: 'unknown' }, 'Photo without sizes');
  if (options.isHidden) {
    const cover = h('button', {
      type: 'button',
      class: 'media-cover',
      'data-action': 'reveal',
      'aria-label': 'Hidden photo, reveal',
    });
    return setBox(cover, photo, options.isTile === true);
  }
  const image = h('img', {
    src: fileUrl(photo.file_id),
    alt: options.label ?? 'Photo',
    width: photo.width,
    height: photo.height,
    loading: 'lazy',
    decoding: 'async',
  });
  const button = h(
    'button',
    {
      type: 'button',
      class: 'photo',
      'data-action': 'open-photo',
      'data-file': photo.file_id,
      'aria-label': `${options.label ?? 'Photo'}, open`,
    },
    image,
  );
  return setBox(button, photo, options.isTile === true);
}

/** Keeps the place of a picture before its bytes are there, so that nothing jumps. */
function setBox<T extends HTMLElement>(element: T, size: { width: number; height: number }, isTile: boolean) {
  if (isTile || !(size.width > 0 && size.height > 0)) return element;
  const scale = Math.min(1, MAX_PHOTO_WIDTH / size.width, MAX_PHOTO_HEIGHT / size.height);
  element.style.width = `${Math.max(80, Math.round(size.width * scale))}px`;
  element.style.aspectRatio = `${size.width} / ${size.height}`;
  return element;
}

export function renderVideo(
  video: Video | Animation,
  options: { isAnimation?: boolean; isTile?: boolean | undefined },
) {
  const isPicture = video.mime_type?.startsWith('image/') === true;
  const source = fileUrl(video.file_id);
  const label = options.isAnimation ? 'Animation' : 'Video';
  const element = isPicture
    ? h('img', { src: source, alt: label, class: 'video', loading: 'lazy' })
    : h('video', {
        src: source,
        class: 'video',
        controls: !options.isAnimation,
        autoplay: options.isAnimation,
        loop: options.isAnimation,
        muted: options.isAnimation,
        playsinline: true,
        preload: 'metadata',
        'aria-label': label,
      });
  return setBox(element, video, options.isTile === true);
}

export function renderVideoNote(note: VideoNote) {
  return h('video', {
    src: fileUrl(note.file_id),
    class: 'video-note',
    controls: true,
    playsinline: true,
    preload: 'metadata',
    'aria-label': 'Video message',
  });
}

export function renderAudio(audio: Audio) {
  const title = audio.title ?? audio.file_name ?? 'Audio';
  return h(
    'div',
    { class: 'audio' },
    h(
      'div',
      { class: 'audio-title' },
      title,
      audio.performer ? h('span', { class: 'dim' }, ` — ${audio.performer}`) : null,
    ),
    renderPlayer(audio.file_id, title, audio.duration),
  );
}

export function renderVoice(voice: Voice) {
  return h('div', { class: 'audio' }, renderPlayer(voice.file_id, 'Voice message', voice.duration));
}

function renderPlayer(fileId: string, label: string, durationSeconds: number) {
  const title = `${label}, ${formatDuration(durationSeconds)}`;
  return h('audio', { src: fileUrl(fileId), controls: true, preload: 'metadata', 'aria-label': title, title });
}

/** A file to download. */
export function renderDocument(document: Document) {
  const name = document.file_name ?? 'file';
  const extension = /\.([\p{L}\p{N}]{1,5})$/u.exec(name)?.[1] ?? '';
  return h(
    'a',
    {
      class: 'document',
      href: fileUrl(document.file_id),
      download: name,
    },
    h(
      'span',
      { class: 'document-icon', 'aria-hidden': 'true' },
      extension || icon('file'),
      h('span', { class: 'document-download' }, icon('download')),
    ),
    h(
      'span',
      { class: 'document-about' },
      h('span', { class: 'document-name' }, h('span', { class: 'visually-hidden' }, 'Download '), name),
      h('span', { class: 'dim' }, [formatSize(document.file_size), document.mime_type].filter(Boolean).join(' · ')),
    ),
  );
}

export function renderSticker(sticker: Sticker) {
  const source = fileUrl(sticker.file_id);
  const label = `Sticker ${sticker.emoji ?? ''}`.trim();
  if (sticker.is_video)
    return h('video', {
      src: source,
      class: 'sticker',
      autoplay: true,
      loop: true,
      muted: true,
      playsinline: true,
      'aria-label': label,
    });
  if (sticker.is_animated)
    return h('div', { class: 'sticker sticker-emoji', role: 'img', 'aria-label': label }, sticker.emoji ?? '🙂');
  return h('img', { src: source, class: 'sticker', alt: label, loading: 'lazy' });
}

export function renderLocation(location: Location, venue: { title?: string; address?: string } = {}) {
  const { latitude, longitude } = location;
  const place = `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
  const href = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=15/${latitude}/${longitude}`;
  return h(
    'a',
    {
      class: 'card location',
      href,
      target: '_blank',
      rel: 'noopener noreferrer',
    },
    h('span', { class: 'map', 'aria-hidden': 'true' }, icon('pin', 'map-pin')),
    h('span', { class: 'card-title' }, venue.title ?? 'Location'),
    h('span', { class: 'dim' }, venue.address ?? place),
  );
}

export function renderContact(contact: Contact) {
  const name = [contact.first_name, contact.last_name].filter(Boolean).join(' ');
  return h(
    'div',
    { class: 'card' },
    h('span', { class: 'card-title' }, name),
    h('span', { class: 'dim' }, contact.phone_number),
  );
}

export function renderPoll(poll: Poll) {
  const kind = `${poll.is_anonymous ? 'Anonymous ' : ''}${poll.type === 'quiz' ? 'quiz' : 'poll'}${poll.is_closed ? ', closed' : ''}`;
  return h(
    'div',
    { class: 'card poll' },
    h('span', { class: 'card-title' }, poll.question),
    h('span', { class: 'dim' }, `${kind[0]?.toUpperCase()}${kind.slice(1)}`),
    h(
      'ul',
      null,
      poll.options.map((option) => renderOption(option.text, option.voter_count, poll.total_voter_count)),
    ),
    h('span', { class: 'dim' }, `${poll.total_voter_count} vote${poll.total_voter_count === 1 ? '' : 's'}`),
  );
}

function renderOption(text: string, votes: number, total: number) {
  const share = total > 0 ? Math.round((votes / total) * 100) : 0;
  const bar = h('span', { class: 'poll-bar', 'aria-hidden': 'true' });
  bar.style.setProperty('--share', `${share}%`);
  return h('li', null, h('span', { class: 'poll-share' }, `${share}%`), h('span', null, text), bar);
}
