import type { HttpResponse } from '../../../../lib/http-client.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import type { ChatPart, ChatStream } from '../../chat-answer.ts';
import { createOutcome, type GrowingOutcome } from '../../chat-outcome.ts';
import { type EventReader, type EventStreamOptions, openEventStream } from '../event-stream.ts';
import { toErrorOfBody } from '../host/error-answer.ts';
import { recordIdentity } from './read-chat.ts';

export interface ChatStreamOptions extends Pick<EventStreamOptions, 'provider' | 'dialect' | 'signal' | 'toError'> {
  /** The provider's name of the model. */
  readonly model: string;
  /** Number of requested choices (`n`). */
  readonly choiceCount: number;
  readonly readParts: (chunk: JsonObject) => readonly ChatPart[];
  /** Secrets to remove from the provider's messages. */
  readonly secrets: readonly string[];
}

/**
 * Converts a stream of OpenAI's chunks. Resolves with its first event.
 * @throws the errors of `openEventStream`.
 */
export function openChatStream(http: HttpResponse, options: ChatStreamOptions): Promise<ChatStream> {
  const outcome = createOutcome(options.provider, options.model);
  const reader = createChunkReader(options, outcome);
  return openEventStream(http, { ...options, outcome, reader });
}

function createChunkReader(
  { provider, choiceCount, readParts, secrets }: ChatStreamOptions,
  outcome: GrowingOutcome,
): EventReader {
  const finishedChoices = new Set<number>();
  let isFirst = true;
  return {
    get isComplete() {
      return finishedChoices.size >= choiceCount;
    },
    read(chunk) {
      if (chunk.error !== undefined && chunk.error !== null)
        return { failure: toErrorOfBody(provider, chunk, secrets) };
      if (isFirst && !Array.isArray(chunk.choices)) return undefined;
      isFirst = false;
      const parts = readParts(chunk);
      recordIdentity(outcome, chunk);
      for (const part of parts) if (part.type === 'finish') finishedChoices.add(part.choice);
      return { parts };
    },
  };
}
