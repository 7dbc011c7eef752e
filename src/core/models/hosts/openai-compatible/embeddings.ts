import { withoutTrailingSlashes } from '../../../../lib/http/without-trailing-slashes.ts';
import { printJson } from '../../../../lib/json/large-json.ts';
import { toErrorOfBody } from '../../../../protocols/error-answer.ts';
import { readUsage } from '../../../../protocols/openai-chat/read-usage.ts';
import { decodeVectors, readVectors } from '../../../../protocols/openai-media/embeddings-answer.ts';
import { printEmbeddingRequest } from '../../../../protocols/openai-media/embeddings-request.ts';
import type { EmbeddingModel } from '../../contract/embedding-model.ts';
import { ProviderUnavailableError } from '../../contract/model-errors.ts';
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
      const http = await fallback.send(model, [format], async (fields) =>
        endpoint.open(
          {
            method: 'POST',
            url,
            headers: { accept: 'application/json', 'content-type': 'application/json' },
            body: await printJson({ ...printEmbeddingRequest(request), ...fields }),
            model,
            startMs: endpoint.timeouts.totalMs,
          },
          signal,
        ),
      );
      try {
        http.markStarted();
        const bytes = await http.readAll(MAX_ANSWER_BYTES);
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
      } catch (error) {
        throw endpoint.toError(error, signal);
      } finally {
        http.close();
      }
    },
  };
}

function badAnswer(provider: string): ProviderUnavailableError {
  return new ProviderUnavailableError(provider, `${provider} sent something that is no list of embeddings`, {
    isBadAnswer: true,
  });
}
