import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDocumentTexts, DocumentUnreadableError } from '../../src/core/documents/index.ts';
import { StorageUnavailableError } from '../../src/core/storage/index.ts';
import { files, fileTexts, libraryChunks, users } from '../../src/database/schema/index.ts';
import { createLibraryHarness, type LibraryHarness } from '../support/harness/library.ts';
import { writeDocx, writePdf } from '../support/samples/documents.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

describeOnEveryDatabase('the texts of stored files', (createDatabase) => {
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

  const findRow = async (fileId: string) => {
    const [row] = await database.db.select().from(fileTexts).where(eq(fileTexts.fileId, fileId));
    return row;
  };
  const makeDue = (fileId: string) =>
    database.db
      .update(fileTexts)
      .set({ dueAt: new Date(0) })
      .where(eq(fileTexts.fileId, fileId));
  const step = (library = stage.library) => library.readFile(AbortSignal.timeout(60_000));

  it('are found by their words and by their name, and can be read in parts', async () => {
    const fileId = await stage.upload(ann.userId, 'lease.docx', writeDocx(['# Rent', 'The deposit is two months.']));
    await stage.upload(ann.userId, 'notes.pdf', writePdf(['Pay the plumber in April']));
    await stage.upload(ann.userId, 'main.py', 'def deposit():\n    return 2\n');
    const owner = { userId: ann.userId };
    expect(await stage.search(owner, 'plumber')).toEqual(['notes.pdf: [page 1] Pay the plumber in April']);
    expect(await stage.search(owner, 'lease')).toHaveLength(1);
    expect((await stage.search(owner, 'deposits')).map((found) => found.split(':')[0]).toSorted()).toEqual([
      'lease.docx',
      'main.py',
    ]);
    const read = await stage.library.read(owner, `f${fileId}`, { offset: 0, units: 9 });
    expect(read).toMatchObject({ entry: { title: 'lease.docx' }, offset: 0 });
    expect(read?.text).toHaveLength(9);
    expect(read?.remaining).toBeGreaterThan(9);
  });

  it('belong to the owner of the file', async () => {
    const bob = await stage.addUser();
    const fileId = await stage.upload(ann.userId, 'diary.txt', 'I met the ambassador');
    await stage.upload(undefined, 'public.txt', 'The ambassador of nobody');
    expect(await stage.search({ userId: ann.userId }, 'ambassador')).toHaveLength(1);
    for (const owner of [{ userId: bob.userId }, { groupId: ann.chatId }, { groupId: -5 }]) {
      expect(await stage.search(owner, 'ambassador')).toEqual([]);
      expect(await stage.library.read(owner, `f${fileId}`, { offset: 0, units: 99 })).toBeUndefined();
    }
  });

  it.each([
    ['with a password', { password: 'hunter2' }],
    ['with a limit of downloads', { maxDownloads: 3 }],
    ['that are shared conversations', { kind: 'conversation' }],
  ] as const)('are not read from files %s', async (_what, options) => {
    const fileId = await stage.upload(ann.userId, 'sealed.txt', 'the launch codes', options);
    expect(await stage.search({ userId: ann.userId }, 'launch')).toEqual([]);
    expect(await stage.search({ userId: ann.userId }, 'sealed')).toHaveLength(1);
    expect(await findRow(fileId)).toBeUndefined();
  });

  it('are not read from files that no reader knows, are empty or too large', async () => {
    const fileId = await stage.upload(ann.userId, 'picture.raw', 'pixels');
    await stage.upload(ann.userId, 'nothing.txt', '');
    const largeId = await stage.upload(ann.userId, 'large.txt', 'gigantic '.repeat(2_400_000));
    expect(await stage.search({ userId: ann.userId }, 'pixels')).toEqual([]);
    expect(await stage.search({ userId: ann.userId }, 'gigantic')).toEqual([]);
    for (const id of [fileId, largeId]) expect(await findRow(id)).toBeUndefined();
    // A name by which a reader is found.
    await stage.storage.change(fileId, { userId: ann.userId }, { name: 'picture.txt' });
    expect(await stage.search({ userId: ann.userId }, 'pixels')).toEqual(['picture.txt: pixels']);
  });

  it('have a limit for each user, beyond which files are found by their name only', async () => {
    const bob = await stage.addUser();
    const small = createLibraryHarness(database, { maxUserTextBytes: 100 });
    await small.upload(ann.userId, 'first.txt', `a heron ${'é'.repeat(30)}`);
    await small.indexAll();
    const fileId = await small.upload(ann.userId, 'late.txt', 'heron '.repeat(10));
    await small.upload(bob.userId, 'other.txt', 'heron');
    const found = await small.search({ userId: ann.userId }, 'heron');
    expect(found.map((one) => one.split(':')[0])).toEqual(['first.txt']);
    expect(await small.search({ userId: bob.userId }, 'heron')).toHaveLength(1);
    expect(await small.search({ userId: ann.userId }, 'late')).toHaveLength(1);
    expect(await findRow(fileId)).toMatchObject({ text: null, problem: 'library-full', dueAt: null });
  });

  it('go with the file, with its user, and when it expires', async () => {
    const owner = { userId: ann.userId };
    const soon = new Date(Date.now() + 60_000);
    const ids = await Promise.all([
      stage.upload(ann.userId, 'a.txt', 'albatross'),
      stage.upload(ann.userId, 'b.txt', 'albatross', { expiresAt: soon }),
      stage.upload(ann.userId, 'c.txt', 'albatross'),
    ]);
    expect(await stage.search(owner, 'albatross')).toHaveLength(3);
    const [deleted = '', expiring = '', kept = ''] = ids;
    await stage.storage.delete(deleted, owner);
    expect(await stage.search(owner, 'albatross')).toHaveLength(2);
    expect(await findRow(deleted)).toBeUndefined();
    await database.db
      .update(files)
      .set({ expiresAt: new Date(0) })
      .where(eq(files.id, expiring));
    expect(await stage.search(owner, 'albatross')).toEqual(['c.txt: albatross']);
    expect(await stage.library.read(owner, `f${expiring}`, { offset: 0, units: 99 })).toBeUndefined();
    await stage.storage.sweep(AbortSignal.timeout(60_000));
    expect(await findRow(expiring)).toBeUndefined();
    await database.db.delete(users).where(eq(users.id, ann.userId));
    expect(await findRow(kept)).toBeUndefined();
    const chunks = await database.db.select().from(libraryChunks).where(eq(libraryChunks.userId, ann.userId));
    expect(chunks).toEqual([]);
  });

  it('stay when the file gets another name', async () => {
    const owner = { userId: ann.userId };
    const fileId = await stage.upload(ann.userId, 'old.txt', 'the heron');
    await stage.indexAll();
    await stage.storage.change(fileId, owner, { name: 'new.txt' });
    expect(await stage.search(owner, 'heron')).toEqual(['new.txt: the heron']);
    expect(await stage.search(owner, 'old')).toEqual([]);
  });

  describe('a file without text', () => {
    it.each([
      ['encrypted', 'locked.pdf', writePdf(['secret'], { isEncrypted: true })],
      ['scanned', 'scan.pdf', writePdf(['', ''])],
      ['damaged', 'broken.docx', Buffer.from('no archive')],
    ])('that is %s is marked with this reason, and found by its name', async (problem, name, bytes) => {
      const fileId = await stage.upload(ann.userId, name, bytes);
      expect(await stage.search({ userId: ann.userId }, name.split('.')[0] ?? '')).toHaveLength(1);
      expect(await findRow(fileId)).toMatchObject({ problem, text: null, dueAt: null });
      expect(await stage.library.countWaitingOf({ userId: ann.userId })).toEqual({ textCount: 0, fileCount: 0 });
    });

    it('is read three times if reading fails, and then marked', async () => {
      let readCount = 0;
      const failing = createLibraryHarness(database, {
        documents: {
          canRead: () => true,
          async read(_document, { load }) {
            await load();
            readCount += 1;
            throw new DocumentUnreadableError('too-slow');
          },
        },
      });
      const fileId = await failing.upload(ann.userId, 'slow.txt', 'slow');
      await failing.indexAll();
      expect(await findRow(fileId)).toMatchObject({ attempts: 1, problem: null });
      expect(await failing.library.countWaitingOf({ userId: ann.userId })).toEqual({ textCount: 0, fileCount: 1 });
      for (const _attempt of [2, 3]) {
        await makeDue(fileId);
        await failing.indexAll();
      }
      expect(await findRow(fileId)).toMatchObject({ problem: 'too-slow', dueAt: null });
      expect(readCount).toBe(3);
    });

    it('is marked when each process that reads it ends', async () => {
      const fileId = await stage.upload(ann.userId, 'poison.txt', 'arsenic');
      while ((await stage.library.index(AbortSignal.timeout(60_000))) > 0);
      await database.db.update(fileTexts).set({ attempts: 3 }).where(eq(fileTexts.fileId, fileId));
      expect(await stage.search({ userId: ann.userId }, 'arsenic')).toEqual([]);
      expect(await findRow(fileId)).toMatchObject({ problem: 'too-complex' });
    });

    it('waits for a store that is away, without counting attempts', async () => {
      let isAway = true;
      const { storage } = stage;
      const away = createLibraryHarness(database, {
        storage: {
          async read(...request) {
            if (isAway) throw new StorageUnavailableError('away', 1000);
            return storage.read(...request);
          },
        },
      });
      const fileId = await stage.upload(ann.userId, 'later.txt', 'patience');
      for (const _attempt of [1, 2, 3, 4, 5]) {
        await away.indexAll();
        expect(await findRow(fileId)).toMatchObject({ attempts: 0, problem: null });
        await makeDue(fileId);
      }
      isAway = false;
      expect(await away.search({ userId: ann.userId }, 'patience')).toEqual(['later.txt: patience']);
    });

    it('is marked if its bytes are lost', async () => {
      const fileId = await stage.upload(ann.userId, 'lost.txt', 'atlantis');
      await database.db.execute(sql`delete from parts where file_id = ${fileId}`);
      expect(await stage.search({ userId: ann.userId }, 'lost')).toHaveLength(1);
      expect(await findRow(fileId)).toMatchObject({ problem: 'lost' });
    });
  });

  it('are read again after the lease of a process that ended, and by one of several at a time', async () => {
    const fileId = await stage.upload(ann.userId, 'relay.txt', 'baton');
    while ((await stage.library.index(AbortSignal.timeout(60_000))) > 0);
    await database.db
      .update(fileTexts)
      .set({ attempts: 1, dueAt: new Date(Date.now() + 60_000) })
      .where(eq(fileTexts.fileId, fileId));
    expect(await step()).toBe(0);
    await makeDue(fileId);
    const others = [createLibraryHarness(database, { storage: stage.storage }), stage];
    const counts = await Promise.all(others.map(({ library }) => step(library)));
    expect(counts.toSorted()).toEqual([0, 1]);
    expect(await stage.search({ userId: ann.userId }, 'baton')).toEqual(['relay.txt: baton']);
  });

  it('are read again at once if the service ends while they are read', async () => {
    const ending = new AbortController();
    const interrupted = createLibraryHarness(database, {
      storage: stage.storage,
      documents: {
        canRead: () => true,
        async read(_document, { load, signal }) {
          await load();
          ending.abort(new Error('the service is ending'));
          signal.throwIfAborted();
          throw new Error('not reached');
        },
      },
    });
    const fileId = await stage.upload(ann.userId, 'evening.txt', 'curfew');
    while ((await stage.library.index(AbortSignal.timeout(60_000))) > 0);
    await interrupted.library.readFile(ending.signal);
    expect(await findRow(fileId)).toMatchObject({ attempts: 0, problem: null });
    expect(await stage.search({ userId: ann.userId }, 'curfew')).toEqual(['evening.txt: curfew']);
  });

  it('are read and indexed in the background', async () => {
    const documents = createDocumentTexts({ atOnce: 1 });
    const { library } = createLibraryHarness(database, { storage: stage.storage, documents });
    library.start();
    await stage.upload(ann.userId, 'background.txt', 'the nightingale');
    const page = { offset: 0, limit: 1, snippetUnits: 50 };
    const countFound = async () => (await library.search({ userId: ann.userId }, 'nightingale', page)).totalCount;
    await expect.poll(countFound).toBe(1);
    await library.close();
    await documents.close();
  });
});
