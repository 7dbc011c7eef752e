import { beforeEach, expect, it } from 'vitest';
import { type Accounts, createAccounts } from '../../src/core/accounts/index.ts';
import type { ChatOwner } from '../../src/core/conversations/index.ts';
import { createGroups, type Groups } from '../../src/core/groups/index.ts';
import { createMemories, MAX_MEMORIES, type Memories, type Memory } from '../../src/core/memory/index.ts';
import { groups as groupTable, memories as memoryTable, users } from '../../src/database/schema/index.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createFakeClock, type FakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const GROUP = -1_000_000_000_001;
const SUPERGROUP = GROUP - 1;
const logger = createLogger({ level: 'silent' });

describeOnEveryDatabase('memories', (createDatabase) => {
  let clock: FakeClock;
  let accounts: Accounts;
  let groups: Groups;
  let memories: Memories;
  let ann: number;
  let bob: number;
  const database = startBeforeAll(() => createDatabase());
  beforeEach(async () => {
    await database.db.delete(groupTable);
    await database.db.delete(users);
    clock = createFakeClock(Date.now());
    const { db } = database;
    accounts = createAccounts({ db, clock, adminIds: [] });
    groups = createGroups({ db, clock, logger });
    memories = createMemories({ db, clock });
    const rows = await db.insert(users).values([{}, {}]).returning();
    [ann = 0, bob = 0] = rows.map(({ id }) => id);
    await groups.change(GROUP, { hasMemory: true });
  });

  const source = { chatId: 7, telegramMessageId: 8 };
  const write = (owner: ChatOwner, text: string, authorId = ann) => memories.add(owner, { text, authorId, source });
  const add = async (owner: ChatOwner, text: string, authorId = ann): Promise<Memory> => {
    const added = await write(owner, text, authorId);
    if (typeof added === 'string') throw new Error(added);
    return added;
  };
  const textsOf = async (owner: ChatOwner) => (await memories.list(owner)).map(({ text }) => text);

  it('are listed in order, with author and source, for their owner only', async () => {
    const first = await add({ userId: ann }, ' Has a\n dog  called Rex. ');
    expect(first).toEqual({
      id: first.id,
      text: 'Has a dog called Rex.',
      hasForeignText: false,
      authorId: ann,
      source,
      createdAt: new Date(clock.now()),
      updatedAt: new Date(clock.now()),
    });
    await add({ userId: ann }, 'Lives in Oslo');
    await add({ userId: bob }, 'Lives in Rome', bob);
    await add({ groupId: GROUP }, 'Meets on Fridays');
    expect(await textsOf({ userId: ann })).toEqual(['Has a dog called Rex.', 'Lives in Oslo']);
    expect(await textsOf({ userId: bob })).toEqual(['Lives in Rome']);
    expect(await textsOf({ groupId: GROUP })).toEqual(['Meets on Fridays']);
    expect(await textsOf({ groupId: SUPERGROUP })).toEqual([]);
  });

  it('can be found, changed and deleted by their owner only', async () => {
    const { id } = await add({ userId: ann }, 'Lives in Oslo');
    const group = await add({ groupId: GROUP }, 'Meets on Fridays');
    const change = { text: 'Changed', authorId: bob, source: undefined };
    for (const owner of [{ userId: bob }, { groupId: GROUP }, { groupId: SUPERGROUP }]) {
      expect(await memories.find(owner, id)).toBeUndefined();
      expect(await memories.findByText(owner, 'Lives in Oslo')).toBeUndefined();
      expect(await memories.change(owner, id, change)).toBe('gone');
      expect(await memories.remove(owner, id)).toBe(false);
    }
    expect(await memories.remove({ userId: ann }, group.id)).toBe(false);
    expect(await memories.removeAll({ userId: bob })).toBe(0);
    expect(await memories.findByText({ userId: ann }, 'lives in  OSLO.')).toMatchObject({ id });
    await clock.advance(1000);
    const changed = await memories.change({ userId: ann }, id, { text: 'Lives in Rome', authorId: ann, source });
    expect(changed).toMatchObject({ id, text: 'Lives in Rome', updatedAt: new Date(clock.now()) });
    expect(await memories.remove({ userId: ann }, id)).toBe(true);
    expect(await textsOf({ userId: ann })).toEqual([]);
    expect(await memories.removeAll({ groupId: GROUP })).toBe(1);
  });

  it('are unique for an owner, ignoring case and the last punctuation', async () => {
    const { id } = await add({ userId: ann }, 'Lives in Oslo');
    const other = await add({ userId: ann }, 'Lives in Rome');
    expect(await write({ userId: ann }, 'lives  in OSLO!')).toBe('known');
    const change = { text: 'LIVES IN OSLO', authorId: ann, source };
    expect(await memories.change({ userId: ann }, other.id, change)).toBe('known');
    expect(await memories.change({ userId: ann }, id, change)).toMatchObject({ text: 'LIVES IN OSLO' });
    await add({ userId: bob }, 'Lives in Oslo', bob);
    const concurrent = await Promise.all([1, 2, 3].map(() => write({ userId: ann }, 'Likes tea')));
    expect(concurrent.filter((one) => one === 'known')).toHaveLength(2);
  });

  it('have a maximum number and length that hold in the database', async () => {
    const now = new Date(clock.now());
    await database.db.insert(memoryTable).values(
      Array.from({ length: MAX_MEMORIES - 1 }, (_, index) => ({
        ...{ userId: ann, content: `${index}`, digest: `${index}`, authorId: ann, createdAt: now, updatedAt: now },
      })),
    );
    const last = await Promise.all(['a', 'b', 'c'].map((text) => write({ userId: ann }, text)));
    expect(last.filter((one) => one === 'full')).toHaveLength(2);
    expect(await textsOf({ userId: ann })).toHaveLength(MAX_MEMORIES);
    await expect(write({ userId: bob }, 'x'.repeat(301))).rejects.toThrow();
    await expect(write({ userId: bob }, ' ')).rejects.toThrow();
  });

  it('are neither used nor added while switched off; groups have to switch them on', async () => {
    await add({ userId: ann }, 'Lives in Oslo');
    await accounts.updateSettings(ann, { hasMemory: false });
    expect(await memories.listInUse({ userId: ann })).toEqual([]);
    expect(await write({ userId: ann }, 'Likes tea')).toBe('off');
    expect(await textsOf({ userId: ann })).toEqual(['Lives in Oslo']);
    await accounts.updateSettings(ann, { hasMemory: undefined });
    expect(await memories.listInUse({ userId: ann })).toHaveLength(1);
    expect(await write({ groupId: SUPERGROUP }, 'Meets on Fridays')).toBe('off');
    await add({ groupId: GROUP }, 'Meets on Fridays');
    await groups.change(GROUP, { hasMemory: undefined });
    expect(await memories.listInUse({ groupId: GROUP })).toEqual([]);
    expect(await write({ groupId: GROUP }, 'Likes tea')).toBe('off');
  });

  it('follow a group that becomes a supergroup, also one with settings', async () => {
    await add({ groupId: GROUP }, 'Meets on Fridays');
    await groups.move(GROUP, SUPERGROUP);
    await groups.move(GROUP, SUPERGROUP);
    expect(await textsOf({ groupId: SUPERGROUP })).toEqual(['Meets on Fridays']);
    const newer = SUPERGROUP - 1;
    await groups.change(newer, { hasMemory: true });
    await add({ groupId: newer }, 'meets on fridays');
    await add({ groupId: SUPERGROUP }, 'Likes tea');
    await groups.move(SUPERGROUP, newer);
    expect((await textsOf({ groupId: newer })).toSorted()).toEqual(['Likes tea', 'meets on fridays']);
    expect(await database.db.$count(memoryTable)).toBe(2);
  });

  it('go with their author', async () => {
    await add({ groupId: GROUP }, 'By Ann');
    await add({ groupId: GROUP }, 'By Bob', bob);
    await database.db.delete(users);
    expect(await database.db.$count(memoryTable)).toBe(0);
  });
});
