import { afterAll, beforeAll, expect, it } from 'vitest';
import { createInteractions, type Interactions } from '../../src/core/interactions/index.ts';
import { callbackActions, users } from '../../src/database/schema/index.ts';
import { createFakeClock, type FakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

describeOnEveryDatabase('interactions', (createDatabase) => {
  let database: TestDatabase;
  let interactions: Interactions;
  let userId: number;
  let clock: FakeClock;
  beforeAll(async () => {
    database = await createDatabase();
    clock = createFakeClock();
    interactions = createInteractions({ db: database.db, clock });
    const [person] = await database.db.insert(users).values({}).returning();
    userId = person?.id ?? 0;
  });
  afterAll(() => database.close());

  it('each callback action is found by its token, with its user and any JSON', async () => {
    const offered = [{ kind: 'model', id: 'a/b:free' }, 'text', 7, null, [1, 'two']];
    const tokens = await interactions.storeActions({ userId, chatId: 5 }, offered);
    const found = await Promise.all(tokens.map((token) => interactions.findAction(token)));
    expect(found).toEqual(offered.map((action) => ({ userId, chatId: 5, inlineMessageId: undefined, action })));
    expect(tokens.every((token) => /^[\w-]{20,40}$/.test(token))).toBe(true);
  });

  it('old and unknown tokens are not found, and old ones are deleted when new ones are stored', async () => {
    const [token] = await interactions.storeActions({ userId, chatId: 5 }, ['soon gone'], 60_000);
    await clock.advance(60_001);
    expect(await interactions.findAction(token ?? '')).toBeUndefined();
    expect(await interactions.findAction('unknown')).toBeUndefined();
    await clock.advance(3_600_000);
    await interactions.storeActions({ userId, chatId: undefined }, ['new']);
    expect(
      (await database.db.select({ token: callbackActions.token }).from(callbackActions)).some(
        (row) => row.token === token,
      ),
    ).toBe(false);
  });

  it('a button without a chat is bound to the first inline message that uses it, and to no other', async () => {
    const bind = async (target: { chatId?: number; inlineMessageId?: string }) => {
      const [token = ''] = await interactions.storeActions({ userId, chatId: undefined, ...target }, ['inline']);
      const outcomes: boolean[] = [];
      for (const id of ['first', 'second', 'first']) outcomes.push(await interactions.bindAction(token, id));
      return { outcomes, boundTo: (await interactions.findAction(token))?.inlineMessageId };
    };
    expect(await bind({})).toEqual({ outcomes: [true, false, true], boundTo: 'first' });
    expect(await bind({ inlineMessageId: 'second' })).toEqual({ outcomes: [false, true, false], boundTo: 'second' });
    expect(await bind({ chatId: -7 })).toEqual({ outcomes: [false, false, false], boundTo: undefined });
    expect(await interactions.bindAction('unknown', 'first')).toBe(false);
  });

  it('a dialog is read as last written, and not found when deleted', async () => {
    expect(await interactions.readDialog('chat:1')).toBeUndefined();
    await interactions.writeDialog('chat:1', { step: 1 });
    await interactions.writeDialog('chat:1', { step: 2, answers: ['да', null] });
    expect(await interactions.readDialog('chat:1')).toEqual({ step: 2, answers: ['да', null] });
    await interactions.deleteDialog('chat:1');
    expect(await interactions.readDialog('chat:1')).toBeUndefined();
  });

  it('dialogs are listed by the prefix of their keys, with wildcards taken literally', async () => {
    const keys = ['list:1:a', 'list:1:b', 'list:10:c', 'list_1:d', 'LIST:1:e'];
    for (const key of keys) await interactions.writeDialog(key, { key });
    const found = await interactions.listDialogs('list:1:');
    expect(found.toSorted((left, right) => left.key.localeCompare(right.key))).toEqual([
      { key: 'list:1:a', state: { key: 'list:1:a' } },
      { key: 'list:1:b', state: { key: 'list:1:b' } },
    ]);
    expect(await interactions.listDialogs('nothing')).toEqual([]);
    for (const key of keys) await interactions.deleteDialog(key);
  });
});
