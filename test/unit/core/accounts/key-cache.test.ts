import { expect, it } from 'vitest';
import { createKeyCache } from '../../../../src/core/accounts/key-cache.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';

/** A lookup over a table that can be changed, with a count of its questions. */
function createTable(rows: Record<string, number>) {
  const clock = createFakeClock();
  const table = { rows, questions: 0, answers: async () => {} };
  const find = createKeyCache({ clock }, async (hash: string) => {
    table.questions++;
    const owner = table.rows[hash];
    await table.answers();
    return owner;
  });
  return { clock, table, find };
}

it('a key that is used all the time is looked up once a second', async () => {
  const { clock, table, find } = createTable({ a: 1 });
  for (let request = 0; request < 30; request++) {
    expect(await find('a')).toBe(1);
    await clock.advance(100);
  }
  expect(table.questions).toBe(3);
});

it('requests that come together share one question', async () => {
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

it('the second counts from the question: a slow answer is not believed for longer', async () => {
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

it('a failed lookup is asked again at once', async () => {
  const { table, find } = createTable({ a: 1 });
  table.answers = () => Promise.reject(new Error('the database is away'));
  await expect(Promise.all([find('a'), find('a')])).rejects.toThrow('the database is away');
  table.answers = async () => {};
  expect(await find('a')).toBe(1);
});

it('keeps ten thousand keys, and lets go of the one that was asked for longest ago', async () => {
  const { table, find } = createTable({});
  for (let key = 0; key < 10_001; key++) await find(`key ${key}`);
  await find('key 1');
  expect(table.questions).toBe(10_001);
  await find('key 0');
  expect(table.questions).toBe(10_002);
});
