import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FaultKind } from 'telegram-bot-simulator';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type BlobLocator,
  BlobMissingError,
  BlobOutcomeUnknownError,
  BlobRefusedError,
  type BlobStore,
} from '../../../../src/core/storage/index.ts';
import { createId } from '../../../../src/lib/ids.ts';
import {
  type ChannelHarness,
  type ChannelHarnessOptions,
  STORAGE_TOKENS,
  startChannelHarness,
} from '../../../support/harness/storage.ts';

const BYTES = randomBytes(300_000);
const never = new AbortController().signal;

async function start(options: ChannelHarnessOptions = {}): Promise<ChannelHarness> {
  const stage = await startChannelHarness(options);
  onTestFinished(() => stage.close());
  return stage;
}

const put = (store: BlobStore, bytes = BYTES, name = createId()) => store.put({ name, bytes }, never);

async function read(store: BlobStore, locator: BlobLocator, offset = 0, length = BYTES.length, signal = never) {
  const pieces: Buffer[] = [];
  // A chunk is overwritten when the next one is requested.
  for await (const piece of await store.open(locator, { offset, length }, signal)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

const fail = ({ simulator }: ChannelHarness, method: string, kind: FaultKind, times = 1) =>
  simulator.control.injectFault({ method, kind, times });

/** Expects that no visible text contains a token. */
const expectNoToken = (stage: ChannelHarness, ...texts: unknown[]) => {
  const everything = [
    ...stage.lines,
    ...texts.map((text) => `${text} ${text instanceof Error ? text.stack : ''}`),
  ].join();
  for (const token of STORAGE_TOKENS) expect(everything).not.toContain(token.split(':')[1]);
};

describe('a blob', () => {
  it('is one silent document without a caption, under its random name', async () => {
    const { store, simulator, chatIds } = await start();
    const locator = await put(store, BYTES, 'random-name');
    const [post, ...others] = simulator.control.transcript(chatIds[0] ?? 0);
    expect(others).toEqual([]);
    expect(post?.message.document).toMatchObject({ file_name: 'random-name.bin', file_size: BYTES.length });
    expect(post?.message).not.toHaveProperty('caption');
    expect(simulator.control.calls('sendDocument')[0]?.params).toMatchObject({
      disable_notification: 'true',
      disable_content_type_detection: 'true',
    });
    expect(locator).toEqual({
      botId: 7_100_001,
      chatId: chatIds[0],
      messageId: post?.message.message_id,
      fileId: expect.any(String),
      sizeBytes: BYTES.length,
    });
  });

  it('that begins like an image is stored as a document', async () => {
    const { store } = await start();
    const bytes = Buffer.concat([Buffer.from('GIF89a'), randomBytes(100)]);
    expect(await read(store, await put(store, bytes), 0, bytes.length)).toEqual(bytes);
  });

  it('larger than the limit of the store is refused without a call', async () => {
    const { store, simulator } = await start({ config: { maxBytes: 1000 } });
    await expect(put(store)).rejects.toThrow(BlobRefusedError);
    expect(simulator.control.calls()).toEqual([]);
  });

  it('of 20 MiB can be read through the hosted Bot API', async () => {
    const { store } = await start();
    const bytes = randomBytes(20 * 1024 * 1024);
    expect((await read(store, await put(store, bytes), 0, bytes.length)).equals(bytes)).toBe(true);
  });
});

describe('a send', () => {
  it.each<[string, FaultKind]>([
    ['is answered 429', { type: 'flood', retryAfterSeconds: 0.02 }],
    ['is answered 403', { type: 'error', status: 403, description: 'Forbidden: bot was kicked from the channel chat' }],
    ['is answered 400', { type: 'error', status: 400, description: 'Bad Request: CHAT_ADMIN_REQUIRED' }],
  ])('that %s has certainly failed, so it is sent another way', async (_case, kind) => {
    const stage = await start({ botCount: 2 });
    fail(stage, 'sendDocument', kind);
    const locator = await put(stage.store);
    expect(stage.documents()).toHaveLength(1);
    expect(await read(stage.store, locator)).toEqual(BYTES);
    expect(stage.simulator.control.calls('sendDocument').map(({ botId }) => botId)).toEqual([7_100_001, 7_100_002]);
  });

  it.each<[string, FaultKind, number]>([
    ['500', { type: 'error', status: 500 }, 0],
    ['502', { type: 'error', status: 502 }, 0],
    ['a reset before it was posted', { type: 'reset-before' }, 0],
    ['a reset after it was posted', { type: 'reset-after' }, 1],
    ['an invalid answer', { type: 'garbage' }, 1],
  ])('that ends with %s has an unknown outcome and is not repeated', async (_case, kind, posted) => {
    const stage = await start({ botCount: 2, channelCount: 2 });
    fail(stage, 'sendDocument', kind);
    const error = await put(stage.store).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BlobOutcomeUnknownError);
    expect(stage.chatIds.flatMap((chatId) => stage.documents(chatId))).toHaveLength(posted);
    expect(stage.simulator.control.calls('sendDocument')).toHaveLength(1);
    expectNoToken(stage, error);
  });

  it('that can not connect has certainly failed', async () => {
    const stage = await start();
    const store = stage.createStore({ apiRoot: 'http://127.0.0.1:9' });
    const error = await put(store).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BlobRefusedError);
    expect(error).toHaveProperty('retryAfterMs', 5000);
    expectNoToken(stage, error);
  });

  it('ends with the reason of its signal, which reaches the socket', async () => {
    const stage = await start();
    fail(stage, 'sendDocument', { type: 'no-answer' });
    const controller = new AbortController();
    const sending = stage.store.put({ name: 'lost', bytes: BYTES }, controller.signal);
    await vi.waitFor(() => expect(stage.simulator.control.calls('sendDocument')).toHaveLength(1));
    controller.abort(new Error('the upload is over'));
    await expect(sending).rejects.toThrow('the upload is over');
  });

  it('is refused with a retry time when no bot may write', async () => {
    const stage = await start({ botCount: 2 });
    fail(stage, 'sendDocument', { type: 'error', status: 403 }, 2);
    await expect(put(stage.store)).rejects.toMatchObject({ name: 'BlobRefusedError', retryAfterMs: 60_000 });
    await expect(put(stage.store)).rejects.toThrow('no bot may write');
    expect(stage.simulator.control.calls('sendDocument')).toHaveLength(2);
  });

  it('is refused at once when Telegram asks for a long pause', async () => {
    const stage = await start();
    fail(stage, 'sendDocument', { type: 'flood', retryAfterSeconds: 3600 });
    const error = await put(stage.store).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BlobRefusedError);
    expect((error as BlobRefusedError).retryAfterMs).toBeGreaterThan(3_590_000);
    expect(stage.simulator.control.calls('sendDocument')).toHaveLength(1);
  });
});

describe('a store whose bots may no longer write', () => {
  const LOSSES: readonly (readonly [string, (stage: ChannelHarness, botId: number, chatId: number) => void])[] = [
    ['are removed', ({ simulator }, botId, chatId) => simulator.control.changeBot(chatId, { action: 'remove' }, botId)],
    ['are demoted', ({ simulator }, botId, chatId) => simulator.control.changeBot(chatId, { action: 'demote' }, botId)],
    [
      'lose the right to post',
      ({ simulator }, botId, chatId) =>
        simulator.control.changeBot(chatId, { action: 'promote', rights: { canPostMessages: false } }, botId),
    ],
  ];
  const returnBots = ({ simulator, chatIds }: ChannelHarness) => {
    for (const chatId of chatIds) {
      for (const botId of [7_100_001, 7_100_002]) {
        simulator.control.changeBot(chatId, { action: 'add' }, botId);
        simulator.control.changeBot(chatId, { action: 'promote' }, botId);
      }
    }
  };
  const OUTAGE = { name: 'BlobRefusedError', isOutage: true, retryAfterMs: 60_000 };

  it.each(LOSSES)('because they %s refuses at once, and stores again soon after they return', async (_case, lose) => {
    const stage = await start({ botCount: 2, channelCount: 2 });
    await put(stage.store);
    for (const chatId of stage.chatIds) for (const botId of [7_100_001, 7_100_002]) lose(stage, botId, chatId);
    await expect(put(stage.store)).rejects.toMatchObject(OUTAGE);
    const { length: sends } = stage.simulator.control.calls('sendDocument');
    expect(await stage.store.findOutage?.()).toBe('no bot may write into a channel');
    for (let time = 0; time < 5; time++) await expect(put(stage.store)).rejects.toMatchObject(OUTAGE);
    expect(stage.simulator.control.calls('sendDocument'), 'no bytes are sent in vain').toHaveLength(sends);

    returnBots(stage);
    const returnedAt = stage.clock.now();
    await vi.waitFor(async () => expect(await stage.store.findOutage?.()).toBeUndefined());
    expect(await read(stage.store, await put(stage.store))).toEqual(BYTES);
    expect(stage.clock.now() - returnedAt).toBeLessThan(50_000);
  });

  it('uses the channel that is left', async () => {
    const stage = await start({ channelCount: 2 });
    const [gone = 0, left = 0] = stage.chatIds;
    stage.simulator.control.changeBot(gone, { action: 'remove' });
    for (let time = 0; time < 3; time++) expect(await put(stage.store)).toMatchObject({ chatId: left });
    expect(await stage.store.findOutage?.()).toBeUndefined();
  });

  it.each([
    ['was deleted', 400, 'Bad Request: chat not found'],
    ['was deleted by Telegram', 403, 'Forbidden: the channel chat was deleted'],
    ['belongs to a revoked token', 401, 'Unauthorized'],
  ])('knows that the channel %s, also before a blob is put', async (_case, status, description) => {
    const stage = await start();
    for (const method of ['sendDocument', 'getChat', 'getChatMember'])
      fail(stage, method, { type: 'error', status, description }, 1000);
    expect(await stage.store.findOutage?.(), 'not known yet').toBeUndefined();
    await vi.waitFor(async () => expect(await stage.store.findOutage?.()).toBeDefined());
    await expect(put(stage.store)).rejects.toMatchObject(OUTAGE);
    expect(stage.simulator.control.calls('sendDocument')).toEqual([]);
    expectNoToken(stage);
    stage.simulator.control.clearFaults();
    await vi.waitFor(async () => expect(await stage.store.findOutage?.()).toBeUndefined());
    await put(stage.store);
  });

  it('waits only a few seconds for a Telegram that does not say whether they may', async () => {
    const stage = await start();
    fail(stage, 'sendDocument', { type: 'error', status: 403 });
    for (const method of ['getChat', 'getChatMember']) fail(stage, method, { type: 'no-answer' }, 1000);
    for (let time = 0; time < 2; time++) await expect(put(stage.store)).rejects.toMatchObject(OUTAGE);
    // Nothing explains the refusal, so the channel is tried again.
    await vi.waitFor(async () => expect(await put(stage.store)).toBeDefined());
  });
});

describe('a read', () => {
  it.each([
    [0, 1],
    [0, BYTES.length],
    [1, 65_536],
    [65_535, 2],
    [BYTES.length - 1, 1],
    [100, 0],
  ])('from %i of %i bytes returns exactly these', async (offset, length) => {
    const { store } = await start();
    const locator = await put(store);
    expect(await read(store, locator, offset, length)).toEqual(BYTES.subarray(offset, offset + length));
  });

  it('of a range works if the server sends only whole files', async () => {
    const stage = await start();
    const locator = await put(stage.store);
    fail(stage, 'file', { type: 'whole-file' });
    expect(await read(stage.store, locator, 70_000, 100_000)).toEqual(BYTES.subarray(70_000, 170_000));
  });

  it('frees a chunk when the next one is requested', async () => {
    const { store } = await start();
    const bytes = randomBytes(5_000_000);
    const locator = await put(store, bytes);
    const pieces: Buffer[] = [];
    let readBytes = 0;
    for await (const piece of await store.open(locator, { offset: 0, length: bytes.length }, never)) {
      readBytes += piece.length;
      pieces.push(piece);
    }
    expect(readBytes).toBe(bytes.length);
    // Only small chunks may share their memory with others.
    expect(pieces.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(200_000);
  });

  it('requests the path once, and again when it is invalid', async () => {
    const stage = await start();
    const locator = await put(stage.store);
    await read(stage.store, locator);
    await Promise.all([read(stage.store, locator), read(stage.store, locator, 5, 10)]);
    expect(stage.simulator.control.calls('getFile')).toHaveLength(1);
    fail(stage, 'file', { type: 'error', status: 404, description: 'Not Found' });
    expect(await read(stage.store, locator)).toEqual(BYTES);
    expect(stage.simulator.control.calls('getFile')).toHaveLength(2);
  });

  it('that was announced finds its path cached, by one call for all', async () => {
    const stage = await start();
    const locator = await put(stage.store);
    const calls = () => stage.simulator.control.calls('getFile').length;
    for (let time = 0; time < 3; time++) stage.store.prepare?.(locator);
    await vi.waitFor(() => expect(calls()).toBe(1));
    expect(await read(stage.store, locator)).toEqual(BYTES);
    stage.store.prepare?.(locator);
    expect(await read(stage.store, locator, 5, 10)).toEqual(BYTES.subarray(5, 15));
    expect(calls()).toBe(1);
  });

  it('that was announced without success works as usual', async () => {
    const stage = await start();
    const locator = await put(stage.store);
    fail(stage, 'getFile', { type: 'error', status: 400, description: 'Bad Request: invalid file_id' });
    stage.store.prepare?.(locator);
    stage.store.prepare?.({ ...locator, botId: 42 });
    await vi.waitFor(() => expect(stage.simulator.control.calls('getFile')[0]?.status).toBe(400));
    // A read before the refusal has arrived gets it, too.
    await vi.waitFor(async () => expect(await read(stage.store, locator)).toEqual(BYTES));
  });

  it.each<[string, FaultKind]>([
    ['429', { type: 'flood', retryAfterSeconds: 0.01 }],
    ['500', { type: 'error', status: 500 }],
    ['502', { type: 'error', status: 502 }],
    ['a reset', { type: 'reset-before' }],
    ['a reset after the call took effect', { type: 'reset-after' }],
    ['garbage', { type: 'garbage' }],
    [
      '"temporarily unavailable"',
      { type: 'error', status: 400, description: 'Bad Request: wrong file_id or the file is temporarily unavailable' },
    ],
  ])('continues after %s to getFile', async (_case, kind) => {
    const stage = await start();
    const locator = await put(stage.store);
    fail(stage, 'getFile', kind);
    expect(await read(stage.store, locator)).toEqual(BYTES);
  });

  it.each<[string, FaultKind]>([
    ['429', { type: 'flood', retryAfterSeconds: 1 }],
    ['500', { type: 'error', status: 500 }],
    ['502', { type: 'error', status: 502 }],
    ['410', { type: 'error', status: 410 }],
    ['a reset', { type: 'reset-before' }],
  ])('continues after %s to the download', async (_case, kind) => {
    const stage = await start();
    const locator = await put(stage.store);
    fail(stage, 'file', kind);
    expect(await read(stage.store, locator, 10, 1000)).toEqual(BYTES.subarray(10, 1010));
  });

  it.each<FaultKind['type']>(['truncated', 'short'])('that breaks off (%s) never looks complete', async (type) => {
    const stage = await start();
    const locator = await put(stage.store);
    for (const [offset, length] of [
      [0, BYTES.length],
      [1000, 200_000],
    ] as const) {
      fail(stage, 'file', { type } as FaultKind, 9);
      const error = await read(stage.store, locator, offset, length).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(BlobRefusedError);
      expectNoToken(stage, error);
      stage.simulator.control.clearFaults();
    }
  });

  it('returns the right bytes or an error, whatever happens to a chunk outside its checks', async () => {
    const stage = await start();
    const locator = await put(stage.store);
    fail(stage, 'file', { type: 'corrupted' });
    // The encryption above detects this; the store guarantees the number of bytes.
    expect(await read(stage.store, locator)).toHaveLength(BYTES.length);
  });

  it('of a file unknown to Telegram reports that', async () => {
    const stage = await start();
    const locator = await put(stage.store);
    await expect(read(stage.store, { ...locator, fileId: 'nonsense' })).rejects.toThrow(BlobMissingError);
    await expect(read(stage.store, locator, 1, BYTES.length)).rejects.toThrow(BlobMissingError);
  });

  it('of a bot whose token was removed names the bot', async () => {
    const stage = await start();
    const locator = await put(stage.store);
    await expect(read(stage.store, { ...locator, botId: 42 })).rejects.toThrow(/bot 42/);
  });

  it('ends with its signal', async () => {
    const stage = await start();
    const locator = await put(stage.store);
    fail(stage, 'file', { type: 'no-answer' });
    const controller = new AbortController();
    const reading = read(stage.store, locator, 0, 10, controller.signal);
    await vi.waitFor(() => expect(stage.simulator.control.calls('getFile')).toHaveLength(1));
    controller.abort(new Error('nobody reads any more'));
    await expect(reading).rejects.toThrow('nobody reads any more');
  });

  it('comes from the disk with a self-hosted Bot API server, also above 20 MiB', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'switchboard-local-api-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const stage = await start({ localDirectory: folder, config: { maxBytes: 65 * 1024 * 1024 } });
    const bytes = randomBytes(64 * 1024 * 1024);
    const locator = await put(stage.store, bytes);
    expect((await read(stage.store, locator, 0, bytes.length)).equals(bytes)).toBe(true);
    expect(await read(stage.store, locator, 30_000_000, 70_000)).toEqual(bytes.subarray(30_000_000, 30_070_000));
    await rm(folder, { recursive: true });
    const other = stage.createStore();
    await expect(read(other, { ...locator, sizeBytes: 5 }, 0, 5)).rejects.toThrow(/5/);
  });
});

describe('a deletion', () => {
  it('removes the message, and may be repeated', async () => {
    const { store, simulator, chatIds } = await start();
    const locator = await put(store);
    await store.delete(locator, never);
    expect(simulator.control.transcript(chatIds[0] ?? 0)).toEqual([]);
    await store.delete(locator, never);
  });

  it.each<[string, FaultKind]>([
    ['429', { type: 'flood', retryAfterSeconds: 0.02 }],
    ['500', { type: 'error', status: 500 }],
    ['a reset before', { type: 'reset-before' }],
    ['a reset after', { type: 'reset-after' }],
    ['garbage', { type: 'garbage' }],
  ])('continues after %s', async (_case, kind) => {
    const stage = await start();
    const locator = await put(stage.store);
    fail(stage, 'deleteMessage', kind);
    await stage.store.delete(locator, never);
    expect(stage.documents()).toEqual([]);
  });

  it('that Telegram refuses leaves one byte', async () => {
    const stage = await start();
    const locator = await put(stage.store);
    fail(stage, 'deleteMessage', { type: 'error', status: 400, description: "Bad Request: message can't be deleted" });
    await stage.store.delete(locator, never);
    const [left] = stage.simulator.control.transcript(stage.chatIds[0] ?? 0);
    expect(left?.message.document).toMatchObject({ file_name: 'deleted.bin', file_size: 1 });
  });

  it('is done by another bot if the sending bot was removed', async () => {
    const stage = await start({ botCount: 2 });
    const locator = await put(stage.store);
    stage.simulator.control.changeBot(stage.chatIds[0] ?? 0, { action: 'remove' }, Number(locator['botId']));
    await stage.store.delete(locator, never);
    expect(stage.documents()).toEqual([]);
  });

  it('that is impossible is refused, with a retry time', async () => {
    const stage = await start();
    const locator = await put(stage.store);
    stage.simulator.control.changeBot(stage.chatIds[0] ?? 0, { action: 'remove' });
    await expect(stage.store.delete(locator, never)).rejects.toMatchObject({
      name: 'BlobRefusedError',
      retryAfterMs: 3_600_000,
    });
  });
});
