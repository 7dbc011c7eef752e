import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ChaosBot, createChaosBot } from '../support/chaos-bot.ts';
import { listMixes } from '../support/chaos-mix.ts';

/** Several faults in one answer of the whole bot. See `listMixes` for how to run more of them, or one again. */
let bot: ChaosBot;
beforeAll(async () => {
  bot = await createChaosBot();
});
afterAll(() => bot.close());

test.each(listMixes(160, 4096))('seed $seed: $title', async (mix) => {
  const { wrong, calls } = await bot.run(mix);
  expect(wrong, `CHAOS_SEED=${mix.seed}, ${mix.title}, ${calls.length} calls`).toEqual([]);
});
