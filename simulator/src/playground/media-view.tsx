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
import { formatDuration, formatSize } from './format.ts';
import { icon } from './icons.tsx';
import { translate } from './texts.ts';

/** Maximum size at which photos are displayed, in pixels. */
const MAX_PHOTO_WIDTH = 430;
const MAX_PHOTO_HEIGHT = 430;

/** Returns the size with the most pixels. */
export function largestPhoto(sizes: readonly PhotoSize[]) {
  return [...sizes].sort((left, right) => right.width * right.height - left.width * left.height)[0];
}

/** Renders a photo as a button that opens it large. */
export function renderPhoto(
  sizes: readonly PhotoSize[],
  options: { isHidden?: boolean; isTile?: boolean | undefined; label?: string },
) {
  const photo = largestPhoto(sizes);
  if (!photo) return <p class="unknown">Photo without sizes</p>;
  const style = options.isTile ? undefined : boxOf(photo);
  if (options.isHidden) {
    return (
      <button
        type="button"
        class="media-cover"
        style={style}
        data-action="reveal"
        aria-label={translate('Hidden photo, reveal')}
      />
    );
  }
  return (
    <button
      type="button"
      class="photo"
      style={style}
      data-action="open-photo"
      data-file={photo.file_id}
      aria-label={`${options.label ?? translate('Photo')}, open`}
    >
      <img
        src={fileUrl(photo.file_id)}
        alt={options.label ?? translate('Photo')}
        width={photo.width}
        height={photo.height}
        loading="lazy"
        decoding="async"
      />
    </button>
  );
}

/** Reserves the space of an image before it has loaded, to avoid layout shifts. */
function boxOf({ width, height }: { width: number; height: number }) {
  if (!(width > 0 && height > 0)) return undefined;
  const scale = Math.min(1, MAX_PHOTO_WIDTH / width, MAX_PHOTO_HEIGHT / height);
  return { width: `${Math.max(80, Math.round(width * scale))}px`, aspectRatio: `${width} / ${height}` };
}

export function renderVideo(
  video: Video | Animation,
  options: { isAnimation?: boolean; isTile?: boolean | undefined },
) {
  const isPicture = video.mime_type?.startsWith('image/') === true;
  const source = fileUrl(video.file_id);
  const label = options.isAnimation ? translate('Animation') : translate('Video');
  const style = options.isTile ? undefined : boxOf(video);
  return isPicture ? (
    <img src={source} alt={label} class="video" style={style} loading="lazy" />
  ) : (
    <video
      src={source}
      class="video"
      style={style}
      controls={!options.isAnimation}
      autoplay={options.isAnimation}
      loop={options.isAnimation}
      muted={options.isAnimation}
      playsinline
      preload="metadata"
      aria-label={label}
    />
  );
}

export function renderVideoNote(note: VideoNote) {
  return (
    <video
      src={fileUrl(note.file_id)}
      class="video-note"
      controls
      playsinline
      preload="metadata"
      aria-label={translate('Video message')}
    />
  );
}

export function renderAudio(audio: Audio) {
  const title = audio.title ?? audio.file_name ?? translate('Audio');
  return (
    <div class="audio">
      <div class="audio-title">
        {title}
        {audio.performer ? <span class="dim">{` — ${audio.performer}`}</span> : null}
      </div>
      {renderPlayer(audio.file_id, title, audio.duration)}
    </div>
  );
}

export function renderVoice(voice: Voice) {
  return <div class="audio">{renderPlayer(voice.file_id, translate('Voice message'), voice.duration)}</div>;
}

function renderPlayer(fileId: string, label: string, durationSeconds: number) {
  const title = `${label}, ${formatDuration(durationSeconds)}`;
  return <audio src={fileUrl(fileId)} controls preload="metadata" aria-label={title} title={title} />;
}

/** Renders a file as a download link. */
export function renderDocument(document: Document) {
  const name = document.file_name ?? 'file';
  const extension = /\.([\p{L}\p{N}]{1,5})$/u.exec(name)?.[1] ?? '';
  return (
    <a class="document" href={fileUrl(document.file_id)} download={name}>
      <span class="document-icon" aria-hidden="true">
        {extension || icon('file')}
        <span class="document-download">{icon('download')}</span>
      </span>
      <span class="document-about">
        <span class="document-name">
          <span class="visually-hidden">{'Download '}</span>
          {name}
        </span>
        <span class="dim">{[formatSize(document.file_size), document.mime_type].filter(Boolean).join(' · ')}</span>
      </span>
    </a>
  );
}

export function renderSticker(sticker: Sticker) {
  const source = fileUrl(sticker.file_id);
  const label = `Sticker ${sticker.emoji ?? ''}`.trim();
  if (sticker.is_video)
    return <video src={source} class="sticker" autoplay loop muted playsinline aria-label={label} />;
  if (sticker.is_animated)
    return (
      <div class="sticker sticker-emoji" role="img" aria-label={label}>
        {sticker.emoji ?? '🙂'}
      </div>
    );
  return <img src={source} class="sticker" alt={label} loading="lazy" />;
}

export function renderLocation(location: Location, venue: { title?: string; address?: string } = {}) {
  const { latitude, longitude } = location;
  const place = `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
  const href = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=15/${latitude}/${longitude}`;
  return (
    <a class="card location" href={href} target="_blank" rel="noopener noreferrer">
      <span class="map" aria-hidden="true">
        {icon('pin', 'map-pin')}
      </span>
      <span class="card-title">{venue.title ?? translate('Location')}</span>
      <span class="dim">{venue.address ?? place}</span>
    </a>
  );
}

export function renderContact(contact: Contact) {
  const name = [contact.first_name, contact.last_name].filter(Boolean).join(' ');
  return (
    <div class="card">
      <span class="card-title">{name}</span>
      <span class="dim">{contact.phone_number}</span>
    </div>
  );
}

export function renderPoll(poll: Poll) {
  const kind = `${poll.is_anonymous ? 'Anonymous ' : ''}${poll.type === 'quiz' ? 'quiz' : 'poll'}${poll.is_closed ? ', closed' : ''}`;
  return (
    <div class="card poll">
      <span class="card-title">{poll.question}</span>
      <span class="dim">{`${kind[0]?.toUpperCase()}${kind.slice(1)}`}</span>
      <ul>{poll.options.map((option) => renderOption(option.text, option.voter_count, poll.total_voter_count))}</ul>
      <span class="dim">{`${poll.total_voter_count} vote${poll.total_voter_count === 1 ? '' : 's'}`}</span>
    </div>
  );
}

function renderOption(text: string, votes: number, total: number) {
  const share = total > 0 ? Math.round((votes / total) * 100) : 0;
  return (
    <li>
      <span class="poll-share">{`${share}%`}</span>
      <span>{text}</span>
      <span class="poll-bar" style={{ '--share': `${share}%` }} aria-hidden="true" />
    </li>
  );
}
