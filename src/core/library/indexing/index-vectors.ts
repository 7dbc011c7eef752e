import { and, desc, eq, gt, isNull, lte, max } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { libraryChunks, libraryVectors } from '../../../database/schema/index.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import { describeError } from '../../../lib/errors/describe-error.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import type { ModelEntry } from '../../models/index.ts';
import { type MeaningDeps, toVectorModel } from '../embed-texts.ts';
import { embedChunks } from './embed-chunks.ts';

export interface VectorIndexDeps extends MeaningDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

export type VectorIndex = ReturnType<typeof createVectorIndex>;

/** Chunks that one statement examines. */
const WINDOW_CHUNKS = 4000;
/** Chunks that get vectors in one step. */
const STEP_CHUNKS = 40;
/** All chunks are examined again after this time, such as those whose transaction has committed after later ones. */
const SWEEP_EVERY_MS = 3_600_000;

const IDLE_MS = 2000;
/** The first pause after a failure; each further one is twice as long. */
const RETRY_AFTER_MS = 5000;
const MAX_RETRY_AFTER_MS = 10 * 60_000;

/** Ids of chunks that are not examined yet. */
interface IdRange {
  readonly after: number;
  readonly upTo: number;
}

interface Sweep {
  readonly model: string;
  readonly endsAt: number;
  /** Last chunk at the beginning of `newer`. */
  readonly last: number;
  /** Chunks that were added during the sweep. */
  readonly newer: IdRange;
  readonly older: IdRange;
}

/** Creates an index whose progress is in memory: a new process examines all chunks once, without calling the model. */
export function createVectorIndex(deps: VectorIndexDeps) {
  const { db, clock, catalogue } = deps;
  let sweep: Sweep | undefined;

  const beginStep = async (model: ModelEntry): Promise<Sweep> => {
    const name = toVectorModel(model);
    if (sweep?.model === name && clock.now() < sweep.endsAt && !isEmpty(sweep.newer)) return sweep;
    const [{ last } = { last: null }] = await db.select({ last: max(libraryChunks.id) }).from(libraryChunks);
    const upTo = last ?? 0;
    if (sweep?.model !== name || clock.now() >= sweep.endsAt) {
      const nothing = { after: upTo, upTo };
      return {
        model: name,
        endsAt: clock.now() + SWEEP_EVERY_MS,
        last: upTo,
        newer: nothing,
        older: { after: 0, upTo },
      };
    }
    return upTo <= sweep.last ? sweep : { ...sweep, last: upTo, newer: { after: sweep.last, upTo } };
  };

  return {
    /**
     * Gives vectors to a limited number of chunks that have none of the current model, the newest first.
     * @returns whether more may be left to do.
     * @throws errors of the embedding model and the database. The same chunks are tried again next time, except those
     * that the model refuses.
     */
    async advance(signal: AbortSignal): Promise<boolean> {
      const model = catalogue.libraryEmbeddingModel();
      if (!model) return false;
      sweep = await beginStep(model);
      const which = isEmpty(sweep.newer) ? 'older' : 'newer';
      const range = sweep[which];
      if (isEmpty(range)) return false;
      const window = { after: Math.max(range.after, range.upTo - WINDOW_CHUNKS), upTo: range.upTo };
      const ids = await findWithoutVector(db, sweep.model, window);
      const examined = ids.length < STEP_CHUNKS ? window.after : Math.min(...ids) - 1;
      const isAccepted = await embedChunks(deps, model, ids, signal);
      sweep = { ...sweep, [which]: { after: range.after, upTo: examined } };
      if (!isAccepted) throw new Error(`The embedding model ${model.id} refuses the texts`);
      return true;
    },
  };
}

/** Advances an index until the signal aborts, with pauses after failures. */
export async function embedWhileNeeded(
  { clock, logger }: Pick<VectorIndexDeps, 'clock' | 'logger'>,
  index: VectorIndex,
  signal: AbortSignal,
): Promise<void> {
  let failureCount = 0;
  while (!signal.aborted) {
    const beganAt = performance.now();
    let pauseMs: number;
    try {
      // As long as the step took: other work needs the database and the model too.
      pauseMs = (await index.advance(signal)) ? performance.now() - beganAt : IDLE_MS;
      failureCount = 0;
    } catch (error) {
      if (signal.aborted) return;
      pauseMs = Math.min(MAX_RETRY_AFTER_MS, RETRY_AFTER_MS * 2 ** failureCount);
      failureCount += 1;
      logger.warn({ reason: describeError(error), pauseMs }, 'texts of the library get no vectors for now');
    }
    await sleep(clock, pauseMs, signal).catch(() => {});
  }
}

function isEmpty({ after, upTo }: IdRange): boolean {
  return upTo <= after;
}

/** Returns the newest chunks of a range that have no vector of the model. */
async function findWithoutVector(db: Database, model: string, { after, upTo }: IdRange): Promise<readonly number[]> {
  const { chunkId } = libraryVectors;
  const rows = await db
    .select({ id: libraryChunks.id })
    .from(libraryChunks)
    .leftJoin(libraryVectors, and(eq(chunkId, libraryChunks.id), eq(libraryVectors.model, model)))
    .where(and(gt(libraryChunks.id, after), lte(libraryChunks.id, upTo), isNull(chunkId)))
    .orderBy(desc(libraryChunks.id))
    .limit(STEP_CHUNKS);
  return rows.map(({ id }) => id);
}
