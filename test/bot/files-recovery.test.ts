import { and, eq, isNull } from 'drizzle-orm';
import type { Update } from 'grammy/types';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createBot } from '../../src/bot/bot.ts';
import type { GivenServices } from '../../src/bot/kit/services.ts';
import { dialogs, updates } from '../../src/database/schema/index.ts';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { A_LINK, countFiles, keysIn, PDF } from '../support/harness/files.ts';
import { createScriptedBlobStore } from '../support/stores/scripted-blob-store.ts';

const CUT_SHORT = 'Bot: I restarted before the file was saved. Press Retry to continue. [Retry]';

interface Scene extends BotHarness {
  /** The store takes no more blobs. True at the beginning. */
  isStuck: boolean;
  /** Until the end of the test, messages with buttons are never sent and completed uploads never return. */
  isMute: boolean;
  /** The next upload is stored, but fails as if its response were lost. */
  losesConfirmation: boolean;
  /** Recovers the chat as the next process. From then on the first process writes no dialogs. */
  recover(chatId: number, signal?: AbortSignal): Promise<void>;
  /** The same for a message whose update was not handled, so it is delivered again. */
  recoverAndRepeat(chatId: number, messageId: number): Promise<void>;
  /** Waits until this number of uploads is in the journal of dialogs. */
  untilJournaled(count: number, how?: { readonly isShown: boolean }): Promise<void>;
}

async function start(): Promise<Scene> {
  let deps: GivenServices | undefined;
  let isDead = false;
  /** Calls of the dead process wait for this promise, which is rejected at the end of the test. */
  const afterDeath = Promise.withResolvers<never>();
  afterDeath.promise.catch(() => {});
  const store = createScriptedBlobStore({
    async beforePut(signal) {
      if (!scene.isStuck) return;
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  const harness = await createBotHarness({
    blobStore: store,
    change(given) {
      deps = given;
      const { interactions, storage } = given;
      return {
        ...given,
        storage: {
          ...storage,
          async upload(...order) {
            const kept = await storage.upload(...order);
            if (scene.isMute) await afterDeath.promise;
            if (!scene.losesConfirmation) return kept;
            scene.losesConfirmation = false;
            throw new Error('the connection was lost');
          },
        },
        interactions: {
          ...interactions,
          async storeActions(...callbackActions) {
            if (scene.isMute) await afterDeath.promise;
            return interactions.storeActions(...callbackActions);
          },
          writeDialog: (...entry) => (isDead ? afterDeath.promise : interactions.writeDialog(...entry)),
          deleteDialog: (key) => (isDead ? afterDeath.promise : interactions.deleteDialog(key)),
        },
      };
    },
  });
  onTestFinished(() => {
    afterDeath.reject(new Error('this process is dead'));
    return harness.close();
  });
  /** Creates the bot of the next process. */
  const createNext = () => {
    isDead = true;
    if (!deps) throw new Error('the bot was not built');
    return createBot(deps);
  };
  const scene: Scene = {
    ...harness,
    isStuck: true,
    isMute: false,
    losesConfirmation: false,
    async recover(chatId, signal = AbortSignal.timeout(60_000)) {
      const next = createNext();
      await next.recover(chatId, signal);
      await next.stop();
    },
    async recoverAndRepeat(chatId, messageId) {
      const next = createNext();
      await next.recover(chatId, AbortSignal.timeout(60_000));
      const isMeant = and(eq(updates.chatQueue, chatId), eq(updates.messageId, messageId));
      const [row] = await harness.db.select({ id: updates.updateId }).from(updates).where(isMeant);
      const message = harness.telegram
        .transcript(chatId)
        .find((shown) => shown.message.message_id === messageId)?.message;
      if (!row || !message) throw new Error('no update has brought this message');
      await next.handleUpdate({ update_id: row.id, message } as Update);
      await next.stop();
    },
    untilJournaled: (count, { isShown } = { isShown: false }) =>
      vi.waitFor(async () => {
        const rows = await harness.db.select().from(dialogs).where(isNull(dialogs.expiresAt));
        expect(rows).toHaveLength(count);
        if (isShown) expect(JSON.stringify(rows)).toContain('statusMessageId');
      }, 5000),
  };
  return scene;
}

describe('files being saved when the process dies', () => {
  test('are reported once, in their progress message', async () => {
    const harness = await start();
    const ann = harness.user('Ann');
    ann.sends({ ...PDF, fileName: 'thing.pdf' });
    await harness.sees(ann.chatId, /^Saving thing\.pdf/);
    await harness.untilJournaled(1, { isShown: true });
    // A recovery that is aborted before it reports anything leaves it to the next start.
    await harness.recover(ann.chatId, AbortSignal.abort());
    expect(harness.lines(ann.chatId).at(-1)).toMatch(/^Bot: Saving/);
    await harness.recover(ann.chatId);
    expect(harness.lines(ann.chatId)).toEqual(['Ann: (thing.pdf) ', CUT_SHORT]);
    await harness.untilJournaled(0);
    harness.telegram.deleteMessage(ann.chatId, harness.telegram.transcript(ann.chatId).at(-1)?.message.message_id ?? 0);
    await harness.recover(ann.chatId);
    expect(harness.lines(ann.chatId), 'a second time there is nothing to tell').toEqual(['Ann: (thing.pdf) ']);
  });

  test('are reported by a reply when no progress was shown yet', async () => {
    const harness = await start();
    harness.isMute = true;
    const oleg = harness.user('Олег', 'ru');
    const sentId = oleg.sends({ ...PDF, fileName: 'thing.pdf' });
    await harness.untilJournaled(1);
    await harness.recover(oleg.chatId);
    const told = harness.telegram.transcript(oleg.chatId).at(-1)?.message;
    expect(told?.text).toMatch(/restarted before the file was saved|перезапустился/);
    expect(told?.reply_to_message?.message_id).toBe(sentId);
    await harness.untilJournaled(0);
  });

  test.each([
    ['502', { type: 'error', status: 502 }, 3],
    ['the connection breaks before the call arrives', { type: 'reset-before' }, 2],
    ['the connection breaks after the call has arrived', { type: 'reset-after' }, 1],
  ] as const)('are reported when Telegram is reachable again: %s', async (_what, kind, times) => {
    const harness = await start();
    harness.isMute = true;
    const ann = harness.user('Ann');
    ann.sends({ ...PDF, fileName: 'thing.pdf' });
    await harness.untilJournaled(1);
    harness.telegram.injectFault({ method: 'sendMessage', kind, times });
    await harness.recover(ann.chatId);
    expect(harness.lines(ann.chatId)).toEqual(['Ann: (thing.pdf) ', CUT_SHORT]);
    await harness.untilJournaled(0);
  });

  test('are reported once for an album, even while more of its files arrive', async () => {
    const harness = await start();
    harness.isMute = true;
    const ann = harness.user('Ann');
    for (const name of ['one', 'two', 'three']) ann.sends({ ...PDF, mediaGroupId: 'album', fileName: `${name}.pdf` });
    await harness.untilJournaled(3);
    await harness.recover(ann.chatId);
    expect(harness.lines(ann.chatId).slice(3)).toEqual([CUT_SHORT]);
    await harness.untilJournaled(0);
  });

  test('are shown when they are already stored, and nothing is stored twice', async () => {
    const harness = await start();
    harness.isStuck = false;
    harness.isMute = true;
    const ann = harness.user('Ann');
    ann.sends({ ...PDF, mediaGroupId: 'album', fileName: 'one.pdf' });
    ann.sends({ ...PDF, mediaGroupId: 'album', fileName: 'two.pdf' });
    const bob = harness.user('Bob');
    bob.sends({ ...PDF, fileName: 'three.pdf' });
    await vi.waitFor(async () =>
      expect([await countFiles(harness, ann.id), await countFiles(harness, bob.id)]).toEqual([2, 1]),
    );
    await harness.recover(ann.chatId);
    await harness.recover(bob.chatId);
    const album = await harness.sees(ann.chatId, /^2 files:\n\none\.pdf\n.*\n\ntwo\.pdf\n.*\n\nRename, delete/);
    const single = await harness.sees(bob.chatId, /^three\.pdf\n/);
    expect([...keysIn(album), ...keysIn(single)], 'nobody knows the owner keys any more').toEqual([]);
    expect([...harness.lines(ann.chatId), ...harness.lines(bob.chatId)].join('\n')).not.toContain('[Retry]');
    expect([await countFiles(harness, ann.id), await countFiles(harness, bob.id)]).toEqual([2, 1]);
  });

  test('are reported once when their update is delivered again', async () => {
    const harness = await start();
    harness.isStuck = false;
    const bob = harness.user('Bob');
    const answeredId = bob.sends({ ...PDF, fileName: 'thing.pdf' });
    await harness.sees(bob.chatId, A_LINK);
    await harness.untilJournaled(0);
    const answered = harness.lines(bob.chatId);
    harness.isStuck = true;
    const ann = harness.user('Ann');
    const cutId = ann.sends({ ...PDF, fileName: 'thing.pdf' });
    await harness.untilJournaled(1, { isShown: true });
    harness.isStuck = false;
    await harness.recoverAndRepeat(ann.chatId, cutId);
    await harness.recoverAndRepeat(bob.chatId, answeredId);
    expect(harness.lines(ann.chatId)).toEqual(['Ann: (thing.pdf) ', CUT_SHORT]);
    expect(harness.lines(bob.chatId)).toEqual(answered);
    expect([await countFiles(harness, ann.id), await countFiles(harness, bob.id)]).toEqual([0, 1]);
  });

  test('are left alone while their process is still running', async () => {
    const harness = await start();
    const ann = harness.user('Ann');
    ann.sends({ ...PDF, fileName: 'thing.pdf' });
    await harness.sees(ann.chatId, /^Saving thing\.pdf/);
    await harness.bot.recover(ann.chatId, AbortSignal.timeout(60_000));
    expect(harness.lines(ann.chatId).at(-1)).toMatch(/^Bot: Saving/);
    expect(harness.bot.listBusyChats()).toContain(ann.chatId);
    await ann.presses('Cancel');
    await harness.sees(ann.chatId, 'Stopped.');
    await harness.untilJournaled(0);
  });

  test('are not reported again when the user has blocked the bot', async () => {
    const harness = await start();
    const ann = harness.user('Ann');
    ann.sends({ ...PDF, fileName: 'thing.pdf' });
    await harness.untilJournaled(1);
    harness.telegram.injectFault({
      method: 'sendMessage',
      kind: { type: 'error', status: 403, description: 'Forbidden: bot was blocked by the user' },
      times: 9,
    });
    await harness.recover(ann.chatId);
    harness.telegram.clearFaults();
    await harness.untilJournaled(0);
  });

  test('leave no entry when they are answered, refused or dropped', async () => {
    const harness = await start();
    harness.isStuck = false;
    const ann = harness.user('Ann');
    ann.sends({ ...PDF, fileName: 'thing.pdf' });
    await harness.sees(ann.chatId, A_LINK);
    ann.sends({ ...PDF, mediaGroupId: 'dropped' });
    await harness.untilJournaled(1);
    ann.writes('/stop');
    await harness.sees(ann.chatId, 'Stopped.');
    await harness.untilJournaled(0);
    expect(await countFiles(harness, ann.id)).toBe(1);
  });
});

test('an upload whose response was lost is stored once, even after Retry', async () => {
  const harness = await start();
  harness.isStuck = false;
  harness.losesConfirmation = true;
  const ann = harness.user('Ann');
  ann.sends({ ...PDF, fileName: 'thing.pdf' });
  await harness.sees(ann.chatId, /^Something went wrong on my side, and the file was not saved/);
  await ann.presses('Retry');
  await harness.sees(ann.chatId, A_LINK);
  expect(await countFiles(harness, ann.id)).toBe(1);
});
