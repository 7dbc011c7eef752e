import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claimChanges, renewLeases } from '../../src/core/library/indexing/read-changes.ts';
import { forgetUser } from '../../src/core/personal-data/forget-user.ts';
import { attachmentTexts, files, libraryChanges, libraryChunks, messages } from '../../src/database/schema/index.ts';
import { createLibraryHarness, type LibraryHarness } from '../support/harness/library.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

describeOnEveryDatabase('the library', (createDatabase) => {
  let database: TestDatabase;
  let stage: LibraryHarness;
  let ann: { readonly userId: number; readonly chatId: number };
  beforeAll(async () => {
    database = await createDatabase();
    stage = createLibraryHarness(database);
  });
  beforeEach(async () => {
    ann = await stage.addUser();
  });
  afterAll(() => database.close());

  describe('finds', () => {
    it.each([
      ['another form of an English word', 'She was running late', 'runs', ['running']],
      ['another form of a Russian word', 'Мы видели лошадей у реки', 'лошадь', ['лошадей']],
      ['е instead of ё', 'Самолёт летит', 'самолет', ['Самолёт']],
      ['words in quotation marks, in any case', 'Она сказала «Привет»', 'привет', ['Привет']],
      ['a word inside Japanese text', '昨日は東京都で会議がありました', '東京', ['東京']],
      ['a longer part of Japanese text', '昨日は東京都で会議がありました', '東京都で', ['東京都で']],
      ['a single character of Chinese', '我有一只猫', '猫', ['猫']],
      ['a Korean word with an ending', '내일 회의에서 봐요', '회의', ['회의']],
      ['a Thai word', 'พรุ่งนี้มีประชุมที่ออฟฟิศ', 'ประชุม', ['ประชุม']],
      ['parts of an address', 'Write to jo@example.org', 'example.org', ['example', 'org']],
      ['wide letters', 'The ＡＢＣ of it', 'abc', ['ＡＢＣ']],
    ])('%s', async (_what, text, query, marked) => {
      await stage.ask(ann, text);
      await stage.indexAll();
      const page = { offset: 0, limit: 5, snippetUnits: 200 };
      const { entries } = await stage.library.search({ userId: ann.userId }, query, page);
      const [found] = entries;
      expect(found?.snippet.text).toBe(text);
      const words = found?.snippet.marks.map(({ offset, length }) => text.slice(offset, offset + length));
      expect(words).toEqual(marked);
    });

    it('nothing for words that do not occur, stop words and punctuation', async () => {
      await stage.ask(ann, 'The cat sat on the mat');
      for (const query of ['dog', 'the', '', '!?', "'; drop table messages --"])
        expect(await stage.search({ userId: ann.userId }, query)).toEqual([]);
    });

    it('entries with all words before those with some, and rare words before frequent ones', async () => {
      for (let day = 0; day < 5; day += 1) await stage.ask(ann, `The dentist called on day ${day}`);
      await stage.ask(ann, 'The invoice of the dentist is due');
      await stage.ask(ann, 'The invoice of the garage is due');
      const found = await stage.search({ userId: ann.userId }, 'dentist invoice');
      expect(found.slice(0, 2)).toEqual(['The invoice of the dentist is due', 'The invoice of the garage is due']);
      expect(found).toHaveLength(7);
    });

    it('documents by their text and their name, each once, with the best place', async () => {
      const text = `${'Nothing to see here. '.repeat(400)}\n\nThe warranty ends in May.\n\n${'Plenty of it. '.repeat(300)}`;
      await stage.askAbout(ann, { name: 'Fridge manual.pdf', text });
      const [found] = await stage.search({ userId: ann.userId }, 'when does the warranty end');
      expect(found).toMatch(/^Fridge manual\.pdf: .*The warranty ends in May\./);
      expect(await stage.search({ userId: ann.userId }, 'fridge')).toHaveLength(1);
      expect(await stage.search({ userId: ann.userId }, 'plenty')).toHaveLength(1);
    });

    it('stored files by their name', async () => {
      await stage.addFile(ann.userId, 'tax_return-2025.pdf');
      expect(await stage.search({ userId: ann.userId }, 'tax 2025')).toEqual(['tax_return-2025.pdf: ']);
    });

    it('questions and answers with the Telegram message that shows them', async () => {
      const questionId = await stage.ask(ann, 'Who wrote the epilogue?');
      const answerId = await stage.answer(questionId, '# The **epilogue**, by `the editor`\n(*sic*).');
      await stage.indexAll();
      const page = { offset: 0, limit: 5, snippetUnits: 200 };
      const { entries } = await stage.library.search({ userId: ann.userId }, 'epilogue', page);
      const [first] = await stage.conversations.listShownIn({ answerId, chatId: ann.chatId });
      expect(entries.find(({ role }) => role === 'assistant')).toMatchObject({
        id: `m${answerId}`,
        shownIn: { chatId: ann.chatId, telegramMessageId: first },
        snippet: { text: 'The epilogue, by the editor (sic).' },
      });
    });

    it('pages of results', async () => {
      for (let day = 0; day < 7; day += 1) await stage.ask(ann, `lighthouse ${day}`);
      await stage.indexAll();
      const search = (offset: number) =>
        stage.library.search({ userId: ann.userId }, 'lighthouse', { offset, limit: 3, snippetUnits: 50 });
      const pages = await Promise.all([0, 3, 6].map(search));
      expect(pages.map(({ entries, totalCount }) => [entries.length, totalCount])).toEqual([
        [3, 7],
        [3, 7],
        [1, 7],
      ]);
      const ids = pages.flatMap(({ entries }) => entries.map(({ id }) => id));
      expect(new Set(ids).size).toBe(7);
    });
  });

  describe('reads', () => {
    it('parts of a text', async () => {
      const messageId = await stage.askAbout(ann, { name: 'a.txt', text: 'abcdefghij' });
      const read = (offset: number) =>
        stage.library.read({ userId: ann.userId }, `a${messageId}-0`, { offset, units: 4 });
      expect(await read(0)).toMatchObject({ text: 'abcd', remaining: 6, entry: { title: 'a.txt' } });
      expect(await read(8)).toMatchObject({ text: 'ij', remaining: 0 });
      expect(await read(99)).toMatchObject({ text: '', remaining: 0 });
    });

    it.each(['', 'm', 'm0', 'm1.5', 'a1', 'x1', "m1' or 1=1", `m${'9'.repeat(30)}`])(
      'nothing by the id %j',
      async (id) => {
        expect(await stage.library.read({ userId: ann.userId }, id, { offset: 0, units: 10 })).toBeUndefined();
      },
    );
  });

  it('gives each owner only what is theirs, by search and by id', async () => {
    const bob = await stage.addUser();
    const groupIds = [-1_001_000_000_001 - ann.userId, -2_000 - ann.userId];
    const owners: LibraryOwnerCase[] = [ann, bob].map(({ userId }) => ({ owner: { userId }, ids: [] }));
    for (const [index, user] of [ann, bob].entries()) {
      const questionId = await stage.ask(user, 'a shared secret');
      const answerId = await stage.answer(questionId, 'the secret answer');
      const documentId = await stage.askAbout(user, { name: 'secret.txt', text: 'secret text' });
      const fileId = await stage.addFile(user.userId, 'secret.pdf');
      owners[index]?.ids.push(`m${questionId}`, `m${answerId}`, `a${documentId}-0`, `f${fileId}`);
    }
    for (const groupId of groupIds) {
      const ids: string[] = [];
      for (const { userId } of [ann, bob])
        ids.push(`m${await stage.ask({ userId, chatId: groupId }, 'a group secret')}`);
      const documentId = await stage.askAbout({ userId: ann.userId, chatId: groupId }, { name: 'x', text: 'secret' });
      owners.push({ owner: { groupId }, ids: [...ids, `a${documentId}-0`] });
    }
    // Only the API reaches these.
    const apiMessageId = await stage.ask({ userId: ann.userId, chatId: 0 }, 'an API secret');
    const ownerless = [`m${apiMessageId}`, `f${await stage.addFile(null, 'secret.zip')}`];
    await stage.indexAll();

    const all = [...owners.flatMap(({ ids }) => ids), ...ownerless];
    for (const { owner, ids } of [...owners, { owner: { groupId: ann.chatId }, ids: [] }]) {
      const page = { offset: 0, limit: 50, snippetUnits: 50 };
      const { entries } = await stage.library.search(owner, 'secret', page);
      expect(entries.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      const read = await Promise.all(all.map((id) => stage.library.read(owner, id, { offset: 0, units: 9 })));
      expect(all.filter((_id, index) => read[index] !== undefined)).toEqual(ids);
    }
  });

  interface LibraryOwnerCase {
    readonly owner: { readonly userId: number } | { readonly groupId: number };
    readonly ids: string[];
  }

  describe('no longer finds', () => {
    const countOf = (word: string) => stage.library.search({ userId: ann.userId }, word, PAGE);
    const expectGone = async (word: string) => expect((await countOf(word)).totalCount).toBe(0);
    const PAGE = { offset: 0, limit: 5, snippetUnits: 50 };

    it('a deleted message, conversation, document and file, at once', async () => {
      const messageId = await stage.ask(ann, 'glacier');
      const documentId = await stage.askAbout(ann, { name: 'volcano.txt', text: 'basalt' });
      const fileId = await stage.addFile(ann.userId, 'tundra.txt');
      await stage.indexAll();
      for (const word of ['glacier', 'volcano', 'basalt', 'tundra']) expect((await countOf(word)).totalCount).toBe(1);
      await database.db.delete(attachmentTexts).where(eq(attachmentTexts.messageId, documentId));
      await expectGone('volcano');
      await expectGone('basalt');
      await database.db.delete(files).where(eq(files.id, fileId));
      await expectGone('tundra');
      const { conversationId } = (await stage.conversations.findMessage(messageId)) ?? { conversationId: 0 };
      await stage.conversations.deleteConversation(conversationId);
      await expectGone('glacier');
    });

    it('what a user has forgotten, in the private chat and in groups', async () => {
      const groupId = -1_000_000 - ann.userId;
      const bob = await stage.addUser();
      await stage.ask(ann, 'marmalade');
      await stage.ask({ userId: ann.userId, chatId: groupId }, 'marmalade of Ann');
      await stage.ask({ userId: bob.userId, chatId: groupId }, 'marmalade of Bob');
      await stage.indexAll();
      await forgetUser(database.db, { userId: ann.userId, telegramId: ann.chatId, now: new Date() });
      await expectGone('marmalade');
      expect(await stage.search({ groupId }, 'marmalade')).toEqual(['marmalade of Bob']);
      const rows = await database.db.select().from(libraryChunks).where(eq(libraryChunks.userId, ann.userId));
      expect(rows).toEqual([]);
    });

    it('the earlier text of a message that was rewritten, at once', async () => {
      const messageId = await stage.ask(ann, 'pineapple');
      await stage.indexAll();
      await stage.conversations.rewriteMessage(messageId, { content: 'grapefruit', extras: {} });
      await expectGone('pineapple');
      expect(await stage.search({ userId: ann.userId }, 'grapefruit')).toEqual(['grapefruit']);
    });

    it('a text that changed while it was indexed', async () => {
      const messageId = await stage.ask(ann, 'sunrise');
      const changing = stage.conversations.rewriteMessage(messageId, { content: 'sunset', extras: {} });
      await Promise.all([stage.indexAll(), changing]);
      expect(await stage.search({ userId: ann.userId }, 'sunset')).toEqual(['sunset']);
      await expectGone('sunrise');
    });

    it('the earlier version of an edited question, and its answer', async () => {
      const questionId = await stage.ask(ann, 'what is the capital of France');
      const answerId = await stage.answer(questionId, 'Paris is the capital');
      const [{ telegramMessageId = 0 } = {}] = await database.db.query.deliveries.findMany({
        where: (table, { eq: is }) => is(table.messageId, questionId),
      });
      const { conversationId } = (await stage.conversations.findMessage(questionId)) ?? { conversationId: 0 };
      const shownIn = { chatId: ann.chatId, telegramMessageId };
      const edited = {
        conversationId,
        parentId: undefined,
        role: 'user',
        content: 'the capital of Spain',
        shownIn,
      } as const;
      const editedQuestion = await stage.conversations.addMessage(edited);
      const found = await stage.search({ userId: ann.userId }, 'capital');
      expect(found).toEqual(['the capital of Spain']);
      expect(await stage.library.find({ userId: ann.userId }, `m${answerId}`)).toBeUndefined();
      expect(await stage.library.find({ userId: ann.userId }, `m${editedQuestion.id}`)).toBeDefined();
    });

    it.each<[string, Partial<typeof files.$inferInsert>]>([
      ['expired', { expiresAt: new Date(0) }],
      ['used up', { downloadsLeft: 0 }],
    ])('a file that is %s', async (_what, more) => {
      await stage.addFile(ann.userId, 'harbour.txt', more);
      expect(await stage.search({ userId: ann.userId }, 'harbour')).toEqual([]);
    });
  });

  it('follows a group that becomes a supergroup', async () => {
    const [group, supergroup] = [-77_000 - ann.userId, -1_001_000_000_000 - ann.userId];
    await stage.ask({ userId: ann.userId, chatId: group }, 'the barbecue');
    await stage.indexAll();
    await stage.conversations.moveChat(group, supergroup);
    expect(await stage.search({ groupId: group }, 'barbecue')).toEqual([]);
    expect(await stage.search({ groupId: supergroup }, 'barbecue')).toEqual(['the barbecue']);
  });

  it('indexes again what a dead process has claimed, after its lease', async () => {
    const messageId = await stage.ask(ann, 'submarine');
    const ofMessage = eq(libraryChanges.messageId, messageId);
    await database.db
      .update(libraryChanges)
      .set({ attempts: 1, dueAt: new Date(Date.now() + 60_000) })
      .where(ofMessage);
    expect(await stage.search({ userId: ann.userId }, 'submarine')).toEqual([]);
    await database.db
      .update(libraryChanges)
      .set({ dueAt: new Date(0) })
      .where(ofMessage);
    expect(await stage.search({ userId: ann.userId }, 'submarine')).toEqual(['submarine']);
    expect(await database.db.select().from(libraryChanges).where(ofMessage)).toEqual([]);
  });

  it('leaves texts that wait behind long ones to the process that has claimed them', async () => {
    await stage.indexAll();
    await stage.ask(ann, 'locomotive');
    const claimed = await claimChanges(database.db, 'newest', 5);
    await database.db.update(libraryChanges).set({ dueAt: new Date(0) });
    await renewLeases(database.db, claimed);
    expect(await stage.library.index(AbortSignal.timeout(60_000))).toBe(0);
    await database.db.update(libraryChanges).set({ dueAt: new Date(0) });
    expect(await stage.search({ userId: ann.userId }, 'locomotive')).toEqual(['locomotive']);
  });

  it('claims no more texts than it is going to index, also when the planner evaluates the claim row by row', async () => {
    await stage.indexAll();
    await database.db.execute(sql`truncate library_changes`);
    await stage.ask(ann, 'one');
    // As for a database that was nearly empty when it was analyzed last.
    await database.db.execute(sql`analyze library_changes`);
    for (const word of ['two', 'three', 'four']) await stage.ask(ann, word);
    const claimed = await database.db.transaction(async (tx) => {
      for (const way of ['sort', 'seqscan', 'hashagg'])
        await tx.execute(sql`select set_config(${`enable_${way}`}, 'off', true)`);
      return claimChanges(tx, 'oldest', 1);
    });
    expect(claimed).toHaveLength(1);
    await database.db.update(libraryChanges).set({ dueAt: new Date(0) });
    await stage.indexAll();
  });

  it('leaves out a text that ends processes again and again', async () => {
    const messageId = await stage.ask(ann, 'poison');
    await database.db.update(libraryChanges).set({ attempts: 5 }).where(eq(libraryChanges.messageId, messageId));
    expect(await stage.search({ userId: ann.userId }, 'poison')).toEqual([]);
    expect(stage.lines.join('\n')).toContain('could not be indexed');
    expect(await database.db.select().from(messages).where(eq(messages.id, messageId))).toHaveLength(1);
  });

  it('counts what waits to be indexed, and indexes it in the background', async () => {
    await stage.indexAll();
    expect(await stage.library.countWaiting()).toBe(0);
    await stage.ask(ann, 'windmill');
    expect(await stage.library.countWaiting()).toBe(1);
    const { library } = createLibraryHarness(database);
    library.start();
    await expect.poll(() => library.countWaiting()).toBe(0);
    await library.close();
    expect(
      (await library.search({ userId: ann.userId }, 'windmill', { offset: 0, limit: 1, snippetUnits: 9 })).totalCount,
    ).toBe(1);
  });
});
