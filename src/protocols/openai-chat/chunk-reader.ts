import type { ChatPart } from '../../core/models/contract/chat-answer.ts';
import type { GrowingOutcome } from '../../core/models/contract/chat-outcome.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { isError, toErrorOfBody } from '../error-answer.ts';
import type { EventReader, ReadEvent } from '../stream/event-reader.ts';
import { choicesOf, recordIdentity } from './read-answer.ts';

interface ChunkReaderParams {
  readonly provider: string;
  /** Number of requested choices (`n`). */
  readonly choiceCount: number;
  readonly readParts: (chunk: JsonObject) => readonly ChatPart[];
  /** Values that are removed from the host's messages. */
  readonly secrets: readonly string[];
}

/** Creates a reader of the chunks of one answer, which updates the outcome. */
export function createChunkReader(
  { provider, choiceCount, readParts, secrets }: ChunkReaderParams,
  outcome: GrowingOutcome,
): EventReader {
  const finishedChoices = new Set<number>();
  let hasBegun = false;
  const reader = {
    isComplete: false,
    read(chunk: JsonObject): ReadEvent | undefined {
      const choices = choicesOf(chunk);
      // OpenRouter reports a failed upstream host inside the choice.
      const failed = choices.find(isError);
      if (failed) return { failure: toErrorOfBody(provider, failed, secrets) };
      const parts = readParts(chunk);
      recordIdentity(outcome, chunk);
      for (const part of parts) if (part.type === 'finish') finishedChoices.add(part.choice);
      reader.isComplete = finishedChoices.size >= choiceCount;
      // Only choices begin an answer: before them, another provider may be asked.
      hasBegun ||= choices.length > 0;
      const isIrregular = !Array.isArray(chunk.choices);
      // Counts before the answer are of the prompt alone.
      if (hasBegun ? isIrregular && parts.length === 0 : isIrregular || parts.length > 0) return 'ignored';
      return { parts, isEarly: !hasBegun, isIrregular };
    },
  };
  return reader;
}
