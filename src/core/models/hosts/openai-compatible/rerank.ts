import { HttpSizeError } from '../../../../lib/http/http-client.ts';
import { withoutTrailingSlashes } from '../../../../lib/http/without-trailing-slashes.ts';
import { isJsonObject } from '../../../../lib/json/json.ts';
import { readJson } from '../../../../lib/json/read-json.ts';
import { toErrorOfBody } from '../../../../protocols/error-answer.ts';
import { isRanking, printRerankRequest, readSearches, readTokens } from '../../../../protocols/openai-media/rerank.ts';
import { ProviderRejectedError, ProviderUnavailableError } from '../../contract/model-errors.ts';
import type { RerankModel } from '../../contract/rerank-model.ts';
import { askForBytes } from '../endpoint/ask-for-json.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';

const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** Other hosts would answer with as much. */
const TOO_LARGE = {
  message: 'The ranking is too large. Ask for fewer results, or leave the documents out of it.',
  param: 'documents',
  code: 'answer_too_large',
};

/** Creates rerank models for `/rerank`, which Cohere, Jina, Together, vLLM, llama.cpp and others have. */
export function createRerank(
  { endpoint }: { readonly endpoint: Endpoint },
  { name, baseUrl, apiKeys, rerankUrl }: Pick<OpenAiCompatibleConfig, 'name' | 'baseUrl' | 'apiKeys' | 'rerankUrl'>,
): RerankModel {
  return {
    async rerank(request, signal) {
      const { model } = request;
      const url = new URL(rerankUrl ?? 'rerank', `${withoutTrailingSlashes(baseUrl)}/`).href;
      const question = { url, body: printRerankRequest(request), model, startMs: endpoint.timeouts.totalMs };
      const native = await askForBytes(
        { provider: name, endpoint },
        { ...question, maxBytes: MAX_ANSWER_BYTES },
        signal,
      ).catch((error: unknown) => {
        const isTooLarge = error instanceof ProviderUnavailableError && error.cause instanceof HttpSizeError;
        throw isTooLarge ? new ProviderRejectedError(name, 413, TOO_LARGE) : error;
      });
      const body = await readJson(native);
      if (isJsonObject(body) && body.error) throw toErrorOfBody(name, body, apiKeys);
      if (!isJsonObject(body) || !isRanking(body))
        throw new ProviderUnavailableError(name, `${name} sent something that is no ranking`, { isBadAnswer: true });
      return { native, promptTokens: readTokens(body), chargedRequests: readSearches(body), provider: name, model };
    },
  };
}
