import type { ChatCompletion, ChatEvent, ChatPart } from '../../core/models/contract/chat-answer.ts';
import type { ChatOutcome } from '../../core/models/contract/chat-outcome.ts';
import { createId } from '../../lib/ids.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { printTokenCounts } from '../openai-chat/print-answer.ts';

/** Fields shared by a completion and all its chunks. */
interface CompletionHead {
  readonly id: string;
  readonly object: 'text_completion';
  readonly created: number;
  readonly model: string;
}

/** Returns the shared fields. */
export function toHead({ id, createdAt, reportedModel, model }: ChatOutcome, nowMs: number): CompletionHead {
  return {
    id: id ?? createId('cmpl-'),
    object: 'text_completion',
    created: createdAt ?? Math.floor(nowMs / 1000),
    model: reportedModel ?? model,
  };
}

/** Prints a completion in OpenAI's legacy protocol. */
export function printCompletion({ choices, outcome }: ChatCompletion, nowMs: number): JsonObject {
  return {
    ...toHead(outcome, nowMs),
    choices: choices.map(({ text, finishReason }, index) => printChoice(index, text, finishReason)),
    usage: printTokenCounts(outcome),
  };
}

/** Prints the chunks of an event. */
export function printChunks({ parts }: ChatEvent, head: CompletionHead): readonly JsonObject[] {
  return parts.flatMap((part) => printPart(part, head));
}

function printPart(part: ChatPart, head: CompletionHead): readonly JsonObject[] {
  switch (part.type) {
    case 'text-delta':
      return [{ ...head, choices: [printChoice(part.choice, part.text, null)] }];
    case 'finish':
      return [{ ...head, choices: [printChoice(part.choice, '', part.reason)] }];
    case 'usage':
      return [printUsageChunk(head, part)];
    default:
      return [];
  }
}

/** Prints the chunk with the token counts, which follows all others. */
export function printUsageChunk(head: CompletionHead, outcome: Pick<ChatOutcome, 'usage'>): JsonObject {
  return { ...head, choices: [], usage: printTokenCounts(outcome) };
}

function printChoice(index: number, text: string, finishReason: string | null): JsonObject {
  return { text, index, logprobs: null, finish_reason: finishReason };
}
