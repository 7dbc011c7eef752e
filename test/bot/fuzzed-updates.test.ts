import { count, isNotNull, isNull } from 'drizzle-orm';
import { expect, vi } from 'vitest';
import { updates } from '../../src/database/schema/index.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { createUpdateFuzzer } from '../support/samples/fuzzed-updates.ts';
import { listFuzzRuns, startBeforeAll, testByTier } from '../support/vitest/tiers.ts';

// FUZZ_SEED=<number> repeats a run, FUZZ_UPDATES=5000 makes a longer one.
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const RUNS = listFuzzRuns({ seed: SEED, short: 100, long: 400, wanted: process.env['FUZZ_UPDATES'] });
const AT_ONCE = 50;
const TIMEOUT_MS = 120_000 + 200 * Math.max(...RUNS.map(({ count }) => count));

const harness = startBeforeAll(() => createBotHarness());

testByTier(RUNS)(
  'the bot survives fuzzed updates (FUZZ_SEED=$seed)',
  async ({ seed, count: total }) => {
    const users = ['Ann', 'Bob', 'Carl', 'Dora'].map((name) => harness.user(name));
    const { Eve } = harness.group(['Eve', 'Frank']);
    const places = [
      ...users.map(({ id, name, chatId }) => ({ chat: { id: chatId, type: 'private', first_name: name }, id, name })),
      { chat: { id: Eve.chatId, type: 'supergroup', title: 'Friends' }, id: Eve.id, name: 'Eve' },
    ].map(({ chat, id, name }) => ({ chat, from: { id, is_bot: false, first_name: name, language_code: 'en' } }));
    const rejections: unknown[] = [];
    const onRejection = (reason: unknown) => rejections.push(reason);
    process.on('unhandledRejection', onRejection);
    try {
      const valid = new Map<number, unknown>();
      const fuzzer = createUpdateFuzzer(seed, places);
      for (let made = 0; made < total; made += AT_ONCE) {
        const some = Array.from({ length: Math.min(AT_ONCE, total - made) }, () => fuzzer.next());
        for (const { update, isValid } of some) if (isValid) valid.set(update.update_id, update);
        await harness.brings(some.map(({ update }) => update));
        await vi.waitFor(async () => expect(await countUpdates('waiting')).toBe(0));
      }
      expect(await countUpdates('set aside')).toBe(0);
      expect(listErrors(valid)).toEqual([]);
      for (const { chatId } of users) await isAlive(chatId);
      expect(rejections).toEqual([]);
    } finally {
      process.off('unhandledRejection', onRejection);
    }
  },
  { timeout: TIMEOUT_MS },
);

/** Returns errors of valid updates and errors that belong to no update. */
function listErrors(valid: ReadonlyMap<number, unknown>) {
  return (
    harness.log
      .filter((line) => line.includes('"level":50'))
      .map((line) => JSON.parse(line))
      // The files of these updates do not exist.
      .filter(
        ({ updateId, err }) => (updateId === undefined || valid.has(updateId)) && err?.type !== 'AnswerFailedError',
      )
      .map(({ msg, err, updateId }) => ({ msg, err: err?.stack?.slice(0, 600), update: valid.get(updateId) }))
  );
}

async function countUpdates(state: 'waiting' | 'set aside'): Promise<number> {
  const which = state === 'waiting' ? isNull(updates.handledAt) : isNotNull(updates.failedAt);
  const [row] = await harness.db.select({ count: count() }).from(updates).where(which);
  return row?.count ?? 0;
}

/** Checks that a new conversation works, whatever dialog or answer was active before. */
async function isAlive(chatId: number): Promise<void> {
  harness.telegram.sendMessage(chatId, { text: '/stop' });
  harness.telegram.sendMessage(chatId, { text: '/new' });
  harness.telegram.sendMessage(chatId, { text: `Still there, ${chatId}?` });
  await harness.sees(chatId, new RegExp(`You said: .*Still there, ${chatId}\\?`, 's'));
}
