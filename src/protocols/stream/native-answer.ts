import type { ChatCompletion, NativeEvent } from '../../core/models/contract/chat-answer.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { printJson } from '../../lib/json/large-json.ts';
import { readJson } from '../../lib/json/read-json.ts';
import type { Printed } from './stream-dialect.ts';

/** Returns the answer of a host that uses the client's protocol, with `usage` if it has none. */
export async function printNative(
  { bytes, lacksUsage }: NonNullable<ChatCompletion['native']>,
  usage: () => JsonObject,
): Promise<Buffer | string> {
  const body = lacksUsage ? await readJson(bytes) : undefined;
  if (!isJsonObject(body)) return bytes;
  if ('usage' in body) return printJson({ ...body, usage: usage() });
  // Inserted, so that everything else stays byte for byte.
  const end = bytes.lastIndexOf('}');
  return Buffer.concat([
    bytes.subarray(0, end),
    Buffer.from(`,"usage":${JSON.stringify(usage())}`),
    bytes.subarray(end),
  ]);
}

/** Length of the parts in which a large event is printed. */
const PART_BYTES = 64 * 1024;

/** Prints an event of the host unchanged. @param head lines before its data. */
export function printNativeEvent({ data }: NativeEvent, head = ''): Printed {
  if (typeof data !== 'string') return printBytes(data, head);
  return data === '' ? '' : `${head}data: ${data}\n\n`;
}

function* printBytes(bytes: Buffer, head: string): Generator<string, void, undefined> {
  yield `${head}data: `;
  const decoder = new TextDecoder();
  for (let start = 0; start < bytes.length; start += PART_BYTES) {
    const text = decoder.decode(bytes.subarray(start, start + PART_BYTES), { stream: true });
    // JSON strings contain no raw line feeds, so joining lines does not change the value.
    yield text.replaceAll('\n', ' ');
  }
  yield '\n\n';
}
