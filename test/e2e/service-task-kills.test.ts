import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, type TestContext, test, vi } from 'vitest';
import type { RunningService } from '../support/harness/process.ts';
import { eventually } from '../support/harness/process.ts';
import { type ServiceStage, startServiceStage } from '../support/harness/service.ts';
import {
  createEmbeddedTestDatabase,
  createServerTestDatabase,
  findServerUrl,
  type TestDatabase,
} from '../support/stores/test-database.ts';
import { answerTasks, createTaskUsers, type TaskUsers } from '../support/storms/task-users.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

/** `KILLS=200` sets the number of kills over three processes. `KILLS_SEED` repeats the run named in a failed test. */
const KILLS = Number(process.env['KILLS'] ?? 10);
const FIRST_SEED = Number(process.env['KILLS_SEED'] ?? randomInt(2 ** 30));
const KILLS_IN_A_STORM = 5;
/** Rounds of two kills of an embedded database's process, which starts slowly. */
const EMBEDDED_ROUNDS = 2;
/** An answer that crashes the process repeatedly is given up. That is not tested here, so no answer is interrupted more often. */
const KILLS_WITHOUT_CALM = 3;
const PROCESSES = 3;
const STORM_TIMEOUT_MS = 900_000;
const SETTLING_MS = 240_000;
const LATEST_KILL_MS = 8000;
/** Longer than the interval in which the ledger notices that an answer has ended. */
const LEDGER_TIMEOUT_MS = 20_000;
/** Time from the making of tasks until they are due. */
const DUE_AFTER_MS = 1500;
/** The same for an embedded database, whose process starts meanwhile. */
const DUE_AFTER_START_MS = 4500;

/**
 * One, two or all processes are killed this long after tasks are due (or before), or when a call of this number gets no
 * response from Telegram. The call may have taken effect or not.
 */
type KillMoment = { readonly victims: readonly number[] } & (
  | { readonly kind: 'time'; readonly afterMs: number }
  | { readonly kind: 'call'; readonly method: string; readonly skip: number; readonly takesEffect: boolean }
);

const victims = fc.subarray(
  Array.from({ length: PROCESSES }, (_, number) => number),
  { minLength: 1 },
);
const killMoments: fc.Arbitrary<KillMoment> = fc.oneof(
  // Most of them while runs are claimed, handed over and asked.
  fc.record({ kind: fc.constant('time' as const), afterMs: fc.integer({ min: -200, max: 2000 }), victims }),
  fc.record({ kind: fc.constant('time' as const), afterMs: fc.integer({ min: 0, max: 6000 }), victims }),
  fc.record({
    kind: fc.constant('call' as const),
    method: fc.constantFrom('sendMessage', 'editMessageText'),
    skip: fc.nat({ max: 6 }),
    takesEffect: fc.boolean(),
    victims,
  }),
);

const serverUrl = findServerUrl();

describe('kill -9 around the due times of tasks', EXHAUSTIVE, () => {
  for (let storm = 0; storm < Math.ceil(KILLS / KILLS_IN_A_STORM); storm++) {
    const seed = FIRST_SEED + storm;
    test.skipIf(!serverUrl).concurrent(
      `over three processes on one Postgres: every run happens exactly once (KILLS_SEED=${seed})`,
      async ({ onTestFinished }) => {
        const database = await createServerTestDatabase(serverUrl ?? '');
        const stage = await setStage(onTestFinished, database);
        const users = createTaskUsers(stage.telegram.control, database.db);
        await users.slowDown();
        const processes: RunningService[] = [stage.service];
        onTestFinished(async () => void (await Promise.all(processes.map((one) => one.kill()))));
        while (processes.length < PROCESSES) processes.push(await stage.start());
        for (const [at, moment] of listMoments(seed).entries()) {
          await users.schedule(DUE_AFTER_MS);
          await reachKillMoment(stage, moment, DUE_AFTER_MS);
          await Promise.all(moment.victims.map((number) => processes[number]?.kill()));
          for (const number of moment.victims) processes[number] = await stage.start();
          if (isTimeForCalm(at)) await settles(users);
        }
        await expectDone(users);
      },
      STORM_TIMEOUT_MS,
    );
  }

  test(
    `of the only process, and while it is down: every run happens exactly once (KILLS_SEED=${FIRST_SEED})`,
    async ({ onTestFinished }) => {
      const database = await createEmbeddedTestDatabase({ isNew: true });
      const stage = await setStage(onTestFinished, database);
      const users = createTaskUsers(stage.telegram.control, database.db);
      for (const moment of listMoments(FIRST_SEED).slice(0, EMBEDDED_ROUNDS)) {
        await stage.service.kill();
        await users.useDatabase(database.config, () => users.schedule(DUE_AFTER_START_MS));
        await stage.start();
        await reachKillMoment(stage, moment, DUE_AFTER_START_MS - DUE_AFTER_MS);
        await stage.service.kill();
        await stage.start();
      }
      await endsWhole(stage, users, database);
    },
    STORM_TIMEOUT_MS,
  );

  test(
    'SIGTERM while tasks run: the next process completes them',
    async ({ onTestFinished }) => {
      const database = await createEmbeddedTestDatabase({ isNew: true });
      const stage = await setStage(onTestFinished, database);
      const users = createTaskUsers(stage.telegram.control, database.db);
      await stage.service.stop();
      await users.useDatabase(database.config, () => users.schedule(DUE_AFTER_START_MS));
      await stage.start();
      await eventually(() => users.countBegun() > 0 || undefined, SETTLING_MS);
      expect((await stage.service.stop()).code).toBe(0);
      await stage.start();
      await endsWhole(stage, users, database);
    },
    STORM_TIMEOUT_MS,
  );
});

function listMoments(seed: number): KillMoment[] {
  return fc.sample(killMoments, { seed, numRuns: KILLS_IN_A_STORM });
}

function isTimeForCalm(at: number): boolean {
  return at % KILLS_WITHOUT_CALM === KILLS_WITHOUT_CALM - 1 || at === KILLS_IN_A_STORM - 1;
}

async function setStage(onTestFinished: TestContext['onTestFinished'], database: TestDatabase): Promise<ServiceStage> {
  onTestFinished(() => database.close());
  if (database.config.kind === 'embedded') await database.release();
  const stage = await startServiceStage({ database });
  onTestFinished(() => stage.close());
  stage.provider.behaveUsually(answerTasks());
  await stage.service.isReady();
  return stage;
}

async function reachKillMoment(
  { telegram: { control } }: ServiceStage,
  moment: KillMoment,
  dueAfterMs: number,
): Promise<void> {
  if (moment.kind === 'time')
    return new Promise((resolve) => setTimeout(resolve, Math.max(0, dueAfterMs + moment.afterMs)));
  const { method, skip, takesEffect } = moment;
  const before = control.calls(method).length;
  control.injectFault({ method, skip, kind: { type: 'no-answer', takesEffect } });
  const isHit = () =>
    control
      .calls(method)
      .slice(before)
      .some(({ status }) => status === undefined) || undefined;
  await eventually(isHit, LATEST_KILL_MS).catch(() => {});
  control.clearFaults();
}

async function settles(users: TaskUsers): Promise<void> {
  await eventually(() => users.findComplaints().length === 0 || undefined, SETTLING_MS).catch(() => {});
  expect(users.findComplaints()).toEqual([]);
}

/** Waits for the only process, and looks into its embedded database after its end. */
async function endsWhole(stage: ServiceStage, users: TaskUsers, database: TestDatabase): Promise<void> {
  await settles(users);
  await new Promise((resolve) => setTimeout(resolve, LEDGER_TIMEOUT_MS / 2));
  await stage.service.stop();
  await users.useDatabase(database.config, () => expectDone(users));
}

/** The ledger has one run of each task, and they are all done. */
async function expectDone(users: TaskUsers): Promise<void> {
  const isDone = async () => expect(await users.countRuns()).toEqual({ done: users.taskCount });
  await vi.waitFor(isDone, { timeout: LEDGER_TIMEOUT_MS, interval: 500 });
  expect(users.findComplaints()).toEqual([]);
}
