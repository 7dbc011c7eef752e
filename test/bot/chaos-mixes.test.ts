import { afterAll, beforeAll, expect } from 'vitest';
import { type ChaosBot, createChaosBot } from '../support/chaos/bot.ts';
import { listMixes } from '../support/chaos/mix.ts';
import { testByTier } from '../support/vitest/tiers.ts';

/** Several faults in one answer of the whole bot. `listMixes` describes how to run more of them, or one of them again. */
let bot: ChaosBot;
beforeAll(async () => {
  bot = await createChaosBot();
});
afterAll(() => bot.close());

testByTier(listMixes(160, 4096), 10)('seed $seed: $title', async (mix) => {
  const { wrong, calls } = await bot.run(mix);
  expect(wrong, `CHAOS_SEED=${mix.seed}, ${mix.title}, ${calls.length} calls`).toEqual([]);
});
