/**
 * Frees the memory of a buffer now: nobody may look at it any more, nor at what it is a view of. Left to the garbage
 * collector, about 100 MiB of segments pile up while files go in or out. What may lie in the pool is left alone: Node cuts
 * buffers of less than half of `Buffer.poolSize` out of one of that size, which many share.
 */
export function releaseBuffer({ buffer, length }: Buffer): void {
  const isOwn = length >= Buffer.poolSize >>> 1 || buffer.byteLength !== Buffer.poolSize;
  if (isOwn && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
