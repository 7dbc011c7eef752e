import type { ChatRequest, Sampling, ToolDefinition } from '../../../core/models/contract/chat-request.ts';
import { UntranslatableError } from '../../../core/models/contract/model-errors.ts';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import { withoutUndefined } from '../../../lib/json/without-undefined.ts';
import type { OptionalParameter } from '../../optional-parameter.ts';
import type { ModelFacts } from '../model-facts.ts';
import { isWhite } from '../vendor-rules.ts';
import { toExtraFields } from './extra-fields.ts';
import { THINKING_FALLBACK, toAcceptedBody, unlessLacking } from './native-body.ts';
import { withCacheControl } from './print-blocks.ts';
import { toTurns } from './print-messages.ts';
import { toReasoning } from './reasoning.ts';

/** A request to `/v1/messages`, without `stream`. */
export interface MessagesRequest {
  readonly body: JsonObject;
  /** Fields that depend on the model. */
  readonly parameters: readonly OptionalParameter[];
}

/** Defaults for `max_tokens`, which the API requires, if the limit of the model is unknown: the highest accepted one. */
const USUAL_MAX_TOKENS = [32_000, 8192, 4096];
/** Tokens that every model may write in an answer: reasoning must leave room within them. */
const SMALL_MAX_TOKENS = 8192;

/**
 * Converts a request. A request in the Messages dialect keeps its body, except for the name of the model and what the
 * API refuses after an answer of another host.
 * @param keepsForeignThinking as for `toAcceptedBody`.
 * @throws UntranslatableError
 */
export function toMessagesRequest(
  request: ChatRequest,
  facts: ModelFacts | undefined,
  keepsForeignThinking = false,
): MessagesRequest {
  const { model, native } = request;
  if (native?.dialect === 'messages') {
    const { stream: _stream, ...body } = toAcceptedBody(native.body, keepsForeignThinking);
    return { body: { ...body, model }, parameters: keepsForeignThinking ? [THINKING_FALLBACK] : [] };
  }
  const { sampling = {}, optional = [], choiceCount = 1 } = request;
  if (choiceCount > 1) throw new UntranslatableError('n', 'must be 1 with this model');
  if (sampling.seed !== undefined) throw new UntranslatableError('seed', 'is not supported by this model');
  const hasOptionalTemperature = optional.includes('temperature') && sampling.temperature !== undefined;
  const hasOptionalLength = optional.includes('maxOutputTokens') && request.maxOutputTokens !== undefined;
  const outputConfig = toOutputConfig(request);
  const { system, messages, lacksThinking } = toTurns(request.messages, keepsForeignThinking);
  const mayThink = allowsThinking(request);
  const extraFields = toExtraFields(request);
  const { thinking } = extraFields;
  const printed = withoutUndefined({
    ...extraFields,
    thinking: mayThink || !isThinking(thinking) ? thinking : undefined,
    model,
    max_tokens: hasOptionalLength ? undefined : request.maxOutputTokens,
    system: system.length > 0 ? system : undefined,
    messages,
    tools: request.tools?.map(toTool),
    tool_choice: toToolChoice(request),
    stop_sequences: toStopSequences(sampling.stop),
    temperature: hasOptionalTemperature ? undefined : sampling.temperature,
    top_p: sampling.topP,
    output_config: Object.keys(outputConfig).length > 0 ? outputConfig : undefined,
    ...(mayThink && isThinking(thinking) && withoutExcluded(sampling)),
  });
  const body = keepsForeignThinking ? printed : unlessLacking(printed);
  const parameters: OptionalParameter[] = keepsForeignThinking ? [THINKING_FALLBACK] : [];
  if (request.maxOutputTokens === undefined || hasOptionalLength)
    parameters.push(toMaxTokens(facts, request.maxOutputTokens));
  if (hasOptionalTemperature)
    parameters.push({ name: 'temperature', about: /temperature/i, ways: [{ temperature: sampling.temperature }] });
  const isRequired = !optional.includes('reasoningEffort');
  if (!mayThink && request.reasoningEffort !== 'none') return { body, parameters };
  if (request.reasoningEffort !== undefined && !('thinking' in body)) {
    const maxTokens = request.maxOutputTokens ?? facts?.maxOutputTokens ?? SMALL_MAX_TOKENS;
    const options = { facts, maxTokens, outputConfig, isRequired: isRequired && !lacksThinking, lacksThinking };
    const reasoning = toReasoning(request.reasoningEffort, options);
    const ways = reasoning.ways.map((way) =>
      isThinking('thinking' in way && way.thinking) ? { ...way, ...withoutExcluded(sampling) } : way,
    );
    parameters.push({ ...reasoning, ways });
  } else if (request.reasoningEffort !== undefined && isRequired)
    throw new UntranslatableError('thinking', "excludes 'reasoning_effort'");
  return { body, parameters };
}

/** Returns whether the model may think: the API excludes it if a tool must be called. */
function allowsThinking({ toolChoice }: ChatRequest): boolean {
  return toolChoice === undefined || toolChoice === 'auto' || toolChoice === 'none';
}

function isThinking(thinking: unknown): boolean {
  return isJsonObject(thinking) && thinking.type !== 'disabled';
}

/** The API refuses a part of the settings of the sampling together with thinking. */
function withoutExcluded({ topP }: Sampling): JsonObject {
  const isExcluded = topP !== undefined && topP < MIN_THINKING_TOP_P;
  return { temperature: undefined, top_k: undefined, ...(isExcluded && { top_p: undefined }) };
}

const MIN_THINKING_TOP_P = 0.95;

function toStopSequences(stop: readonly string[] = []): readonly string[] | undefined {
  const sequences = stop.filter((sequence) => !isWhite(sequence));
  return sequences.length > 0 ? sequences : undefined;
}

/** Returns the fields of a request that decide about the number of its prompt tokens. */
export function toCountedBody(request: ChatRequest, keepsForeignThinking = false): JsonObject {
  const { body } = toMessagesRequest({ ...request, reasoningEffort: undefined }, undefined, keepsForeignThinking);
  if (request.native?.dialect === 'messages') return body;
  const { model, system, messages, tools, tool_choice, output_config, thinking, cache_control } = body;
  return withoutUndefined({ model, system, messages, tools, tool_choice, output_config, thinking, cache_control });
}

/** @param most maximum that may be lowered to that of the model. */
function toMaxTokens(facts: ModelFacts | undefined, most = Number.POSITIVE_INFINITY): OptionalParameter {
  const limits = facts?.maxOutputTokens === undefined ? USUAL_MAX_TOKENS : [facts.maxOutputTokens];
  const ways = [...new Set(limits.map((limit) => Math.min(limit, most)))].map((limit) => ({ max_tokens: limit }));
  // "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for …"
  return { name: 'max_tokens', about: /max_tokens: \d+ > \d+/, ways, isRequired: true };
}

function toTool({ name, description, parameters, isStrict, cacheControl }: ToolDefinition): JsonObject {
  const tool = { name, description, input_schema: { type: 'object', ...parameters }, strict: isStrict };
  return withCacheControl(withoutUndefined(tool), cacheControl);
}

function toToolChoice({ tools = [], toolChoice, allowsParallelToolCalls }: ChatRequest): JsonObject | undefined {
  // Without tools, the API accepts no choice.
  const mayCall = typeof toolChoice === 'object' || toolChoice === 'required';
  if (tools.length === 0 && !mayCall) return undefined;
  if (toolChoice === 'none') return { type: 'none' };
  const disabled = allowsParallelToolCalls === false ? { disable_parallel_tool_use: true } : {};
  if (typeof toolChoice === 'object') return { type: 'tool', name: toolChoice.name, ...disabled };
  if (toolChoice === 'required') return { type: 'any', ...disabled };
  return toolChoice === 'auto' || allowsParallelToolCalls === false ? { type: 'auto', ...disabled } : undefined;
}

/** The name of a schema is not sent: the API has no field for it, and answers do not depend on it. */
function toOutputConfig({ responseFormat }: ChatRequest): JsonObject {
  if (responseFormat?.type !== 'json') return {};
  const { schema, description } = responseFormat;
  if (!schema)
    throw new UntranslatableError('response_format', 'needs a schema with this model: use the type json_schema');
  return { format: { type: 'json_schema', schema: { ...(description ? { description } : {}), ...schema } } };
}
