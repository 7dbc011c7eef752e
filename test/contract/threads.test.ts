import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Conversations, createConversations, type Place } from '../../src/core/conversations/index.ts';
import { users } from '../../src/database/schema/index.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/test-database.ts';

describeOnEveryDatabase('conversations as wholes', (createDatabase) => {
  let database: TestDatabase;
  let conversations: Conversations;
  let userId: number;
  let nextChatId = 1000;
  const newPlace = (): Place => ({ chatId: nextChatId++, topicId: undefined });
  const begin = async (place: Place, ...contents: readonly string[]) => {
    const thread = await conversations.startThread(place, userId);
    let parentId: number | undefined;
    for (const [index, content] of contents.entries()) {
      const role = index % 2 === 0 ? 'user' : 'assistant';
      parentId = (await conversations.addMessage({ threadId: thread.id, parentId, role, content })).id;
    }
    return thread.id;
  };
  const pathOf = async (threadId: number) =>
    conversations.listPath((await conversations.findLatestMessage(threadId))?.id ?? 0);
  const messagesOf = async (threadId: number) => (await pathOf(threadId)).map(({ id }) => id);
  const list = async (place: Place, filter: { search?: string; isArchived?: boolean; hasAllTopics?: boolean } = {}) => {
    const { search, isArchived = false, hasAllTopics = true } = filter;
    const page = { search, isArchived, offset: 0, limit: 10 };
    const { threads, totalCount } = await conversations.listThreads({ ...place, hasAllTopics }, page);
    expect(totalCount).toBe(threads.length);
    return threads.map(({ id }) => id);
  };
  beforeAll(async () => {
    database = await createDatabase();
    conversations = createConversations({ db: database.db });
    const [person] = await database.db.insert(users).values({}).returning();
    userId = person?.id ?? 0;
  });
  afterAll(() => database.close());

  it('are listed by their newest message, those without any left out', async () => {
    const place = newPlace();
    const first = await begin(place, 'one', 'two');
    const second = await begin(place, 'three');
    await begin(place);
    await begin(newPlace(), 'elsewhere');
    expect(await list(place)).toEqual([second, first]);
    const [question] = await messagesOf(first);
    const variant = { threadId: first, parentId: question, role: 'assistant' } as const;
    const { id: answer } = await conversations.addMessage({ ...variant, content: 'zwei' });
    await conversations.addMessage({ threadId: first, parentId: answer, role: 'user', content: 'four' });
    expect(await list(place)).toEqual([first, second]);
    const { threads } = await conversations.listThreads(
      { ...place, hasAllTopics: true },
      { isArchived: false, offset: 0, limit: 1 },
    );
    // The first answer was replaced, so the chat no longer shows it.
    expect(threads[0]).toMatchObject({ id: first, messageCount: 3, firstWords: 'one', title: undefined });
    expect(threads[0]?.messageCount).toBe((await pathOf(first)).length);
    await conversations.setHead(answer);
    await conversations.addMessage({ ...variant, parentId: answer, content: '' });
    expect(await conversations.findListedThread(first)).toMatchObject({ messageCount: 2 });
    expect(threads[0]?.lastMessageAt).toBeInstanceOf(Date);
  });

  it('of topics are a chat’s, or stay apart', async () => {
    const place = newPlace();
    const outside = await begin(place, 'outside');
    const inside = await begin({ ...place, topicId: 5 }, 'inside');
    expect(await list(place)).toEqual([inside, outside]);
    expect(await list(place, { hasAllTopics: false })).toEqual([outside]);
    expect(await list({ ...place, topicId: 5 }, { hasAllTopics: false })).toEqual([inside]);
  });

  it('are found by all of the words, in the title or in messages, whatever their case; signs are signs', async () => {
    const place = newPlace();
    const bells = await begin(place, 'Звонят 100% колокола_', 'They do\\ring');
    const tower = await begin(place, 'A tower');
    await conversations.giveTitle(tower, 'Bells and more');
    expect(await list(place, { search: 'КОЛОКОЛА ring' })).toEqual([bells]);
    expect(await list(place, { search: 'bells tower' })).toEqual([tower]);
    expect(await list(place, { search: '100% а_' })).toEqual([bells]);
    expect(await list(place, { search: '100_' })).toEqual([]);
    expect(await list(place, { search: '%' })).toEqual([bells]);
    expect(await list(place, { search: 'do\\ring' })).toEqual([bells]);
    expect(await list(place, { search: '\u0000' })).toEqual([tower, bells]);
  });

  it('get a first title once, and any title later', async () => {
    const id = await begin(newPlace(), 'hello');
    const given = await Promise.all(['A', 'B', 'C'].map((title) => conversations.giveTitle(id, title)));
    expect(given.filter(Boolean)).toHaveLength(1);
    await conversations.renameThread(id, 'D');
    expect(await conversations.giveTitle(id, 'E')).toBe(false);
    expect((await conversations.findThread(id))?.title).toBe('D');
    expect(await conversations.giveTitle(0, 'nobody’s')).toBe(false);
  });

  it('go on at one place at a time, and what goes on is not put away', async () => {
    const place = newPlace();
    const first = await begin(place, 'one');
    const second = await begin(place, 'two');
    await conversations.setArchived(second, true);
    expect(await conversations.findCurrentThread(place)).toBeUndefined();
    await conversations.setArchived(first, true);
    expect(await list(place)).toEqual([]);
    expect(await list(place, { isArchived: true })).toEqual([second, first]);
    await conversations.continueThread(first, place);
    expect(await conversations.findCurrentThread(place)).toMatchObject({ id: first, isArchived: false });
    await conversations.continueThread(second, place);
    expect(await conversations.findCurrentThread(place)).toMatchObject({ id: second });
  });

  it('move between topics of a chat, and never to another chat', async () => {
    const place = newPlace();
    const topic = { ...place, topicId: 7 };
    const id = await begin(topic, 'inside');
    await conversations.setNamesTopic(id, true);
    await conversations.continueThread(id, topic);
    expect((await conversations.findThread(id))?.namesTopic).toBe(true);
    await conversations.continueThread(id, place);
    expect(await conversations.findThread(id)).toMatchObject({ place, isCurrent: true, namesTopic: false });
    expect(await conversations.findCurrentThread(topic)).toBeUndefined();
    const elsewhere = newPlace();
    await conversations.continueThread(id, elsewhere);
    expect(await conversations.findCurrentThread(elsewhere)).toBeUndefined();
  });

  it('have a persona, or instructions, or neither', async () => {
    const id = await begin(newPlace(), 'hello');
    const guiseOf = async () => (await conversations.findThread(id))?.promptSource;
    expect(await guiseOf()).toBeUndefined();
    await conversations.setPromptSource(id, { kind: 'instructions', text: 'Rhyme\u0000.', userId });
    expect(await guiseOf()).toEqual({ kind: 'instructions', text: 'Rhyme.', userId });
    await conversations.setPromptSource(id, { kind: 'persona', persona: 'cook' });
    expect(await guiseOf()).toEqual({ kind: 'persona', persona: 'cook' });
    await conversations.setPromptSource(id, undefined);
    expect(await guiseOf()).toBeUndefined();
  });

  it('are gone with their messages when they are deleted', async () => {
    const place = newPlace();
    const id = await begin(place, 'secret', 'answer');
    const [open] = await conversations.listOpenAnswers(id);
    expect(open).toBeDefined();
    await conversations.deleteThread(id);
    expect(await conversations.findThread(id)).toBeUndefined();
    expect(await conversations.findMessage(open ?? 0)).toBeUndefined();
    expect((await conversations.currentThread(place, userId)).id).not.toBe(id);
  });

  it('are read as a record, all branches in their order', async () => {
    const id = await begin(newPlace(), 'one', 'two', 'three');
    const record = await conversations.readRecord(id);
    expect(record.isComplete).toBe(true);
    expect(record.messages.map(({ role, content }) => `${role} ${content}`)).toEqual([
      'user one',
      'assistant two',
      'user three',
    ]);
  });
});
