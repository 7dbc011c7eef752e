import { ProviderUnavailableError } from '../../contract/model-errors.ts';

/** The package puts an event together and parses it at once. Those of Bedrock have some hundred bytes. */
const MAX_EVENT_BYTES = 256 * 1024;
const LENGTH_BYTES = 4;

/** Bounds the events of an answer in AWS's event stream encoding: each begins with its length. */
export function boundEvents(response: Response, provider: string): Response {
  let length = 0;
  /** Bytes of the event that were read, its length included. */
  let read = 0;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      for (let at = 0; at < bytes.length; ) {
        if (read < LENGTH_BYTES) {
          length = length * 256 + (bytes[at] ?? 0);
          read += 1;
          at += 1;
        } else {
          const size = Math.min(length - read, bytes.length - at);
          read += size;
          at += size;
        }
        if (read < LENGTH_BYTES) continue;
        if (length <= LENGTH_BYTES || length > MAX_EVENT_BYTES)
          return controller.error(
            new ProviderUnavailableError(provider, `${provider} sent an event that is too large`, {
              isBadAnswer: true,
            }),
          );
        if (read === length) [length, read] = [0, 0];
      }
      controller.enqueue(bytes);
    },
  });
  return new Response(response.body?.pipeThrough(bound), response);
}
