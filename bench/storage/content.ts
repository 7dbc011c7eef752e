import { createHash } from 'node:crypto';

/** Not a multiple of any size in the service, so that misplaced bytes are detected. */
const PERIOD_BYTES = 1_048_573;
const CHUNK_BYTES = 65_536;

/** Stored twice, so that every chunk is contiguous. */
const pattern = createPattern();

/** Returns deterministic bytes that look random. */
function createPattern(): Buffer {
  const blocks: Buffer[] = [];
  for (let block = 0; block * 32 < PERIOD_BYTES; block++)
    blocks.push(createHash('sha256').update(String(block)).digest());
  const period = Buffer.concat(blocks).subarray(0, PERIOD_BYTES);
  return Buffer.concat([period, period]);
}

/** Returns a file of that many bytes, in chunks of 64 KiB. */
export function* createContent(sizeBytes: number): Generator<Buffer, void> {
  for (let offset = 0; offset < sizeBytes; offset += CHUNK_BYTES) {
    const start = offset % PERIOD_BYTES;
    yield pattern.subarray(start, start + Math.min(CHUNK_BYTES, sizeBytes - offset));
  }
}

/** Tells whether these bytes are the content at that offset. */
export function isContentAt(offset: number, bytes: Buffer): boolean {
  for (let checked = 0; checked < bytes.length; ) {
    const start = (offset + checked) % PERIOD_BYTES;
    const count = Math.min(PERIOD_BYTES, bytes.length - checked);
    if (!bytes.subarray(checked, checked + count).equals(pattern.subarray(start, start + count))) return false;
    checked += count;
  }
  return true;
}
