import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { countCharacters, cutText } from '../../../../lib/json/large-json.ts';
import { MAX_ARGUMENT_BYTES } from '../../../../protocols/print-arguments.ts';
import type { ChatEvent, ChatPart, TextDelta } from '../../contract/chat-answer.ts';
import type { GrowingOutcome } from '../../contract/chat-outcome.ts';
import { ProviderStreamError } from '../../contract/model-errors.ts';
import { MAX_COMPLETION_BYTES } from './collect-completion.ts';

/** After this many short texts, the event loop runs. */
const TEXTS_PER_BATCH = 8;

/**
 * Returns an event as short ones, and records their parts.
 * @throws the errors of `recordParts`.
 */
export async function* deliverInSteps(
  event: ChatEvent,
  outcome: GrowingOutcome,
): AsyncGenerator<ChatEvent, void, undefined> {
  let count = 0;
  for (const short of splitEvent(event)) {
    // The first use of a text that was read in steps copies it.
    if (count % TEXTS_PER_BATCH === 1) await yieldToEventLoop();
    count += 1;
    recordParts(outcome, short.parts);
    yield short;
  }
}

/**
 * Returns an event with long texts as several, each of one part. Only the first has the native form. Some hosts send a
 * whole answer, or an image as text, in one event.
 */
function* splitEvent(event: ChatEvent): Generator<ChatEvent, void, undefined> {
  const { parts, native } = event;
  if (!parts.some(isLong)) return yield event;
  let form = native;
  for (const part of parts) {
    for (const short of splitPart(part)) {
      yield { parts: [short], native: form };
      form = native && { ...native, data: '' };
    }
  }
}

/** Length of the texts into which longer ones are cut. Printing one takes less than a millisecond. */
const TEXT_CHARACTERS = 64 * 1024;
/** Maximum number of tokens whose log probabilities are in one part: up to 100 KiB. */
const MAX_LOGPROBS = 200;

function isLong(part: ChatPart): boolean {
  if (part.type === 'text-delta' && (part.logprobs?.length ?? 0) > MAX_LOGPROBS) return true;
  return ('text' in part ? part.text : part.type === 'image' ? part.url : '').length > TEXT_CHARACTERS;
}

function* splitPart(part: ChatPart): Generator<ChatPart, void, undefined> {
  if (part.type === 'text-delta') yield* splitText(part);
  else if ('text' in part) for (const text of cutText(part.text, TEXT_CHARACTERS)) yield { ...part, text };
  else yield part;
}

/** Spreads the log probabilities over the texts. */
function* splitText({ logprobs, ...part }: TextDelta): Generator<TextDelta, void, undefined> {
  const { text } = part;
  if (!logprobs) {
    for (const short of cutText(text, TEXT_CHARACTERS)) yield { ...part, text: short };
    return;
  }
  const count = Math.ceil(Math.max(text.length / TEXT_CHARACTERS, logprobs.length / MAX_LOGPROBS, 1));
  const tokens = Math.ceil(logprobs.length / count);
  const texts = [...cutText(text, Math.ceil(text.length / count))];
  for (let at = 0; at < count; at += 1)
    yield { ...part, text: texts[at] ?? '', logprobs: logprobs.slice(at * tokens, (at + 1) * tokens) };
}

/** Maximum length of all arguments, names, ids, reasons, sources and unknown fields of an event, in characters. */
const MAX_FIELD_CHARACTERS = 1024 * 1024;

/** Returns whether anything but texts and images is so long that printing it takes long. */
export function hasLongFields(parts: readonly ChatPart[]): boolean {
  const fields = parts.map((part) => {
    if (part.type === 'image') return part.url.startsWith('data:') ? '' : part.url;
    return 'text' in part ? '' : part;
  });
  return countCharacters(fields, MAX_FIELD_CHARACTERS) >= MAX_FIELD_CHARACTERS;
}

/** Counts like the usual tokens of an image, whatever its size. */
const IMAGE_BYTES = 4000;

/**
 * Updates the outcome from the parts of an event.
 * @throws ProviderStreamError if the answer or the arguments of its tool calls are too large.
 */
export function recordParts(outcome: GrowingOutcome, parts: readonly ChatPart[]): void {
  let hasDelta = false;
  for (const part of parts) {
    if (part.type === 'usage') outcome.usage = part.usage;
    else if (part.type === 'finish') outcome.finishReason = part.reason;
    else if (part.type !== 'source') {
      hasDelta = true;
      const isCall = part.type === 'tool-call-delta';
      const bytes = part.type === 'image' ? IMAGE_BYTES : Buffer.byteLength(isCall ? part.arguments : part.text);
      outcome.deltaBytes += bytes;
      if (isCall) outcome.argumentBytes += bytes;
    }
  }
  if (!hasDelta) return;
  outcome.deltaCount += 1;
  const { provider, deltaBytes, argumentBytes } = outcome;
  if (deltaBytes > MAX_COMPLETION_BYTES)
    throw new ProviderStreamError(provider, `${provider} sent an answer that is too large`);
  if (argumentBytes > MAX_ARGUMENT_BYTES)
    throw new ProviderStreamError(provider, `${provider} sent a tool call that is too large`);
}
