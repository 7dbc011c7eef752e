import type { Database } from '../../../database/connect.ts';
import { createCache } from '../../../lib/async/cache.ts';
import type { Clock } from '../../../lib/clock.ts';
import { describeError } from '../../../lib/errors/describe-error.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import type { ChatOwner } from '../../conversations/index.ts';
import type { ModelEntry } from '../../models/index.ts';
import { embedTexts, type MeaningDeps, toVectorModel } from '../embed-texts.ts';
import { findNearestChunks, findVectorRange, type QueryVector } from './nearest-chunks.ts';
import type { Match } from './search-chunks.ts';

export interface MeaningSearchDeps extends MeaningDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A search waits at most this long for the embedding model. */
const QUERY_TIMEOUT_MS = 2000;
/** Time after a failure during which the model is not called. */
const REST_MS = 30_000;
/** Vectors of queries are cached for a while, because each page of results is a search. */
const KEPT_QUERIES = { max: 200, ttlMs: 5 * 60_000 };

export function createMeaningSearch(deps: MeaningSearchDeps, closing: AbortSignal) {
  const { db, clock, catalogue, logger } = deps;
  const known = createCache<string, Float32Array>(clock, KEPT_QUERIES);
  let restsUntil = 0;

  const toVector = async (
    model: ModelEntry,
    query: string,
    usedBy: { readonly userId: number; readonly chatId: number | undefined },
  ): Promise<QueryVector | undefined> => {
    const key = JSON.stringify([model.id, query]);
    const vectorModel = toVectorModel(model);
    const cached = known.get(key);
    if (cached) return { model: vectorModel, numbers: cached };
    if (clock.now() < restsUntil) return undefined;
    const [numbers] = await embedTexts(deps, { model, texts: [query], usedBy, timeoutMs: QUERY_TIMEOUT_MS }, closing);
    if (!numbers) return undefined;
    known.set(key, numbers);
    return { model: vectorModel, numbers };
  };

  return {
    /**
     * Returns the owner's chunks that are nearest to a query in their meaning, the nearest first. Returns none if there is
     * no embedding model, or if it fails: then a search by words has to do.
     * @param userId user who searches; without one, a group's library is not searched.
     */
    async search(owner: ChatOwner, query: string, userId: number | undefined): Promise<readonly Match[]> {
      const model = catalogue.libraryEmbeddingModel();
      const usedBy =
        'userId' in owner ? { userId: owner.userId, chatId: undefined } : { userId, chatId: owner.groupId };
      if (!model || usedBy.userId === undefined) return [];
      try {
        const range = await findVectorRange(db, owner);
        const vector = range && (await toVector(model, query, { ...usedBy, userId: usedBy.userId }));
        return vector ? await findNearestChunks(db, owner, vector, range) : [];
      } catch (error) {
        if (closing.aborted) return [];
        restsUntil = clock.now() + REST_MS;
        const facts = { model: model.id, reason: describeError(error), pauseMs: REST_MS };
        logger.warn(facts, 'the library could not be searched by meaning; it is searched by words only for a while');
        return [];
      }
    },
  };
}
