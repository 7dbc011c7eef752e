import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eq, sql } from 'drizzle-orm';
import { beforeEach, expect, it } from 'vitest';
import {
  type Accounts,
  createAccounts,
  createApiKeys,
  createKeyUses,
  createUsageRecorder,
} from '../../src/core/accounts/index.ts';
import { createBroadcasts } from '../../src/core/broadcasts/index.ts';
import { type Conversations, createConversations } from '../../src/core/conversations/index.ts';
import { createFeedback } from '../../src/core/feedback/index.ts';
import { createGroups } from '../../src/core/groups/index.ts';
import { createDatabaseIdempotencyStore } from '../../src/core/idempotency/index.ts';
import { createImageJobs } from '../../src/core/image-jobs/index.ts';
import { createInteractions } from '../../src/core/interactions/index.ts';
import { createBudgets } from '../../src/core/limits/index.ts';
import { createMemories } from '../../src/core/memory/index.ts';
import { createPersonalData } from '../../src/core/personal-data/index.ts';
import { createPersonas } from '../../src/core/personas/index.ts';
import { createSessions } from '../../src/core/sessions/index.ts';
import { createMemoryBlobStore, createStorage } from '../../src/core/storage/index.ts';
import { createTasks, toTaskLimits } from '../../src/core/tasks/index.ts';
import {
  broadcasts as announcementTable,
  apiKeyNetworks,
  budgetNotices,
  budgets,
  conversations as conversationTable,
  files,
  idempotentAnswerParts,
  idempotentRequests,
  limitCounters,
  messages,
  usage,
  users,
} from '../../src/database/schema/index.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { createFakeClock, type FakeClock } from '../support/machine/fake-clock.ts';
import { createUsageEntry } from '../support/samples/usage-entry.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { watchDatabase } from '../support/stores/watched-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const DAY_MS = 86_400_000;
const logger = createLogger({ level: 'silent' });
const GROUP = -1_000_000_000_001;
const ANN = 1001;
const BOB = 1002;

describeOnEveryDatabase('personal data', (createDatabase) => {
  let clock: FakeClock;
  let accounts: Accounts;
  let conversations: Conversations;
  const database = startBeforeAll(() => createDatabase());
  beforeEach(async () => {
    await database.db.delete(users);
    clock = createFakeClock(Date.now());
    accounts = createAccounts({ db: database.db, clock, adminIds: [] });
    conversations = createConversations({ db: database.db });
  });

  const open = (retentionDays?: number, db = database.db) => {
    const recorder = createUsageRecorder({ db, clock, logger });
    const store = createMemoryBlobStore();
    const storage = createStorage({ db, clock, logger, store, encryptionKey: Buffer.alloc(32, 1) });
    const data = createPersonalData({ db, clock, logger, storage, recorder }, { retentionDays });
    return { recorder, storage, data };
  };

  /** A question and its answer below the newest message of a topic. */
  const talk = async (telegramId: number, chatId: number, words: string) => {
    const person = await accounts.ensureTelegramUser(telegramId);
    const conversation = await conversations.currentConversation({ chatId, topicId: undefined }, person.id);
    const before = await conversations.findLatestMessage(conversation.id);
    const question = await conversations.addMessage({
      conversationId: conversation.id,
      parentId: before?.id,
      role: 'user',
      content: words,
      userId: person.id,
    });
    const answer = await conversations.addMessage({
      conversationId: conversation.id,
      parentId: question.id,
      role: 'assistant',
      content: `re: ${words}`,
      model: 'basic',
    });
    await conversations.finishMessage(answer.id, { content: `re: ${words}`, finishReason: 'stop' });
    await conversations.recordDelivery(answer.id, { chatId, telegramMessageId: answer.id, page: 0 });
    return { question, answer };
  };
  const contents = async () =>
    (await database.db.select().from(messages).orderBy(messages.id)).map((row) => row.content);
  /** Every row of every table as text. */
  const dump = async () => {
    const [row] = await database.db
      .select({ all: sql<string>`database_to_xml(true, false, '')::text` })
      .from(sql`(select 1) as one_row`);
    return row?.all ?? '';
  };

  const keepAnswer = async (userId: number, keepMs = DAY_MS) => {
    const store = createDatabaseIdempotencyStore({ db: database.db });
    const id = randomUUID();
    await store.claim(id, { userId, keyHash: id, bodyHash: id }, 1000);
    await store.complete(id, { status: 200, headers: {}, sizeBytes: 6, body: [Buffer.from('answer')] }, keepMs);
  };

  it('exports all data of a user and none of others', async () => {
    const { data, recorder } = open();
    const { answer } = await talk(ANN, ANN, 'a question at home');
    await talk(BOB, BOB, 'a secret of Bob');
    await talk(ANN, GROUP, 'hello from Ann');
    await talk(BOB, GROUP, 'hello from Bob');
    const ann = await accounts.ensureTelegramUser(ANN);
    await accounts.updateSettings(ann.id, { systemPrompt: 'be kind' });
    const rules = { note: 'for trips', allowedModels: ['gpt-*'], requestsPerMinute: 5 };
    const made = await createApiKeys({ db: database.db, clock }).create(ann.id, 'laptop', rules);
    const keyUses = createKeyUses({ db: database.db, clock, logger });
    keyUses.record(made?.key.id ?? 0, '/ai/v2', '203.0.113.7');
    await keyUses.close();
    await createBudgets({ db: database.db, clock }).setBudget(`key:${made?.key.id}`, { usdPerDay: 2 });
    const feedback = createFeedback({ db: database.db, clock, recorder });
    await feedback.rateMessage(ann.id, { chatId: ANN, telegramMessageId: answer.id }, { from: undefined, to: 'up' });
    recorder.record(createUsageEntry(ann.id, { model: 'basic' }));
    const kept = await data.export(ann.id);
    expect(kept.account).toMatchObject({
      telegramId: ANN,
      settings: { systemPrompt: 'be kind' },
      apiKeys: [
        {
          name: 'laptop',
          ...rules,
          networks: [{ network: '203.0.113.0/24' }],
          budget: { usdPerDay: 2, usdTotal: null },
        },
      ],
      feedback: [{ model: 'basic', rating: 'up' }],
    });
    expect(
      kept.conversations.map(({ chatId, messages: written }) => [chatId, written.map((one) => one.content)]),
    ).toEqual([
      [ANN, ['a question at home', 're: a question at home']],
      [GROUP, ['hello from Ann', 're: hello from Ann']],
    ]);
    expect(kept.usage).toMatchObject([{ model: 'basic', promptTokens: 1 }]);
    expect(kept.isComplete).toBe(true);
    expect(JSON.stringify(kept)).not.toContain('Bob');
    expect(JSON.stringify(kept)).not.toMatch(/hash/i);
  });

  it('exports and deletes pending broadcast deliveries; a deleted user gets no broadcast', async () => {
    const { data } = open();
    const [ann, bob] = [await accounts.ensureTelegramUser(ANN), await accounts.ensureTelegramUser(BOB)];
    const broadcasts = createBroadcasts({ db: database.db, clock });
    const options = { adminTelegramId: 1, sourceMessageId: 1, statusMessageId: 2, language: 'en', intervalMs: 1000 };
    await broadcasts.start(options);
    const begun = await broadcasts.findBySource(1, 1);
    const waiting = [{ id: begun?.id, state: 'waiting' }];
    expect((await data.export(ann.id)).account).toMatchObject({ unreachableSince: null, broadcasts: waiting });
    await data.forget(ann.id);
    expect((await data.export(ann.id)).account.broadcasts).toEqual([]);
    expect((await broadcasts.findBySource(1, 1))?.counts.waiting).toBe((begun?.counts.waiting ?? 0) - 1);
    expect((await data.export(bob.id)).account.broadcasts).toEqual(waiting);
    await database.db.delete(announcementTable);
  });

  it('leaves no file whose upload ends during or after the deletion', async () => {
    const { data, storage } = open();
    const { id: userId } = await accounts.ensureTelegramUser(ANN);
    const list = () => storage.list(userId, { offset: 0, limit: 10 });
    const begin = (end: Promise<void>) => {
      async function* bytes() {
        yield Buffer.from('first');
        await end;
        yield Buffer.from('last');
      }
      return storage.upload(bytes(), { name: 'a.txt', mediaType: undefined, userId }, AbortSignal.timeout(60_000));
    };
    const countFiles = () => database.db.$count(files, eq(files.userId, userId));
    const gate = Promise.withResolvers<void>();
    const late = begin(gate.promise);
    late.catch(() => {});
    await expect.poll(countFiles).toBe(1);
    await data.forget(userId);
    gate.resolve();
    await expect(late).rejects.toThrow('The upload has lasted longer than its lease');
    expect((await list()).files).toEqual([]);
    for (let round = 0; round < 10; round += 1) {
      const together = begin(sleep(2 * round));
      together.catch(() => {});
      await expect.poll(countFiles, { interval: 1 }).toBe(1);
      await data.forget(userId);
      await Promise.allSettled([together]);
      expect((await list()).files).toEqual([]);
    }
  });

  it('deletes the data of a user and keeps the data of others', async () => {
    const { data, recorder, storage } = open();
    await talk(ANN, ANN, 'a secret of Ann');
    await talk(ANN, GROUP, 'Ann begins');
    await talk(BOB, GROUP, 'Bob goes on');
    await talk(ANN, GROUP, 'Ann again');
    await talk(BOB, BOB, 'at home with Bob');
    const ann = await accounts.ensureTelegramUser(ANN);
    await accounts.updateSettings(ann.id, { systemPrompt: 'a wish of Ann' });
    const group = await conversations.findCurrentConversation({ chatId: GROUP, topicId: undefined });
    await conversations.giveTitle(group?.id ?? 0, 'title of Ann');
    await conversations.setPromptSource(group?.id ?? 0, {
      kind: 'instructions',
      text: 'instructions of Ann',
      userId: ann.id,
    });
    await createPersonas({ db: database.db }).add(ann.id, { name: 'name of Ann', instructions: 'persona of Ann' });
    const bob = await accounts.ensureTelegramUser(BOB);
    const memories = createMemories({ db: database.db, clock });
    await createGroups({ db: database.db, clock, logger }).change(GROUP, { hasMemory: true });
    const source = { chatId: ANN, telegramMessageId: 77 };
    await memories.add({ userId: ann.id }, { text: 'memory of Ann', authorId: ann.id, source });
    await memories.add({ groupId: GROUP }, { text: 'group memory of Ann', authorId: ann.id, source });
    await memories.add({ groupId: GROUP }, { text: 'memory by Bob', authorId: bob.id, source });
    expect((await data.export(ann.id)).account.memories).toMatchObject([
      { content: 'memory of Ann', groupId: null, sourceChatId: ANN, sourceMessageId: 77 },
      { content: 'group memory of Ann', groupId: GROUP },
    ]);
    const tasks = createTasks({ db: database.db, clock, readLimits: async () => toTaskLimits() });
    const once = { kind: 'once', at: new Date(clock.now() + DAY_MS), timeZone: 'UTC' } as const;
    const reminder = { kind: 'reminder', prompt: 'task of Ann', times: once, quietWhenNothingNew: false } as const;
    await tasks.create({ userId: ann.id, groupId: GROUP }, reminder);
    const sessions = createSessions({ db: database.db, clock, adminIds: [], isAdmitted: async () => true });
    const { token } = await sessions.begin(ann.id, { origin: 'link', userAgent: 'browser of Ann' });
    const { code } = await sessions.createCode(ann.id);
    expect((await data.export(ann.id)).account.sessions).toMatchObject([{ userAgent: 'browser of Ann' }]);
    const exported = JSON.stringify(await data.export(ann.id));
    for (const words of ['task of Ann', 'title of Ann', 'instructions of Ann', 'persona of Ann', 'memory of Ann'])
      expect(exported).toContain(words);
    const { key, secret = '' } =
      (await createApiKeys({ db: database.db, clock }).create(ann.id, 'key of Ann', { note: 'note of Ann' })) ?? {};
    const keyUses = createKeyUses({ db: database.db, clock, logger });
    keyUses.record(key?.id ?? 0, '/ai/v2', '203.0.113.7');
    await keyUses.close();
    await createBudgets({ db: database.db, clock }).setBudget(`key:${key?.id}`, { usdPerDay: 2 });
    const imageJobs = createImageJobs({ db: database.db, clock });
    const imageJob = await imageJobs.begin({
      userId: ann.id,
      chatId: ANN,
      topicId: undefined,
      options: 'prompt of Ann',
    });
    await imageJobs.storeImages(imageJob, [{ format: 'png', bytes: Buffer.from('picture') }]);
    const interactions = createInteractions({ db: database.db, clock });
    await interactions.storeActions({ userId: ann.id, chatId: 1 }, ['choice of Ann']);
    await interactions.writeDialog(`dialog:${ANN}:${ann.id}`, 'dialog of Ann');
    recorder.record(createUsageEntry(ann.id, { model: 'model of Ann' }));
    const options = { name: 'file of Ann.txt', mediaType: 'text/plain', userId: ann.id };
    const notice = {
      period: 'total',
      periodStart: '1970-01-01',
      level: 80,
      limitUsd: 1,
      claimedAt: new Date(),
    } as const;
    const scopes = [`user:${ann.id}`, `key:${key?.id}`, `chat:${ANN}`, `chat:${GROUP}`];
    await database.db.insert(budgetNotices).values(scopes.map((scope) => ({ ...notice, scope, userId: ann.id })));
    await keepAnswer(ann.id);
    expect((await data.export(ann.id)).account.keptAnswers).toMatchObject([{ sizeBytes: 6 }]);
    const file = await storage.upload(bytesOf('the bytes of Ann'), options, AbortSignal.timeout(60_000));
    expect(await data.countData(ann.id)).toEqual({ conversations: 2, files: 1, memories: 2, tasks: 1 });

    await data.forget(ann.id);
    expect(await storage.find(file.id)).toBeUndefined();
    expect(await sessions.find(token, 'browser of Ann')).toBeUndefined();
    expect(await sessions.signIn(code, 'browser of Ann')).toBeUndefined();
    await clock.advance(1000);
    expect(await accounts.findByApiKey(secret)).toBeUndefined();
    expect(await database.db.$count(apiKeyNetworks)).toBe(0);
    expect(await database.db.$count(budgets, eq(budgets.scope, `key:${key?.id}`))).toBe(0);
    expect(await database.db.select().from(budgetNotices)).toMatchObject([{ scope: `chat:${GROUP}`, userId: null }]);
    expect(await imageJobs.find(imageJob)).toBeUndefined();
    expect(await contents()).toEqual([
      '',
      '',
      'Bob goes on',
      're: Bob goes on',
      '',
      '',
      'at home with Bob',
      're: at home with Bob',
    ]);
    expect(await dump()).not.toMatch(/of Ann|Ann begins|Ann again/);
    expect((await memories.list({ groupId: GROUP })).map(({ text }) => text)).toEqual(['memory by Bob']);
    expect((await accounts.findUser(ann.id))?.settings).toEqual({});
    expect(await database.db.$count(idempotentRequests)).toBe(0);

    await clock.advance(DAY_MS - 2000);
    await data.sweep(AbortSignal.timeout(60_000));
    expect(await accounts.findUser(ann.id)).toBeDefined();
    await clock.advance(2000);
    await data.sweep(AbortSignal.timeout(60_000));
    expect(await accounts.findUser(ann.id)).toBeUndefined();
    expect(await database.db.select().from(users).where(eq(users.telegramId, ANN))).toEqual([]);
    expect(await contents()).toContain('Bob goes on');
    // Other members of the group find the conversation unchanged.
    await talk(BOB, GROUP, 'still here');
    await storage.close();
  });

  it('deletes API answers when they expire', async () => {
    const { data } = open();
    const ann = await accounts.ensureTelegramUser(ANN);
    for (let count = 0; count < 501; count += 1) await keepAnswer(ann.id, 0);
    await keepAnswer(ann.id);
    await data.sweep(AbortSignal.timeout(60_000));
    expect(await database.db.$count(idempotentRequests)).toBe(1);
    expect(await database.db.$count(idempotentAnswerParts)).toBe(1);
  });

  it('keeps the user number until the end of a month in which the user has spent from a budget', async () => {
    const { data } = open();
    const ann = await accounts.ensureTelegramUser(ANN);
    const today = new Date(clock.now()).toISOString().slice(0, 10);
    const scope = `user:${ann.id}`;
    const month = `${today.slice(0, 7)}-01`;
    const counter = { scope, minuteBeganAt: new Date(clock.now()), day: today, month, monthUsd: 1, totalUsd: 1 };
    await database.db.insert(limitCounters).values(counter);
    await data.forget(ann.id);
    const [year = 0, index = 0] = today.split('-').map(Number);
    const nextMonth = Date.UTC(year, index, 1);
    await clock.advance(Math.max(0, nextMonth - 1000 - clock.now()));
    await data.sweep(AbortSignal.timeout(60_000));
    expect(await accounts.findUser(ann.id)).toBeDefined();
    await clock.advance(2 * DAY_MS);
    await data.sweep(AbortSignal.timeout(60_000));
    expect(await accounts.findUser(ann.id)).toBeUndefined();
    expect(await database.db.$count(limitCounters)).toBe(0);
  });

  it('keeps the user number when a deleted user returns within the day', async () => {
    const { data } = open();
    const ann = await accounts.ensureTelegramUser(ANN);
    await talk(ANN, ANN, 'before');
    await data.forget(ann.id);
    await talk(ANN, ANN, 'after');
    await clock.advance(2 * DAY_MS);
    await data.sweep(AbortSignal.timeout(60_000));
    expect((await accounts.ensureTelegramUser(ANN)).id).toBe(ann.id);
    expect(await contents()).toEqual(['after', 're: after']);
  });

  it('deletes messages older than the retention; the messages below them stay and continue', async () => {
    const { data } = open(30);
    const old = await talk(ANN, ANN, 'long ago');
    await conversations.giveTitle(old.question.conversationId, 'Long ago');
    await conversations.startConversation(
      { chatId: BOB, topicId: undefined },
      (await accounts.ensureTelegramUser(BOB)).id,
    );
    await talk(BOB, BOB, 'also long ago');
    await conversations.startConversation(
      { chatId: BOB, topicId: undefined },
      (await accounts.ensureTelegramUser(BOB)).id,
    );
    const past = { createdAt: new Date(clock.now() - 30 * DAY_MS - 60_000) };
    await database.db.update(messages).set(past);
    await database.db.update(conversationTable).set(past);
    await data.sweep(AbortSignal.timeout(60_000));
    expect((await conversations.findConversation(old.question.conversationId))?.title).toBeUndefined();
    const { answer } = await talk(ANN, ANN, 'lately');
    await data.sweep(AbortSignal.timeout(60_000));
    expect(await contents()).toEqual(['lately', 're: lately']);
    expect((await conversations.listPath(answer.id)).map(({ content }) => content)).toEqual(['lately', 're: lately']);
    expect(await conversations.findMessage(old.answer.id)).toBeUndefined();
    // The current conversation of each topic is still there, the previous one is not.
    expect((await database.db.select().from(conversationTable)).map(({ chatId }) => chatId).toSorted()).toEqual([
      ANN,
      BOB,
    ]);
  });

  it('deletes more old messages than one batch holds', async () => {
    const { data } = open(1);
    const { question } = await talk(ANN, ANN, 'first');
    const row = {
      conversationId: question.conversationId,
      parentId: question.id,
      role: 'user' as const,
      content: 'one of many',
    };
    await database.db.insert(messages).values(Array.from({ length: 1200 }, () => row));
    await database.db.update(messages).set({ createdAt: new Date(clock.now() - 2 * DAY_MS) });
    await data.sweep(AbortSignal.timeout(60_000));
    expect(await contents()).toEqual([]);
  });

  it('refuses, with an error, a message below an old message that is deleted at the same moment', async () => {
    const { question, answer } = await talk(ANN, ANN, 'old');
    await database.db.update(messages).set({ createdAt: new Date(clock.now() - 40 * DAY_MS) });
    const reply = {
      conversationId: question.conversationId,
      parentId: answer.id,
      role: 'user' as const,
      content: 'new',
    };
    let statements = 0;
    let replying: Promise<unknown> | undefined;
    const db = watchDatabase(database.db, async (moment, isInTransaction) => {
      if (moment === 'after' || !isInTransaction) return;
      statements += 1;
      // The old messages are found, the messages below them have no parent now; then they are deleted.
      if (statements !== 3) return;
      replying = conversations.addMessage(reply);
      await Promise.race([replying.catch(() => {}), new Promise((resolve) => setTimeout(resolve, 300))]);
    });
    await open(30, db).data.sweep(new AbortController().signal);
    await expect(replying).rejects.toThrow();
    expect(await database.db.select().from(messages)).toEqual([]);
  });

  it('deletes nothing without a retention', async () => {
    const { data } = open();
    await talk(ANN, ANN, 'long ago');
    await database.db.update(messages).set({ createdAt: new Date(0) });
    await data.sweep(AbortSignal.timeout(60_000));
    expect(await contents()).toHaveLength(2);
    expect(await database.db.select().from(usage)).toEqual([]);
  });
});

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}
