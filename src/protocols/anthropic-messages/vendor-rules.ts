import { CARRIER_SIGNATURE } from '../../core/models/contract/chat-request.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import type { CallIdRule } from '../call-ids.ts';

/** Ids of tool calls: "`tool_use` ids must be unique", "String should match pattern '^[a-zA-Z0-9_-]+$'". */
export const CALL_IDS: CallIdRule = { forbidden: /[^\w-]/g, maxLength: 128, distinctIn: 'conversation' };

/** Maximum length of the name of a tool. */
export const MAX_TOOL_NAME = 128;

/** Returns whether a block is thinking that Anthropic did not sign. Other hosts leave the signature empty. */
export function isForeignThinking({ type, signature }: JsonObject): boolean {
  if (type !== 'thinking') return false;
  return typeof signature !== 'string' || signature === '' || signature.startsWith(CARRIER_SIGNATURE);
}

/** Returns whether a text is white space alone, which the API refuses in blocks of text and stop sequences. */
export function isWhite(text: string): boolean {
  return !/\S/.test(text);
}
