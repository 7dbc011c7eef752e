const CHUNK_HEADER_BYTES = 8;
/** The format is among the first chunks; a file with more was made to delay. */
const MAX_CHUNKS = 100;
/** PCM, floats, A-law and µ-law: every sample has the same size. */
const UNCOMPRESSED = new Set([1, 3, 6, 7]);
const EXTENSIBLE = 0xfffe;

/**
 * Returns the duration of the samples of a WAV file in seconds, at the slowest rate that its format allows to read.
 * Undefined for compressed samples.
 */
export function findWavSeconds(bytes: Buffer): number | undefined {
  let bytesPerSecond = Number.POSITIVE_INFINITY;
  for (let at = 12, count = 0; at + CHUNK_HEADER_BYTES <= bytes.length && count < MAX_CHUNKS; count += 1) {
    const start = at + CHUNK_HEADER_BYTES;
    const type = bytes.toString('latin1', at, at + 4);
    // Decoders differ in which size of the samples they trust; the end of the file is the most.
    if (type === 'data') return (bytes.length - start) / bytesPerSecond;
    const size = bytes.readUInt32LE(at + 4);
    if (type === 'fmt ')
      bytesPerSecond = Math.min(bytesPerSecond, readBytesPerSecond(bytes.subarray(start, start + size)));
    at = start + size + (size % 2);
  }
  return undefined;
}

/** Returns 0 if the size of samples is not known. */
function readBytesPerSecond(format: Buffer): number {
  if (format.length < 16) return 0;
  const tag = format.readUInt16LE(0);
  const codec = tag === EXTENSIBLE && format.length >= 26 ? format.readUInt16LE(24) : tag;
  if (!UNCOMPRESSED.has(codec)) return 0;
  const samplesPerSecond = format.readUInt32LE(4);
  const sampleBytes = Math.ceil(format.readUInt16LE(14) / 8) * format.readUInt16LE(2);
  return Math.min(format.readUInt32LE(8), samplesPerSecond * Math.min(format.readUInt16LE(12), sampleBytes));
}
