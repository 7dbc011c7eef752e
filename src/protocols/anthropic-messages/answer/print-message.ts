import type { ChatChoice, ChatCompletion } from '../../../core/models/contract/chat-answer.ts';
import type { ChatOutcome } from '../../../core/models/contract/chat-outcome.ts';
import { createId } from '../../../lib/ids.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import { describeImage } from '../../fields/describe-image.ts';
import { readInput } from '../../print-arguments.ts';
import { type CarriedFields, toSignature } from '../carried-fields.ts';
import type { ReadRequest } from '../request/read-request.ts';

/** Facts of the request that its answer depends on. */
export type PrintOptions = Pick<ReadRequest, 'request' | 'showsThinking'>;

/** Prints a completion of another protocol as a message. */
export function printMessage({ choices, outcome }: ChatCompletion, options: PrintOptions): JsonObject {
  const [choice] = choices;
  return {
    ...printHead(outcome),
    content: choice ? printContent(choice, options) : [],
    ...printEnd(toEnd(choice, options)),
    usage: printUsage(outcome),
  };
}

/** Prints the fields that a message has from its beginning. */
export function printHead({ id, reportedModel, model }: ChatOutcome): JsonObject {
  const head = { id: id ?? createId('msg_'), type: 'message', role: 'assistant', model: reportedModel ?? model };
  return { ...head, container: null };
}

export function printText(text: string): JsonObject {
  return { type: 'text', text, citations: null };
}

export function printCall(name: string, input: JsonObject): JsonObject {
  // Hosts repeat their ids in each answer or omit them, and clients require distinct ones.
  return { type: 'tool_use', id: createId('toolu_'), name, input, caller: { type: 'direct' } };
}

function printContent(choice: ChatChoice, { showsThinking }: PrintOptions): readonly JsonObject[] {
  const { text, reasoning, reasoningMustBeSentBack, refusal, toolCalls } = choice;
  const content: JsonObject[] = [];
  if (reasoning && showsThinking) {
    content.push(printThinking(reasoning, { mustBeSentBack: reasoningMustBeSentBack }));
  }
  const hiddenReasoning = reasoningMustBeSentBack && !showsThinking ? reasoning : undefined;
  if (text || refusal) content.push(printText(`${text}${refusal ?? ''}`));
  for (const url of choice.images ?? []) content.push(printText(describeImage(url)));
  for (const [index, { name, arguments: written, native }] of toolCalls.entries()) {
    const carrier = printThinking('', {
      reasoning: index === 0 ? hiddenReasoning : undefined,
      toolCall: toCarriedCall(native),
    });
    if (carrier['signature'] !== '') content.push(carrier);
    content.push(printCall(name, readInput(written)));
  }
  return content;
}

function printThinking(thinking: string, fields: CarriedFields): JsonObject {
  return { type: 'thinking', thinking, signature: toSignature(fields) };
}

/** Returns the fields that a host requires back with a tool call; undefined if there are none. */
export function toCarriedCall(native: JsonObject | undefined): CarriedFields['toolCall'] {
  const fields = Object.entries(native ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}

/** Why an answer ended. */
export interface AnswerEnd {
  readonly finishReason: string | undefined;
  readonly stopSequence: string | undefined;
  readonly refusal: string | null | undefined;
  readonly hasToolCalls: boolean;
}

function toEnd(choice: ChatChoice | undefined, { request }: PrintOptions): AnswerEnd {
  return {
    finishReason: choice?.finishReason,
    stopSequence: toStopSequence(choice?.stopSequence, request),
    refusal: choice?.refusal,
    hasToolCalls: Boolean(choice?.toolCalls.length),
  };
}

/** Returns the stop sequence of the client; hosts may report others of their own. */
export function toStopSequence(
  sequence: string | undefined,
  { sampling }: PrintOptions['request'],
): string | undefined {
  return sampling?.stop?.find((stop) => stop === sequence);
}

/** Prints the end of a message: `stop_reason`, `stop_sequence` and, for refusals, `stop_details`. */
export function printEnd(end: AnswerEnd): JsonObject {
  const reason = toStopReason(end);
  const isRefusal = reason === 'refusal';
  return {
    stop_reason: reason,
    stop_sequence: reason === 'stop_sequence' ? end.stopSequence : null,
    stop_details: isRefusal ? { type: 'refusal', category: null, explanation: end.refusal || null } : null,
  };
}

/** The end of a message that has begun. */
export const NO_END = { stop_reason: null, stop_sequence: null, stop_details: null };

function toStopReason({ finishReason, stopSequence, refusal, hasToolCalls }: AnswerEnd): string {
  if (refusal || finishReason === 'content_filter') return 'refusal';
  if (finishReason === 'length') return 'max_tokens';
  // Some hosts report `stop` for answers that call tools.
  if (hasToolCalls) return 'tool_use';
  return stopSequence === undefined ? 'end_turn' : 'stop_sequence';
}

/** Prints token counts; 0 if there are none. `input_tokens` excludes cached ones. */
export function printUsage({ usage }: Pick<ChatOutcome, 'usage'>): JsonObject {
  const { promptTokens = 0, completionTokens = 0, cachedTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  const { cacheWriteHourTokens: hour, reasoningTokens } = usage ?? {};
  return {
    input_tokens: Math.max(0, promptTokens - cachedTokens - cacheWriteTokens),
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    cache_creation:
      hour === undefined
        ? null
        : { ephemeral_5m_input_tokens: Math.max(0, cacheWriteTokens - hour), ephemeral_1h_input_tokens: hour },
    output_tokens: completionTokens,
    output_tokens_details: reasoningTokens === undefined ? null : { thinking_tokens: reasoningTokens },
    server_tool_use: null,
    service_tier: null,
    inference_geo: null,
  };
}
