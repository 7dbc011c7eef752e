import type { ChatOutcome } from '../../../core/models/contract/chat-outcome.ts';
import type { JsonObject } from '../../../lib/json/json.ts';
import type { HttpErrorFacts } from '../../http-error.ts';
import { isToBeStored, type ResponseRequest } from '../request/read-request.ts';

/** The parts of a response that change while it is generated. */
export interface ResponseState {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  readonly output: readonly JsonObject[];
  readonly outcome?: Partial<ChatOutcome> | undefined;
  readonly completedAtMs?: number | undefined;
  readonly error?: HttpErrorFacts | undefined;
}

/** Prints the response of one request in its states. */
export type PrintResponse = (state: ResponseState) => JsonObject;

/** Id of a response and time of its request. */
export interface ResponseIdentity {
  readonly id: string;
  readonly createdAtMs: number;
}

export function createResponsePrinter(
  request: Pick<ResponseRequest, 'body' | 'tools'>,
  { id, createdAtMs }: ResponseIdentity,
): PrintResponse {
  const { body } = request;
  const settings = printSettings(request);
  return ({ status, output, outcome, completedAtMs, error }) => ({
    id,
    object: 'response',
    created_at: toSeconds(createdAtMs),
    completed_at: status === 'completed' && completedAtMs !== undefined ? toSeconds(completedAtMs) : null,
    status,
    error: error ? printError(error) : null,
    incomplete_details: status === 'incomplete' ? { reason: toIncompleteReason(outcome?.finishReason) } : null,
    model: outcome?.reportedModel ?? outcome?.model ?? body.model,
    output,
    usage: status === 'in_progress' ? null : printUsage(outcome),
    ...settings,
  });
}

/** Prints an answer that was given in a chat. */
export function printChatAnswer({
  id,
  createdAt,
  text,
  model,
}: {
  readonly id: string;
  readonly createdAt: Date;
  readonly text: string;
  readonly model: string;
}): JsonObject {
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }];
  const itemId = id.replace('resp_', 'msg_');
  const output = [{ id: itemId, type: 'message', status: 'completed', role: 'assistant', content }];
  const print = createResponsePrinter({ body: { model }, tools: NO_TOOLS }, { id, createdAtMs: createdAt.getTime() });
  return print({ status: 'completed', output, completedAtMs: createdAt.getTime() });
}

const NO_TOOLS = { byName: new Map(), echo: [] };

/** Returns the status of a complete answer. */
export function toStatus(finishReason: string | undefined): 'completed' | 'incomplete' {
  return finishReason === 'length' || finishReason === 'content_filter' ? 'incomplete' : 'completed';
}

function toIncompleteReason(finishReason: string | undefined): string {
  return finishReason === 'content_filter' ? 'content_filter' : 'max_output_tokens';
}

/** The settings of the request, with the defaults of the API. */
function printSettings(request: Pick<ResponseRequest, 'body' | 'tools'>): JsonObject {
  const { body, tools } = request;
  const { text, reasoning } = body;
  const format = text?.format;
  return {
    previous_response_id: body.previous_response_id ?? null,
    instructions: body.instructions ?? null,
    tools: tools.echo,
    tool_choice: body.tool_choice ?? 'auto',
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    text: {
      format: format?.type === 'json_schema' ? { description: null, strict: false, ...format } : (format ?? TEXT),
      ...(text?.verbosity ? { verbosity: text.verbosity } : {}),
    },
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    temperature: body.temperature ?? 1,
    top_p: body.top_p ?? 1,
    presence_penalty: body.presence_penalty ?? 0,
    frequency_penalty: body.frequency_penalty ?? 0,
    top_logprobs: body.top_logprobs ?? 0,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    truncation: 'disabled',
    metadata: body.metadata ?? {},
    store: isToBeStored(request),
    background: body.background ?? false,
    service_tier: body.service_tier && body.service_tier !== 'auto' ? body.service_tier : 'default',
    user: body.user ?? null,
    safety_identifier: body.safety_identifier ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
  };
}

const TEXT = { type: 'text' };

/** Prints token counts; 0 if the provider reported none. */
function printUsage({ usage }: Partial<ChatOutcome> = {}): JsonObject {
  const { promptTokens = 0, completionTokens = 0 } = usage ?? {};
  return {
    input_tokens: promptTokens,
    input_tokens_details: {
      cached_tokens: usage?.cachedTokens ?? 0,
      cache_write_tokens: usage?.cacheWriteTokens ?? 0,
    },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: usage?.reasoningTokens ?? 0 },
    total_tokens: promptTokens + completionTokens,
  };
}

/** Prints why a response has failed. Clients decide by the code whether to retry. */
export function printError({ status, code, message }: HttpErrorFacts): JsonObject {
  if (code === 'content_policy_violation') return { code: 'invalid_prompt', message };
  return { code: status >= 500 ? 'server_error' : code, message };
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
