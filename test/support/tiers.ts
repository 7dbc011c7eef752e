import { describe, test } from 'vitest';

/** Options of tests and suites that `npm run test:all` runs and `npm test` leaves out. */
export const EXHAUSTIVE = { tags: ['exhaustive'] };

type Run<Case> = (one: Case) => void | Promise<void>;

/** Makes a test of each case, as `test.each`. The first `count` belong to `npm test`, the others are exhaustive. */
export function testByTier<Case>(cases: readonly Case[], count = 1) {
  return (title: string, run: Run<Case>, options: { readonly timeout?: number } = {}) => {
    test.for(cases.slice(0, count))(title, options, run);
    test.for(cases.slice(count))(title, { ...options, ...EXHAUSTIVE }, run);
  };
}

/** Makes a suite of each case, as `describe.each`. The first one belongs to `npm test`, the others are exhaustive. */
export function describeByTier<Case>(cases: readonly Case[]) {
  return (title: string, suite: Run<Case>) => {
    describe.for(cases.slice(0, 1))(title, suite);
    describe.for(cases.slice(1))(title, EXHAUSTIVE, suite);
  };
}

/**
 * Returns the runs of a fuzz test for `testByTier`: a short one, and a long one from the next seed.
 * @param wanted length of the only run, where the environment asks for it.
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
