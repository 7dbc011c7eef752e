import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { Download } from '../../../../lib/http/public-fetch.ts';
import { isJsonObject } from '../../../../lib/json/json.ts';
import { toErrorOfBody } from '../../../../protocols/error-answer.ts';
import type { ChatStream } from '../../contract/chat-answer.ts';
import type { ChatModel } from '../../contract/chat-model.ts';
import { createOutcome } from '../../contract/chat-outcome.ts';
import type { ChatRequest } from '../../contract/chat-request.ts';
import {
  ProviderError,
  ProviderStreamError,
  ProviderUnavailableError,
  UntranslatableError,
} from '../../contract/model-errors.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { createParameterFallback } from '../endpoint/parameter-fallback.ts';
import { collectCompletion } from '../stream/collect-completion.ts';
import { type CallOptions, type SdkVendor, toCallOptions, toOptionalParameters } from './call-options.ts';
import { createFileReader, toPrompt } from './prompt.ts';
import { createSdkRequest } from './sdk-request.ts';
import { openSdkStream } from './sdk-stream.ts';

interface SdkErrorContext {
  readonly provider: string;
  /** Secrets to remove from the vendor's messages. */
  readonly secrets: readonly string[];
}

export interface SdkChatDeps {
  readonly endpoint: Endpoint;
  /** Downloads images and files that messages contain as addresses. */
  readonly download: Download;
}

/** Creates a chat model for a vendor. All answers are streamed by the vendor, whole completions too. */
export function createSdkChat(deps: SdkChatDeps, context: SdkErrorContext, vendor: SdkVendor): ChatModel {
  const { endpoint } = deps;
  const { provider } = context;
  const fallback = createParameterFallback(endpoint);

  const send = async (
    request: ChatRequest,
    options: CallOptions & { readonly prompt: LanguageModelV4Prompt },
    startMs: number,
    signal: AbortSignal,
  ): Promise<ChatStream> => {
    const { model } = request;
    const toError = (error: unknown, isUnderWay: boolean) =>
      signal.aborted ? signal.reason : toProviderError(error, context, isUnderWay);
    const sdkRequest = createSdkRequest(endpoint, { provider, model, startMs, signal });
    const outcome = createOutcome(provider, model);
    try {
      const sdkModel = await vendor.createModel(model, sdkRequest.fetch);
      const { stream } = await sdkModel.doStream({ ...options, abortSignal: signal } as LanguageModelV4CallOptions);
      const { metadataKey } = vendor;
      return await openSdkStream(stream, { provider, metadataKey, request, outcome, sdkRequest, toError });
    } catch (error) {
      sdkRequest.close();
      throw toError(error, false);
    }
  };

  const open = async (original: ChatRequest, startMs: number, signal: AbortSignal): Promise<ChatStream> => {
    signal.throwIfAborted();
    try {
      const request = vendor.prepare(original);
      const files = createFileReader(deps.download, signal);
      const prompt = await toPrompt(request.messages, { metadataKey: vendor.metadataKey, files });
      const options = { ...toCallOptions(request), providerOptions: vendor.toProviderOptions(request), prompt };
      return await fallback.send(request.model, toOptionalParameters(request), (fields) =>
        send(request, { ...options, ...fields }, startMs, signal),
      );
    } catch (error) {
      throw signal.aborted ? signal.reason : toProviderError(error, context, false);
    }
  };

  return {
    stream: (request, signal) => open(request, endpoint.timeouts.firstTokenMs, signal),
    async complete(request, signal) {
      try {
        return await collectCompletion(await open(request, endpoint.timeouts.totalMs, signal));
      } catch (error) {
        // Nothing was delivered, however much of the answer has arrived.
        throw signal.aborted ? signal.reason : toProviderError(error, context, false);
      }
    },
  };
}

/**
 * Converts an error of a package. Errors of the SDK are not kept as causes: they contain the request.
 * @param isUnderWay whether a part of the answer was delivered.
 */
function toProviderError(error: unknown, context: SdkErrorContext, isUnderWay: boolean): ProviderError {
  const { provider } = context;
  const known = findProviderError(error) ?? convert(error, context);
  if (isUnderWay && !(known instanceof ProviderStreamError))
    return new ProviderStreamError(provider, `${known.message}, in the middle of the answer`, { cause: known });
  // Nothing was delivered yet, so another provider may be tried.
  if (!isUnderWay && known instanceof ProviderStreamError)
    return new ProviderUnavailableError(provider, known.message, { cause: known });
  return known;
}

const MAX_CAUSES = 5;

/** Packages wrap errors of `fetch`. */
function findProviderError(error: unknown): ProviderError | undefined {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if (current instanceof ProviderError) return current;
    current = current.cause;
  }
  return undefined;
}

function convert(error: unknown, { provider, secrets }: SdkErrorContext): ProviderError {
  if (error instanceof Error && error.name === 'AI_UnsupportedFunctionalityError')
    return new UntranslatableError('messages', `can't be sent to this model: ${error.message}`);
  // An error that the vendor sent in the middle of the stream.
  if (isJsonObject(error) && typeof error.message === 'string' && !(error instanceof Error))
    return toErrorOfBody(provider, { error: { message: error.message, code: error.statusCode } }, secrets);
  const message = `${provider} sent something that is not a completion`;
  return new ProviderUnavailableError(provider, message, { isBadAnswer: true });
}
