import { type ChatCompletion, type ChatPart, type ChatStream, listParts } from '../chat-answer.ts';
import { recordParts } from './record-parts.ts';

/** Converts a completion to a stream of one event, for hosts that answer a stream request with plain JSON. */
export function toStream({ choices, outcome }: ChatCompletion): ChatStream {
  const parts: ChatPart[] = choices.flatMap(listParts);
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
