/**
 * Words that a search service knows from earlier calls of an answer: those of its queries and of its results. A query
 * of such words tells it nothing new.
 */
export interface KnownWords {
  add(query: string, result: string): void;
  /** Returns whether the query consists of known words, and has at least one. */
  cover(query: string): boolean;
}

/** Bounds the memory of an answer with many searches. */
const MAX_WORDS = 20_000;

export function createKnownWords(): KnownWords {
  const known = new Set<string>();
  return {
    add(query, result) {
      for (const word of listWords(query)) known.add(word);
      for (const word of listWords(result)) {
        if (known.size >= MAX_WORDS) return;
        // Single letters and digits of a page could spell anything.
        if ([...word].length > 1) known.add(word);
      }
    },
    cover(query) {
      const words = listWords(query);
      return words.length > 0 && words.every((word) => known.has(word));
    },
  };
}

function listWords(text: string): readonly string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  );
}
