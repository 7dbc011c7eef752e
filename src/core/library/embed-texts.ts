import { type Clock, runWithin } from '../../lib/clock.ts';
import type { EmbeddingGeneration } from '../generation/index.ts';
import type { Catalogue, ModelEntry } from '../models/index.ts';
import { toNumbers } from './vectors.ts';

/** The embedding model of the library. */
export interface MeaningDeps {
  readonly embeddings: EmbeddingGeneration;
  readonly catalogue: Pick<Catalogue, 'libraryEmbeddingModel'>;
}

export interface TextsToEmbed {
  readonly model: ModelEntry;
  /** At least one, none of them empty. */
  readonly texts: readonly string[];
  /** User and group that the usage is recorded for. It counts against the budget of the instance only. */
  readonly usedBy: { readonly userId: number; readonly chatId: number | undefined };
  readonly timeoutMs: number;
}

/** @throws errors of `EmbeddingGeneration`; if the model takes too long or returns something that is no vector. */
export async function embedTexts(
  { embeddings, clock }: Pick<MeaningDeps, 'embeddings'> & { readonly clock: Clock },
  { model, texts, usedBy, timeoutMs }: TextsToEmbed,
  signal: AbortSignal,
): Promise<readonly Float32Array[]> {
  const toReason = () => new Error(`The embedding model did not answer within ${timeoutMs} ms`);
  const { vectors } = await runWithin(clock, { timeoutMs, toReason, signal }, (inTime) =>
    embeddings.embed(
      { ...usedBy, keyId: undefined, isUnlimited: true },
      { model: model.id, inputs: texts, encoding: 'base64' },
      inTime,
    ),
  );
  return Array.from(vectors, toNumbers);
}

/** Returns the name under which vectors of a model are stored: all of its hosts have the same. */
export function toVectorModel({ id, targets }: ModelEntry): string {
  return targets[0]?.model ?? id;
}
