import { HttpSizeError } from '../../../../lib/http/http-client.ts';
import { withoutTrailingSlashes } from '../../../../lib/http/without-trailing-slashes.ts';
import { isJsonObject } from '../../../../lib/json/json.ts';
import { printJson } from '../../../../lib/json/large-json.ts';
import { readJson } from '../../../../lib/json/read-json.ts';
import { toErrorOfBody } from '../../../../protocols/error-answer.ts';
import { isRanking, printRerankRequest, readSearches, readTokens } from '../../../../protocols/openai-media/rerank.ts';
import { ProviderRejectedError, ProviderUnavailableError } from '../../contract/model-errors.ts';
import type { RerankModel } from '../../contract/rerank-model.ts';
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
      const http = await endpoint.open(
        {
          method: 'POST',
          url: rerankUrl ?? `${withoutTrailingSlashes(baseUrl)}/rerank`,
          headers: { accept: 'application/json', 'content-type': 'application/json' },
          body: await printJson(printRerankRequest(request)),
          model,
          startMs: endpoint.timeouts.totalMs,
        },
        signal,
      );
      try {
        http.markStarted();
        const native = await http.readAll(MAX_ANSWER_BYTES);
        const body = await readJson(native);
        if (isJsonObject(body) && body.error) throw toErrorOfBody(name, body, apiKeys);
        if (!isJsonObject(body) || !isRanking(body))
          throw new ProviderUnavailableError(name, `${name} sent something that is no ranking`, { isBadAnswer: true });
        return { native, promptTokens: readTokens(body), chargedRequests: readSearches(body), provider: name, model };
      } catch (error) {
        if (error instanceof HttpSizeError) throw new ProviderRejectedError(name, 413, TOO_LARGE);
        throw endpoint.toError(error, signal);
      } finally {
        http.close();
      }
    },
  };
}
