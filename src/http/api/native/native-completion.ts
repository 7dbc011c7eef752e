import type { ChatChoice, ChatCompletion, ChatEvent, ChatOutcome, ChatPart } from '../../../core/models/index.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { describeImage } from '../../../protocols/fields/describe-image.ts';
import { isUsageAlone, printSource, printTokenCounts, toHead } from '../../../protocols/openai-chat/print-answer.ts';

/** Fields of a native answer that don't come from the provider. */
export interface NativeFacts {
  /** The requested model name, used if the provider reports none. */
  readonly model: string;
  /** The user's id. */
  readonly user: number;
  readonly nowMs: number;
}

/** Converts a completion to exactly the documented native fields. */
export function toNativeCompletion({ choices, outcome }: ChatCompletion, facts: NativeFacts): JsonObject {
  return {
    ...toHead(outcome, facts),
    object: 'chat.completion',
    choices: choices.map(toNativeChoice),
    usage: printTokenCounts(outcome),
    user: facts.user,
  };
}

/** Returns the native answer for a generation that failed for an internal reason. */
export function toFailedCompletion(facts: NativeFacts): JsonObject {
  return {
    ...toHead({}, facts),
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'error' }],
    usage: printTokenCounts({ usage: undefined }),
    user: facts.user,
  };
}

/** Creates the converter of one answer, whose chunks share id, time and model. */
export function createNativeChunks(outcome: ChatOutcome, facts: Omit<NativeFacts, 'user'>) {
  const head = { ...toHead(outcome, facts), object: 'chat.completion.chunk' };
  let isFirst = true;
  let isFinished = false;

  const print = (choices: readonly NativeDelta[]) => `data: ${JSON.stringify({ ...head, choices, usage: null })}\n\n`;
  const end = (reason: string) => print([{ ...createDelta(0), finish_reason: reason }]);

  return {
    /**
     * @param options.keepsEmpty true to send chunks without content (reasoning, tool calls) as keep-alive.
     * @returns `data: {…}\n\n`, undefined if nothing is to be sent.
     */
    translate(event: ChatEvent, { keepsEmpty }: { readonly keepsEmpty: boolean }): string | undefined {
      if (isUsageAlone(event)) return undefined;
      const choices = toNativeDeltas(event.parts);
      const isFinal = choices.some((choice) => choice.finish_reason !== null);
      const hasNews = isFinal || isFirst || choices.some(({ delta }) => delta.content !== '');
      isFinished ||= isFinal;
      isFirst = false;
      return hasNews || keepsEmpty ? print(choices) : undefined;
    },
    /** Returns the final chunk of a complete answer; empty if the provider sent one. */
    finish: (): string => (isFinished ? '' : end(outcome.finishReason ?? 'stop')),
    /** Returns the final chunk of a failed answer. */
    fail: (): string => end('error'),
  };
}

function toNativeChoice(choice: ChatChoice, index: number): JsonObject {
  const { text, images = [], refusal, sources, finishReason } = choice;
  return {
    index,
    message: {
      role: 'assistant',
      content: [...(text === '' ? [] : [text]), ...images.map(describeImage)].join('\n\n'),
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

/** Returns one delta for each choice in the parts, at least one. */
function toNativeDeltas(parts: readonly ChatPart[]): readonly NativeDelta[] {
  const deltas = new Map<number, NativeDelta>();
  for (const part of parts) {
    if (part.type === 'usage') continue;
    const native = deltas.get(part.choice) ?? createDelta(part.choice);
    deltas.set(part.choice, native);
    if (part.type === 'text-delta' || part.type === 'refusal-delta') native.delta.content += part.text;
    if (part.type === 'image') native.delta.content += describeImage(part.url);
    if (part.type === 'finish') native.finish_reason = part.reason;
  }
  return deltas.size > 0 ? [...deltas.values()] : [createDelta(0)];
}
