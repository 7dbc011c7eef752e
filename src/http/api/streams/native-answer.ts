import type { ChatCompletion } from '../../../core/models/index.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import { printJson } from '../../../lib/json/large-json.ts';
import { readJson } from '../../../lib/json/read-json.ts';

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
