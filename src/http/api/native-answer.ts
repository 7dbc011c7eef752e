import type { ChatCompletion } from '../../core/models/index.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';

/** Returns the answer of a host that uses the client's protocol, with `usage` if it has none. */
export function printNative(
  { bytes, lacksUsage }: NonNullable<ChatCompletion['native']>,
  usage: () => JsonObject,
): Buffer | string {
  const body = lacksUsage ? parseJson(bytes.toString('utf8')) : undefined;
  if (!isJsonObject(body)) return bytes;
  if ('usage' in body) return JSON.stringify({ ...body, usage: usage() });
  // Inserted, so that everything else stays byte for byte.
  const end = bytes.lastIndexOf('}');
  return Buffer.concat([
    bytes.subarray(0, end),
    Buffer.from(`,"usage":${JSON.stringify(usage())}`),
    bytes.subarray(end),
  ]);
}
