import { findJsonExcess } from '../../../lib/find-json-excess.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../lib/json.ts';

/** Reasoning that a provider requires in the next request. */
export interface KeptReasoning {
  readonly text: string;
  /** Fields of tool calls, such as signatures of their reasoning, by the id of the call. */
  readonly extraContent: ReadonlyMap<string, JsonObject>;
}

/** Distinguishes tokens of this service from those of others, which cannot be read. */
const PREFIX = 'sb1.';
/** Maximum size of all tokens of a request, in characters: the reasoning of the longest conversations. */
export const MAX_TOKEN_CHARACTERS = 2 * 1024 * 1024;
/** Limits of one token, because parsing many values blocks the event loop. */
const JSON_LIMITS = { depth: 20, values: 10_000 };

/** Encodes reasoning as `encrypted_content`, which clients return unread even if they leave out all other fields. */
export function encodeReasoning({ text, extraContent }: KeptReasoning): string {
  const kept = { text, extraContent: Object.fromEntries(extraContent) };
  return PREFIX + Buffer.from(JSON.stringify(kept)).toString('base64url');
}

/** Returns the size of a token in characters, 0 for a token of another service. */
export function measureToken(token: unknown): number {
  return typeof token === 'string' && token.startsWith(PREFIX) ? token.length : 0;
}

/** Returns the reasoning of a token, undefined for a token of another service. */
export function decodeReasoning(token: string): KeptReasoning | undefined {
  if (!token.startsWith(PREFIX)) return undefined;
  const json = Buffer.from(token.slice(PREFIX.length), 'base64url');
  const kept = findJsonExcess(json, JSON_LIMITS) ? undefined : parseJson(json.toString('utf8'));
  if (!isJsonObject(kept)) return undefined;
  const extras = isJsonObject(kept['extraContent']) ? Object.entries(kept['extraContent']) : [];
  return {
    text: typeof kept['text'] === 'string' ? kept['text'] : '',
    extraContent: new Map(extras.flatMap(([id, extra]) => (isJsonObject(extra) ? [[id, extra]] : []))),
  };
}
