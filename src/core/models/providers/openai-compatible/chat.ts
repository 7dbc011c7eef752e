import type { HttpResponse } from '../../../../lib/http-client.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../../lib/json.ts';
import { withoutTrailingSlashes } from '../../../../lib/without-trailing-slashes.ts';
import {
  type ChatCompletion,
  type ChatModel,
  type ChatRequest,
  createOutcome,
  type GrowingOutcome,
} from '../../chat-model.ts';
import { ProviderUnavailableError } from '../../model-errors.ts';
import { toStream } from '../completion-stream.ts';
import { toChatBody, toFallbackParameters } from './chat-body.ts';
import { openChatStream } from './chat-stream.ts';
import type { Endpoint } from './endpoint.ts';
import { toErrorOfBody } from './error-answer.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';
import { createParameterFallback, type OptionalParameter } from './parameter-fallback.ts';
import { choicesOf, readChoices, readUsage, recordIdentity } from './read-chat.ts';

const MAX_COMPLETION_BYTES = 64 * 1024 * 1024;

/** Creates a chat model for one endpoint. */
export function createChat({ endpoint }: { readonly endpoint: Endpoint }, config: OpenAiCompatibleConfig): ChatModel {
  const { name, apiKeys } = config;
  const url = new URL(`${withoutTrailingSlashes(config.baseUrl)}/chat/completions`);
  const fallback = createParameterFallback();

  const post = (request: ChatRequest, accept: string, fields: JsonObject, startMs: number, signal: AbortSignal) =>
    endpoint.open(
      {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', accept },
        body: JSON.stringify({ ...toChatBody(request), ...fields }),
        model: request.model,
        startMs,
      },
      signal,
    );

  const readCompletion = async (http: HttpResponse, outcome: GrowingOutcome): Promise<ChatCompletion> => {
    const bytes = await http.readAll(MAX_COMPLETION_BYTES);
    const body = parseJson(bytes.toString('utf8'));
    const isBadAnswer = true;
    if (!isJsonObject(body))
      throw new ProviderUnavailableError(name, `${name} sent something that is not a completion`, { isBadAnswer });
    if (isError(body)) throw toErrorOfBody(name, body, apiKeys);
    const first = choicesOf(body)[0];
    if (!first) throw new ProviderUnavailableError(name, `${name} sent a completion without choices`, { isBadAnswer });
    // OpenRouter reports a failed upstream host inside the choice.
    if (isError(first)) throw toErrorOfBody(name, first, apiKeys);
    if (!isJsonObject(first.message))
      throw new ProviderUnavailableError(name, `${name} sent a choice without a message`, { isBadAnswer });
    const choices = readChoices(body);
    recordIdentity(outcome, body);
    outcome.finishReason = choices.at(-1)?.finishReason;
    outcome.usage = readUsage(body);
    return { choices, outcome, native: { dialect: 'chat-completions', bytes } };
  };

  return {
    dialects: ['chat-completions'],
    async complete(request, signal) {
      const parameters = toFallbackParameters(request);
      const http = await fallback.send(request.model, parameters, (fields) =>
        post(request, 'application/json', fields, endpoint.timeouts.totalMs, signal),
      );
      try {
        http.markStarted();
        return await readCompletion(http, createOutcome(name, request.model));
      } catch (error) {
        throw endpoint.toError(error, signal);
      } finally {
        http.close();
      }
    },

    async stream(request, signal) {
      const { model } = request;
      const optional = [toUsageOption(request), ...toFallbackParameters(request)];
      const http = await fallback.send(model, optional, (fields) =>
        post(request, 'text/event-stream', { ...fields, stream: true }, endpoint.timeouts.firstTokenMs, signal),
      );
      if (!/json|html/i.test(String(http.headers['content-type'] ?? ''))) {
        const toError = (error: unknown, isUnderWay: boolean) => endpoint.toError(error, signal, isUnderWay);
        const choiceCount = request.choiceCount ?? 1;
        return openChatStream(http, { provider: name, model, choiceCount, secrets: apiKeys, signal, toError });
      }
      try {
        return toStream(await readCompletion(http, createOutcome(name, model)));
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

/** Requests the usage of a stream. Left out for hosts that refuse it; the usage is estimated then. */
function toUsageOption({ native }: ChatRequest): OptionalParameter {
  const nativeOptions = native?.body['stream_options'];
  const options = isJsonObject(nativeOptions) ? nativeOptions : {};
  return {
    name: 'usage',
    about: /stream_options|include_usage/,
    ways: [{ stream_options: { ...options, include_usage: true } }],
  };
}
