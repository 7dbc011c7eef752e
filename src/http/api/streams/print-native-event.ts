import type { NativeEvent } from '../../../core/models/index.ts';
import type { Printed } from './send-stream.ts';

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
