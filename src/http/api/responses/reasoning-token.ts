import { isJsonObject, parseJson } from '../../../lib/json.ts';

/** Distinguishes tokens of this service from those of others, which cannot be read. */
const PREFIX = 'sb1.';

/** Encodes reasoning as `encrypted_content`, which clients return unread even if they leave out the reasoning itself. */
export function encodeReasoning(text: string): string {
  return PREFIX + Buffer.from(JSON.stringify({ text })).toString('base64url');
}

/** Returns the reasoning of a token, undefined for a token of another service. */
export function decodeReasoning(token: string): string | undefined {
  if (!token.startsWith(PREFIX)) return undefined;
  const decoded = parseJson(Buffer.from(token.slice(PREFIX.length), 'base64url').toString('utf8'));
  return isJsonObject(decoded) && typeof decoded['text'] === 'string' ? decoded['text'] : undefined;
}
