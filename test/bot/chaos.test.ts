import type { LoggedCall } from 'telegram-bot-simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFormattedAnswer, createPlainAnswer, createShrinkingAnswer } from '../support/chaos/answers.ts';
import { type ChaosBot, createChaosBot } from '../support/chaos/bot.ts';
import {
  CALLS_OF_A_REMOVAL,
  CALLS_OF_PAGES,
  listFaultsOf,
  OUTAGES,
  planFault,
  planOutage,
} from '../support/chaos/faults.ts';
import { createChaosTable } from '../support/chaos/table.ts';
import { EXHAUSTIVE, testByTier } from '../support/vitest/tiers.ts';

/**
 * Every fault at every call of a long answer, with the whole bot. `CHAOS_TABLE=true` prints the number of runs and of
 * failures for each fault.
 */
const table = createChaosTable('the whole bot');

let bot: ChaosBot;
beforeAll(async () => {
  bot = await createChaosBot();
});
afterAll(async () => {
  await bot.close();
  if (process.env['CHAOS_TABLE'] === 'true') process.stdout.write(`\n${table.print()}\n`);
});

const OUTAGE_CALLS = 12;

describe.each([
  ['plain text', createPlainAnswer('Ann', 5200), CALLS_OF_PAGES],
  ['formatted text', createFormattedAnswer('Bob', 3500), CALLS_OF_PAGES.slice(-4)],
  ['text that becomes shorter at the end', createShrinkingAnswer('Cleo', 4096), CALLS_OF_A_REMOVAL],
])('%s', (_, answer, disturbedCalls) => {
  let undisturbed: readonly LoggedCall[] = [];
  beforeAll(async () => {
    const { wrong, calls } = await bot.run({ answer });
    expect(wrong).toEqual([]);
    undisturbed = calls;
  });

  describe.each(disturbedCalls)('$name', (call) => {
    testByTier(listFaultsOf(call.method))('%s', async (fault) => {
      const faults = planFault(call, fault, undisturbed);
      const { wrong, calls } = await bot.run({ answer, faults });
      table.note(fault, call.name, wrong.length === 0);
      const sameMethod = calls.filter(({ method }) => method === call.method);
      expect(sameMethod.length, 'the call is made').toBeGreaterThan(faults.at(-1)?.skip ?? 0);
      expect(wrong).toEqual([]);
    });
  });

  describe.each(disturbedCalls.filter(({ before }) => !before))('$name and all later calls', EXHAUSTIVE, (call) => {
    test.each(OUTAGES)('%s', async (fault) => {
      const { wrong } = await bot.run({ answer, faults: [planOutage(call, fault, undisturbed, OUTAGE_CALLS)] });
      table.note(`${fault} x${OUTAGE_CALLS}`, call.name, wrong.length === 0);
      expect(wrong).toEqual([]);
    });
  });
});

describe.each([
  ['a group that becomes a supergroup', 'group', 'group upgraded'],
  ['a topic that is deleted', 'topic', 'topic deleted'],
] as const)('%s', (_, chatTopic, fault) => {
  const answer = createPlainAnswer('Ann', 5200);
  let undisturbed: readonly LoggedCall[] = [];
  beforeAll(async () => {
    const { wrong, calls } = await bot.run({ answer, chatTopic });
    expect(wrong).toEqual([]);
    undisturbed = calls;
  });

  testByTier(CALLS_OF_PAGES.filter(({ before }) => !before))('at the $name', async (call) => {
    const { wrong } = await bot.run({ answer, chatTopic, faults: planFault(call, fault, undisturbed) });
    table.note(fault, call.name, wrong.length === 0);
    expect(wrong).toEqual([]);
  });
});
