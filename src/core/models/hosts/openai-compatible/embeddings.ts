import { withoutTrailingSlashes } from '../../../../lib/http/without-trailing-slashes.ts';
import { toErrorOfBody } from '../../../../protocols/error-answer.ts';
import { readUsage } from '../../../../protocols/openai-chat/read-usage.ts';
import { decodeVectors, readVectors } from '../../../../protocols/openai-media/embeddings-answer.ts';
import { printEmbeddingRequest } from '../../../../protocols/openai-media/embeddings-request.ts';
import type { EmbeddingModel } from '../../contract/embedding-model.ts';
import { ProviderUnavailableError } from '../../contract/model-errors.ts';
import { askForBytes } from '../endpoint/ask-for-json.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { createParameterFallback } from '../endpoint/parameter-fallback.ts';
import type { OpenAiCompatibleConfig } from './openai-compatible-config.ts';

/** 2048 vectors of 3072 numbers in base64 have 34 MB, as decimal numbers about 80 MB. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;

/** Creates embedding models for OpenAI's `/embeddings` and compatible servers. */
export function createEmbeddings(
  { endpoint }: { readonly endpoint: Endpoint },
  { name, baseUrl, apiKeys }: Pick<OpenAiCompatibleConfig, 'name' | 'baseUrl' | 'apiKeys'>,
): EmbeddingModel {
  const url = `${withoutTrailingSlashes(baseUrl)}/embeddings`;
  const fallback = createParameterFallback(endpoint);
  return {
    async embed(request, signal) {
      const { model, inputs, encoding } = request;
      // Some hosts refuse the field and always return numbers.
      const format = { name: 'encoding', about: /encoding_format/, ways: [{ encoding_format: encoding }] };
      const bytes = await fallback.send(model, [format], (fields) => {
        const body = { ...printEmbeddingRequest(request), ...fields };
        const question = { url, body, model, startMs: endpoint.timeouts.totalMs, maxBytes: MAX_ANSWER_BYTES };
        return askForBytes({ provider: name, endpoint }, question, signal);
      });
      const answer = await readVectors(bytes, inputs.length);
      if (answer?.body.error) throw toErrorOfBody(name, answer.body, apiKeys);
      if (!answer?.vectors) throw badAnswer(name);
      const usage = readUsage(answer.body);
      const [first, ...others] = new Set(answer.vectors.map((vector) => vector.encoding));
      return {
        vectors: decodeVectors(answer.vectors, () => badAnswer(name)),
        promptTokens: usage && usage.promptTokens + usage.completionTokens,
        reportedModel: typeof answer.body.model === 'string' ? answer.body.model : undefined,
        native: first !== undefined && others.length === 0 ? { encoding: first, bytes } : undefined,
        provider: name,
        model,
      };
    },
  };
}

function badAnswer(provider: string): ProviderUnavailableError {
  return new ProviderUnavailableError(provider, `${provider} sent something that is no list of embeddings`, {
    isBadAnswer: true,
  });
}
