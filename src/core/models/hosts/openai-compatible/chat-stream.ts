import type { HttpResponse } from '../../../../lib/http/http-client.ts';
import type { JsonObject } from '../../../../lib/json/json.ts';
import type { ChatPart, ChatStream } from '../../contract/chat-answer.ts';
import { createOutcome, type GrowingOutcome } from '../../contract/chat-outcome.ts';
import { isError, toErrorOfBody } from '../endpoint/error-answer.ts';
import { type EventReader, type EventStreamParams, openEventStream } from '../stream/event-stream.ts';
import { choicesOf, recordIdentity } from './read-chat.ts';

export interface ChatStreamParams
  extends Pick<EventStreamParams, 'provider' | 'dialect' | 'secrets' | 'signal' | 'toError'> {
  /** The provider's name of the model. */
  readonly model: string;
  /** Number of requested choices (`n`). */
  readonly choiceCount: number;
  readonly readParts: (chunk: JsonObject) => readonly ChatPart[];
}

/**
 * Converts a stream of OpenAI's chunks. Resolves with its first event.
 * @throws the errors of `openEventStream`.
 */
export function openChatStream(http: HttpResponse, options: ChatStreamParams): Promise<ChatStream> {
  const outcome = createOutcome(options.provider, options.model);
  const reader = createChunkReader(options, outcome);
  return openEventStream(http, { ...options, outcome, reader });
}

function createChunkReader(
  { provider, choiceCount, readParts, secrets }: ChatStreamParams,
  outcome: GrowingOutcome,
): EventReader {
  const finishedChoices = new Set<number>();
  let hasBegun = false;
  return {
    get isComplete() {
      return finishedChoices.size >= choiceCount;
    },
    read(chunk) {
      const choices = choicesOf(chunk);
      // OpenRouter reports a failed upstream host inside the choice.
      const failed = choices.find(isError);
      if (failed) return { failure: toErrorOfBody(provider, failed, secrets) };
      const parts = readParts(chunk);
      recordIdentity(outcome, chunk);
      for (const part of parts) if (part.type === 'finish') finishedChoices.add(part.choice);
      // Only choices begin an answer: before them, another provider may be asked.
      hasBegun ||= choices.length > 0;
      const isIrregular = !Array.isArray(chunk.choices);
      // Counts before the answer are of the prompt alone.
      if (hasBegun ? isIrregular && parts.length === 0 : isIrregular || parts.length > 0) return 'ignored';
      return { parts, isEarly: !hasBegun, isIrregular };
    },
  };
}
