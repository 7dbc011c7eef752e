/** Bytes between frames, such as tags at the end. A file with more may have other frames in them. */
const MAX_FOREIGN_BYTES = 64 * 1024;
/** Two hours of frames. */
const MAX_FRAMES = 250_000;
const MAX_ID3_TAGS = 10;
const MAX_ID3_PADDING_BYTES = 64 * 1024;
const V1_LAYERS = [
  [],
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
];
const V2_OTHERS = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const V2_LAYERS = [[], V2_OTHERS, V2_OTHERS, [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]];
const V1_RATES = [44_100, 48_000, 32_000];
const ID3_HEADER_BYTES = 10;
const ID3_END_BYTES = 128;

/**
 * Returns the duration of all frames of MPEG audio in seconds (ISO/IEC 11172-3 and 13818-3). Undefined if it does not
 * begin with two frames, or has more than tags between them.
 */
export function findMp3Seconds(bytes: Buffer): number | undefined {
  const end = bytes.toString('latin1', bytes.length - ID3_END_BYTES).startsWith('TAG')
    ? bytes.length - ID3_END_BYTES
    : bytes.length;
  const first = readFrame(bytes, 0);
  if (!first || (first.sizeBytes < end && !readFrame(bytes, first.sizeBytes))) return undefined;
  let seconds = 0;
  let foreignBytes = 0;
  let frames = 0;
  for (let at = 0; at < end; ) {
    const frame = readFrame(bytes, at);
    if (frame) {
      seconds += frame.seconds;
      at += frame.sizeBytes;
      frames += 1;
    } else {
      at += 1;
      foreignBytes += 1;
    }
    if (foreignBytes > MAX_FOREIGN_BYTES || frames > MAX_FRAMES) return undefined;
  }
  return seconds;
}

/** Returns where the ID3 tags end that are before the sound; 0 if there are none. */
export function findId3End(bytes: Buffer): number {
  let at = 0;
  for (let count = 0; count < MAX_ID3_TAGS && bytes.toString('latin1', at, at + 3) === 'ID3'; count += 1) {
    const size = bytes.subarray(at + 6, at + ID3_HEADER_BYTES).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
    at += ID3_HEADER_BYTES + size + ((bytes[at + 5] ?? 0) & 0x10 ? ID3_HEADER_BYTES : 0);
  }
  const end = at + (at > 0 ? MAX_ID3_PADDING_BYTES : 0);
  while (at < end && bytes[at] === 0) at += 1;
  return at;
}

/** Returns undefined for what is no frame, and for frames of free size, which few decoders read. */
function readFrame(bytes: Buffer, at: number): { readonly sizeBytes: number; readonly seconds: number } | undefined {
  if (at + 4 > bytes.length || bytes[at] !== 0xff) return undefined;
  const header = bytes.readUInt32BE(at);
  if (header >>> 21 !== 0x7ff) return undefined;
  const [version, layer] = [(header >> 19) & 3, (header >> 17) & 3];
  const kilobits = (version === 3 ? V1_LAYERS : V2_LAYERS)[layer]?.[((header >> 12) & 15) - 1];
  const fastest = V1_RATES[(header >> 10) & 3];
  if (version === 1 || kilobits === undefined || fastest === undefined) return undefined;
  const rate = fastest / (version === 3 ? 1 : version === 2 ? 2 : 4);
  const samples = layer === 3 ? 384 : layer === 1 && version !== 3 ? 576 : 1152;
  const slotBytes = layer === 3 ? 4 : 1;
  const slots = Math.floor((samples / 8 / slotBytes) * ((kilobits * 1000) / rate)) + ((header >> 9) & 1);
  return { sizeBytes: slots * slotBytes, seconds: samples / rate };
}
