import type { HttpResponse } from '../../../../lib/http/http-client.ts';
import { withoutTrailingSlashes } from '../../../../lib/http/without-trailing-slashes.ts';
import { isJsonObject, type JsonObject } from '../../../../lib/json/json.ts';
import { printJson } from '../../../../lib/json/large-json.ts';
import { readJson } from '../../../../lib/json/read-json.ts';
import { isError, toErrorOfBody } from '../../../../protocols/error-answer.ts';
import { createChunkReader } from '../../../../protocols/openai-chat/chunk-reader.ts';
import { choicesOf, recordIdentity } from '../../../../protocols/openai-chat/read-answer.ts';
import { readUsage } from '../../../../protocols/openai-chat/read-usage.ts';
import type { BodyChange, OptionalParameter } from '../../../../protocols/optional-parameter.ts';
import type { ChatChoice, ChatCompletion, ChatPart, ChatStream } from '../../contract/chat-answer.ts';
import { createOutcome, type GrowingOutcome } from '../../contract/chat-outcome.ts';
import type { Dialect, NativeRequest } from '../../contract/chat-request.ts';
import { ProviderUnavailableError } from '../../contract/model-errors.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { createParameterFallback } from '../endpoint/parameter-fallback.ts';
import { collectCompletion, MAX_COMPLETION_BYTES } from '../stream/collect-completion.ts';
import { toStream } from '../stream/completion-stream.ts';
import { openEventStream } from '../stream/event-stream.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';

interface TextRequest {
  readonly model: string;
  readonly native?: NativeRequest | undefined;
}

/** One of OpenAI's protocols for completions. */
export interface TextProtocol<Request extends TextRequest> {
  readonly dialect: Dialect;
  /** Path below the base address. */
  readonly path: string;
  /** Returns the body without `stream`, `stream_options` and optional parameters. */
  toBody(request: Request): JsonObject;
  listOptionalParameters(request: Request): readonly OptionalParameter[];
  /** Returns the number of choices of a complete answer. */
  countChoices(request: Request): number;
  /** Returns whether the first choice of a completion has the form of this protocol. */
  isChoice(choice: JsonObject): boolean;
  readChoices(completion: JsonObject): readonly ChatChoice[];
  readParts(chunk: JsonObject): readonly ChatPart[];
}

interface PostForm {
  readonly accept: string;
  /** Replace those of the body. */
  readonly fields: JsonObject;
  readonly change: BodyChange;
  readonly startMs: number;
}

/** A model whose answers come at once or as a stream. */
interface TextModel<Request> {
  complete(request: Request, signal: AbortSignal): Promise<ChatCompletion>;
  stream(request: Request, signal: AbortSignal): Promise<ChatStream>;
}

/** Creates a model that speaks the protocol with one host. */
export function createTextModel<Request extends TextRequest>(
  { endpoint }: { readonly endpoint: Endpoint },
  { name, baseUrl, apiKeys }: OpenAiCompatibleConfig,
  protocol: TextProtocol<Request>,
): TextModel<Request> {
  const { dialect } = protocol;
  const url = new URL(withoutTrailingSlashes(baseUrl) + protocol.path);
  const fallback = createParameterFallback(endpoint);

  const post = async (request: Request, form: PostForm, signal: AbortSignal) =>
    endpoint.open(
      {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', accept: form.accept },
        body: await printJson({ ...form.change(protocol.toBody(request)), ...form.fields }),
        model: request.model,
        startMs: form.startMs,
      },
      signal,
    );

  const readCompletion = async (http: HttpResponse, outcome: GrowingOutcome): Promise<ChatCompletion> => {
    const bytes = await http.readAll(MAX_COMPLETION_BYTES);
    const body = await readJson(bytes);
    const isBadAnswer = true;
    if (!isJsonObject(body))
      throw new ProviderUnavailableError(name, `${name} sent something that is not a completion`, { isBadAnswer });
    if (isError(body)) throw toErrorOfBody(name, body, apiKeys);
    const first = choicesOf(body)[0];
    if (!first) throw new ProviderUnavailableError(name, `${name} sent a completion without choices`, { isBadAnswer });
    // OpenRouter reports a failed upstream host inside the choice.
    if (isError(first)) throw toErrorOfBody(name, first, apiKeys);
    if (!protocol.isChoice(first))
      throw new ProviderUnavailableError(name, `${name} sent a choice without an answer`, { isBadAnswer });
    const choices = protocol.readChoices(body);
    recordIdentity(outcome, body);
    outcome.finishReason = choices.at(-1)?.finishReason;
    outcome.usage = readUsage(body);
    return { choices, outcome, native: { dialect, bytes, lacksUsage: !outcome.usage } };
  };

  const readWhole = async (http: HttpResponse, { model }: Request, signal: AbortSignal): Promise<ChatCompletion> => {
    try {
      http.markStarted();
      return await readCompletion(http, createOutcome(name, model));
    } catch (error) {
      throw endpoint.toError(error, signal);
    } finally {
      http.close();
    }
  };

  const readEvents = (http: HttpResponse, request: Request, signal: AbortSignal): Promise<ChatStream> => {
    const toError = (error: unknown, isUnderWay: boolean) => endpoint.toError(error, signal, isUnderWay);
    const choiceCount = protocol.countChoices(request);
    const outcome = createOutcome(name, request.model);
    const answer = { provider: name, secrets: apiKeys };
    const reader = createChunkReader({ ...answer, choiceCount, readParts: protocol.readParts }, outcome);
    return openEventStream(http, { ...answer, dialect, outcome, reader, signal, toError });
  };

  return {
    async complete(request, signal) {
      const http = await fallback.send(request.model, protocol.listOptionalParameters(request), (fields, change) =>
        post(request, { accept: 'application/json', fields, change, startMs: endpoint.timeouts.totalMs }, signal),
      );
      if (await endpoint.startsWithEvents(http, signal))
        return collectCompletion(await readEvents(http, request, signal));
      return readWhole(http, request, signal);
    },

    async stream(request, signal) {
      const optional = [toUsageOption(request), ...protocol.listOptionalParameters(request)];
      const form = { accept: 'text/event-stream', startMs: endpoint.timeouts.firstTokenMs };
      const http = await fallback.send(request.model, optional, (fields, change) =>
        post(request, { ...form, fields: { ...fields, stream: true }, change }, signal),
      );
      if (await endpoint.startsWithEvents(http, signal)) return readEvents(http, request, signal);
      return toStream(await readWhole(http, request, signal));
    },
  };
}

/** Requests the usage of a stream. Left out for hosts that refuse it; the usage is estimated then. */
function toUsageOption({ native }: TextRequest): OptionalParameter {
  const nativeOptions = native?.body['stream_options'];
  const options = isJsonObject(nativeOptions) ? nativeOptions : {};
  return {
    name: 'usage',
    about: /stream_options|include_usage/,
    ways: [{ stream_options: { ...options, include_usage: true } }],
  };
}
