import type { Ranking, RerankModel, RerankRequest } from '../models/index.ts';
import { meterPrompt } from './metering/meter-prompt.ts';
import { TOKENS_PER_IMAGE, TOKENS_PER_MESSAGE } from './metering/prompt-bound.ts';
import type { MeteringDeps } from './metering/reserve-and-settle.ts';
import type { Requester } from './requester.ts';

interface RerankGenerationDeps extends MeteringDeps {
  /** Router; takes public model names. */
  readonly rerank: RerankModel;
}

/** Creates reranking with limits and usage recording. Throws the errors of the router and `LimitExceededError`. */
export function createRerankGeneration(deps: RerankGenerationDeps) {
  return {
    rerank: (requester: Requester, request: RerankRequest, signal: AbortSignal): Promise<Ranking> => {
      const estimateTokens = () => estimateRequest(request);
      const { model, extraFields } = request;
      const boundTokens = () => boundRequest(request);
      const mostRequests = Math.ceil(request.documents.length / DOCUMENTS_PER_SEARCH);
      const use = { kind: 'rerank', model, extraFields, signal, estimateTokens, boundTokens, mostRequests } as const;
      return meterPrompt(deps, requester, use, () => deps.rerank.rerank(request, signal));
    },
  };
}

/** Documents of one search, as Cohere charges for them. */
const DOCUMENTS_PER_SEARCH = 100;
const BYTES_PER_TOKEN = 4;

/** Returns the most tokens of a request: hosts read the query, and other fields, with each document. */
function boundRequest({ query, documents, extraFields }: RerankRequest): number {
  const repeated = boundInput([query, extraFields]);
  return documents.reduce<number>((sum, document) => sum + repeated + boundInput(document), 0);
}

function boundInput(input: unknown): number {
  const { bytes, images } = measure(input);
  return TOKENS_PER_MESSAGE + bytes + images * TOKENS_PER_IMAGE;
}

function estimateRequest({ query, documents }: RerankRequest): number {
  const { bytes, images } = measure([query, documents]);
  return Math.ceil(bytes / BYTES_PER_TOKEN) + images * TOKENS_PER_IMAGE;
}

interface InputSize {
  /** Bytes of texts and of the names of their fields. */
  readonly bytes: number;
  readonly images: number;
}

/** Measures a text, or an object of texts and images in any fields. */
function measure(input: unknown, name = ''): InputSize {
  if (typeof input === 'string')
    return isImage(name, input) ? { bytes: 0, images: 1 } : { bytes: Buffer.byteLength(name + input), images: 0 };
  if (typeof input !== 'object' || input === null) return { bytes: Buffer.byteLength(name), images: 0 };
  const fields = Array.isArray(input)
    ? input.map((entry: unknown): [string, unknown] => [name, entry])
    : Object.entries(input);
  let [bytes, images] = [0, 0];
  for (const [field, value] of fields) {
    const size = measure(value, field);
    bytes += size.bytes;
    images += size.images;
  }
  return { bytes, images };
}

/** Images are URLs, data URLs or base64. */
function isImage(name: string, text: string): boolean {
  return name !== '' && (/^data:/i.test(text) || (/image|url/i.test(name) && !/\s/.test(text.slice(0, 1000))));
}
