import type { UploadPace } from './upload-pace.ts';

/** Body of an upload in progress. */
export interface UploadSource {
  /** Can be iterated once. */
  readonly bytes: AsyncIterable<Buffer>;
  /** Stops reading. Must be called at the end of every upload, successful or not. */
  discard(): void;
}

/** Yields the chunks of a body as they arrive. Throws if the client is too slow. */
export async function* atPaceOfClient(iterator: AsyncIterator<unknown>, pace: UploadPace): AsyncGenerator<Buffer> {
  for (;;) {
    const next = await pace.wait(iterator.next());
    if (next.done) return;
    if (!Buffer.isBuffer(next.value)) throw new TypeError('A body has to consist of bytes');
    pace.record(next.value.length);
    yield next.value;
  }
}
