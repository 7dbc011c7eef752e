import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { type Carrier, decodeCarried, encodeCarried } from '../fields/carried-json.ts';

/** Reasoning that a provider requires in the next request. */
export interface TokenReasoning {
  readonly text: string;
  /** Fields of tool calls, such as signatures of their reasoning, by the id of the call. */
  readonly extraContent: ReadonlyMap<string, JsonObject>;
}

const TOKEN: Carrier = { prefix: 'sb1.', limits: { depth: 20, values: 10_000 } };
/** Maximum size of all tokens of a request, in characters: the reasoning of the longest conversations. */
export const MAX_TOKEN_CHARACTERS = 2 * 1024 * 1024;

/** Encodes reasoning as `encrypted_content`, which clients return unread even if they leave out all other fields. */
export function encodeReasoning({ text, extraContent }: TokenReasoning): string {
  const fields = { text, extraContent: Object.fromEntries(extraContent) };
  return encodeCarried(TOKEN, JSON.stringify(fields));
}

/** Returns the size of a token in characters, 0 for a token of another service. */
export function measureToken(token: unknown): number {
  return typeof token === 'string' && token.startsWith(TOKEN.prefix) ? token.length : 0;
}

/** Returns the reasoning of a token, undefined for a token of another service. */
export function decodeReasoning(token: string): TokenReasoning | undefined {
  const fields = decodeCarried(TOKEN, token);
  if (!fields) return undefined;
  const extras = isJsonObject(fields['extraContent']) ? Object.entries(fields['extraContent']) : [];
  return {
    text: typeof fields['text'] === 'string' ? fields['text'] : '',
    extraContent: new Map(extras.flatMap(([id, extra]) => (isJsonObject(extra) ? [[id, extra]] : []))),
  };
}
