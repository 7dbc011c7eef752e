import { LONGEST_OPUS_SECONDS, readOpusSeconds } from './opus.ts';

const MARK_END = 0x53;
const HEADER_BYTES = 27;
const IS_CONTINUED = 1;
const IS_FIRST = 2;
/** Eight hours of voice messages, almost three of the shortest usual packets. */
const MAX_PACKETS = 500_000;
/** Places where the mark of a page, `OggS`, may end. In 25 MiB there are 100,000 by chance. */
const MAX_PLACES = 300_000;
const MAX_STREAMS = 100;

interface Stream {
  /** Packets at its beginning without sound that are still to come. */
  headers: number;
  readonly samplesPerSecond: number;
  /** Undefined for Opus, whose packets tell. */
  readonly packetSeconds?: number;
  statedSeconds: number;
}

/**
 * Returns the duration of an Ogg file with Opus or Vorbis in seconds: of all its packets, or as the last pages state
 * it if that is longer (RFC 3533, RFC 7845). Undefined for other sound.
 */
export function findOggSeconds(bytes: Buffer): number | undefined {
  const streams = new Map<number, Stream>();
  let seconds = 0;
  let packets = 0;
  let places = 0;
  // Not from page to page by their sizes: a decoder skips one that is broken, and finds what is in it.
  for (let end = bytes.indexOf(MARK_END); end !== -1; end = bytes.indexOf(MARK_END, end + 1)) {
    const at = end - 3;
    places += 1;
    if (places > MAX_PLACES) return undefined;
    if (bytes[at] !== 0x4f || bytes[at + 1] !== 0x67 || bytes[at + 2] !== 0x67) continue;
    if (at + HEADER_BYTES > bytes.length) break;
    const id = bytes.readUInt32LE(at + 14);
    const stream = (bytes.readUInt8(at + 5) & IS_FIRST ? readStream(bytes, at) : undefined) ?? streams.get(id);
    if (!stream) return undefined;
    streams.set(id, stream);
    stream.statedSeconds =
      (bytes.readInt32LE(at + 10) * 2 ** 32 + bytes.readUInt32LE(at + 6)) / stream.samplesPerSecond;
    seconds += readPage(bytes, at, stream);
    packets += 1 + bytes.readUInt8(at + 26);
    if (packets > MAX_PACKETS || streams.size > MAX_STREAMS) return undefined;
  }
  return Math.max(seconds, ...[...streams.values()].map(({ statedSeconds }) => statedSeconds));
}

/** Returns the duration of the packets that begin on a page. */
function readPage(bytes: Buffer, page: number, stream: Stream): number {
  const count = bytes.readUInt8(page + 26);
  let seconds = 0;
  let at = page + HEADER_BYTES + count;
  let isStart = (bytes.readUInt8(page + 5) & IS_CONTINUED) === 0;
  for (let index = 0; index < count; index += 1) {
    const size = bytes[page + HEADER_BYTES + index] ?? 0;
    if (isStart && stream.headers > 0) stream.headers -= 1;
    else if (isStart)
      seconds += stream.packetSeconds ?? (size === 0 ? LONGEST_OPUS_SECONDS : readOpusSeconds(bytes, at));
    isStart = size < 255;
    at += size;
  }
  return seconds;
}

/** Reads the first page of a stream. */
function readStream(bytes: Buffer, page: number): Stream | undefined {
  const at = page + HEADER_BYTES + bytes.readUInt8(page + 26);
  if (bytes.toString('latin1', at, at + 8) === 'OpusHead')
    return { headers: 2, samplesPerSecond: 48_000, statedSeconds: 0 };
  if (bytes.toString('latin1', at, at + 7) !== '\x01vorbis' || at + 29 > bytes.length) return undefined;
  const samplesPerSecond = bytes.readUInt32LE(at + 12);
  const sizes = bytes.readUInt8(at + 28);
  const packetSamples = 2 ** (Math.max(sizes >> 4, sizes & 15) - 1);
  return { headers: 3, samplesPerSecond, packetSeconds: packetSamples / samplesPerSecond, statedSeconds: 0 };
}
