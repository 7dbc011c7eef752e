import type { LoggedCall } from 'telegram-bot-simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFormattedAnswer, createPlainAnswer, createShrinkingAnswer } from '../support/chaos/answers.ts';
import {
  CALLS_OF_A_REMOVAL,
  CALLS_OF_PAGES,
  listFaultsOf,
  OUTAGES,
  planFault,
  planOutage,
} from '../support/chaos/faults.ts';
import { listMixes } from '../support/chaos/mix.ts';
import { createChaosStreams } from '../support/chaos/stream.ts';
import { createChaosTable } from '../support/chaos/table.ts';
import { EXHAUSTIVE, testByTier } from '../support/vitest/tiers.ts';

/** The same faults on the reply stream alone. This is faster than with the whole bot, so there are more mixes. */
const table = createChaosTable('the reply stream alone');
const PAGE_UNITS = 400;
const streams = createChaosStreams(PAGE_UNITS);

afterAll(() => {
  streams.close();
  if (process.env['CHAOS_TABLE'] === 'true') process.stdout.write(`\n${table.print()}\n`);
});

const OUTAGE_CALLS = 12;
const CALLS = CALLS_OF_PAGES.filter(({ name }) => name !== 'typing');

describe.each([
  ['plain text', createPlainAnswer('Ann', 1000), CALLS],
  ['formatted text', createFormattedAnswer('Bob', 1000), CALLS],
  ['text that becomes shorter at the end', createShrinkingAnswer('Cleo', PAGE_UNITS), CALLS_OF_A_REMOVAL],
])('%s', (_, answer, disturbedCalls) => {
  let undisturbed: readonly LoggedCall[] = [];
  beforeAll(async () => {
    const { wrong, calls } = await streams.run({ answer });
    expect(wrong).toEqual([]);
    undisturbed = calls;
  });

  describe.each(disturbedCalls)('$name', (call) => {
    testByTier(listFaultsOf(call.method))('%s', async (fault) => {
      const faults = planFault(call, fault, undisturbed);
      const { wrong, calls } = await streams.run({ answer, faults });
      table.note(fault, call.name, wrong.length === 0);
      const sameMethod = calls.filter(({ method }) => method === call.method);
      expect(sameMethod.length, 'the call is made').toBeGreaterThan(faults.at(-1)?.skip ?? 0);
      expect(wrong).toEqual([]);
    });
  });

  describe.each(disturbedCalls.filter(({ before }) => !before))('$name and all later calls', EXHAUSTIVE, (call) => {
    test.each(OUTAGES)('%s', async (fault) => {
      const { wrong } = await streams.run({ answer, faults: [planOutage(call, fault, undisturbed, OUTAGE_CALLS)] });
      table.note(`${fault} x${OUTAGE_CALLS}`, call.name, wrong.length === 0);
      expect(wrong).toEqual([]);
    });
  });
});

testByTier(listMixes(400, PAGE_UNITS), 40)('seed $seed: $title', async (mix) => {
  const { wrong, calls } = await streams.run(mix);
  expect(wrong, `CHAOS_SEED=${mix.seed}, ${mix.title}, ${calls.length} calls`).toEqual([]);
});
