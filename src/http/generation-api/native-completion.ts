import type { ChatChoice, ChatCompletion, ChatEvent, ChatOutcome, ChatPart } from '../../core/models/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import { isUsageAlone, printSource, printUsage, toHead } from './print-chat.ts';

/** What a native answer says beside the provider's words. */
export interface NativeFacts {
  /** The model's name as the client gave it; stands in where the provider names none. */
  readonly model: string;
  /** The person's id. */
  readonly user: number;
  readonly nowMs: number;
}

/** The documented fields of a native completion, and no others. */
export function toNativeCompletion({ choices, outcome }: ChatCompletion, facts: NativeFacts): JsonObject {
  return {
    ...toHead(outcome, facts),
    object: 'chat.completion',
    choices: choices.map(toNativeChoice),
    usage: printUsage(outcome),
    user: facts.user,
  };
}

/** How a native answer says that the generation failed for reasons of the service. */
export function toFailedCompletion(facts: NativeFacts): JsonObject {
  return {
    ...toHead({}, facts),
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'error' }],
    usage: printUsage({ usage: undefined }),
    user: facts.user,
  };
}

/** Turns the events of a stream into native chunks: always the same fields, content a string, usage null. */
export interface NativeChunks {
  /**
   * @param options.keepsEmpty true where a chunk without news (reasoning, tool calls) is welcome as a sign of life.
   * @returns `data: {…}\n\n`; undefined where nothing is to be sent.
   */
  translate(event: ChatEvent, options: { readonly keepsEmpty: boolean }): string | undefined;
  /** The chunk that ends a complete answer, where the provider sent none: else empty. */
  finish(): string;
  /** The chunk that ends a broken answer. */
  fail(): string;
}

/** Native chunks of one answer: they share one id, time and model. */
export function createNativeChunks(outcome: ChatOutcome, facts: Omit<NativeFacts, 'user'>): NativeChunks {
  const head = { ...toHead(outcome, facts), object: 'chat.completion.chunk' };
  let isFirst = true;
  let isFinished = false;

  const print = (choices: readonly NativeDelta[]) => `data: ${JSON.stringify({ ...head, choices, usage: null })}\n\n`;
  const end = (reason: string) => print([{ ...createDelta(0), finish_reason: reason }]);

  return {
    translate(event, { keepsEmpty }) {
      if (isUsageAlone(event)) return undefined;
      const choices = toNativeDeltas(event.parts);
      const isFinal = choices.some((choice) => choice.finish_reason !== null);
      const hasNews = isFinal || isFirst || choices.some(({ delta }) => delta.content !== '');
      isFinished ||= isFinal;
      isFirst = false;
      return hasNews || keepsEmpty ? print(choices) : undefined;
    },
    finish: () => (isFinished ? '' : end(outcome.finishReason ?? 'stop')),
    fail: () => end('error'),
  };
}

function toNativeChoice({ text, refusal, sources, finishReason }: ChatChoice, index: number): JsonObject {
  return {
    index,
    message: {
      role: 'assistant',
      content: text,
      ...(refusal === undefined ? {} : { refusal }),
      ...(sources ? { annotations: sources.map(printSource) } : {}),
    },
    finish_reason: finishReason,
  };
}

interface NativeDelta {
  readonly index: number;
  readonly delta: { readonly role: 'assistant'; content: string };
  finish_reason: string | null;
}

function createDelta(index: number): NativeDelta {
  return { index, delta: { role: 'assistant', content: '' }, finish_reason: null };
}

/** One for each choice that the parts are about, at least one. */
function toNativeDeltas(parts: readonly ChatPart[]): readonly NativeDelta[] {
  const deltas = new Map<number, NativeDelta>();
  for (const part of parts) {
    if (part.type === 'usage') continue;
    const native = deltas.get(part.choice) ?? createDelta(part.choice);
    deltas.set(part.choice, native);
    if (part.type === 'text-delta') native.delta.content += part.text;
    if (part.type === 'finish') native.finish_reason = part.reason;
  }
  return deltas.size > 0 ? [...deltas.values()] : [createDelta(0)];
}
