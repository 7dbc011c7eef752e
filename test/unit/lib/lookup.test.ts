import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BatchLoader, BatchQueueFullError, createLookup } from '../../../src/lib/async/batch-loader.ts';
import { isDatabaseAway } from '../../../src/lib/errors/is-database-away.ts';

/** A database that answers when the test says so, with the square of each odd number. */
function createSquares() {
  const questions: { readonly keys: readonly number[]; readonly answer: () => void; readonly fail: () => void }[] = [];
  const find = createLookup<number, number>((keys) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReadonlyMap<number, number>>();
    const answer = () => resolve(new Map(keys.filter((key) => key % 2 === 1).map((key) => [key, key * key])));
    questions.push({ keys, answer, fail: () => reject(new Error('no database')) });
    return promise;
  });
  return { find, questions };
}

it('concurrent lookups share one query, and each gets its own answer', async () => {
  const { find, questions } = createSquares();
  const answers = Promise.all([3, 4, 3, 5].map(find));
  await nextTurn();
  expect(questions.map(({ keys }) => keys)).toEqual([[3, 4, 5]]);
  // The running query was sent before this lookup was requested.
  const later = find(3);
  await nextTurn();
  questions.forEach(({ answer }) => void answer());
  expect(await answers).toEqual([9, undefined, 9, 25]);
  expect(await later).toBe(9);
  expect(questions).toHaveLength(2);
});

it('a query that hangs delays no other lookup, and only a few such queries run', async () => {
  const { find, questions } = createSquares();
  const answers: Promise<number | undefined>[] = [];
  for (const key of [1, 3, 5, 7, 9, 11]) {
    answers.push(find(key));
    await nextTurn();
  }
  expect(questions).toHaveLength(4);
  questions[1]?.answer();
  expect(await answers[1]).toBe(9);
  await nextTurn();
  expect(questions[4]?.keys).toEqual([9, 11]);
  questions.forEach(({ answer }) => void answer());
  expect(await Promise.all(answers)).toEqual([1, 9, 25, 49, 81, 121]);
});

it('an error is thrown to the lookups of its query, and to no later ones', async () => {
  const { find, questions } = createSquares();
  const together = Promise.allSettled([find(1), find(3)]);
  await nextTurn();
  questions[0]?.fail();
  expect((await together).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = find(1);
  await nextTurn();
  questions[1]?.answer();
  expect(await next).toBe(1);
});

it('thousands of lookups use queries of bounded size', async () => {
  const { find, questions } = createSquares();
  const answers = Promise.all(Array.from({ length: 1200 }, (_, at) => find(2 * at + 1)));
  await nextTurn();
  expect(questions.map(({ keys }) => keys.length)).toEqual([500, 500, 200]);
  questions.forEach(({ answer }) => void answer());
  expect(await answers).toHaveLength(1200);
});

it('a full queue refuses lookups', async () => {
  const first = Promise.withResolvers<number[]>();
  const loader = new BatchLoader<number, number>(() => first.promise, {
    maxBatchSize: 1,
    maxInFlight: 1,
    maxWaiting: 2,
  });
  const loads = [loader.load(1)];
  await nextTurn();
  loads.push(loader.load(2), loader.load(3));
  const failure = await loader.load(4).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(BatchQueueFullError);
  expect(isDatabaseAway(failure)).toBe(true);
  first.resolve([7]);
  expect(await Promise.all(loads)).toEqual([7, 7, 7]);
  expect(await loader.load(5)).toBe(7);
});
