import { LONGEST_OPUS_SECONDS, readOpusSeconds } from './opus.ts';

/** Elements of which the parts are read (RFC 9559); what is in others is not needed. */
const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const TRACKS = 0x1654ae6b;
const TRACK = 0xae;
const CLUSTER = 0x1f43b675;
const BLOCK_GROUP = 0xa0;
const PARENTS = new Set([SEGMENT, INFO, TRACKS, TRACK, CLUSTER, BLOCK_GROUP]);
const TRACK_NUMBER = 0xd7;
const CODEC = 0x86;
const SIMPLE_BLOCK = 0xa3;
const BLOCK = 0xa1;
/** Compressed, encrypted or stripped blocks. */
const UNREADABLE = new Set([0x6d80, 0xaf, 0xa2]);
const MAX_CODEC_LENGTH = 30;
/** An hour of the shortest usual packets. */
const MAX_ELEMENTS = 250_000;

/**
 * Returns the duration of all Opus packets of a WebM or Matroska file in seconds. Undefined for other sound, and where
 * sizes of elements contradict each other.
 */
export function findWebmSeconds(bytes: Buffer): number | undefined {
  const ends: number[] = [];
  const codecs = new Map<number, string>();
  let track: { number?: number; codec?: string } = {};
  let seconds = 0;
  for (let at = 0, count = 0; at < bytes.length; count += 1) {
    while ((ends.at(-1) ?? Number.POSITIVE_INFINITY) <= at) ends.pop();
    const element = readElement(bytes, at);
    if (!element || count > MAX_ELEMENTS) return undefined;
    const { id, start, end } = element;
    if (end > (ends.at(-1) ?? Number.POSITIVE_INFINITY)) return undefined;
    if (PARENTS.has(id)) {
      if (id === TRACK) track = {};
      if (Number.isFinite(end)) ends.push(end);
      at = start;
      continue;
    }
    if (!Number.isFinite(end) || UNREADABLE.has(id)) return undefined;
    if (id === TRACK_NUMBER) track.number = readNumber(bytes, start, end);
    if (id === CODEC) track.codec = bytes.toString('latin1', start, Math.min(end, start + MAX_CODEC_LENGTH));
    if (id === TRACK_NUMBER || id === CODEC) {
      const { number, codec } = track;
      if (number !== undefined && codec !== undefined && (codecs.get(number) ?? codec) !== codec) return undefined;
      if (number !== undefined && codec !== undefined) codecs.set(number, codec);
    }
    if (id === SIMPLE_BLOCK || id === BLOCK) {
      const blockSeconds = readBlock(bytes, start, codecs);
      if (blockSeconds === undefined) return undefined;
      seconds += blockSeconds;
    }
    at = end;
  }
  return seconds;
}

/** Returns 0 for a block of images or subtitles; undefined for sound of which the duration is not known. */
function readBlock(bytes: Buffer, at: number, codecs: ReadonlyMap<number, string>): number | undefined {
  const track = readVint(bytes, at);
  const codec = track && codecs.get(track.value);
  if (!track || codec === undefined) return undefined;
  if (codec !== 'A_OPUS') return /^[VSDB]_/.test(codec) ? 0 : undefined;
  const flagsAt = at + track.bytes + 2;
  const isLaced = ((bytes[flagsAt] ?? 0) & 6) !== 0;
  return isLaced ? ((bytes[flagsAt + 1] ?? 0) + 1) * LONGEST_OPUS_SECONDS : readOpusSeconds(bytes, flagsAt + 1);
}

/** `end` is infinite for an element that ends where the next of its level begins. */
function readElement(
  bytes: Buffer,
  at: number,
): { readonly id: number; readonly start: number; readonly end: number } | undefined {
  const idBytes = Math.clz32((bytes[at] ?? 0) << 24) + 1;
  if (idBytes > 4 || at + idBytes > bytes.length) return undefined;
  const size = readVint(bytes, at + idBytes);
  if (!size) return undefined;
  const start = at + idBytes + size.bytes;
  return { id: bytes.readUIntBE(at, idBytes), start, end: start + size.value };
}

/** Reads a number of 1 to 8 bytes with its length in its first bits; infinite if all its bits are set. */
function readVint(bytes: Buffer, at: number): { readonly value: number; readonly bytes: number } | undefined {
  const first = bytes[at] ?? 0;
  const length = Math.clz32(first << 24) + 1;
  if (length > 8 || at + length > bytes.length) return undefined;
  let value = first & (0xff >> length);
  let isUnknown = value === 0xff >> length;
  for (let index = at + 1; index < at + length; index += 1) {
    const byte = bytes.readUInt8(index);
    value = value * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  return { value: isUnknown ? Number.POSITIVE_INFINITY : value, bytes: length };
}

function readNumber(bytes: Buffer, start: number, end: number): number {
  return bytes.subarray(start, Math.min(end, start + 6)).reduce((sum, byte) => sum * 256 + byte, 0);
}
