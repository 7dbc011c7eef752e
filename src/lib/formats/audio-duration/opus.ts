/** Duration of the longest packet, in seconds. */
export const LONGEST_OPUS_SECONDS = 0.12;
const SILK_SECONDS = [0.01, 0.02, 0.04, 0.06];
const HYBRID_SECONDS = [0.01, 0.02];
const CELT_SECONDS = [0.0025, 0.005, 0.01, 0.02];

/** Returns the duration of the Opus packet that begins at a place, in seconds (RFC 6716, section 3.1). */
export function readOpusSeconds(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === undefined) return LONGEST_OPUS_SECONDS;
  const config = first >> 3;
  const frames = (first & 3) === 0 ? 1 : (first & 3) < 3 ? 2 : (bytes[at + 1] ?? 0) & 63;
  const frameSeconds =
    (config < 12 ? SILK_SECONDS[config & 3] : config < 16 ? HYBRID_SECONDS[config & 1] : CELT_SECONDS[config & 3]) ??
    LONGEST_OPUS_SECONDS;
  return Math.min(LONGEST_OPUS_SECONDS, frames * frameSeconds) || LONGEST_OPUS_SECONDS;
}
