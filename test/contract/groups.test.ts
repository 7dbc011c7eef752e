import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createGroups, type Groups } from '../../src/core/groups/index.ts';
import { groups as groupTable } from '../../src/database/schema/index.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createFakeClock, type FakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const HOUR_MS = 3_600_000;
const logger = createLogger({ level: 'silent' });
const GROUP = -1_000_000_000_001;
const chatTopic = { chatId: GROUP, topicId: undefined };

describeOnEveryDatabase('groups', (createDatabase) => {
  let database: TestDatabase;
  let clock: FakeClock;
  let groups: Groups;
  beforeAll(async () => {
    database = await createDatabase();
  }, 60_000);
  afterAll(() => database.close());
  beforeEach(async () => {
    await database.db.delete(groupTable);
    clock = createFakeClock(Date.now());
    groups = createGroups({ db: database.db, clock, logger });
  });

  const say = (telegramMessageId: number, content: string, topicId?: number) =>
    groups.storeMessages(
      { chatId: GROUP, topicId },
      { telegramMessageId, content, authorId: 7, authorName: 'Ann', sentAt: new Date(clock.now()) },
    );
  const heard = async (topicId?: number, before?: number) =>
    (await groups.listRecentMessages({ chatId: GROUP, topicId }, before)).map(({ content }) => content);

  it('store the chosen settings; undefined resets a setting to its default', async () => {
    expect(await groups.find(GROUP)).toEqual({ settings: {}, storesRecentMessages: false, plan: undefined });
    await groups.change(GROUP, { model: 'a', language: 'ru' });
    await groups.setPlan(GROUP, 'gold');
    const changed = await groups.change(GROUP, { model: undefined, answersReplies: false });
    expect(changed).toEqual({
      settings: { language: 'ru', answersReplies: false },
      storesRecentMessages: false,
      plan: 'gold',
    });
    expect(await groups.find(GROUP)).toEqual(changed);
  });

  it('store recent messages only where enabled, by topic, once, and for a limited time', async () => {
    await say(1, 'unheard');
    await groups.setRemembering(GROUP, true);
    await say(2, 'nul \u0000 and half \ud800');
    await say(2, 'again');
    await say(3, 'elsewhere', 5);
    await groups.changeRecentMessages(GROUP, { telegramMessageId: 3, content: 'in the topic' });
    expect(await heard()).toEqual(['nul  and half \ufffd']);
    expect(await heard(5)).toEqual(['in the topic']);
    expect(await heard(5, 3)).toEqual([]);
    await clock.advance(25 * HOUR_MS);
    expect(await heard()).toEqual([]);
    for (let id = 10; id <= 70; id++) await say(id, `${id}`);
    const kept = await heard();
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([50, '21', '70']);
    await groups.setRemembering(GROUP, false);
    await groups.setRemembering(GROUP, true);
    expect(await heard()).toEqual([]);
  });

  it('move with their messages, and other processes learn within seconds which groups store messages', async () => {
    const other = createGroups({ db: database.db, clock, logger });
    await other.start();
    await groups.setRemembering(GROUP, true);
    await say(1, 'before');
    expect([groups.isRemembering(GROUP), other.isRemembering(GROUP)]).toEqual([true, false]);
    await clock.advance(5000);
    await expect.poll(() => other.isRemembering(GROUP)).toBe(true);
    const supergroup = GROUP - 1;
    await groups.move(GROUP, supergroup);
    await groups.move(GROUP, supergroup);
    expect(
      (await groups.listRecentMessages({ ...chatTopic, chatId: supergroup })).map(({ content }) => content),
    ).toEqual(['before']);
    expect([groups.isRemembering(GROUP), groups.isRemembering(supergroup)]).toEqual([false, true]);
    await other.close();
  });
});
