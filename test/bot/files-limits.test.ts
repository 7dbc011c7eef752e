import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StorageOptions } from '../../src/core/storage/index.ts';
import { blockedHashes, files } from '../../src/database/schema/index.ts';
import { hashSecret } from '../../src/lib/ids.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { A_LINK, countFiles, idsIn, PDF, readStored, textOf } from '../support/harness/files.ts';
import { createScriptedBlobStore, type ScriptedBlobStore } from '../support/stores/scripted-blob-store.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const MIB = 1024 * 1024;
const SMALL_PARTS: StorageOptions = {
  partBytes: 256 * 1024,
  concurrentPuts: 1,
  receivingBytes: 512 * 1024,
  lingerMs: 0,
};

interface GatedStore {
  readonly store: ScriptedBlobStore;
  /** Completes one waiting put. */
  letOne(): void;
  open(): void;
  shut(): void;
}

/** Creates a store whose puts wait until its gate is open. */
function createGatedStore(): GatedStore {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  const store = createScriptedBlobStore({
    async beforePut(signal) {
      if (isOpen) return;
      await new Promise<void>((resolve, reject) => {
        waiting.push(resolve);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    },
  });
  return {
    store,
    letOne: () => waiting.shift()?.(),
    open() {
      isOpen = true;
      for (const go of waiting.splice(0)) go();
    },
    shut() {
      isOpen = false;
    },
  };
}

describe('uploading to the store', () => {
  const gate = createGatedStore();
  const harness = startBeforeAll(() => createBotHarness({ blobStore: gate.store, storageOptions: SMALL_PARTS }));

  test('reads no faster than the store writes, and shows the progress', async () => {
    gate.shut();
    const ann = harness.user('Ann');
    const bytes = Buffer.alloc(4 * MIB, 'slowly');
    ann.sends({ ...PDF, bytes });
    const early = await harness.sees(ann.chatId, /^Saving thing\.pdf… \d+% · .* \/ 4 MiB$/);
    expect(Number(/(\d+)%/.exec(textOf(early))?.[1])).toBeLessThan(35);
    for (let part = 1; part <= 8; part++) {
      await expect.poll(() => gate.store.putNames.length).toBe(part);
      gate.letOne();
    }
    await harness.sees(ann.chatId, /^Saving thing\.pdf… [5-9]\d% · /);
    gate.open();
    const answer = await harness.sees(ann.chatId, A_LINK);
    expect((await readStored(harness, idsIn(answer)[0] ?? '')).equals(bytes)).toBe(true);
  });

  test('handles two files of a user at a time, in order, independently of other users', async () => {
    gate.shut();
    const ann = harness.user('Ann');
    const bob = harness.user('Bob');
    for (const word of ['one', 'two', 'three', 'four']) {
      ann.sends({ ...PDF, fileName: `${word}.pdf`, bytes: Buffer.alloc(MIB, word) });
    }
    await harness.sees(ann.chatId, 'Waiting: 2 files of yours ahead of this. three.pdf');
    await harness.sees(ann.chatId, 'Waiting: 3 files of yours ahead of this. four.pdf');
    bob.sends({ ...PDF, fileName: 'bobs.pdf', bytes: Buffer.from('bob') });
    await harness.sees(bob.chatId, /^Saving bobs\.pdf/);
    gate.open();
    const isDone = () => harness.lines(ann.chatId).filter((line) => A_LINK.test(line)).length === 4;
    await harness.telegram.waitFor(isDone, 100_000);
    await harness.sees(bob.chatId, A_LINK);
    expect(await countFiles(harness, ann.id)).toBe(4);
  });

  test('is rolled back when the user blocks the bot', async () => {
    gate.shut();
    const uploads = () => harness.db.$count(files);
    const before = await uploads();
    const ann = harness.user('Ann');
    ann.sends({ ...PDF, bytes: Buffer.alloc(MIB) });
    await expect.poll(uploads).toBe(before + 1);
    harness.telegram.changeBot(ann.chatId, { action: 'block' });
    await expect.poll(uploads).toBe(before);
    gate.open();
  });
});

describe('a file that is not saved', () => {
  let harness: BotHarness;
  const store = createScriptedBlobStore();
  beforeAll(async () => {
    harness = await createBotHarness({
      blobStore: store,
      storageOptions: { maxBytesPerDay: 1000, maxFileBytes: 2000 },
    });
  });
  afterAll(() => harness.close());

  test('because of the quota shows when it resets', async () => {
    const ann = harness.user('Ann');
    ann.sends({ ...PDF, bytes: Buffer.alloc(600) });
    await harness.sees(ann.chatId, A_LINK);
    ann.sends({ ...PDF, bytes: Buffer.alloc(600) });
    const words = /^You’ve reached today’s storage limit\. Try again in 2[34] hours\.$/;
    const refused = await harness.sees(ann.chatId, words);
    expect(refused.message.reply_markup?.inline_keyboard).toMatchObject([[{ text: 'Retry' }]]);
    const bob = harness.user('Bob');
    bob.sends({ ...PDF, bytes: Buffer.alloc(600) });
    await harness.sees(bob.chatId, A_LINK);
  });

  test('because the operator blocked it offers no Retry', async () => {
    await harness.db.insert(blockedHashes).values({ sha256: hashSecret('bad'), reason: 'test' });
    const ann = harness.user('Ann');
    ann.sends({ ...PDF, bytes: Buffer.from('bad') });
    await harness.shows(ann.chatId, ['Ann: (thing.pdf) ', 'Bot: The operator of this bot has blocked this file.']);
  });

  test('because the store is unavailable offers Retry', async () => {
    store.script = (call) => (call === 'put' ? 'refused' : undefined);
    const ann = harness.user('Ann');
    ann.sends(PDF);
    await harness.sees(ann.chatId, 'I can’t save files right now. Please try again in a minute.');
    store.script = () => undefined;
    await ann.presses('Retry');
    await harness.sees(ann.chatId, A_LINK);
    expect(harness.lines(ann.chatId)).toHaveLength(2);
  });

  test('because it exceeds the size limit is shared inside Telegram', async () => {
    const ann = harness.user('Ann');
    ann.sends({ ...PDF, bytes: Buffer.alloc(2001) });
    await harness.sees(ann.chatId, /Too large for a download link/);
  });

  test('because the process was killed is reported by its Cancel button', async () => {
    const ann = harness.user('Ann');
    const { id } = await harness.accounts.ensureTelegramUser(ann.id);
    const [token = ''] = await harness.interactions.storeActions({ userId: id, chatId: ann.chatId }, [
      { kind: 'stop-saving', saveId: 'of-before' },
    ]);
    await harness.client.api.sendMessage(ann.chatId, 'Saving thing.pdf… 40%', {
      reply_markup: { inline_keyboard: [[{ text: 'Cancel', callback_data: token }]] },
    });
    expect(await ann.presses('Cancel')).toBe('There is nothing to stop.');
    await harness.shows(ann.chatId, ['Bot: I restarted before this was done. Please send it again.']);
  });
});

test('uploads that are running at shutdown show a notice with Retry', async () => {
  const harness = await createBotHarness({ blobStore: createGatedStore().store, storageOptions: SMALL_PARTS });
  try {
    const ann = harness.user('Ann');
    ann.sends({ ...PDF, bytes: Buffer.alloc(MIB) });
    await harness.sees(ann.chatId, /^Saving/);
    ann.sends({ ...PDF, mediaGroupId: 'late', fileName: 'late.pdf' });
    await harness.hasHandledAll();
    // More files of the album may arrive until then.
    await harness.passes(2000);
    await harness.bot.stop();
    const words = 'Bot: I restarted before the file was saved. Press Retry to continue. [Retry]';
    expect(harness.lines(ann.chatId).filter((line) => line === words)).toHaveLength(2);
    expect(await countFiles(harness, ann.id)).toBe(0);
  } finally {
    await harness.close();
  }
});
