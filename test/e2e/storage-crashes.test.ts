import { createHash, randomBytes } from 'node:crypto';
import { dirname } from 'node:path';
import { type Column, eq, sql } from 'drizzle-orm';
import type { FaultKind } from 'telegram-bot-simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestSimulator, TEST_TOKEN, type TestSimulator } from '../../simulator/test/support/simulator.ts';
import { type Database, type DatabaseConfig, openDatabase } from '../../src/database/connect.ts';
import { blobs, files, parts, storageRateLimits } from '../../src/database/schema/index.ts';
import { isJsonObject } from '../../src/lib/json/json.ts';
import { readUploadAnswer, type UploadAnswer } from '../support/harness/files.ts';
import {
  createWorkFolder,
  eventually,
  type RunningService,
  type Settings,
  startService,
} from '../support/harness/process.ts';
import { type Gate, holdBehind, holdTransaction, startGate } from '../support/stores/gate.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

const CARRIER_TOKEN = '7100001:AAtokenOfTheBotThatCarriesFiles_01234567';
const PART_BYTES = 1024 * 1024;
const MOMENTS = ['before', 'after'] as const;
const CHANCE_DECIDES = 'a transaction inside of the process cannot be held: both moments are one';
const SILENT: FaultKind = { type: 'no-answer' };
const SILENT_AFTERWARDS: FaultKind = { type: 'no-answer', takesEffect: true };

/** A file whose upload was confirmed. */
interface KeptFile extends UploadAnswer {
  readonly bytes: Buffer;
}

/**
 * A service on one database and one channel is killed at each step of an upload and of a deletion, and started again.
 * All steps share one sweep at the end, an hour later.
 */
describeOnEveryDatabase(
  'kill -9',
  (createDatabase) => {
    let folder: Awaited<ReturnType<typeof createWorkFolder>>;
    let database: TestDatabase;
    let telegram: TestSimulator;
    let telegramGate: Gate;
    let databaseGate: Gate | undefined;
    let settings: Settings;
    let chatId: number;
    let service: RunningService;
    const kept: KeptFile[] = [];

    beforeAll(async () => {
      folder = await createWorkFolder();
      telegram = await startTestSimulator({
        bots: [
          { token: TEST_TOKEN, username: 'test_bot', firstName: 'Test Bot' },
          { token: CARRIER_TOKEN, username: 'carrier_bot', firstName: 'Carrier' },
        ],
      });
      telegram.control.createPerson({ firstName: 'Owner' });
      chatId = telegram.control.createChat({ type: 'channel', title: 'Vault' }).id;
      for (const action of ['add', 'promote'] as const)
        telegram.control.changeBot(chatId, { action }, Number.parseInt(CARRIER_TOKEN, 10));
      telegramGate = await startGate({ host: '127.0.0.1', port: Number(new URL(telegram.url).port) });
      database = await createDatabase();
      await database.release();
      databaseGate = await startDatabaseGate(database.config);
      settings = {
        BOT_TOKEN: TEST_TOKEN,
        STORAGE_BOT_TOKENS: CARRIER_TOKEN,
        STORAGE_CHAT_IDS: String(chatId),
        STORAGE_PART_MB: '1',
        TELEGRAM_API_ROOT: `http://127.0.0.1:${telegramGate.port}`,
        ...toDatabaseSettings(database.config, databaseGate),
      };
      service = await startService(folder.path, settings);
    });
    afterAll(async () => {
      await service?.kill();
      await telegramGate?.close();
      await databaseGate?.close();
      await telegram?.close();
      await database?.close();
      await folder?.remove();
    });

    const upload = async (bytes: Buffer): Promise<KeptFile> => {
      const answer = await readUploadAnswer(
        service.get('/upload/letter.bin', { method: 'PUT', body: Uint8Array.from(bytes) }),
      );
      if (!answer.ok) throw new Error(answer.error.message);
      const file = { ...answer, bytes };
      kept.push(file);
      return file;
    };
    const remove = async ({ id, owner }: KeptFile): Promise<boolean> => {
      const answer = await service.get(`/file/${id}`, { method: 'DELETE', headers: { authorization: owner } });
      return answer.ok;
    };
    const download = async (id: string) => {
      const answer = await service.get(`/file/${id}`);
      return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
    };
    /** Kills the process when it has reached a step, and starts another one. */
    const crash = async (isThere: Promise<unknown>) => {
      await isThere;
      await service.kill();
      telegram.control.clearFaults();
      service = await startService(folder.path, settings);
    };
    /** Resolves when the call has reached Telegram, and holds its response. */
    const holdCall = async (method: string, kind: FaultKind, skip = 0) => {
      const before = telegram.control.calls(method).length;
      telegram.control.injectFault({ method, skip, kind });
      await eventually(() => telegram.control.calls(method).length > before + skip || undefined);
    };
    const expectKept = async () => {
      for (const { id, bytes } of kept) {
        const { status, bytes: downloaded } = await download(id);
        expect({ id, status, isSame: downloaded.equals(bytes) }).toEqual({ id, status: 200, isSame: true });
      }
    };
    const documentIds = () =>
      telegram.control.transcript(chatId).flatMap(({ message }) => (message.document ? [message.message_id] : []));
    const inDatabase = async <Result>(look: (db: Database) => Promise<Result>): Promise<Result> => {
      await service.kill();
      const { db, close } = await openDatabase(database.config);
      return look(db).finally(close);
    };

    const forget = ({ id }: KeptFile) => {
      kept.splice(
        kept.findIndex((file) => file.id === id),
        1,
      );
    };
    /** Waits for a step of a transaction. It cannot be held if the database is embedded, so its result is random then. */
    const reachTransaction = async (words: string, moment: 'before' | 'after', method: string) => {
      if (databaseGate) return databaseGate.hold(holdTransaction(words, moment));
      const before = telegram.control.calls(method).length;
      await eventually(() => telegram.control.calls(method).length > before || undefined);
    };

    /**
     * Checks the state after an hour and a sweep: there are only complete files, and the channel has only their messages and
     * those with a lost response. The service has been restarted then.
     */
    const expectOrderAnHourLater = async () => {
      const { unfinishedIds, whole, neededBlobs, strayIds } = await inDatabase(async (db) => {
        await letAnHourPass(db);
        const rows = await db.select().from(files);
        const placed = (await db.select().from(blobs)).map(({ locator }) => toMessageId(locator));
        return {
          unfinishedIds: rows.filter(({ state }) => state === 'uploading').map(({ id }) => id),
          whole: rows.filter(({ state }) => state === 'ready'),
          neededBlobs: await listBlobsOfWholeFiles(db),
          strayIds: documentIds().filter((id) => !placed.includes(id)),
        };
      });
      service = await startService(folder.path, settings);
      for (const id of unfinishedIds) expect((await download(id)).status).toBe(404);
      for (const { id, sha256 } of whole) expect(toSha256((await download(id)).bytes)).toBe(sha256);
      await upload(Buffer.from('life goes on'));
      const count = neededBlobs.length + strayIds.length + 1;
      await eventually(() => documentIds().length <= count || undefined, 90_000);
      await expectKept();
      const blobsNow = await inDatabase(listBlobsOfWholeFiles);
      const placedIds = blobsNow.map(({ locator }) => toMessageId(locator));
      expect([...placedIds, ...strayIds].sort()).toEqual(documentIds().sort());
      service = await startService(folder.path, settings);
    };

    test('after an upload leaves its file complete', async () => {
      const small = ['one of two in a message', 'the other one'].map((text) => upload(Buffer.from(text)));
      await Promise.all([...small, upload(ofParts(2))]);
      await crash(Promise.resolve());
      await expectKept();
    });

    test.for(MOMENTS)('%s the transaction that deletes a file', async (moment, { skip }) => {
      skip(!databaseGate && moment === 'after', CHANCE_DECIDES);
      const file = await upload(ofParts(1));
      const reached = reachTransaction(file.id, moment, 'deleteMessage');
      const answer = outcomeOf(remove(file));
      await crash(reached);
      forget(file);
      if (databaseGate) expect(await answer).toBe('unanswered');
      const { status, bytes } = await download(file.id);
      if (status === 200) expect(bytes.equals(file.bytes)).toBe(true);
      expect(status).toBe(databaseGate && moment === 'before' ? 200 : 404);
      await expectKept();
    });

    test.each<[string, FaultKind]>([
      ['before the bytes of a deleted file are removed', SILENT],
      ['when they are removed without confirmation', SILENT_AFTERWARDS],
    ])('%s changes nothing for its owner', async (_step, kind) => {
      const file = await upload(ofParts(1));
      const held = holdCall('deleteMessage', kind);
      expect(await remove(file)).toBe(true);
      forget(file);
      await crash(held);
      expect((await download(file.id)).status).toBe(404);
      await expectKept();
    });

    test.each<[string, number, () => Promise<unknown>]>([
      ['before a part is sent', 1, () => holdCall('sendDocument', SILENT)],
      ['while a part is sent', 1, () => telegramGate.hold(holdBehind(PART_BYTES / 2))],
      ['when a part has arrived and its response is lost', 1, () => holdCall('sendDocument', SILENT_AFTERWARDS)],
      ['between two parts', 2, () => holdCall('sendDocument', SILENT, 1)],
    ])('%s leaves no reachable file', async (_step, partCount, hold) => {
      const held = hold();
      const answer = outcomeOf(upload(ofParts(partCount)));
      await crash(held);
      expect(await answer).toBe('unanswered');
      await expectKept();
    });

    test.for(MOMENTS)('%s the transaction that completes an upload', async (moment, { skip }) => {
      skip(!databaseGate && moment === 'after', CHANCE_DECIDES);
      const bytes = ofParts(1);
      const reached = reachTransaction(toSha256(bytes), moment, 'sendDocument');
      const answer = outcomeOf(upload(bytes));
      await crash(reached);
      if (databaseGate) expect(await answer).toBe('unanswered');
      await answer;
      await expectKept();
    });

    test('leaves no remains after an hour', async () => {
      const before = documentIds().length;
      await expectOrderAnHourLater();
      expect(documentIds().length).toBeLessThan(before);
    });
  },
  { areSideBySide: true, ...EXHAUSTIVE },
);

/** Returns a file that needs this number of messages. */
function ofParts(count: number): Buffer {
  return randomBytes(PART_BYTES * count - 1000);
}

function outcomeOf(answer: Promise<unknown>): Promise<'answered' | 'unanswered'> {
  return answer.then(
    () => 'answered',
    () => 'unanswered',
  );
}

function toSha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Blobs with parts of reachable files. */
async function listBlobsOfWholeFiles(db: Database) {
  return db
    .selectDistinct({ id: blobs.id, locator: blobs.locator })
    .from(blobs)
    .innerJoin(parts, eq(parts.blobId, blobs.id))
    .innerJoin(files, eq(files.id, parts.fileId))
    .where(eq(files.state, 'ready'));
}

function toMessageId(locator: unknown): number {
  return isJsonObject(locator) ? Number(locator['messageId']) : Number.NaN;
}

/** A gate in front of a database server. An embedded database has none. */
async function startDatabaseGate(config: DatabaseConfig): Promise<Gate | undefined> {
  if (config.kind === 'embedded') return undefined;
  const { hostname, port } = new URL(config.url);
  return startGate({ host: hostname, port: Number(port || 5432) });
}

function toDatabaseSettings(config: DatabaseConfig, gate: Gate | undefined): Settings {
  if (config.kind === 'embedded') return { DATA_DIR: dirname(config.directory) };
  const url = new URL(config.url);
  url.hostname = '127.0.0.1';
  url.port = String(gate?.port);
  return { DATABASE_URL: url.href };
}

/** Moves all times in the database back by an hour. */
async function letAnHourPass(db: Database): Promise<void> {
  const earlier = (column: Column) => sql`${column} - interval '1 hour'`;
  await db.update(files).set({ createdAt: earlier(files.createdAt), leaseUntil: earlier(files.leaseUntil) });
  await db.update(blobs).set({ leaseUntil: earlier(blobs.leaseUntil) });
  await db.delete(storageRateLimits);
}
