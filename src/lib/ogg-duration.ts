const PAGE = Buffer.from('OggS', 'latin1');
const SAMPLES_PER_SECOND = 48_000;

/**
 * Returns the duration of an Ogg Opus file in seconds, from the position of its last page in samples at 48 kHz (RFC
 * 7845, section 4). Undefined for other files.
 */
export function findOggSeconds(bytes: Buffer): number | undefined {
  const last = bytes.lastIndexOf(PAGE);
  if (!bytes.subarray(0, PAGE.length).equals(PAGE) || last + 14 > bytes.length) return undefined;
  const samples = bytes.readBigInt64LE(last + 6);
  return samples > 0n ? Math.max(1, Math.round(Number(samples) / SAMPLES_PER_SECOND)) : undefined;
}
