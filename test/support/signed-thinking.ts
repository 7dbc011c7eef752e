import { createHmac } from 'node:crypto';
import type { JsonObject } from '../../src/lib/json.ts';

/** Returns a thinking block that the fake host accepts when it is sent back. */
export function thinkingBlock(thinking: string): JsonObject {
  return { type: 'thinking', thinking, signature: signThinking(thinking) };
}

/** Returns the signature of a thinking block. It has characters of base64 that are easily changed on the way. */
export function signThinking(thinking: unknown): string {
  return `+/${createHmac('sha256', 'fake').update(String(thinking)).digest('base64')}`;
}
