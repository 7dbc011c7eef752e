import { readAacFrameSeconds } from './aac.ts';

const HEADER_BYTES = 8;
/** A recording has some 30 boxes, and one in fragments 5 for each of these. */
const MAX_BOXES = 30_000;
const MAX_DEPTH = 10;
/** Boxes of which the parts are read; what is in others is not needed. */
const PARENTS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'edts', 'udta', 'moof', 'traf']);
/** A pause at the beginning, and the recording. Decoders repeat what further edits repeat. */
const MAX_EDITS = 2;
/** Formats beside the sound: subtitles, chapters, time codes and other data. */
const SILENT = new Set([
  'text',
  'tx3g',
  'c608',
  'c708',
  'wvtt',
  'stpp',
  'mebx',
  'mett',
  'metx',
  'mp4s',
  'tmcd',
  'rtp ',
]);

/**
 * Returns the duration of the sound of an MP4 or QuickTime file in seconds: of all its frames, or as its header states
 * it if that is longer (ISO/IEC 14496-12). Undefined for other sound than AAC, and where sizes of boxes contradict each
 * other.
 */
export function findMp4Seconds(bytes: Buffer): number | undefined {
  const movie = new Movie();
  return movie.read(bytes) ? movie.findSeconds() : undefined;
}

interface Track {
  isVideo: boolean;
  /** Content of its sample description. */
  description?: Buffer;
  frames: number;
}

class Movie {
  #boxes = 0;
  #statedSeconds = 0;
  #track: Track = { isVideo: true, frames: 0 };
  readonly #tracks: Track[] = [];
  readonly #tracksById = new Map<number, Track>();

  /** Returns false for what can't be read. */
  read(bytes: Buffer, depth = 0): boolean {
    for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
      const isLong = bytes.readUInt32BE(at) === 1 && at + 2 * HEADER_BYTES <= bytes.length;
      const start = at + (isLong ? 2 : 1) * HEADER_BYTES;
      const size = isLong ? Number(bytes.readBigUInt64BE(at + HEADER_BYTES)) : bytes.readUInt32BE(at);
      // Size 0: the last box, up to the end of the file.
      const end = size === 0 ? bytes.length : at + size;
      this.#boxes += 1;
      if (end < start || end > bytes.length || depth > MAX_DEPTH || this.#boxes > MAX_BOXES) return false;
      const type = bytes.toString('latin1', at + 4, at + HEADER_BYTES);
      if (!this.#readBox(type, bytes.subarray(start, end), depth)) return false;
      at = end;
    }
    return true;
  }

  findSeconds(): number | undefined {
    let seconds = 0;
    for (const { isVideo, description, frames } of this.#tracks) {
      if (isVideo || SILENT.has(description?.toString('latin1', 12, 16) ?? '')) continue;
      const frameSeconds = description && readAacFrameSeconds(description);
      if (frameSeconds === undefined) return undefined;
      seconds += frames * frameSeconds;
    }
    return seconds === 0 ? undefined : Math.max(seconds, this.#statedSeconds);
  }

  #readBox(type: string, content: Buffer, depth: number): boolean {
    if (type === 'trak') {
      this.#track = { isVideo: true, frames: 0 };
      this.#tracks.push(this.#track);
    }
    if (PARENTS.has(type)) return this.read(content, depth + 1);
    if (type === 'stsd') this.#track.description = content;
    else if (type === 'hdlr') this.#readHandler(content);
    else if (type === 'mvhd') this.#statedSeconds = readDuration(content) ?? this.#statedSeconds;
    else if (type === 'tkhd') this.#tracksById.set(readNumber(content, content[0] === 1 ? 20 : 12), this.#track);
    else if (type === 'tfhd') return this.#findFragment(readNumber(content, 4));
    else if (type === 'stsz' || type === 'stz2') this.#track.frames += readNumber(content, 8);
    else if (type === 'trun') this.#track.frames += readNumber(content, 4);
    else if (type === 'elst') return readNumber(content, 4) <= MAX_EDITS;
    // Frames of one tick are cut by other tables than those that are read here.
    else if (type === 'stts') return readNumber(content, 4) === 0 || readNumber(content, 12) !== 1;
    else return type !== 'cmov';
    return true;
  }

  /** A track is a video if all its handlers say so, except those of QuickTime that tell where data is. */
  #readHandler(content: Buffer): void {
    if (content.toString('latin1', 4, 8) !== 'dhlr')
      this.#track.isVideo &&= content.toString('latin1', 8, 12) === 'vide';
  }

  #findFragment(id: number): boolean {
    const track = this.#tracksById.get(id);
    if (track) this.#track = track;
    return track !== undefined;
  }
}

/** Reads version, flags and two dates, then the ticks per second and the duration in ticks. */
function readDuration(header: Buffer): number | undefined {
  const isLong = header[0] === 1;
  const [scaleAt, durationAt] = isLong ? [20, 24] : [12, 16];
  if (header.length < durationAt + (isLong ? 8 : 4)) return undefined;
  const ticks = isLong ? Number(header.readBigUInt64BE(durationAt)) : header.readUInt32BE(durationAt);
  const scale = header.readUInt32BE(scaleAt);
  return scale === 0 ? undefined : ticks / scale;
}

function readNumber(content: Buffer, at: number): number {
  return at + 4 > content.length ? 0 : content.readUInt32BE(at);
}
