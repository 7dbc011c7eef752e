import { isJsonObject, type JsonObject } from '../../lib/json.ts';

/** The piece of answer in a chunk; empty for role announcements, reasoning, usage and the like. */
export function readAnswerDelta(chunk: JsonObject): string {
  return toText(readDelta(chunk)?.['content']);
}

/** The piece of reasoning in a chunk: `reasoning_content` of DeepSeek, vLLM and others, `reasoning` of OpenRouter and Groq. */
export function readReasoningDelta(chunk: JsonObject): string {
  const delta = readDelta(chunk);
  return toText(delta?.['reasoning_content']) || toText(delta?.['reasoning']);
}

function readDelta(chunk: JsonObject): JsonObject | undefined {
  const choice = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined;
  const delta = isJsonObject(choice) ? choice['delta'] : undefined;
  return isJsonObject(delta) ? delta : undefined;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const THINKING = /^\s*<(think|thinking)>/;
/** A start that may still become a thinking tag. */
const PERHAPS_THINKING = /^\s*(<(t(h(i(n(k(i(n(g)?)?)?)?)?)?)?)?)?$/;

/**
 * What people see of a text that a model has written so far. Some models think aloud between tags before they answer; that part isn't shown,
 * and neither is a beginning that may still turn out to be such a tag. Tags anywhere else are the answer's own.
 * @param isComplete no more text will come.
 */
export function toVisibleText(written: string, isComplete: boolean): string {
  if (isComplete) return withoutThinking(written).trim();
  return PERHAPS_THINKING.test(written) ? '' : withoutThinking(written).trimStart();
}

function withoutThinking(written: string): string {
  const tag = THINKING.exec(written)?.[1];
  if (tag === undefined) return written;
  const end = written.indexOf(`</${tag}>`);
  return end < 0 ? '' : written.slice(end + tag.length + 3);
}

/** What a model has thought aloud between tags before its answer; empty where it did not. */
export function toThought(written: string): string {
  const opening = THINKING.exec(written);
  if (!opening) return '';
  const end = written.indexOf(`</${opening[1]}>`);
  return written.slice(opening[0].length, end < 0 ? undefined : end);
}
