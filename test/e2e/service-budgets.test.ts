import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { eq, like } from 'drizzle-orm';
import { afterEach, describe, expect, test } from 'vitest';
import { createLimits } from '../../src/core/limits/index.ts';
import { limitCounters, limitReservations, usage } from '../../src/database/schema/index.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import type { RunningService } from '../support/harness/process.ts';
import { startServiceHarness } from '../support/harness/service.ts';
import { answerJson, completionOf } from '../support/hosts/fake-provider.ts';
import { createGate } from '../support/hosts/scripted-models.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';
import { createServerTestDatabase, findServerUrl } from '../support/stores/test-database.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

const serverUrl = findServerUrl();
const KEY = 'sk-sb-key-of-this-suite';
/** An answer has as many tokens as it may have, so a request costs what was reserved: ten cents. */
const ANSWER_TOKENS = 100;
const SETTINGS_FILE = `
providers:
  - name: paid
    base_url: $OPENAI_BASE_URL
    api_keys: [sk-paid]
    models: [{ id: paid-model, price: { input: 0, output: 1000 } }]
plans: { universal: { key: { dollars_total: 1 } } }
`;
const HOUR_MS = 3_600_000;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

describe.skipIf(!serverUrl)('three processes on one Postgres', EXHAUSTIVE, () => {
  test('spend a budget for ten requests on exactly ten of a hundred, also if processes are killed', async () => {
    const database = await createServerTestDatabase(serverUrl ?? '');
    closers.push(() => database.close());
    const folder = await mkdtemp(join(tmpdir(), 'switchboard-budgets-'));
    closers.push(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'providers.yaml'), SETTINGS_FILE);
    const settings = { PROVIDERS_FILE: join(folder, 'providers.yaml'), UNIVERSAL_API_KEY: KEY };
    const stage = await startServiceHarness({ settings, database });
    closers.push(() => stage.close());
    const services = [stage.service, await stage.start(), await stage.start()];
    closers.push(() => Promise.all(services.map((service) => service.kill())));

    // The provider charges for a request when it arrives. It answers four at once, the others when ten have arrived.
    let chargedCount = 0;
    const gate = createGate();
    const allArrived = Promise.withResolvers<void>();
    stage.provider.behaveUsually(async (exchange) => {
      chargedCount += 1;
      if (chargedCount === 10) allArrived.resolve();
      if (chargedCount > 4) await gate.passed;
      const used = { prompt_tokens: 7, completion_tokens: ANSWER_TOKENS };
      await answerJson(200, { ...completionOf(exchange.request), usage: used })(exchange);
    });

    const outcomes = Array.from({ length: 100 }, (_, at) => askUntilDecided(() => services[at % 3] as RunningService));
    await allArrived.promise;
    await Promise.all([services[1]?.kill(), services[2]?.kill()]);
    services[1] = await stage.start();
    services[2] = await stage.start();
    gate.open();
    const counts = Object.groupBy(await Promise.all(outcomes), (outcome) => outcome);
    expect(chargedCount).toBe(10);
    expect(counts.lost?.length ?? 0).toBeGreaterThan(0);
    expect((counts.answered?.length ?? 0) + (counts.lost?.length ?? 0)).toBeGreaterThanOrEqual(10);
    await Promise.all(services.map((service) => service.stop()));

    await sweepLater(database);
    const chargedUsd = (chargedCount * ANSWER_TOKENS * 1000) / 1_000_000;
    const rows = await database.db.select().from(usage).where(eq(usage.model, 'paid-model'));
    expect(rows.map(({ costUsd }) => costUsd)).toEqual(Array.from({ length: 10 }, () => 0.1));
    expect(await database.db.select().from(limitReservations)).toEqual([]);
    const counters = await database.db.select().from(limitCounters).where(like(limitCounters.scope, 'key:%'));
    expect(counters.map(({ totalUsd }) => totalUsd)).toEqual([chargedUsd]);
  });
});

/** Asks again, as long as the budget is only reserved by other requests, for some time. */
async function askUntilDecided(choose: () => RunningService): Promise<'answered' | 'refused' | 'held' | 'lost'> {
  const body = { model: 'paid-model', messages: [{ role: 'user', content: 'Hi' }], max_tokens: ANSWER_TOKENS };
  for (let round = 0; round < 30; round++) {
    try {
      const answer = await choose().post('/ai/openai/chat/completions', body, { key: KEY });
      const text = await answer.text();
      if (answer.status === 200) return 'answered';
      expect(answer.status).toBe(429);
      if (text.includes('insufficient_quota')) return 'refused';
    } catch (error) {
      if (error instanceof TypeError) return 'lost';
      throw error;
    }
    await wait(200);
  }
  return 'held';
}

/** Counts the requests of killed processes, as the processes do after an hour. */
async function sweepLater(database: Awaited<ReturnType<typeof createServerTestDatabase>>): Promise<void> {
  const clock = createFakeClock(Date.now() + 2 * HOUR_MS);
  const { db } = database;
  const logger = createLogger({ level: 'silent' });
  const limits = createLimits({ db, clock, logger, plans: {}, findPlan: async () => 'free' });
  await clock.advance(HOUR_MS);
  await expect.poll(() => db.select().from(limitReservations)).toEqual([]);
  await limits.close();
}
