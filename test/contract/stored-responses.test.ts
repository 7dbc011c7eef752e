import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccounts, createUsageRecorder } from '../../src/core/accounts/index.ts';
import { type Conversations, createConversations } from '../../src/core/conversations/index.ts';
import { createPersonalData } from '../../src/core/personal-data/index.ts';
import { sweepPersonalData } from '../../src/core/personal-data/sweep-personal-data.ts';
import {
  type ConversationText,
  createStoredResponses,
  MAX_STORED_CHARACTERS,
  NO_CHAT,
  RESPONSE_JOB,
  type StoredResponses,
} from '../../src/core/responses/index.ts';
import { createMemoryBlobStore, createStorage } from '../../src/core/storage/index.ts';
import {
  conversations as conversationTable,
  forgottenUsers,
  jobs,
  responses as responseTable,
  users,
} from '../../src/database/schema/index.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createFakeClock, type FakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const ANN = 1001;
const DAY_MS = 86_400_000;
/** Maximum number of messages of an input that are shown. */
const MAX_SHOWN = 500;

describeOnEveryDatabase('stored responses', (createDatabase) => {
  let database: TestDatabase;
  let clock: FakeClock;
  let responses: StoredResponses;
  let conversations: Conversations;
  let ann: number;
  let bob: number;
  let nextId = 0;
  beforeAll(async () => {
    database = await createDatabase();
    const { db } = database;
    clock = createFakeClock(Date.now());
    responses = createStoredResponses({ db, clock });
    conversations = createConversations({ db });
    ann = (await createAccounts({ db, clock, adminIds: [] }).ensureTelegramUser(ANN)).id;
    const [keyOwner] = await db.insert(users).values({}).returning();
    bob = keyOwner?.id ?? 0;
  });
  afterAll(() => database.close());

  const message = (text: string) => ({ type: 'message', role: 'user', content: text });
  const add = async (
    userId: number,
    question: string,
    {
      previousId,
      earlier = [],
      backgroundId,
    }: { previousId?: string | undefined; earlier?: readonly ConversationText[]; backgroundId?: string } = {},
  ) => {
    nextId += 1;
    const id = backgroundId ?? `resp_${nextId}`;
    const isAdded = await responses.add({
      id,
      userId,
      createdAt: new Date(clock.now()),
      previousId,
      inputItems: [message(question)],
      itemIds: [`msg_${nextId}`],
      body: { id, output: [{ type: 'message', role: 'assistant', content: `re: ${question}` }] },
      input: [...earlier, { role: 'user', text: question }],
      answer: `re: ${question}`,
      model: 'basic',
      finishReason: 'stop',
      instructions: undefined,
      isBackground: backgroundId !== undefined,
    });
    return { id, isAdded };
  };
  const listConversations = (chatId: number) =>
    conversations.listConversations(
      { chatId, topicId: undefined, hasAllTopics: true },
      { isArchived: false, limit: 50 },
    );
  const findMessageOf = async (id: string) => {
    const [row] = await database.db.select().from(responseTable).where(eq(responseTable.id, id));
    return row?.messageId ?? 0;
  };

  it('begin a conversation that the private chat of the user lists and continues', async () => {
    const { id } = await add(ann, 'What is a lighthouse?');
    const [listed] = await listConversations(ANN);
    expect(listed).toMatchObject({
      firstWords: 'What is a lighthouse?',
      messageCount: 2,
      isCurrent: false,
      model: 'basic',
    });
    const path = await conversations.listPath(await findMessageOf(id));
    expect(path.map(({ role, content, userId }) => [role, content, userId])).toEqual([
      ['user', 'What is a lighthouse?', ann],
      ['assistant', 're: What is a lighthouse?', undefined],
    ]);
    expect(await conversations.listUnfinished(ANN)).toEqual([]);
  });

  it('show the newest of thousands of messages in their order', async () => {
    const texts = Array.from({ length: 2500 }, (_, index) => `message ${index}`);
    const { id } = await add(ann, 'and now?', { earlier: texts.map((text) => ({ role: 'user', text })) });
    const path = await conversations.listPath(await findMessageOf(id));
    expect(path.map(({ content }) => content)).toEqual([...texts.slice(1 - MAX_SHOWN), 'and now?', 're: and now?']);
  });

  it('continue one another with their exact items', async () => {
    const first = await add(ann, 'one');
    const second = await add(ann, 'two', { previousId: first.id });
    expect(await responses.readTurns(ann, second.id)).toEqual(
      ['one', 'two'].map((question) => ({
        kind: 'response',
        input: [message(question)],
        body: expect.objectContaining({ output: [expect.objectContaining({ content: `re: ${question}` })] }),
      })),
    );
    const [listed] = await listConversations(ANN);
    expect(listed).toMatchObject({ firstWords: 'one', messageCount: 4 });
  });

  it('continue an answer of a chat, and the chat continues them', async () => {
    const conversation = await conversations.currentConversation({ chatId: ANN, topicId: undefined }, ann);
    const say = async (parentId: number | undefined, question: string) => {
      const { id: conversationId } = conversation;
      const asked = await conversations.addMessage({
        conversationId,
        parentId,
        role: 'user',
        content: question,
        userId: ann,
      });
      const answer = { conversationId, parentId: asked.id, role: 'assistant', content: '', model: 'basic' } as const;
      const { id } = await conversations.addMessage(answer);
      await conversations.finishMessage(id, { content: `chat: ${question}`, finishReason: 'stop' });
      return id;
    };
    const answerId = await say(undefined, 'in Telegram');
    const [id, again] = await Promise.all([1, 2].map(() => responses.ensureForAnswer(ann, answerId)));
    expect(id).toMatch(/^resp_/);
    expect(again).toBe(id);
    const byApi = await add(ann, 'by API', { previousId: id });
    expect((await conversations.findLatestMessage(conversation.id))?.content).toBe('re: by API');
    const later = await say(await findMessageOf(byApi.id), 'in Telegram again');
    const last = await responses.ensureForAnswer(ann, later);
    expect(await responses.readTurns(ann, last)).toEqual([
      { kind: 'message', role: 'user', text: 'in Telegram' },
      { kind: 'message', role: 'assistant', text: 'chat: in Telegram' },
      { kind: 'response', input: [message('by API')], body: expect.anything() },
      { kind: 'message', role: 'user', text: 'in Telegram again' },
      { kind: 'message', role: 'assistant', text: 'chat: in Telegram again' },
    ]);
    expect(await responses.find(ann, last)).toMatchObject({
      body: undefined,
      message: { text: 'chat: in Telegram again' },
    });
  });

  it('are found by their items', async () => {
    const one = await add(ann, 'by item');
    const itemIds = [one.id.replace('resp', 'msg')];
    expect(await responses.findByItems(ann, [...itemIds, 'msg_unknown'])).toMatchObject([
      { id: one.id, input: [message('by item')], body: { id: one.id } },
    ]);
    expect(await responses.findByItems(bob, itemIds)).toEqual([]);
    expect(await responses.findByItems(ann, [])).toEqual([]);
  });

  it('leave the shown branch alone when they continue an older answer', async () => {
    const first = await add(ann, 'root');
    await add(ann, 'shown', { previousId: first.id });
    await add(ann, 'beside', { previousId: first.id });
    const { conversationId } = (await conversations.findMessage(await findMessageOf(first.id))) ?? {
      conversationId: 0,
    };
    expect((await conversations.findLatestMessage(conversationId))?.content).toBe('re: shown');
  });

  it('belong to one user', async () => {
    const { id } = await add(ann, 'private');
    expect(await responses.find(bob, id)).toBeUndefined();
    expect(await responses.readTurns(bob, id)).toBeUndefined();
    expect(await responses.delete(bob, id)).toBe(false);
    expect(await responses.end(bob, id, {})).toBe(false);
    expect((await add(bob, 'mine now', { previousId: id })).isAdded).toBe(false);
    expect(await responses.find(ann, id)).toBeDefined();
  });

  it('of a user without Telegram are in no chat', async () => {
    const { id } = await add(bob, 'from a program');
    expect(await responses.find(bob, id)).toMatchObject({ state: 'done' });
    expect(await listConversations(NO_CHAT)).toMatchObject([{ firstWords: 'from a program', userId: bob }]);
  });

  it('of users without Telegram stay when another such user is deleted, and are not exported to them', async () => {
    const [other] = await database.db.insert(users).values({}).returning();
    const { id } = await add(bob, 'stays');
    const logger = createLogger({ level: 'silent' });
    const storage = createStorage({
      db: database.db,
      clock,
      logger,
      store: createMemoryBlobStore(),
      encryptionKey: Buffer.alloc(32),
    });
    const recorder = createUsageRecorder({ db: database.db, clock, logger });
    const data = createPersonalData({ db: database.db, clock, logger, storage, recorder });
    const exported = await data.export(other?.id ?? 0);
    expect(exported.conversations).toEqual([]);
    expect(exported.account.responses).toEqual([]);
    await data.forget(other?.id ?? 0);
    expect(await responses.find(bob, id)).toBeDefined();
    expect((await data.export(bob)).account.responses.map((response) => response.id)).toContain(id);
  });

  it('are deleted with their messages, unless others follow', async () => {
    const first = await add(ann, 'kept');
    const second = await add(ann, 'dropped', { previousId: first.id });
    const [firstMessage, secondMessage] = [await findMessageOf(first.id), await findMessageOf(second.id)];
    expect(await responses.delete(ann, second.id)).toBe(true);
    expect(await conversations.findMessage(secondMessage)).toBeUndefined();
    const third = await add(ann, 'follows', { previousId: first.id });
    expect(await responses.delete(ann, first.id)).toBe(true);
    expect(await conversations.findMessage(firstMessage)).toMatchObject({ content: 're: kept' });
    expect(await responses.readTurns(ann, third.id)).toMatchObject([
      { text: 'kept' },
      { text: 're: kept' },
      { kind: 'response' },
    ]);
    const alone = await add(ann, 'alone');
    const { conversationId } = (await conversations.findMessage(await findMessageOf(alone.id))) ?? {
      conversationId: 0,
    };
    await responses.delete(ann, alone.id);
    expect(await conversations.findConversation(conversationId)).toBeUndefined();
  });

  it('keep characters that Postgres does not store in texts', async () => {
    const { id } = await add(ann, 'a\u0000b\ud800', { earlier: [{ role: 'user', text: '\\u0000' }] });
    expect(await responses.find(ann, id)).toMatchObject({
      input: [message('a\u0000b\ud800')],
      message: { text: 're: ab\ufffd' },
    });
    const path = await conversations.listPath(await findMessageOf(id));
    expect(path.map(({ content }) => content)).toEqual(['\\u0000', 'ab\ufffd', 're: ab\ufffd']);
  });

  it('are not stored if they are too large', async () => {
    const { id, isAdded } = await add(ann, 'x'.repeat(MAX_STORED_CHARACTERS));
    expect(isAdded).toBe(false);
    expect(await responses.find(ann, id)).toBeUndefined();
  });

  const begin = (id: string) =>
    responses.begin(
      {
        id,
        userId: ann,
        createdAt: new Date(clock.now()),
        inputItems: [message('slow')],
        body: { id, status: 'in_progress' },
      },
      database.db,
    );

  it('in the background are stored with their answers even if their requests are as large as they may be', async () => {
    await begin('resp_large');
    const half = 'x'.repeat(MAX_STORED_CHARACTERS - 1000);
    expect(await add(ann, half, { backgroundId: 'resp_large' })).toMatchObject({ isAdded: true });
    expect((await responses.find(ann, 'resp_large'))?.body).toMatchObject({ output: [{ content: `re: ${half}` }] });
  });

  it('in the background are added once, unless they were cancelled or deleted', async () => {
    const finish = (id: string) => add(ann, `slow ${id}`, { backgroundId: id });
    const countConversations = () => database.db.$count(conversationTable);
    for (const id of ['resp_done', 'resp_stopped', 'resp_deleted']) await begin(id);
    await responses.end(ann, 'resp_stopped', {});
    await responses.delete(ann, 'resp_deleted');
    const before = await countConversations();
    expect(await finish('resp_stopped')).toMatchObject({ isAdded: false });
    expect(await finish('resp_deleted')).toMatchObject({ isAdded: false });
    expect(await responses.find(ann, 'resp_deleted')).toBeUndefined();
    expect(await countConversations()).toBe(before);
    expect(await finish('resp_done')).toMatchObject({ isAdded: true });
    expect(await finish('resp_done')).toMatchObject({ isAdded: false });
    expect(await countConversations()).toBe(before + 1);
    expect(await responses.find(ann, 'resp_done')).toMatchObject({
      state: 'done',
      input: [message('slow resp_done')],
      message: { text: 're: slow resp_done' },
    });
  });

  it('in the background begin while what their user has stored is being counted', async () => {
    const [user] = await database.db.insert(users).values({}).returning();
    const userId = user?.id ?? 0;
    const { reserving, bytes } = await database.db.transaction(async (tx) => {
      // On the embedded database it has to wait for the end of this transaction.
      const reserving = responses.reserve(userId, 1);
      const createdAt = new Date(clock.now());
      const begun = { id: 'resp_counted', userId, createdAt, inputItems: [message('Hi')], body: { background: true } };
      return { reserving, bytes: (await responses.begin(begun, tx)) ?? 0 };
    });
    expect(bytes).toBe(JSON.stringify([message('Hi')]).length + JSON.stringify({ background: true }).length);
    await responses.count(userId, bytes);
    (await reserving)();
  });

  it('in the background do not begin after the data of their user was deleted', async () => {
    const [user] = await database.db.insert(users).values({}).returning();
    const userId = user?.id ?? 0;
    const forgottenAt = new Date(clock.now());
    await database.db.insert(forgottenUsers).values({ userId, forgottenAt });
    const beginAt = (createdAt: Date, id: string) =>
      responses.begin({ id, userId, createdAt, inputItems: [], body: {} }, database.db);
    expect(await beginAt(new Date(forgottenAt.getTime() - 1), 'resp_before')).toBeUndefined();
    expect(await responses.find(userId, 'resp_before')).toBeUndefined();
    expect(await beginAt(new Date(forgottenAt.getTime() + 1), 'resp_after')).toBeGreaterThan(0);
  });

  it('in the background are either added or cancelled', async () => {
    for (let number = 0; number < 20; number++) {
      const id = `resp_race_${number}`;
      await begin(id);
      const [{ isAdded }, isCancelled] = await Promise.all([
        add(ann, 'raced', { backgroundId: id }),
        responses.end(ann, id, { id }),
      ]);
      expect(isAdded).toBe(!isCancelled);
    }
  });

  it('in the background wait, run, are cancelled, or are lost without their job', async () => {
    const job = { kind: RESPONSE_JOB, key: 'resp_cancelled', userId: ann, payload: '{}' };
    await begin('resp_cancelled');
    await database.db.insert(jobs).values(job);
    expect(await responses.find(ann, 'resp_cancelled')).toMatchObject({ state: 'waiting', message: undefined });
    await database.db.update(jobs).set({ attempts: 1 }).where(eq(jobs.key, 'resp_cancelled'));
    expect(await responses.find(ann, 'resp_cancelled')).toMatchObject({ state: 'running', message: undefined });
    expect(await responses.end(bob, 'resp_cancelled', {})).toBe(false);
    expect(await responses.end(ann, 'resp_cancelled', { id: 'resp_cancelled', status: 'cancelled' })).toBe(true);
    expect(await responses.find(ann, 'resp_cancelled')).toMatchObject({ state: 'done', body: { status: 'cancelled' } });
    expect(await responses.end(ann, 'resp_cancelled', {})).toBe(false);
    await begin('resp_lost');
    expect(await responses.find(ann, 'resp_lost')).toMatchObject({ state: 'lost' });
    expect((await add(ann, 'after a lost one', { previousId: 'resp_lost' })).isAdded).toBe(false);
  });

  it('are deleted after 30 days; messages of chats are kept', async () => {
    const [own, keyed] = [await add(ann, 'old'), await add(bob, 'old')];
    const [ownMessage, keyedMessage] = [await findMessageOf(own.id), await findMessageOf(keyed.id)];
    await clock.advance(31 * DAY_MS);
    const { db } = database;
    await sweepPersonalData({ db, clock }, { retentionDays: undefined }, new AbortController().signal);
    expect(await responses.find(ann, own.id)).toBeUndefined();
    expect(await conversations.findMessage(ownMessage)).toBeDefined();
    expect(await conversations.findMessage(keyedMessage)).toBeUndefined();
    expect(await db.select().from(conversationTable).where(eq(conversationTable.chatId, NO_CHAT))).toEqual([]);
  });
});
