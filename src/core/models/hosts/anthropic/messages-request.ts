import type { JsonObject } from '../../../../lib/json/json.ts';
import type { ChatRequest, ToolDefinition } from '../../contract/chat-request.ts';
import type { OptionalParameter } from '../endpoint/parameter-fallback.ts';
import { UntranslatableError } from '../untranslatable-error.ts';
import { toExtraFields } from './extra-fields.ts';
import type { ModelFacts } from './model-facts.ts';
import { toReasoning } from './reasoning.ts';
import { toTurns } from './turns.ts';

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
 * Converts a request. A request in the Messages dialect keeps its body, except for the name of the model.
 * @throws UntranslatableError
 */
export function toMessagesRequest(request: ChatRequest, facts: ModelFacts | undefined): MessagesRequest {
  const { model, native } = request;
  if (native?.dialect === 'messages') {
    const { stream: _stream, ...body } = native.body;
    return { body: { ...body, model }, parameters: [] };
  }
  const { sampling = {}, optional = [], choiceCount = 1 } = request;
  if (choiceCount > 1) throw new UntranslatableError('n', "'n' must be 1 with this model.");
  if (sampling.seed !== undefined) throw new UntranslatableError('seed', "'seed' is not supported by this model.");
  const hasOptionalTemperature = optional.includes('temperature') && sampling.temperature !== undefined;
  const hasOptionalLength = optional.includes('maxOutputTokens') && request.maxOutputTokens !== undefined;
  const outputConfig = toOutputConfig(request);
  const { system, messages, lacksThinking } = toTurns(request.messages);
  const body = withoutUndefined({
    ...toExtraFields(request),
    model,
    max_tokens: hasOptionalLength ? undefined : request.maxOutputTokens,
    system: system.length > 0 ? system : undefined,
    messages,
    tools: request.tools?.map(toTool),
    tool_choice: toToolChoice(request),
    stop_sequences: sampling.stop,
    temperature: hasOptionalTemperature ? undefined : sampling.temperature,
    top_p: sampling.topP,
    output_config: Object.keys(outputConfig).length > 0 ? outputConfig : undefined,
  });
  const parameters: OptionalParameter[] = [];
  if (request.maxOutputTokens === undefined || hasOptionalLength)
    parameters.push(toMaxTokens(facts, request.maxOutputTokens));
  if (hasOptionalTemperature)
    parameters.push({ name: 'temperature', about: /temperature/i, ways: [{ temperature: sampling.temperature }] });
  const isRequired = !optional.includes('reasoningEffort');
  if (request.reasoningEffort !== undefined && !('thinking' in body)) {
    const maxTokens = request.maxOutputTokens ?? facts?.maxOutputTokens ?? SMALL_MAX_TOKENS;
    const options = { facts, maxTokens, outputConfig, isRequired: isRequired && !lacksThinking, lacksThinking };
    parameters.push(toReasoning(request.reasoningEffort, options));
  } else if (request.reasoningEffort !== undefined && isRequired)
    throw new UntranslatableError('thinking', "'thinking' and 'reasoning_effort' exclude each other.");
  return { body, parameters };
}

/** Returns the fields of a request that decide about the number of its prompt tokens. */
export function toCountedBody(request: ChatRequest): JsonObject {
  const { body } = toMessagesRequest({ ...request, reasoningEffort: undefined }, undefined);
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

function toTool({ name, description, parameters, isStrict }: ToolDefinition): JsonObject {
  return withoutUndefined({ name, description, input_schema: { type: 'object', ...parameters }, strict: isStrict });
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
    throw new UntranslatableError('response_format', 'With this model, JSON needs a schema: use the type json_schema.');
  return { format: { type: 'json_schema', schema: { ...(description ? { description } : {}), ...schema } } };
}

function withoutUndefined(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
