import { findJsonExcess } from '../../lib/json/find-json-excess.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json/json.ts';

/** Way to carry JSON in a field that clients send back unchanged and unread. */
export interface Carrier {
  /** Distinguishes texts of this service from those of others, which can't be read. */
  readonly prefix: string;
  /** Limits of what clients send, because parsing many values blocks the event loop. */
  readonly limits: { readonly depth: number; readonly values: number };
}

export function encodeCarried({ prefix }: Carrier, json: string): string {
  return prefix + Buffer.from(json).toString('base64url');
}

/** Returns undefined for a text of another service, or one that is invalid or exceeds the limits. */
export function decodeCarried({ prefix, limits }: Carrier, text: unknown): JsonObject | undefined {
  if (typeof text !== 'string' || !text.startsWith(prefix)) return undefined;
  const json = Buffer.from(text.slice(prefix.length), 'base64url');
  const value = findJsonExcess(json, limits) ? undefined : parseJson(json.toString('utf8'));
  return isJsonObject(value) ? value : undefined;
}
