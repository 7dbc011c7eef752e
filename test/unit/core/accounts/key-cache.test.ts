import { expect, it } from 'vitest';
import { createKeyCache } from '../../../../src/core/accounts/key-cache.ts';
import { createFakeClock } from '../../../support/machine/fake-clock.ts';

/** A lookup in a table that can be changed. It counts the queries. */
function createTable(rows: Record<string, number>) {
  const clock = createFakeClock();
  const table = { rows, questions: 0, answers: async () => {} };
  const { find, clear } = createKeyCache({ clock }, async (hash: string) => {
    table.questions++;
    const owner = table.rows[hash];
    await table.answers();
    return owner;
  });
  return { clock, table, find, clear };
}

it('a key in constant use is looked up once a second', async () => {
  const { clock, table, find } = createTable({ a: 1 });
  for (let request = 0; request < 30; request++) {
    expect(await find('a')).toBe(1);
    await clock.advance(100);
  }
  expect(table.questions).toBe(3);
});

it('concurrent requests share one query', async () => {
  const { table, find } = createTable({ a: 1 });
  expect(await Promise.all([find('a'), find('a'), find('a')])).toEqual([1, 1, 1]);
  expect(table.questions).toBe(1);
});

it('a revoked key works for less than a second more, and a new one after a second at most', async () => {
  const { clock, table, find } = createTable({ old: 1 });
  await Promise.all([find('old'), find('new')]);
  table.rows = { new: 2 };
  await clock.advance(999);
  expect(await Promise.all([find('old'), find('new')])).toEqual([1, undefined]);
  await clock.advance(1);
  expect(await Promise.all([find('old'), find('new')])).toEqual([undefined, 2]);
});

it('the second counts from the start of the query: a slow answer is not cached for longer', async () => {
  const { clock, table, find } = createTable({ a: 1 });
  table.answers = () => new Promise((resolve) => clock.setTimer(900, resolve));
  const slow = find('a');
  table.rows = {};
  await clock.advance(900);
  expect(await slow).toBe(1);
  table.answers = async () => {};
  await clock.advance(100);
  expect(await find('a')).toBeUndefined();
});

it('what has changed is read at once after clear, also if a lookup has begun before', async () => {
  const { clock, table, find, clear } = createTable({ a: 1 });
  await find('a');
  table.answers = () => new Promise((resolve) => clock.setTimer(900, resolve));
  const slow = find('b');
  table.rows = { a: 2, b: 2 };
  clear();
  table.answers = async () => {};
  expect(await Promise.all([find('a'), find('b')])).toEqual([2, 2]);
  await clock.advance(900);
  expect(await slow).toBeUndefined();
  expect(await find('b')).toBe(2);
});

it('a failed lookup is repeated at once', async () => {
  const { table, find } = createTable({ a: 1 });
  table.answers = () => Promise.reject(new Error('the database is away'));
  await expect(Promise.all([find('a'), find('a')])).rejects.toThrow('the database is away');
  table.answers = async () => {};
  expect(await find('a')).toBe(1);
});

it('the cache holds ten thousand keys, and evicts the least recently used one', async () => {
  const { table, find } = createTable({});
  for (let key = 0; key < 10_001; key++) await find(`key ${key}`);
  await find('key 1');
  expect(table.questions).toBe(10_001);
  await find('key 0');
  expect(table.questions).toBe(10_002);
});
