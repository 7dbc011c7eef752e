import { afterAll, beforeAll, describe, inject, test } from 'vitest';

const told = new Set<string>();

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

/**
 * Reorders the combinations of values with the same `variantCount` variants for `testByTier`: first one of each value,
 * with the variants in turn, then the others.
 */
export function diagonalFirst<Case>(combinations: readonly Case[], variantCount: number): readonly Case[] {
  const isFirst = (_: Case, at: number) => at % variantCount === Math.floor(at / variantCount) % variantCount;
  return [...combinations.filter(isFirst), ...combinations.filter((one, at) => !isFirst(one, at))];
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

/** Returns how many inputs a property test tries: all that are wanted, or a fifth of them in `npm test`. */
export function countInputs(wanted: number): number {
  return inject('isExhaustive') ? wanted : Math.ceil(wanted / 5);
}

/**
 * Returns a prerequisite of suites that not every machine has; undefined if it is missing, so that they are skipped,
 * with a notice on standard error.
 * @param missing what is missing, and how to get it
 * @throws if it is missing and `CI` is `true`: nothing may be skipped there
 */
export function orSkip<Thing>(thing: Thing | undefined, missing: string): Thing | undefined {
  if (thing !== undefined) return thing;
  if (process.env['CI'] === 'true') throw new Error(missing);
  if (!told.has(missing)) process.stderr.write(`${missing}; suites that need it are skipped\n`);
  told.add(missing);
  return undefined;
}

/**
 * Starts something before the tests of a file or suite, and closes it after them. Returns it, to be used in tests and
 * hooks only.
 */
export function startBeforeAll<Thing extends { close(): unknown }>(start: () => Promise<Thing>): Thing {
  let started: Thing | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(async () => void (await started?.close()));
  const find = (name: PropertyKey): unknown => {
    if (started === undefined) throw new Error(`${String(name)} is used before it is started`);
    const value: unknown = Reflect.get(started, name);
    return typeof value === 'function' ? value.bind(started) : value;
  };
  return new Proxy({}, { get: (_, name) => find(name) }) as Thing;
}
