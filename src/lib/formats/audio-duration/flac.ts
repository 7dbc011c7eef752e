/** Places where a frame may begin. In 25 MiB there are 100,000 by chance. */
const MAX_PLACES = 300_000;
const STREAM_INFO_AT = 8;
const SYNC = 0xff;
const RATES = [0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];

/** Returns the duration of a FLAC file in seconds: of all its frames, or as stated if that is longer (RFC 9639). */
export function findFlacSeconds(bytes: Buffer): number | undefined {
  if (bytes.length < STREAM_INFO_AT + 34) return undefined;
  const statedRate = bytes.readUIntBE(STREAM_INFO_AT + 10, 3) >> 4;
  const samples = (bytes.readUInt8(STREAM_INFO_AT + 13) % 16) * 2 ** 32 + bytes.readUInt32BE(STREAM_INFO_AT + 14);
  let seconds = 0;
  let places = 0;
  for (let at = bytes.indexOf(SYNC); at !== -1; at = bytes.indexOf(SYNC, at + 1)) {
    const frame = readFrame(bytes, at);
    if (frame) seconds += frame.samples / (frame.samplesPerSecond || statedRate);
    places += 1;
    if (places > MAX_PLACES) return undefined;
  }
  return Math.max(seconds, samples / statedRate);
}

interface Frame {
  readonly samples: number;
  /** 0: as stated at the beginning of the file. */
  readonly samplesPerSecond: number;
}

/** Reads the header of a frame (section 9.1); undefined if there is none. */
function readFrame(bytes: Buffer, at: number): Frame | undefined {
  const [sync, sizes, layout, number] = [bytes[at + 1], bytes[at + 2], bytes[at + 3], bytes[at + 4]];
  if (sync !== 0xf8 && sync !== 0xf9) return undefined;
  if (sizes === undefined || layout === undefined || number === undefined) return undefined;
  const [sizeCode, rateCode] = [sizes >> 4, sizes & 15];
  if (sizeCode === 0 || rateCode === 15 || layout >> 4 > 10 || layout & 1) return undefined;
  const sizeAt = at + 4 + Math.max(1, Math.clz32(~(number << 24)));
  const rateAt = sizeAt + (sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0);
  const end = rateAt + (rateCode < 12 ? 0 : rateCode === 12 ? 1 : 2);
  if (end >= bytes.length || toCrc8(bytes, at, end) !== bytes[end]) return undefined;
  return {
    samples: sizeCode === 6 || sizeCode === 7 ? bytes.readUIntBE(sizeAt, rateAt - sizeAt) + 1 : toSamples(sizeCode),
    samplesPerSecond:
      RATES[rateCode] ?? bytes.readUIntBE(rateAt, end - rateAt) * (rateCode === 12 ? 1000 : rateCode === 13 ? 1 : 10),
  };
}

function toSamples(code: number): number {
  if (code === 1) return 192;
  return code < 6 ? 576 << (code - 2) : 256 << (code - 8);
}

/** Polynomial x⁸ + x² + x + 1. */
function toCrc8(bytes: Buffer, from: number, to: number): number {
  let crc = 0;
  for (let at = from; at < to; at += 1) {
    crc ^= bytes[at] ?? 0;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80 ? ((crc << 1) ^ 0x07) & 0xff : crc << 1;
  }
  return crc;
}
