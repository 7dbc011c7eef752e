import { isJsonObject, type JsonObject, parseJson } from '../../../lib/json.ts';

/** Reasoning that a provider requires in the next request. */
export interface KeptReasoning {
  readonly text: string;
  /** Fields of tool calls, such as signatures of their reasoning, by the id of the call. */
  readonly extraContent: ReadonlyMap<string, JsonObject>;
}

/** Distinguishes tokens of this service from those of others, which cannot be read. */
const PREFIX = 'sb1.';

/** Encodes reasoning as `encrypted_content`, which clients return unread even if they leave out all other fields. */
export function encodeReasoning({ text, extraContent }: KeptReasoning): string {
  const kept = { text, extraContent: Object.fromEntries(extraContent) };
  return PREFIX + Buffer.from(JSON.stringify(kept)).toString('base64url');
}

/** Returns the reasoning of a token, undefined for a token of another service. */
export function decodeReasoning(token: string): KeptReasoning | undefined {
  if (!token.startsWith(PREFIX)) return undefined;
  const kept = parseJson(Buffer.from(token.slice(PREFIX.length), 'base64url').toString('utf8'));
  if (!isJsonObject(kept)) return undefined;
  const extras = isJsonObject(kept['extraContent']) ? Object.entries(kept['extraContent']) : [];
  return {
    text: typeof kept['text'] === 'string' ? kept['text'] : '',
    extraContent: new Map(extras.flatMap(([id, extra]) => (isJsonObject(extra) ? [[id, extra]] : []))),
  };
}
