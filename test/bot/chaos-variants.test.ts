import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { expect, vi } from 'vitest';
import { FAULTS } from '../support/chaos/faults.ts';
import { createBotHarness } from '../support/harness/bot.ts';
import { startBeforeAll, testByTier } from '../support/vitest/tiers.ts';

/** `CHAOS_SEED` repeats one run. */
const SEED = Number(process.env['CHAOS_SEED'] ?? randomInt(2 ** 30));
const RUNS = Number(process.env['CHAOS_RUNS'] ?? 12);
const SETTLING_MS = 30_000;

/** Faults from which the chat can still reach the expected state. */
const mishap = fc.record({
  fault: fc.constantFrom(
    '429 for 1 s',
    'status 500',
    '502 executed',
    'reset before',
    'reset after',
    'no JSON',
    'message vanished',
  ),
  method: fc.constantFrom('editMessageText', 'sendMessage', 'deleteMessage', 'editMessageReplyMarkup'),
  skip: fc.nat({ max: 4 }),
});
const run = fc.record({
  mishaps: fc.array(mishap, { minLength: 1, maxLength: 3 }),
  pageCounts: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })),
});

const harness = startBeforeAll(() => createBotHarness());

testByTier(
  fc.sample(run, { seed: SEED, numRuns: RUNS }).map((one, at) => ({ at, ...one })),
  2,
)(
  `the chat shows one variant, complete and once, after any faults (run $at, CHAOS_SEED=${SEED})`,
  async ({ mishaps, pageCounts: [firstCount, secondCount] }) => {
    const ann = harness.user('Ann');
    const words = (word: string, pageCount: number) => `${word} `.repeat((pageCount - 1) * 800 + 100).trim();
    const [first, second] = [words('first', firstCount), words('second', secondCount)];
    const shows = async (text: string) => {
      const shown = () =>
        harness.telegram
          .transcript(ann.chatId)
          .flatMap(({ message }) => (message.from?.is_bot ? [message.text ?? ''] : []))
          .join(' ');
      await vi.waitFor(async () => {
        expect(shown() === text || shown().slice(0, 200)).toBe(true);
        expect(harness.buttons(ann.chatId)).toMatch(/⋯$/);
        expect(await harness.conversations.listUnfinished(ann.chatId)).toEqual([]);
        expect(harness.bot.listBusyChats().has(ann.chatId)).toBe(false);
      }, SETTLING_MS);
    };
    harness.models.scripts.push(first, second);
    ann.writes('Hello');
    await shows(first);
    for (const { fault, method, skip } of mishaps) harness.telegram.injectFault({ method, skip, kind: FAULTS[fault] });
    await ann.presses('🔄 Again');
    await shows(second);
    harness.telegram.clearFaults();
    await ann.presses('‹');
    await shows(first);
  },
  { timeout: 3 * SETTLING_MS },
);
