/** Smaller ones may be cut out of a buffer that Node shares among many. */
const MIN_BYTES = Math.max(16_384, Buffer.poolSize + 1);

/**
 * Frees the memory of a buffer, or of one that it is a view of, now: nobody may look at it any more. Left to the garbage
 * collector, about 100 MiB of segments pile up while files go in or out.
 */
export function releaseBuffer({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength >= MIN_BYTES) buffer.transfer(0);
}
