import { toEntryId } from '../entry-id.ts';
import type { Match } from './search-chunks.ts';

/** Constant of reciprocal rank fusion: the greater, the less the first ranks count. */
const SMOOTHING = 60;

/**
 * Merges results of several searches by their ranks, because their scores can't be compared. Each entry is returned
 * once, with its best chunk of the first search that has found it.
 */
export function mergeRanks(searches: readonly (readonly Match[])[]): readonly Match[] {
  const merged = new Map<string, { readonly match: Match; readonly score: number }>();
  for (const matches of searches)
    for (const [rank, match] of listBest(matches).entries()) {
      const id = toEntryId(match.entry);
      const known = merged.get(id);
      merged.set(id, { match: known?.match ?? match, score: (known?.score ?? 0) + 1 / (SMOOTHING + rank) });
    }
  return [...merged.values()].toSorted((one, other) => other.score - one.score).map(({ match }) => match);
}

/** Returns the best match of each entry. */
function listBest(matches: readonly Match[]): readonly Match[] {
  const best = new Map<string, Match>();
  for (const match of matches) {
    const id = toEntryId(match.entry);
    if (!best.has(id)) best.set(id, match);
  }
  return [...best.values()];
}
