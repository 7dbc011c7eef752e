import type { Clock } from '../../../../lib/clock.ts';
import type { HttpResponse } from '../../../../lib/http/http-client.ts';
import { isJsonObject, type JsonObject } from '../../../../lib/json/json.ts';
import { readJson } from '../../../../lib/json/read-json.ts';
import { MessageReader } from '../../../../protocols/anthropic-messages/answer/message-reader.ts';
import { readChoice, readUsage, recordIdentity } from '../../../../protocols/anthropic-messages/answer/read-message.ts';
import type { ModelFacts } from '../../../../protocols/anthropic-messages/model-facts.ts';
import { toCountedBody, toMessagesRequest } from '../../../../protocols/anthropic-messages/request/print-request.ts';
import { toErrorOfBody } from '../../../../protocols/error-answer.ts';
import type { ChatCompletion } from '../../contract/chat-answer.ts';
import type { ChatModel } from '../../contract/chat-model.ts';
import { createOutcome, type GrowingOutcome } from '../../contract/chat-outcome.ts';
import type { ChatRequest } from '../../contract/chat-request.ts';
import { ProviderUnavailableError } from '../../contract/model-errors.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { createParameterFallback } from '../endpoint/parameter-fallback.ts';
import { collectCompletion, MAX_COMPLETION_BYTES } from '../stream/collect-completion.ts';
import { toStream } from '../stream/completion-stream.ts';
import { openEventStream } from '../stream/event-stream.ts';
import type { AnthropicConfig } from './anthropic-config.ts';
import type { MessagesHost } from './messages-host.ts';

export interface MessagesChatDeps {
  readonly clock: Clock;
  readonly endpoint: Endpoint;
  readonly host: MessagesHost;
  readonly findFacts: (model: string) => ModelFacts | undefined;
}

const PATH = '/v1/messages';
const MAX_COUNT_BYTES = 64 * 1024;
const COUNT_PATIENCE_MS = 20_000;
/** The only host whose rules about thinking are known; others get what they sent until they refuse it. */
const ANTHROPIC_HOST = 'api.anthropic.com';

/** Creates a chat model over the Messages API. */
export function createMessagesChat(
  { clock, endpoint, host, findFacts }: MessagesChatDeps,
  { name, apiKeys, baseUrl }: AnthropicConfig,
): ChatModel {
  const { timeouts } = endpoint;
  const fallback = createParameterFallback(endpoint);
  const keepsForeignThinking = URL.parse(baseUrl)?.hostname !== ANTHROPIC_HOST;

  const open = (
    request: ChatRequest,
    form: { accept: string; startMs: number; fields: JsonObject },
    signal: AbortSignal,
  ) => {
    const { model } = request;
    const { body, parameters } = toMessagesRequest(request, findFacts(model), keepsForeignThinking);
    return fallback.send(model, parameters, (fields, change) => {
      const changed = change({ ...body, ...fields });
      return host.post(PATH, { ...form, body: { ...changed, ...form.fields }, native: request.native }, signal);
    });
  };
  const start = ({ model }: ChatRequest): GrowingOutcome => ({
    ...createOutcome(name, model),
    createdAt: Math.floor(clock.now() / 1000),
  });
  const readMessage = async (http: HttpResponse, outcome: GrowingOutcome): Promise<ChatCompletion> => {
    const bytes = await http.readAll(MAX_COMPLETION_BYTES);
    const message = await readJson(bytes);
    if (isJsonObject(message) && isJsonObject(message.error)) throw toErrorOfBody(name, message, apiKeys);
    if (!isJsonObject(message) || !Array.isArray(message.content))
      throw new ProviderUnavailableError(name, `${name} sent something that is not a message`, { isBadAnswer: true });
    const choice = readChoice(message);
    recordIdentity(outcome, message);
    outcome.finishReason = choice.finishReason;
    outcome.usage = isJsonObject(message.usage) ? readUsage(message.usage) : undefined;
    return { choices: [choice], outcome, native: { dialect: 'messages', bytes, lacksUsage: !outcome.usage } };
  };
  const readEvents = (http: HttpResponse, request: ChatRequest, signal: AbortSignal) => {
    const outcome = start(request);
    const reader = new MessageReader(outcome);
    const toError = (error: unknown, isUnderWay: boolean) => endpoint.toError(error, signal, isUnderWay);
    const answer = { provider: name, dialect: 'messages', outcome, reader } as const;
    return openEventStream(http, { ...answer, secrets: apiKeys, signal, toError });
  };
  /** Reads a response to its end and closes it. */
  const readWhole = async <Result>(http: HttpResponse, signal: AbortSignal, read: () => Promise<Result>) => {
    try {
      http.markStarted();
      return await read();
    } catch (error) {
      throw endpoint.toError(error, signal);
    } finally {
      http.close();
    }
  };

  return {
    dialects: ['messages'],

    async complete(request, signal) {
      const form = { accept: 'application/json', startMs: timeouts.totalMs, fields: {} };
      const http = await open(request, form, signal);
      if (await endpoint.startsWithEvents(http, signal))
        return collectCompletion(await readEvents(http, request, signal));
      return readWhole(http, signal, () => readMessage(http, start(request)));
    },

    async stream(request, signal) {
      const form = { accept: 'text/event-stream', startMs: timeouts.firstTokenMs, fields: { stream: true } };
      const http = await open(request, form, signal);
      if (await endpoint.startsWithEvents(http, signal)) return readEvents(http, request, signal);
      return toStream(await readWhole(http, signal, () => readMessage(http, start(request))));
    },

    async countPromptTokens(request, signal) {
      const body = toCountedBody(request, keepsForeignThinking);
      const form = { accept: 'application/json', startMs: COUNT_PATIENCE_MS, native: request.native };
      const http = await unlessMissing(host.post(`${PATH}/count_tokens`, { ...form, body }, signal));
      if (!http) return undefined;
      const count = await readWhole(http, signal, async () => readJson(await http.readAll(MAX_COUNT_BYTES)));
      if (isJsonObject(count) && typeof count.input_tokens === 'number') return count.input_tokens;
      throw new ProviderUnavailableError(name, `${name} sent something that is not a token count`, {
        isBadAnswer: true,
      });
    },
  };
}

/** Returns undefined if the host has nothing at the address: not all hosts count tokens. */
async function unlessMissing(opening: Promise<HttpResponse>): Promise<HttpResponse | undefined> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof ProviderUnavailableError && (error.status === 404 || error.status === 405)) return undefined;
    throw error;
  }
}
