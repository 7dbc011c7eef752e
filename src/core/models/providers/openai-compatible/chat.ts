import type { HttpExchange } from '../../../../lib/http-client.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../../lib/json.ts';
import type { Logger } from '../../../../lib/logger.ts';
import type { ChatCompletion, ChatModel, ChatRequest, ChatRequestBody, ChatStream } from '../../chat-model.ts';
import { ProviderRejectedError, ProviderUnavailableError } from '../../model-errors.ts';
import { createOutcome, type GrowingOutcome, openChatStream } from './chat-stream.ts';
import { choicesOf, finishReasonOf, hasDelta, toChunks, usageOf } from './completion-body.ts';
import type { Endpoint } from './endpoint.ts';
import { toErrorOfBody } from './error-answer.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';

const MAX_COMPLETION_BYTES = 64 * 1024 * 1024;

/** Chat completions at one endpoint. */
export function createChat(
  deps: { readonly logger: Logger; readonly endpoint: Endpoint },
  config: OpenAiCompatibleConfig,
): ChatModel {
  const { endpoint } = deps;
  const { name, apiKeys } = config;
  const url = `${config.baseUrl.replace(/\/+$/, '')}/chat/completions`;
  let understandsUsageOption = true;

  const post = (model: string, body: JsonObject, startMs: number, signal: AbortSignal) =>
    endpoint.open(
      {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', accept: body.stream ? 'text/event-stream' : 'application/json' },
        body: JSON.stringify(body),
        model,
        startMs,
      },
      signal,
    );

  const openStream = async (request: ChatRequestBody, signal: AbortSignal): Promise<HttpExchange> => {
    const { firstTokenMs } = endpoint.timeouts;
    if (!understandsUsageOption) return post(request.model, withoutUsageOption(request), firstTokenMs, signal);
    try {
      return await post(request.model, withUsageOption(request), firstTokenMs, signal);
    } catch (error) {
      if (!(error instanceof ProviderRejectedError) || !/stream_options|include_usage/.test(error.message)) throw error;
      const http = await post(request.model, withoutUsageOption(request), firstTokenMs, signal);
      understandsUsageOption = false;
      deps.logger.info({ provider: name }, 'provider does not know stream_options; usage of its streams is estimated');
      return http;
    }
  };

  const readCompletion = async (http: HttpExchange, outcome: GrowingOutcome): Promise<ChatCompletion> => {
    const bytes = await http.readAll(MAX_COMPLETION_BYTES);
    const body = parseJson(bytes.toString('utf8'));
    if (!isJsonObject(body))
      throw new ProviderUnavailableError(name, `${name} sent something that is no completion`, { isBadAnswer: true });
    if (isError(body)) throw toErrorOfBody(name, body, apiKeys);
    const first = choicesOf(body)[0];
    if (!first)
      throw new ProviderUnavailableError(name, `${name} sent a completion without choices`, { isBadAnswer: true });
    // OpenRouter reports the failure of a host behind it inside the choice.
    if (isError(first)) throw toErrorOfBody(name, first, apiKeys);
    if (!isJsonObject(first.message))
      throw new ProviderUnavailableError(name, `${name} sent a choice without a message`, { isBadAnswer: true });
    outcome.id = typeof body.id === 'string' ? body.id : undefined;
    outcome.finishReason = finishReasonOf(body) ?? 'stop';
    outcome.usage = usageOf(body);
    return { bytes, body, outcome };
  };

  return {
    async complete(request: ChatRequest, signal: AbortSignal) {
      const { model } = request.body;
      const http = await post(model, toWholeBody(request.body), endpoint.timeouts.totalMs, signal);
      try {
        http.markStarted();
        return await readCompletion(http, createOutcome(name, model));
      } catch (error) {
        throw endpoint.toError(error, signal);
      } finally {
        http.close();
      }
    },

    async stream(request: ChatRequest, signal: AbortSignal) {
      const { model } = request.body;
      const wantsUsage = isUsageWanted(request.body);
      const http = await openStream(request.body, signal);
      const type = http.headers['content-type'];
      if (!/json|html/i.test(String(type ?? ''))) {
        const toError = (error: unknown, isUnderWay: boolean) => endpoint.toError(error, signal, isUnderWay);
        const choiceCount = typeof request.body.n === 'number' ? request.body.n : 1;
        return openChatStream(
          http,
          { provider: name, model, wantsUsage, choiceCount, secrets: apiKeys, signal },
          toError,
        );
      }
      try {
        const completion = await readCompletion(http, createOutcome(name, model));
        return toStream(completion, wantsUsage);
      } catch (error) {
        throw endpoint.toError(error, signal);
      } finally {
        http.close();
      }
    },
  };
}

function isError(body: JsonObject): boolean {
  return body.error !== undefined && body.error !== null && body.error !== '';
}

/** A whole completion as a stream of one piece. */
function toStream(completion: ChatCompletion, wantsUsage: boolean): ChatStream {
  const chunks = toChunks(completion.body, wantsUsage);
  const bytes = Buffer.from(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''));
  return {
    outcome: { ...completion.outcome, deltaCount: chunks.filter(hasDelta).length },
    async *[Symbol.asyncIterator]() {
      yield bytes;
    },
  };
}

function isUsageWanted(body: ChatRequestBody): boolean {
  return isJsonObject(body.stream_options) && body.stream_options.include_usage === true;
}

function withUsageOption(body: ChatRequestBody): JsonObject {
  const options = isJsonObject(body.stream_options) ? body.stream_options : {};
  return { ...body, stream: true, stream_options: { ...options, include_usage: true } };
}

function withoutUsageOption(body: ChatRequestBody): JsonObject {
  const { stream_options: _options, ...rest } = body;
  return { ...rest, stream: true };
}

function toWholeBody(body: ChatRequestBody): JsonObject {
  const { stream: _stream, stream_options: _options, ...rest } = body;
  return rest;
}
