import { expect, it } from 'vitest';
import { createGatherer } from '../../../../src/core/inbox/gather.ts';

/** A gatherer whose writes end when the test says so. */
function setUp(maxItems = 100) {
  const writes: { readonly items: readonly number[]; readonly settle: PromiseWithResolvers<void> }[] = [];
  const add = createGatherer<number, string>(async (items) => {
    const settle = Promise.withResolvers<void>();
    writes.push({ items, settle });
    await settle.promise;
    return items.map((item) => `wrote ${item}`);
  }, maxItems);
  const end = async (at: number, error?: Error) => {
    if (error) writes[at]?.settle.reject(error);
    else writes[at]?.settle.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { add, end, written: () => writes.map(({ items }) => items) };
}

it('the first is written at once, what comes meanwhile together with the next', async () => {
  const { add, end, written } = setUp();
  const results = [1, 2, 3].map(add);
  expect(written()).toEqual([[1]]);
  await end(0);
  expect(written()).toEqual([[1], [2, 3]]);
  await end(1);
  expect(await Promise.all(results)).toEqual(['wrote 1', 'wrote 2', 'wrote 3']);
  void add(4);
  expect(written().at(-1)).toEqual([4]);
});

it('no write has more than so many items', async () => {
  const { add, end, written } = setUp(2);
  for (let item = 0; item < 4; item++) void add(item);
  await end(0);
  await end(1);
  expect(written()).toEqual([[0], [1, 2], [3]]);
});

it('a write that fails fails for those that were in it, and the others go on', async () => {
  const { add, end } = setUp();
  const results = Promise.allSettled([1, 2, 3].map(add));
  await end(0);
  await end(1, new Error('full disk'));
  const later = add(4);
  await end(2);
  expect(await later).toBe('wrote 4');
  expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
});
