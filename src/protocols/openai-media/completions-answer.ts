import type {
  ChatChoice,
  ChatCompletion,
  ChatEvent,
  ChatPart,
  ChatStream,
} from '../../core/models/contract/chat-answer.ts';
import type { ChatOutcome } from '../../core/models/contract/chat-outcome.ts';
import type { TextCompletionRequest } from '../../core/models/contract/text-completion-model.ts';
import { createId } from '../../lib/ids.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { isUsageAlone, printTokenCounts } from '../openai-chat/print-answer.ts';
import { choicesOf, readFinishReason } from '../openai-chat/read-answer.ts';
import { readUsage } from '../openai-chat/read-usage.ts';
import { printNativeEvent } from '../stream/native-answer.ts';
import { DONE, printData, printErrorChunk, wantsUsageChunk } from '../stream/openai-events.ts';
import { PING_COMMENT, type StreamDialect, type StreamPrinter } from '../stream/stream-dialect.ts';

/** Fields shared by a completion and all its chunks. */
interface CompletionHead {
  readonly id: string;
  readonly object: 'text_completion';
  readonly created: number;
  readonly model: string;
}

/** Returns the shared fields. */
function toHead({ id, createdAt, reportedModel, model }: ChatOutcome, nowMs: number): CompletionHead {
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
function printChunks({ parts }: ChatEvent, head: CompletionHead): readonly JsonObject[] {
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
function printUsageChunk(head: CompletionHead, outcome: Pick<ChatOutcome, 'usage'>): JsonObject {
  return { ...head, choices: [], usage: printTokenCounts(outcome) };
}

function printChoice(index: number, text: string, finishReason: string | null): JsonObject {
  return { text, index, logprobs: null, finish_reason: finishReason };
}

/** Prints a stream as chunks. */
export function createTextChunkDialect(params: TextCompletionRequest, nowMs: number): StreamDialect {
  return {
    createPrinter: (stream) => createPrinter(stream, params, nowMs),
    printError: printErrorChunk,
    ping: PING_COMMENT,
  };
}

/** Creates the printer of one stream. The usage chunk is sent only if the client requested it. */
function createPrinter(stream: ChatStream, { native }: TextCompletionRequest, nowMs: number): StreamPrinter {
  const wantsUsage = wantsUsageChunk(native.body);
  const head = toHead(stream.outcome, nowMs);
  let hasUsage = false;
  return {
    print(event) {
      hasUsage ||= wantsUsage && event.parts.some(({ type }) => type === 'usage');
      if (!wantsUsage && isUsageAlone(event)) return '';
      if (event.native) return printNativeEvent(event.native);
      return printChunks(event, head).map(printData).join('');
    },
    end: () => (wantsUsage && !hasUsage ? printData(printUsageChunk(head, stream.outcome)) : '') + DONE,
  };
}

/** Reads the choices of a completion. */
export function readTextChoices(completion: JsonObject): readonly ChatChoice[] {
  return choicesOf(completion).map((choice) => ({
    text: readText(choice),
    toolCalls: [],
    finishReason: readFinishReason(choice) ?? 'stop',
  }));
}

/** Reads the parts of a chunk. */
export function readTextParts(chunk: JsonObject): readonly ChatPart[] {
  const parts: ChatPart[] = [];
  for (const [position, entry] of choicesOf(chunk).entries()) {
    const choice = typeof entry.index === 'number' && Number.isFinite(entry.index) ? entry.index : position;
    const [text, reason] = [readText(entry), readFinishReason(entry)];
    if (text !== '') parts.push({ type: 'text-delta', choice, text });
    if (reason !== undefined) parts.push({ type: 'finish', choice, reason });
  }
  const usage = readUsage(chunk);
  if (usage) parts.push({ type: 'usage', usage });
  return parts;
}

function readText({ text }: JsonObject): string {
  return typeof text === 'string' ? text : '';
}
