import type { HttpExchange } from '../../../../lib/http-client.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../../lib/json.ts';
import { restoreLongStrings } from '../../../../lib/json-outline.ts';
import { replaceFields } from '../../../../lib/json-text.ts';
import type { Logger } from '../../../../lib/logger.ts';
import { withoutTrailingSlashes } from '../../../../lib/without-trailing-slashes.ts';
import type { ChatCompletion, ChatModel, ChatRequest, ChatRequestBody, ChatStream } from '../../chat-model.ts';
import { ProviderRejectedError, ProviderUnavailableError } from '../../model-errors.ts';
import { keepFields, type Mode } from './chat-body.ts';
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
  const url = new URL(`${withoutTrailingSlashes(config.baseUrl)}/chat/completions`);
  let understandsUsageOption = true;

  const post = (request: ChatRequest, mode: Mode, startMs: number, signal: AbortSignal) =>
    endpoint.open(
      {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', accept: mode.stream ? 'text/event-stream' : 'application/json' },
        body: toText(request, mode),
        model: request.body.model,
        startMs,
      },
      signal,
    );

  const openStream = async (request: ChatRequest, signal: AbortSignal): Promise<HttpExchange> => {
    const { firstTokenMs } = endpoint.timeouts;
    if (!understandsUsageOption) return post(request, STREAM_ALONE, firstTokenMs, signal);
    try {
      return await post(request, toStreamWithUsage(request.body), firstTokenMs, signal);
    } catch (error) {
      if (!(error instanceof ProviderRejectedError) || !/stream_options|include_usage/.test(error.message)) throw error;
      const http = await post(request, STREAM_ALONE, firstTokenMs, signal);
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
      const http = await post(request, WHOLE, endpoint.timeouts.totalMs, signal);
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
      const http = await openStream(request, signal);
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

const WHOLE: Mode = { stream: undefined, stream_options: undefined };
const STREAM_ALONE: Mode = { stream: true, stream_options: undefined };

function toStreamWithUsage(body: ChatRequestBody): Mode {
  const options = isJsonObject(body.stream_options) ? body.stream_options : {};
  return { stream: true, stream_options: { ...options, include_usage: true } };
}

function toText({ body, json }: ChatRequest, mode: Mode): string | Buffer {
  const fields = { model: body.model, ...mode };
  if (!json) return JSON.stringify({ ...body, ...fields });
  const outline = keepFields(json.outline, body, mode) ?? replaceFields(json.outline, fields);
  if (outline === json.outline) return json.bytes;
  return outline ? restoreLongStrings(outline, json) : JSON.stringify({ ...body, ...fields });
}
