/**
 * Frees the memory of a buffer immediately; neither it nor other views of its memory may be used afterwards. Left to
 * the garbage collector, about 100 MiB of segments would accumulate during transfers. Buffers that may share Node's
 * pool are not freed: Node takes buffers of less than half of `Buffer.poolSize` from a shared pool of that size.
 */
export function releaseBuffer({ buffer, length }: Buffer): void {
  const isOwn = length >= Buffer.poolSize >>> 1 || buffer.byteLength !== Buffer.poolSize;
  if (isOwn && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
