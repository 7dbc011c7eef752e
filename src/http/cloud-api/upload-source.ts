import type { UploadPace } from './upload-pace.ts';

/** The body of an upload while it arrives. */
export interface UploadSource {
  /** Can be iterated once. */
  readonly bytes: AsyncIterable<Buffer>;
  /** Stops reading; for everything that ends an upload, its end too. */
  discard(): void;
}

/** The pieces of a body as they come; throws where the client is too slow. */
export async function* atPaceOfClient(iterator: AsyncIterator<unknown>, pace: UploadPace): AsyncGenerator<Buffer> {
  for (;;) {
    const next = await pace.wait(iterator.next());
    if (next.done) return;
    if (!Buffer.isBuffer(next.value)) throw new TypeError('A body has to consist of bytes');
    pace.note(next.value.length);
    yield next.value;
  }
}
