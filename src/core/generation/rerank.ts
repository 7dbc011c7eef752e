import type { Ranking, RerankModel, RerankRequest } from '../models/index.ts';
import { guessTokens } from './metering/estimate-tokens.ts';
import { meterPrompt } from './metering/meter-prompt.ts';
import { TOKENS_PER_IMAGE } from './metering/prompt-bound.ts';
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
      const estimateTokens = () => guessTokens(listTexts(request));
      const { model, extraFields } = request;
      const boundTokens = () => boundRequest(request);
      const use = { kind: 'rerank', model, extraFields, signal, estimateTokens, boundTokens } as const;
      return meterPrompt(deps, requester, use, () => deps.rerank.rerank(request, signal));
    },
  };
}

/** Returns the most tokens of a request: hosts read the query with each document. */
function boundRequest({ query, documents }: RerankRequest): number {
  const queryTokens = boundInput(query);
  return documents.reduce<number>((sum, document) => sum + queryTokens + boundInput(document), 0);
}

function boundInput(input: RerankRequest['query']): number {
  const images = typeof input === 'string' || typeof input['text'] === 'string' ? 0 : TOKENS_PER_IMAGE;
  return 16 + images + Buffer.byteLength(toText(input));
}

function listTexts({ query, documents }: RerankRequest): readonly string[] {
  return [toText(query), ...documents.map(toText)];
}

function toText(input: RerankRequest['query']): string {
  if (typeof input === 'string') return input;
  return typeof input['text'] === 'string' ? input['text'] : '';
}
