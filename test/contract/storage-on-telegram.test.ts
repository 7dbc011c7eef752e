import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createStorage,
  type Storage,
  type StorageOptions,
  StorageUnavailableError,
} from '../../src/core/storage/index.ts';
import { blobs } from '../../src/database/schema/index.ts';
import { createTelegramBlobStore } from '../../src/telegram/storage/channel-blob-store.ts';
import { createRecordingLogger } from '../support/harness/foundation.ts';
import { type ChannelHarness, collect, STORAGE_TOKENS, startChannelHarness } from '../support/harness/storage.ts';
import { createFastClock } from '../support/machine/fast-clock.ts';
import { createEmbeddedTestDatabase } from '../support/stores/test-database.ts';
import { EXHAUSTIVE, startBeforeAll } from '../support/vitest/tiers.ts';

const database = startBeforeAll(() => createEmbeddedTestDatabase());
// Every simulated Telegram has channels with the same ids.
afterEach(() => database.db.execute(sql`truncate files, blobs, parts cascade`));

const never = new AbortController().signal;
const KIB = 1024;

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += 64 * KIB) yield bytes.subarray(start, start + 64 * KIB);
}

/** Files on a simulated Telegram with its limits, and everything that shares rate limiter and journal. */
async function startFiles(options: { speed: number; channelCount?: number; storage?: StorageOptions }) {
  const clock = createFastClock(options.speed);
  const stage = await startChannelHarness({ clock, limits: 'telegram', channelCount: options.channelCount ?? 1 });
  const { logger, lines } = createRecordingLogger();
  const store = createTelegramBlobStore(
    { clock, logger, rateLimitStore: stage.rateLimitStore },
    {
      botTokens: STORAGE_TOKENS.slice(0, 1),
      chatIds: stage.chatIds,
      apiRoot: stage.simulator.url,
      maxBytes: 20 * KIB * KIB,
    },
  );
  const storage = createStorage(
    { db: database.db, clock, logger, store, encryptionKey: randomBytes(32) },
    { maxConcurrentUploads: 2000, ...options.storage },
  );
  return {
    ...stage,
    storage,
    clock,
    lines,
    async close() {
      await storage.close();
      await store.close();
      await stage.close();
    },
  };
}

const upload = (storage: Storage, bytes: Buffer) =>
  storage.upload(chunksOf(bytes), { name: 'a.bin', mediaType: undefined }, never);
const read = async (storage: Storage, id: string, size: number) =>
  collect(await storage.read(id, { start: 0, end: size - 1 }, never));
const countMessages = ({ documents, chatIds }: Pick<ChannelHarness, 'documents' | 'chatIds'>) =>
  chatIds.flatMap((chatId) => documents(chatId)).length;

describe('files in a channel', () => {
  it('a thousand files of 10 KiB are stored in 90 s without a refusal by Telegram', EXHAUSTIVE, async () => {
    const files = await startFiles({ speed: 2 });
    const contents = Array.from({ length: 1000 }, () => randomBytes(10 * KIB));
    const startedAt = files.clock.now();
    const stored = await Promise.all(contents.map((bytes) => upload(files.storage, bytes)));
    expect(files.clock.now() - startedAt).toBeLessThan(90_000);
    expect(files.simulator.control.calls('sendDocument').filter(({ status }) => status === 429)).toEqual([]);
    for (const at of [0, 1, 499, 998, 999]) {
      const bytes = await read(files.storage, stored[at]?.id ?? '', 10 * KIB);
      expect(bytes.equals(contents[at] ?? Buffer.of())).toBe(true);
    }
    await files.close();
  });

  it('files of several parts are read completely, and leave nothing when deleted', async () => {
    const files = await startFiles({ speed: 10, channelCount: 2, storage: { partBytes: KIB * KIB } });
    const bytes = randomBytes(3 * KIB * KIB + 1);
    const { id, ownerKey } = await upload(files.storage, bytes);
    expect((await read(files.storage, id, bytes.length)).equals(bytes)).toBe(true);
    expect(countMessages(files)).toBe(4);
    await files.storage.delete(id, { ownerKey });
    await vi.waitFor(() => expect(countMessages(files)).toBe(0));
    await files.close();
  });

  it.each(['corrupted', 'swapped', 'truncated', 'short'] as const)(
    'a download that is %s never returns a wrong byte',
    async (type) => {
      const files = await startFiles({ speed: 10, storage: { partBytes: KIB * KIB } });
      const bytes = randomBytes(2 * KIB * KIB);
      const { id } = await upload(files.storage, bytes);
      files.simulator.control.injectFault({ method: 'file', kind: { type }, times: 100 });
      const received: Buffer[] = [];
      const reading = async () => {
        for await (const part of await files.storage.read(id, { start: 0, end: bytes.length - 1 }, never))
          received.push(Buffer.from(part));
      };
      await expect(reading()).rejects.toThrow();
      const given = Buffer.concat(received);
      expect(given.equals(bytes.subarray(0, given.length))).toBe(true);
      expect(given.length).toBeLessThan(bytes.length);
      files.simulator.control.clearFaults();
      expect((await read(files.storage, id, bytes.length)).equals(bytes)).toBe(true);
      await files.close();
    },
  );

  it('an upload fails at once when the bot is removed, also in its middle, and works when it is back', async () => {
    const files = await startFiles({ speed: 10, storage: { partBytes: KIB * KIB } });
    const [chatId = 0] = files.chatIds;
    const bytes = randomBytes(4 * KIB * KIB);
    const interrupted = async function* () {
      for (let start = 0; start < bytes.length; start += 64 * KIB) {
        if (start === 2 * KIB * KIB) files.simulator.control.changeBot(chatId, { action: 'remove' });
        yield bytes.subarray(start, start + 64 * KIB);
      }
    };
    // A source that would never give the rest.
    const silent = async function* () {
      yield bytes.subarray(0, 1000);
      await new Promise(() => {});
    };
    const startedAt = files.clock.now();
    for (const source of [interrupted(), chunksOf(bytes), silent()]) {
      const uploading = files.storage.upload(source, { name: 'a.bin', mediaType: undefined }, never);
      const error = await uploading.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(StorageUnavailableError);
      expect(error).toMatchObject({ retryAfterMs: 60_000 });
    }
    expect(files.clock.now() - startedAt, 'far less than the 10 minutes that a slow store gets').toBeLessThan(60_000);

    files.simulator.control.changeBot(chatId, { action: 'add' });
    files.simulator.control.changeBot(chatId, { action: 'promote' });
    const { id } = await vi.waitFor(() => upload(files.storage, bytes));
    expect((await read(files.storage, id, bytes.length)).equals(bytes)).toBe(true);
    await files.storage.sweep(never);
    expect(await database.db.$count(blobs)).toBe(4);
    await files.close();
  });

  it('a file whose message was posted without an answer is stored again; the lost message is not searched', async () => {
    const files = await startFiles({ speed: 10 });
    files.simulator.control.injectFault({ method: 'sendDocument', kind: { type: 'reset-after' } });
    const bytes = randomBytes(1000);
    const { id } = await upload(files.storage, bytes);
    expect(await database.db.$count(blobs)).toBe(2);
    await files.storage.sweep(never);
    expect(await database.db.$count(blobs)).toBe(1);
    expect(countMessages(files)).toBe(2);
    expect(files.simulator.control.calls('sendMessage')).toEqual([]);
    expect((await read(files.storage, id, bytes.length)).equals(bytes)).toBe(true);
    await files.close();
    for (const token of STORAGE_TOKENS) expect(files.lines.join()).not.toContain(token.split(':')[1]);
  });
});
