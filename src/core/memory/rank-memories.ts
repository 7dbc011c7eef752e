import { estimateTokens } from '../conversations/index.ts';
import type { Memory } from './memories.ts';

/** Longer questions are compared by their first characters. */
const MAX_QUESTION_CHARACTERS = 4000;
const MIN_WORD_CHARACTERS = 3;
/** Words are equal if they begin alike: a crude stemming that works in most languages with endings. */
const STEM_CHARACTERS = 5;
/** Tokens of a line around its text. */
const LINE_TOKENS = 20;

/**
 * Selects memories for a prompt, oldest first. If not all fit, half of the space is for the newest ones, and the rest
 * for those that share rare words with the question. The same memories are always in the same order, so that a
 * provider's prompt cache stays valid.
 */
export function selectMemories<Item extends Pick<Memory, 'id' | 'text'>>(
  memories: readonly Item[],
  { question, maxTokens }: { readonly question: string; readonly maxTokens: number },
): readonly Item[] {
  const chosen = new Set<Item>();
  let leftTokens = maxTokens;
  const take = (candidates: readonly Item[], keptTokens: number) => {
    for (const memory of candidates) {
      const tokens = estimateTokens(memory.text) + LINE_TOKENS;
      if (chosen.has(memory) || leftTokens - tokens < keptTokens) continue;
      chosen.add(memory);
      leftTokens -= tokens;
    }
  };
  const newest = memories.toSorted((one, other) => other.id - one.id);
  take(newest, maxTokens / 2);
  take(rankMemories(newest, question), 0);
  take(newest, 0);
  return [...chosen].sort((one, other) => one.id - other.id);
}

/** Returns the memories that contain a text, then those that share words with it. */
export function searchMemories<Item extends Pick<Memory, 'text'>>(
  memories: readonly Item[],
  text: string,
): readonly Item[] {
  const wanted = text.toLowerCase();
  const containing = memories.filter((memory) => memory.text.toLowerCase().includes(wanted));
  return [...new Set([...containing, ...rankMemories(memories, text)])];
}

/** Returns the memories that share words with a text, the most similar first; among equals in the given order. */
export function rankMemories<Item extends Pick<Memory, 'text'>>(
  memories: readonly Item[],
  text: string,
): readonly Item[] {
  const wanted = toStems(text.slice(0, MAX_QUESTION_CHARACTERS));
  const lines = memories.map((memory) => ({ memory, shared: toStems(memory.text).intersection(wanted) }));
  const counts = new Map<string, number>();
  for (const { shared } of lines) for (const stem of shared) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  const scored = lines.map(({ memory, shared }) => ({
    memory,
    score: [...shared].reduce((sum, stem) => sum + 1 / (counts.get(stem) ?? 1), 0),
  }));
  return scored
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ memory }) => memory);
}

function toStems(text: string): ReadonlySet<string> {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}]+/gu);
  return new Set(
    Array.from(words, ([word]) => word)
      .filter((word) => word.length >= MIN_WORD_CHARACTERS)
      .map((word) => word.slice(0, STEM_CHARACTERS)),
  );
}
