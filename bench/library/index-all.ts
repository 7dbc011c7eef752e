import type { Library } from '../../src/core/library/index.ts';

const TIME_LIMIT_MS = 60_000;

/** Indexes everything that waits. @returns the number of texts. */
export async function indexAll(library: Library): Promise<number> {
  let count = 0;
  for (;;) {
    const indexed = await library.index(AbortSignal.timeout(TIME_LIMIT_MS));
    if (indexed === 0) return count;
    count += indexed;
  }
}
