import type { ChatChoice, ChatCompletion, ChatPart, ChatStream } from '../chat-model.ts';
import { recordParts } from './record-parts.ts';

/** Converts a completion to a stream of one event, for hosts that answer a stream request with plain JSON. */
export function toStream({ choices, outcome }: ChatCompletion): ChatStream {
  const parts = choices.flatMap(toParts);
  if (outcome.usage) parts.push({ type: 'usage', usage: outcome.usage });
  const streamed = { ...outcome };
  recordParts(streamed, parts);
  return {
    outcome: streamed,
    async *[Symbol.asyncIterator]() {
      yield { parts };
    },
  };
}

function toParts(answer: ChatChoice, choice: number): readonly ChatPart[] {
  const { text, reasoning, reasoningMustBeSentBack: mustBeSentBack, refusal, toolCalls, sources } = answer;
  const parts: ChatPart[] = [];
  if (reasoning) parts.push({ type: 'reasoning-delta', choice, text: reasoning, mustBeSentBack });
  if (text !== '') parts.push({ type: 'text-delta', choice, text });
  if (refusal) parts.push({ type: 'refusal-delta', choice, text: refusal });
  for (const [index, call] of toolCalls.entries()) parts.push({ type: 'tool-call-delta', choice, index, ...call });
  for (const source of sources ?? []) parts.push({ type: 'source', choice, source });
  parts.push({ type: 'finish', choice, reason: answer.finishReason, stopSequence: answer.stopSequence });
  return parts;
}
