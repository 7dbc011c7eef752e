import { createParser } from 'eventsource-parser';
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';

/**
 * The chunks (`chat.completion.chunk`) of a stream of server-sent events, one object at a time. Events that are no JSON object,
 * such as `[DONE]`, are passed over; an event may be spread over any number of buffers. What the stream throws comes through.
 */
export async function* readChatChunks(stream: AsyncIterable<Uint8Array>): AsyncGenerator<JsonObject, void, undefined> {
  const decoder = new TextDecoder();
  let chunks: JsonObject[] = [];
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onEvent({ data }) {
      const chunk = parseJson(data);
      if (isJsonObject(chunk)) chunks.push(chunk);
    },
  });
  for await (const bytes of stream) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    yield* chunks;
    chunks = [];
  }
}

/** Far beyond any honest event, small enough for memory. */
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;
