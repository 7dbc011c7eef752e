const PAGE = Buffer.from('OggS', 'latin1');
const SAMPLES_PER_SECOND = 48_000;

/**
 * Seconds of sound in a file of Opus in Ogg: the position of its last page, which counts samples at 48 kHz (RFC 7845, section 4).
 * Undefined for anything else.
 */
export function findOggSeconds(bytes: Buffer): number | undefined {
  const last = bytes.lastIndexOf(PAGE);
  if (!bytes.subarray(0, PAGE.length).equals(PAGE) || last + 14 > bytes.length) return undefined;
  const samples = bytes.readBigInt64LE(last + 6);
  return samples > 0n ? Math.max(1, Math.round(Number(samples) / SAMPLES_PER_SECOND)) : undefined;
}
