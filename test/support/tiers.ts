import { describe, test } from 'vitest';

/** Options of exhaustive tests and suites, which only `npm run test:all` runs. */
export const EXHAUSTIVE = { tags: ['exhaustive'] };

type Run<Case> = (one: Case) => void | Promise<void>;

/** Creates a test for each case, like `test.each`. The first `count` tests run in `npm test`, the others are exhaustive. */
export function testByTier<Case>(cases: readonly Case[], count = 1) {
  return (title: string, run: Run<Case>, options: { readonly timeout?: number } = {}) => {
    test.for(cases.slice(0, count))(title, options, run);
    test.for(cases.slice(count))(title, { ...options, ...EXHAUSTIVE }, run);
  };
}

/** Creates a suite for each case, like `describe.each`. The first one runs in `npm test`, the others are exhaustive. */
export function describeByTier<Case>(cases: readonly Case[]) {
  return (title: string, suite: Run<Case>) => {
    describe.for(cases.slice(0, 1))(title, suite);
    describe.for(cases.slice(1))(title, EXHAUSTIVE, suite);
  };
}

/**
 * Returns the runs of a fuzz test for `testByTier`: a short one, and a long one from the next seed.
 * @param wanted number of inputs, if set in the environment: replaces both runs by one
 */
export function listFuzzRuns(options: {
  readonly seed: number;
  readonly short: number;
  readonly long: number;
  readonly wanted: string | undefined;
}): readonly { readonly seed: number; readonly count: number }[] {
  const { seed, short, long, wanted } = options;
  if (wanted !== undefined) return [{ seed, count: Number(wanted) }];
  return [
    { seed, count: short },
    { seed: seed + 1, count: long },
  ];
}
