import type { EmbeddingInput, EmbeddingModel, EmbeddingRequest, Embeddings } from '../models/index.ts';
import { guessTokens } from './metering/estimate-tokens.ts';
import { meterPrompt } from './metering/meter-prompt.ts';
import type { MeteringDeps } from './metering/reserve-and-settle.ts';
import type { Requester } from './requester.ts';

/** Embeddings with limits and usage recording. Throws the errors of the router and `LimitExceededError`. */
export type EmbeddingGeneration = ReturnType<typeof createEmbeddingGeneration>;

/** `promptTokens` is an estimate if the host reports none. */
export type CountedEmbeddings = Embeddings & { readonly promptTokens: number };

interface EmbeddingGenerationDeps extends MeteringDeps {
  /** Router; takes public model names. */
  readonly embedding: EmbeddingModel;
}

export function createEmbeddingGeneration(deps: EmbeddingGenerationDeps) {
  return {
    embed: (requester: Requester, request: EmbeddingRequest, signal: AbortSignal): Promise<CountedEmbeddings> => {
      const use = {
        kind: 'embedding',
        model: request.model,
        extraFields: request.extraFields,
        signal,
        estimateTokens: () => countTokens(request.inputs),
        boundTokens: () => request.inputs.reduce((sum, input) => sum + boundInput(input), 0),
      } as const;
      return meterPrompt(deps, requester, use, () => deps.embedding.embed(request, signal));
    },
  };
}

function countTokens(inputs: readonly EmbeddingInput[]): number {
  const tokenLists = inputs.filter((input) => typeof input !== 'string');
  const texts = inputs.filter((input) => typeof input === 'string');
  return guessTokens(texts) + tokenLists.reduce((sum, tokens) => sum + tokens.length, 0);
}

/** Returns the most tokens of an input; hosts add a few to each. */
function boundInput(input: EmbeddingInput): number {
  return 16 + (typeof input === 'string' ? Buffer.byteLength(input) : input.length);
}
