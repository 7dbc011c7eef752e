/** AAC of MPEG-4 and MPEG-2. */
const OBJECT_TYPES = new Set([0x40, 0x66, 0x67, 0x68]);
/** AAC LC, also with SBR and PS. */
const PROFILES = new Set([2, 5, 29]);
const FRAME_SAMPLES = 1024;
const RATES = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350];
const EXPLICIT_RATE = 15;
const SAMPLE_ENTRY_FORMAT_AT = 12;
const [STREAM, DECODER, DECODER_DETAILS] = [3, 4, 5];

/**
 * Returns the duration of one frame of an AAC track in seconds, from its sample description in an MP4 file (ISO/IEC
 * 14496-1 and 14496-3). Undefined for other sound.
 */
export function readAacFrameSeconds(description: Buffer): number | undefined {
  const at = description.indexOf('esds');
  const isAac = description.toString('latin1', SAMPLE_ENTRY_FORMAT_AT, SAMPLE_ENTRY_FORMAT_AT + 4) === 'mp4a';
  const isOnly = description.readUInt32BE(4) === 1 && description.lastIndexOf('esds') === at;
  if (!isAac || !isOnly || at === -1) return undefined;
  const stream = readDescriptor(description.subarray(at + 8), STREAM);
  // Id and flags; none of the flagged fields is in use.
  const decoder =
    stream && stream[2] !== undefined && stream[2] < 32 ? readDescriptor(stream.subarray(3), DECODER) : undefined;
  const details = decoder && readDescriptor(decoder.subarray(13), DECODER_DETAILS);
  if (!details || details.length < 2 || !OBJECT_TYPES.has(decoder[0] ?? 0)) return undefined;
  const bits = Buffer.concat([details, Buffer.alloc(5)]).readUIntBE(0, 5);
  const profile = Math.floor(bits / 2 ** 35);
  const rateIndex = Math.floor(bits / 2 ** 31) % 16;
  const rate = rateIndex === EXPLICIT_RATE ? Math.floor(bits / 2 ** 7) % 2 ** 24 : RATES[rateIndex];
  return PROFILES.has(profile) && rate ? FRAME_SAMPLES / rate : undefined;
}

/** Returns the content of a descriptor, whose size has 7 bits in each of up to four bytes. */
function readDescriptor(bytes: Buffer, tag: number): Buffer | undefined {
  if (bytes[0] !== tag) return undefined;
  let size = 0;
  for (let at = 1; at <= 4; at += 1) {
    const byte = bytes[at] ?? 0;
    size = size * 128 + (byte & 0x7f);
    if (byte < 128) return bytes.subarray(at + 1, at + 1 + size);
  }
  return undefined;
}
