import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ChatTopic, type Conversations, createConversations } from '../../src/core/conversations/index.ts';
import { users } from '../../src/database/schema/index.ts';
import { measureBestRun, watchLongestStep } from '../support/machine/measure.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

/** CPU time of the longest step, with that of the embedded database. */
const MAX_STEP_MS = 50;

describeOnEveryDatabase('conversation list', (createDatabase) => {
  let database: TestDatabase;
  let conversations: Conversations;
  let userId: number;
  let nextChatId = 1000;
  const newPlace = (): ChatTopic => ({ chatId: nextChatId++, topicId: undefined });
  const begin = async (chatTopic: ChatTopic, ...contents: readonly string[]) => {
    const conversation = await conversations.startConversation(chatTopic, userId);
    let parentId: number | undefined;
    for (const [index, content] of contents.entries()) {
      const role = index % 2 === 0 ? 'user' : 'assistant';
      parentId = (await conversations.addMessage({ conversationId: conversation.id, parentId, role, content })).id;
    }
    return conversation.id;
  };
  const pathOf = async (conversationId: number) =>
    conversations.listPath((await conversations.findLatestMessage(conversationId))?.id ?? 0);
  const messagesOf = async (conversationId: number) => (await pathOf(conversationId)).map(({ id }) => id);
  const list = async (
    chatTopic: ChatTopic,
    filter: { search?: string; isArchived?: boolean; hasAllTopics?: boolean } = {},
  ) => {
    const { search, isArchived = false, hasAllTopics = true } = filter;
    const scope = { ...chatTopic, hasAllTopics };
    const listed = await conversations.listConversations(scope, { search, isArchived, limit: 10 });
    expect(await conversations.countConversations(scope, { search, isArchived })).toBe(listed.length);
    return listed.map(({ id }) => id);
  };
  beforeAll(async () => {
    database = await createDatabase();
    conversations = createConversations({ db: database.db });
    const [person] = await database.db.insert(users).values({}).returning();
    userId = person?.id ?? 0;
  });
  afterAll(() => database.close());

  it('is ordered by the newest message and leaves out conversations without messages', async () => {
    const chatTopic = newPlace();
    const first = await begin(chatTopic, 'one', 'two');
    const second = await begin(chatTopic, 'three');
    await begin(chatTopic);
    await begin(newPlace(), 'elsewhere');
    expect(await list(chatTopic)).toEqual([second, first]);
    const [question] = await messagesOf(first);
    const variant = { conversationId: first, parentId: question, role: 'assistant' } as const;
    const { id: answer } = await conversations.addMessage({ ...variant, content: 'zwei' });
    await conversations.addMessage({ conversationId: first, parentId: answer, role: 'user', content: 'four' });
    expect(await list(chatTopic)).toEqual([first, second]);
    const [listed] = await conversations.listConversations(
      { ...chatTopic, hasAllTopics: true },
      { isArchived: false, limit: 1 },
    );
    // The first answer was replaced, so the chat no longer shows it.
    expect(listed).toMatchObject({ id: first, messageCount: 3, firstWords: 'one', title: undefined });
    expect(listed?.messageCount).toBe((await pathOf(first)).length);
    await conversations.setHead(answer);
    await conversations.addMessage({ ...variant, parentId: answer, content: '' });
    expect(await conversations.findListedConversation(first)).toMatchObject({ messageCount: 2 });
    expect(listed?.lastMessageAt).toBeInstanceOf(Date);
  });

  it('names a conversation by its first question, by its first reminder if it has no question', async () => {
    const id = await begin(newPlace());
    const due = { dueAt: '2026-01-01T08:00:00.000Z', timeZone: 'UTC', missedCount: 0, isLate: false };
    const run = { runId: 1, taskId: 1, kind: 'reminder', name: 'tea', isManual: false, isQuiet: false } as const;
    const extras = { taskRun: { ...run, ...due } };
    const add = { conversationId: id, parentId: undefined, role: 'user' } as const;
    await conversations.addMessage({ ...add, content: 'tea', extras, isAside: true });
    expect(await conversations.findListedConversation(id)).toMatchObject({ firstWords: 'tea' });
    await conversations.addMessage({ ...add, content: 'How long?' });
    expect(await conversations.findListedConversation(id)).toMatchObject({ firstWords: 'How long?' });
  });

  it('contains the conversations of all topics of a chat, or those of one topic', async () => {
    const chatTopic = newPlace();
    const outside = await begin(chatTopic, 'outside');
    const inside = await begin({ ...chatTopic, topicId: 5 }, 'inside');
    expect(await list(chatTopic)).toEqual([inside, outside]);
    expect(await list(chatTopic, { hasAllTopics: false })).toEqual([outside]);
    expect(await list({ ...chatTopic, topicId: 5 }, { hasAllTopics: false })).toEqual([inside]);
  });

  it('is searched by all words in the title or the messages, ignoring case, with wildcards taken literally', async () => {
    const chatTopic = newPlace();
    const bells = await begin(chatTopic, 'Звонят 100% колокола_', 'They do\\ring');
    const tower = await begin(chatTopic, 'A tower');
    await conversations.giveTitle(tower, 'Bells and more');
    expect(await list(chatTopic, { search: 'КОЛОКОЛА ring' })).toEqual([bells]);
    expect(await list(chatTopic, { search: 'bells tower' })).toEqual([tower]);
    expect(await list(chatTopic, { search: '100% а_' })).toEqual([bells]);
    expect(await list(chatTopic, { search: '100_' })).toEqual([]);
    expect(await list(chatTopic, { search: '%' })).toEqual([bells]);
    expect(await list(chatTopic, { search: 'do\\ring' })).toEqual([bells]);
    expect(await list(chatTopic, { search: '\u0000' })).toEqual([tower, bells]);
  });

  it('contains a generated title that is set once and a chosen title that can change', async () => {
    const id = await begin(newPlace(), 'hello');
    const given = await Promise.all(['A', 'B', 'C'].map((title) => conversations.giveTitle(id, title)));
    expect(given.filter(Boolean)).toHaveLength(1);
    await conversations.renameConversation(id, 'D');
    expect(await conversations.giveTitle(id, 'E')).toBe(false);
    expect((await conversations.findConversation(id))?.title).toBe('D');
    expect(await conversations.giveTitle(0, 'nobody’s')).toBe(false);
  });

  it('keeps a conversation current in one topic at a time, and does not archive a current one', async () => {
    const chatTopic = newPlace();
    const first = await begin(chatTopic, 'one');
    const second = await begin(chatTopic, 'two');
    await conversations.setArchived(second, true);
    expect(await conversations.findCurrentConversation(chatTopic)).toBeUndefined();
    await conversations.setArchived(first, true);
    expect(await list(chatTopic)).toEqual([]);
    expect(await list(chatTopic, { isArchived: true })).toEqual([second, first]);
    await conversations.continueConversation(first, chatTopic);
    expect(await conversations.findCurrentConversation(chatTopic)).toMatchObject({ id: first, isArchived: false });
    await conversations.continueConversation(second, chatTopic);
    expect(await conversations.findCurrentConversation(chatTopic)).toMatchObject({ id: second });
  });

  it('moves a conversation between topics of a chat, never to another chat', async () => {
    const chatTopic = newPlace();
    const topic = { ...chatTopic, topicId: 7 };
    const id = await begin(topic, 'inside');
    await conversations.setNamesTopic(id, true);
    await conversations.continueConversation(id, topic);
    expect((await conversations.findConversation(id))?.namesTopic).toBe(true);
    await conversations.continueConversation(id, chatTopic);
    expect(await conversations.findConversation(id)).toMatchObject({ chatTopic, isCurrent: true, namesTopic: false });
    expect(await conversations.findCurrentConversation(topic)).toBeUndefined();
    const elsewhere = newPlace();
    await conversations.continueConversation(id, elsewhere);
    expect(await conversations.findCurrentConversation(elsewhere)).toBeUndefined();
  });

  it('assigns a persona, or instructions, or neither', async () => {
    const id = await begin(newPlace(), 'hello');
    const guiseOf = async () => (await conversations.findConversation(id))?.promptSource;
    expect(await guiseOf()).toBeUndefined();
    await conversations.setPromptSource(id, { kind: 'instructions', text: 'Rhyme\u0000.', userId });
    expect(await guiseOf()).toEqual({ kind: 'instructions', text: 'Rhyme.', userId });
    await conversations.setPromptSource(id, { kind: 'persona', persona: 'cook' });
    expect(await guiseOf()).toEqual({ kind: 'persona', persona: 'cook' });
    await conversations.setPromptSource(id, undefined);
    expect(await guiseOf()).toBeUndefined();
  });

  it('deletes a conversation together with its messages', async () => {
    const chatTopic = newPlace();
    const id = await begin(chatTopic, 'secret', 'answer');
    const [open] = await conversations.listOpenAnswers(id);
    expect(open).toBeDefined();
    await conversations.deleteConversation(id);
    expect(await conversations.findConversation(id)).toBeUndefined();
    expect(await conversations.findMessage(open ?? 0)).toBeUndefined();
    expect((await conversations.currentConversation(chatTopic, userId)).id).not.toBe(id);
  });

  it('deletes thousands of messages without blocking the thread, and only those', async () => {
    const id = await begin(newPlace(), 'first');
    const other = await begin(newPlace(), 'other');
    await database.db.execute(sql`
      insert into messages (conversation_id, role, content) select ${id}, 'user', 'слово ' || n from generate_series(1, 4000) as n`);
    await database.db.execute(sql`
      update messages set parent_id = before from (
        select id, lag(id) over (order by id) as before from messages where conversation_id = ${id}
      ) as path where path.id = messages.id`);
    const newest = await conversations.findLatestMessage(id);
    const stop = watchLongestStep();
    await conversations.deleteConversation(id);
    expect(stop()).toBeLessThan(MAX_STEP_MS);
    expect(await conversations.findMessage(newest?.id ?? 0)).toBeUndefined();
    expect(await messagesOf(other)).toHaveLength(1);
  });

  it('reads a conversation as the history of all branches in order', async () => {
    const id = await begin(newPlace(), 'one', 'two', 'three');
    const history = await conversations.readHistory(id);
    expect(history.isComplete).toBe(true);
    expect(history.messages.map(({ role, content }) => `${role} ${content}`)).toEqual([
      'user one',
      'assistant two',
      'user three',
    ]);
  });

  it('reads a history of millions of characters without blocking the thread, without the oldest messages', async () => {
    const id = await begin(newPlace(), 'first');
    await database.db.execute(sql`
      insert into messages (conversation_id, role, content)
      select ${id}, 'user', repeat('слово ', 750) || n from generate_series(1, 2000) as n`);
    expect(await measureBestRun(() => conversations.readHistory(id), MAX_STEP_MS)).toBeLessThan(MAX_STEP_MS);
    const history = await conversations.readHistory(id);
    expect(history.isComplete).toBe(false);
    const numbers = history.messages.map(({ content }) => Number(content.split(' ').at(-1)));
    expect(numbers).toEqual(Array.from({ length: 1776 }, (_, index) => 225 + index));
  });
});
