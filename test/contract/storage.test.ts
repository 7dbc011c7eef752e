import { createHash, randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createMemoryBlobStore,
  FileBlockedError,
  FileSizeMismatchError,
  FileTooLargeError,
  FileUnreadableError,
  QuotaExceededError,
  StorageUnavailableError,
} from '../../src/core/storage/index.ts';
import { blobs, blockedHashes, files, parts, uploadVolumes, users } from '../../src/database/schema/index.ts';
import { createStorageHarness, createStorageHarnessOn, type StorageHarness } from '../support/harness/storage.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const SEGMENT = 65_536;
const PART = 3 * SEGMENT + 1000;
const MIB = 1024 * 1024;

describeOnEveryDatabase('storage', (createDatabase) => {
  let stage: StorageHarness;
  const database = startBeforeAll(() => createDatabase());
  beforeEach(() => {
    stage = createStorageHarness(database.db, { partBytes: PART });
  });
  afterEach(async () => {
    await stage.storage.close();
    for (const table of [files, blobs, blockedHashes, uploadVolumes]) await database.db.delete(table);
  });
  const addPerson = async () => {
    const [person] = await database.db.insert(users).values({}).returning();
    return person?.id ?? 0;
  };

  describe('a file', () => {
    it.each([0, 1, SEGMENT - 1, SEGMENT, SEGMENT + 1, PART - 1, PART, PART + 1, 3 * PART + 1])(
      'is returned as uploaded: %i bytes',
      async (size) => {
        const bytes = randomBytes(size);
        const file = await stage.upload(bytes, { name: 'Отчёт.PDF', mediaType: 'application/pdf', sizeBytes: size });
        expect(file).toMatchObject({
          id: expect.stringMatching(/^[\w-]{22}$/),
          ownerKey: expect.stringMatching(/^[\w-]{43}$/),
          name: 'Отчёт.PDF',
          mediaType: 'application/pdf',
          sizeBytes: size,
          sha256: createHash('sha256').update(bytes).digest('hex'),
          hasPassword: false,
          isInline: false,
        });
        const { ownerKey: _, ...known } = file;
        expect(await stage.storage.find(file.id)).toEqual(known);
        expect((await stage.read(file.id)).equals(bytes)).toBe(true);
        expect((await stage.countRows()).parts).toBe(Math.ceil(size / PART));
      },
    );

    it.each([19 * MIB - 1, 19 * MIB, 19 * MIB + 1, 3 * 19 * MIB + 1])(
      'is returned with parts of the usual size: %i bytes',
      async (size) => {
        const usual = createStorageHarnessOn(database.db, createMemoryBlobStore());
        const bytes = Buffer.alloc(size, randomBytes(1009));
        const file = await usual.upload(bytes);
        expect((await usual.read(file.id)).equals(bytes)).toBe(true);
        expect((await usual.countRows()).parts).toBe(Math.ceil(size / (19 * MIB)));
        await usual.storage.close();
      },
    );

    it('returns any range, across segments and parts', async () => {
      const bytes = randomBytes(3 * PART + 777);
      const { id } = await stage.upload(bytes);
      const chatTopic = fc.oneof(
        fc.nat(bytes.length - 1),
        fc.integer({ min: -2, max: 2 }).map((step) => PART + step),
        fc.integer({ min: -2, max: 2 }).map((step) => 2 * PART + SEGMENT + step),
      );
      await fc.assert(
        fc.asyncProperty(chatTopic, chatTopic, async (a, b) => {
          const range = { start: Math.min(a, b), end: Math.max(a, b) };
          expect((await stage.read(id, range)).equals(bytes.subarray(range.start, range.end + 1))).toBe(true);
        }),
        { numRuns: 60 },
      );
    });

    it('is read correctly when chunks are overwritten as soon as the next one is requested', async () => {
      const bytes = randomBytes(2 * PART + 1);
      const { id } = await stage.upload(bytes);
      const range = { start: 5, end: bytes.length - 1 };
      const [kept, seen]: [Buffer[], Buffer[]] = [[], []];
      for await (const chunk of await stage.storage.read(id, range, stage.signal, { areChunksBrief: true })) {
        kept.push(Buffer.from(chunk));
        seen.push(chunk);
      }
      expect(Buffer.concat(kept).equals(bytes.subarray(5))).toBe(true);
      // Short chunks may share their memory with others; they are not overwritten.
      expect(seen.filter(({ length }) => length > 16_384)).toEqual([]);
      expect(kept.filter(({ length }) => length > 16_384).length).toBeGreaterThan(5);
    });

    it('is stored encrypted in the store and in the database', async () => {
      const words = 'nobody must find these words '.repeat(100);
      const { ownerKey, id } = await stage.upload(Buffer.from(words), { password: 'a password', address: '192.0.2.7' });
      const [row] = await database.db.select().from(files).where(eq(files.id, id));
      const kept = JSON.stringify(row);
      for (const secret of [ownerKey, 'a password', '192.0.2.7']) expect(kept).not.toContain(secret);
      const [blob] = await database.db.select().from(blobs);
      const stored = await stage.store.open(
        { name: blob?.name },
        { offset: 0, length: blob?.sizeBytes ?? 0 },
        stage.signal,
      );
      for await (const chunk of stored) expect(chunk.toString('latin1')).not.toContain('words');
      expect(stage.logLines.join('')).not.toContain(ownerKey);
    });

    it('tells its store which parts come next, three ahead, and no others', async () => {
      const small = createStorageHarness(database.db, { partBytes: 100_000 });
      const { id } = await small.upload(randomBytes(700_000));
      const names = (await database.db.select().from(parts).orderBy(parts.position)).map(({ blobId }) => blobId);
      const rows = await database.db.select().from(blobs);
      const wanted = names.map((blobId) => rows.find((row) => row.id === blobId)?.name);
      const heard = new Set<unknown>();
      small.store.prepare = ({ name }) => heard.add(name);

      const chunks = await small.storage.read(id, { start: 50_000, end: 599_999 }, small.signal);
      expect([...heard], 'while the first is opened').toEqual(wanted.slice(1, 4));
      let readBytes = 0;
      for await (const chunk of chunks) {
        readBytes += chunk.length;
        const current = Math.floor((50_000 + readBytes - 1) / 100_000);
        expect([...heard]).toEqual(wanted.slice(1, Math.min(6, current + 4)));
      }
      expect(readBytes).toBe(550_000);
      await small.storage.close();
    });

    it('opens only with its password', async () => {
      const [locked, open] = [
        await stage.upload(Buffer.from('x'), { password: 'ключ' }),
        await stage.upload(Buffer.from('y')),
      ];
      expect(locked.hasPassword).toBe(true);
      const client = { address: '192.0.2.1' };
      expect(await stage.storage.checkPassword(locked.id, 'ключ', client)).toBe('right');
      expect(await stage.storage.checkPassword(locked.id, 'ключи', client)).toBe('wrong');
      expect(await stage.storage.checkPassword(locked.id, '', client)).toBe('wrong');
      expect(await stage.storage.checkPassword(open.id, '', client)).toBe('right');
      expect(await stage.storage.checkPassword('x'.repeat(22), '', client)).toBe('wrong');
    });

    it('can be downloaded up to its limit by concurrent clients, and then is deleted', async () => {
      const { id } = await stage.upload(Buffer.from('three times'), { maxDownloads: 3 });
      const begun = await Promise.all(Array.from({ length: 8 }, () => stage.storage.beginDownload(id)));
      const downloads = begun.filter((download) => typeof download === 'object');
      expect(downloads).toHaveLength(3);
      expect(begun.filter((download) => download === 'busy')).toHaveLength(5);
      expect((await stage.read(id)).toString(), 'while they run').toBe('three times');
      expect(await Promise.all(downloads.map((download) => download.complete()))).toEqual([true, true, true]);
      expect(await stage.storage.beginDownload(id)).toBeUndefined();
      expect(await stage.storage.find(id)).toBeUndefined();
      expect(await stage.storage.sweep(stage.signal)).toMatchObject({ expiredFiles: 1, removedBlobs: 1 });
      expect(stage.store.names.size).toBe(0);
    });

    it('gives a download back that was released, or whose process died', async () => {
      const { id } = await stage.upload(Buffer.from('once'), { maxDownloads: 1 });
      const begin = async (storage = stage.storage) => {
        const download = await storage.beginDownload(id);
        if (typeof download !== 'object') throw new Error(`no download: ${download}`);
        return download;
      };
      await (await begin()).release();

      const dying = createStorageHarnessOn(stage.db, stage.store, { clock: stage.clock });
      const lost = await begin(dying.storage);
      expect(await stage.storage.beginDownload(id), 'while the other process lives').toBe('busy');
      await stage.clock.advance(10 * 60_000);
      expect(await stage.storage.beginDownload(id), 'its lease is renewed').toBe('busy');
      await dying.storage.close();
      await stage.clock.advance(20_000);
      const own = await begin();
      expect(await lost.complete(), 'by a process that seemed dead').toBe(false);
      expect(await own.complete()).toBe(true);
      expect(await own.complete(), 'again').toBe(true);
      expect(await stage.storage.beginDownload(id)).toBeUndefined();
    });

    it('frees the downloads of a crash at once if there is no other process', async () => {
      const { id } = await stage.upload(Buffer.from('once'), { maxDownloads: 1 });
      await stage.storage.beginDownload(id);
      const restarted = createStorageHarnessOn(stage.db, stage.store, { isOnlyProcess: true });
      restarted.storage.start();
      await vi.waitFor(async () => expect(await restarted.storage.beginDownload(id)).toBeTypeOf('object'));
      await restarted.storage.close();
    });

    it('never gives more downloads than allowed, whatever ends them', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 4 }),
          fc.array(fc.constantFrom('complete', 'release', 'crash'), { minLength: 1, maxLength: 12 }),
          async (maxDownloads, ends) => {
            const { id } = await stage.upload(Buffer.from('x'), { maxDownloads });
            let completed = 0;
            for (const end of ends) {
              const download = await stage.storage.beginDownload(id);
              expect(download !== undefined).toBe(completed < maxDownloads);
              if (typeof download !== 'object') continue;
              if (end === 'complete' && (await download.complete())) completed++;
              if (end === 'release') await download.release();
              expect(completed).toBeLessThanOrEqual(maxDownloads);
            }
            expect((await stage.storage.find(id))?.downloadsLeft ?? 0).toBe(maxDownloads - completed);
          },
        ),
        { numRuns: 15 },
      );
    });

    it.each(['a deletion', 'the expiry'])('is no longer read beyond the next part after %s', async (end) => {
      const parts = createStorageHarnessOn(stage.db, stage.store, { partBytes: 100_000, clock: stage.clock });
      const expiresAt = new Date(stage.clock.now() + 60_000);
      const { id, ownerKey } = await parts.upload(randomBytes(1_000_000), { expiresAt });
      let readBytes = 0;
      const reading = async () => {
        const range = { start: 0, end: 999_999 };
        for await (const chunk of await parts.storage.read(id, range, parts.signal)) {
          if (readBytes === 0) await (end === 'a deletion' ? remove() : parts.clock.advance(60_000));
          readBytes += chunk.length;
        }
      };
      const remove = async () => {
        // The bytes stay readable, as at Telegram.
        const { delete: remains } = parts.store;
        parts.store.delete = async () => {};
        await parts.storage.delete(id, { ownerKey });
        parts.store.delete = remains;
      };
      await expect(parts.elapse(reading())).rejects.toThrow('deleted or has expired');
      expect(readBytes).toBeLessThanOrEqual(200_000);
      await parts.storage.close();
    });

    it('is deleted with its bytes when it expires', async () => {
      const expiresAt = new Date(stage.clock.now() + 60_000);
      const { id, ownerKey } = await stage.upload(Buffer.from('short'), { expiresAt });
      await stage.clock.advance(60_000);
      expect(await stage.storage.find(id)).toBeUndefined();
      expect(await stage.storage.delete(id, { ownerKey })).toBe('unknown');
      await expect(stage.read(id)).rejects.toBeInstanceOf(FileUnreadableError);
      expect(await stage.storage.sweep(stage.signal)).toEqual({
        expiredFiles: 1,
        abandonedUploads: 0,
        removedBlobs: 1,
      });
      expect(await stage.countRows()).toEqual({ files: 0, blobs: 0, parts: 0 });
    });

    it('is listed for its owner, found by a part of its name, and can not be changed by others', async () => {
      const [userId, strangerId] = [await addPerson(), await addPerson()];
      const names = ['one.txt', 'Two_2%.txt', 'three.pdf'];
      for (const name of names) {
        await stage.upload(Buffer.from(name), { name, userId });
        await stage.clock.advance(1000);
      }
      const listed = await stage.storage.list(userId, { offset: 0, limit: 2 });
      expect(listed.totalCount).toBe(3);
      expect(listed.files.map((file) => file.name)).toEqual(['three.pdf', 'Two_2%.txt']);
      const found = await stage.storage.list(userId, { search: '_2%.T', offset: 0, limit: 10 });
      expect(found.files.map((file) => file.name)).toEqual(['Two_2%.txt']);
      const id = found.files[0]?.id ?? '';
      const change = { name: '../New name?', expiresAt: new Date(stage.clock.now() + 1000) };
      expect(await stage.storage.change(id, { userId: strangerId }, change)).toBeUndefined();
      expect(await stage.storage.change(id, { userId }, change)).toMatchObject({ ...change, name: 'New name_' });
      expect((await stage.storage.change(id, { userId }, { expiresAt: null }))?.expiresAt).toBeUndefined();
    });

    it('that only Telegram has is listed and deleted like others, but never read', async () => {
      const userId = await addPerson();
      const telegram = { fileId: 'AgAD', kind: 'video' } as const;
      const file = await stage.storage.storeTelegramFile({
        ...{ userId, telegram, name: 'film.mp4', mediaType: 'video/mp4', sizeBytes: 3_000_000_000 },
      });
      expect(await stage.storage.find(file.id)).toMatchObject({
        telegram,
        sizeBytes: 3_000_000_000,
        sha256: undefined,
      });
      await expect(stage.read(file.id)).rejects.toBeInstanceOf(FileUnreadableError);
      expect(await stage.storage.delete(file.id, { ownerKey: file.ownerKey })).toBe('deleted');
    });
  });

  describe('a deletion', () => {
    it('needs the owner key or the owner', async () => {
      const [userId, strangerId] = [await addPerson(), await addPerson()];
      const upload = () => stage.upload(Buffer.from('mine'), { userId });
      const file = await upload();
      for (const by of [{ ownerKey: '' }, { ownerKey: `${file.ownerKey}x` }, { userId: strangerId }]) {
        expect(await stage.storage.delete(file.id, by)).toBe('forbidden');
      }
      expect((await stage.read(file.id)).toString()).toBe('mine');
      expect(await stage.storage.delete(file.id, { ownerKey: file.ownerKey })).toBe('deleted');
      expect(await stage.storage.delete(file.id, { ownerKey: file.ownerKey })).toBe('unknown');
      expect(await stage.storage.delete((await upload()).id, { userId })).toBe('deleted');
      await stage.clock.advance(100);
      expect(await stage.countRows()).toEqual({ files: 0, blobs: 0, parts: 0 });
      expect(stage.store.names.size).toBe(0);
    });

    it('removes a shared blob with the last file in it', async () => {
      const uploads = await Promise.all(['a', 'b', 'c'].map((name) => stage.upload(Buffer.from(name))));
      expect(stage.store.names.size).toBeLessThan(3);
      for (const [index, { id, ownerKey }] of uploads.entries()) {
        for (const other of uploads.slice(index)) expect(await stage.read(other.id)).toHaveLength(1);
        expect(await stage.storage.delete(id, { ownerKey })).toBe('deleted');
        await stage.clock.advance(100);
      }
      expect(stage.store.names.size).toBe(0);
    });

    it('takes effect at once; the sweeper removes blobs that the store did not remove', async () => {
      const { id, ownerKey } = await stage.upload(randomBytes(3 * PART));
      stage.store.script = (call, index) => (call === 'delete' && index < 5 ? 'refused' : undefined);
      expect(await stage.storage.delete(id, { ownerKey })).toBe('deleted');
      expect(await stage.storage.find(id)).toBeUndefined();
      await stage.clock.advance(1000);
      expect(stage.store.names.size).toBe(3);
      await stage.sweepThoroughly();
      expect(stage.store.names.size).toBe(0);
      expect(await stage.countRows()).toEqual({ files: 0, blobs: 0, parts: 0 });
    });
  });

  describe('an upload', () => {
    const nothing = { files: 0, blobs: 0, parts: 0 };
    const expectNothingLeft = async () => {
      await stage.sweepThoroughly();
      expect(await stage.countRows()).toEqual(nothing);
      expect([...stage.store.names]).toEqual([]);
    };

    it('larger than the limit is refused, with and without a declared size', async () => {
      const small = createStorageHarness(database.db, { maxFileBytes: PART, partBytes: PART });
      await expect(small.upload(Buffer.of(), { sizeBytes: PART + 1 })).rejects.toBeInstanceOf(FileTooLargeError);
      await expect(small.upload(randomBytes(PART + 1))).rejects.toBeInstanceOf(FileTooLargeError);
      await small.upload(randomBytes(PART));
      await small.storage.close();
    });

    it.each([9, 11])('of 10 bytes that was declared as %i is refused', async (sizeBytes) => {
      await expect(stage.upload(randomBytes(10), { sizeBytes })).rejects.toBeInstanceOf(FileSizeMismatchError);
      await expectNothingLeft();
    });

    it('of bytes that the operator has taken down is refused, and all files with these bytes are deleted', async () => {
      const bytes = randomBytes(100);
      const [file, copy, other] = [
        await stage.upload(bytes),
        await stage.upload(bytes, { name: 'copy.bin' }),
        await stage.upload(randomBytes(100)),
      ];
      expect(await stage.storage.takeDown(file.id, 'a court order')).toEqual({ fileCount: 2, isBlocked: true });
      expect(await stage.storage.takeDown(copy.id, 'a court order')).toBeUndefined();
      expect(await stage.storage.find(copy.id)).toBeUndefined();
      expect(await stage.storage.find(other.id)).toBeDefined();
      await expect(stage.upload(bytes)).rejects.toBeInstanceOf(FileBlockedError);
      await stage.storage.delete(other.id, { ownerKey: other.ownerKey });
      await stage.clock.advance(100);
      await expectNothingLeft();
    });

    it.each(['source', 'signal'] as const)('whose %s fails in the middle leaves nothing', async (what) => {
      const failure = new Error('the client has gone');
      const controller = new AbortController();
      let isClosed = false;
      async function* source() {
        try {
          for (;;) {
            yield randomBytes(50_000);
            if (stage.store.names.size < 2) continue;
            if (what === 'source') throw failure;
            controller.abort(failure);
          }
        } finally {
          isClosed = true;
        }
      }
      const order = { name: 'x', mediaType: undefined };
      await expect(stage.elapse(stage.storage.upload(source(), order, controller.signal))).rejects.toBe(failure);
      expect(isClosed).toBe(true);
      await expectNothingLeft();
    });

    it('whose source becomes silent ends with its signal', async () => {
      const controller = new AbortController();
      async function* source() {
        yield randomBytes(10);
        await new Promise(() => {});
      }
      const upload = stage.storage.upload(source(), { name: 'x', mediaType: undefined }, controller.signal);
      upload.catch(() => {});
      await stage.clock.advance(1000);
      controller.abort(new Error('gone'));
      await expect(upload).rejects.toThrow('gone');
      await expectNothingLeft();
    });

    it('that runs for hours keeps its lease; an upload of a dead process loses it', async () => {
      let isEnding = false;
      async function* slow() {
        while (!isEnding) {
          yield Buffer.from('a little ');
          await new Promise<void>((resolve) => stage.clock.setTimer(50_000, resolve));
        }
      }
      const upload = stage.storage.upload(slow(), { name: 'slow', mediaType: undefined }, stage.signal);
      for (let minute = 0; minute < 120; minute += 10) {
        await stage.clock.advance(600_000);
        expect((await stage.storage.sweep(stage.signal)).abandonedUploads).toBe(0);
      }
      isEnding = true;
      const { id } = await stage.elapse(upload);
      expect((await stage.read(id)).toString()).toMatch(/^(a little ){140,150}$/);
    });

    it('is refused when the user has used the daily quota, also with two concurrent uploads', async () => {
      const limited = createStorageHarness(database.db, { maxBytesPerDay: 1000, partBytes: PART });
      const address = '2001:db8:1:2::1';
      await limited.upload(randomBytes(400), { address });
      const both = await Promise.allSettled([1, 2].map(() => limited.upload(randomBytes(400), { address })));
      expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const refused = limited.upload(randomBytes(300), { address: '2001:db8:1:2:ffff::2', sizeBytes: 300 });
      await expect(refused).rejects.toBeInstanceOf(QuotaExceededError);
      const error: unknown = await refused.catch((reason: unknown) => reason);
      const retryAfterMs = error instanceof QuotaExceededError ? error.retryAfterMs : 0;
      expect(retryAfterMs).toBeGreaterThan(22 * 3_600_000);
      await limited.upload(randomBytes(300), { address: '2001:db8:1:3::1' });
      // A deletion returns no quota: the bytes were uploaded.
      await limited.clock.advance(retryAfterMs);
      await limited.upload(randomBytes(300), { address });
      await limited.storage.close();
    });

    it('does not wait for others of the same user: too many at once are refused', async () => {
      const limited = createStorageHarness(database.db, {
        ...{ partBytes: PART, maxConcurrentUploads: 3, maxConcurrentUploadsPerSender: 2 },
      });
      const controller = new AbortController();
      async function* endless() {
        yield Buffer.from('x');
        await new Promise(() => {});
      }
      const begin = (address: string) =>
        limited.storage.upload(endless(), { name: 'x', mediaType: undefined, address }, controller.signal);
      const running = [begin('192.0.2.1'), begin('192.0.2.1')];
      await expect(begin('192.0.2.1')).rejects.toBeInstanceOf(QuotaExceededError);
      running.push(begin('192.0.2.2'));
      await expect(begin('192.0.2.3')).rejects.toBeInstanceOf(StorageUnavailableError);
      const ended = Promise.allSettled(running);
      controller.abort(new Error('enough'));
      await ended;
      await limited.upload(Buffer.from('x'), { address: '192.0.2.1' });
      await limited.storage.close();
    });

    it('ends with the service, with an error message, and leaves nothing', async () => {
      // Without the pauses nothing would ever settle, and the clock would wait for it.
      async function* endless() {
        for (;;) {
          yield randomBytes(10_000);
          if (stage.store.names.size > 0) await new Promise<void>((resolve) => stage.clock.setTimer(1000, resolve));
        }
      }
      const upload = stage.storage.upload(endless(), { name: 'x', mediaType: undefined }, stage.signal);
      upload.catch(() => {});
      while (stage.store.names.size === 0) await stage.clock.advance(20);
      await stage.storage.close();
      await expect(upload).rejects.toBeInstanceOf(StorageUnavailableError);
      stage = createStorageHarness(database.db, { partBytes: PART });
    });
  });

  it('parts of a file can not be exchanged, omitted or moved in the database', async () => {
    const { id } = await stage.upload(randomBytes(3 * PART));
    const other = await stage.upload(randomBytes(3 * PART));
    const rows = await database.db.select().from(parts).where(eq(parts.fileId, id)).orderBy(parts.position);
    const [first, second] = rows;
    const [foreign] = await database.db.select().from(parts).where(eq(parts.fileId, other.id)).orderBy(parts.position);
    if (!first || !second || !foreign) throw new Error('There are no parts');
    const chatTopic = { blobId: second.blobId, blobOffset: second.blobOffset, noncePrefix: second.noncePrefix };
    const foreignPlace = { blobId: foreign.blobId, blobOffset: foreign.blobOffset, noncePrefix: foreign.noncePrefix };
    for (const change of [chatTopic, foreignPlace, { sizeBytes: SEGMENT }]) {
      await database.db.transaction(async (tx) => {
        await tx.update(parts).set(change).where(eq(parts.noncePrefix, first.noncePrefix));
      });
      await expect(stage.read(id)).rejects.toBeInstanceOf(FileUnreadableError);
      await database.db.delete(parts).where(eq(parts.fileId, id));
      await database.db.insert(parts).values(rows);
    }
    await database.db.delete(parts).where(eq(parts.noncePrefix, second.noncePrefix));
    await expect(stage.read(id)).rejects.toBeInstanceOf(FileUnreadableError);
  });
});
