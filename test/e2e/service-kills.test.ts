import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, type TestContext, test } from 'vitest';
import { eventually, type RunningService } from '../support/harness/process.ts';
import { type ServiceStage, startServiceStage } from '../support/harness/service.ts';
import { answerAtLength } from '../support/samples/long-answers.ts';
import {
  createEmbeddedTestDatabase,
  createServerTestDatabase,
  findServerUrl,
  type TestDatabase,
} from '../support/stores/test-database.ts';
import { type AskingPeople, createAskingPeople } from '../support/storms/asking-people.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

/** `KILLS=200` sets the number of kills, for about ten minutes. `KILLS_SEED` repeats the run named in a failed test. */
const KILLS = Number(process.env['KILLS'] ?? 20);
const FIRST_SEED = Number(process.env['KILLS_SEED'] ?? randomInt(2 ** 30));
const KILLS_IN_A_STORM = 5;
/** An answer that crashes the process repeatedly is given up. That is not tested here, so no answer is interrupted more often. */
const KILLS_WITHOUT_CALM = 3;
const STORM_TIMEOUT_MS = 600_000;
const SETTLING_MS = 200_000;
const LATEST_KILL_MS = 6000;

/**
 * When the process is killed: this long after the questions, or when the call of this number gets no response from
 * Telegram. The call may have taken effect or not.
 */
type KillMoment =
  | { readonly kind: 'time'; readonly afterMs: number }
  | { readonly kind: 'call'; readonly method: string; readonly skip: number; readonly takesEffect: boolean };

const killMoments: fc.Arbitrary<KillMoment> = fc.oneof(
  fc.record({ kind: fc.constant('time' as const), afterMs: fc.integer({ min: 0, max: 4500 }) }),
  fc.record({
    kind: fc.constant('call' as const),
    method: fc.constantFrom('sendMessage', 'editMessageText'),
    skip: fc.nat({ max: 8 }),
    takesEffect: fc.boolean(),
  }),
);

const serverUrl = findServerUrl();

describe('repeated kill -9 during long answers', EXHAUSTIVE, () => {
  for (let storm = 0; storm < Math.ceil(KILLS / KILLS_IN_A_STORM / 2); storm++) {
    const seed = FIRST_SEED + storm;

    test.concurrent(
      `of the only process loses and repeats nothing (KILLS_SEED=${seed})`,
      async ({ onTestFinished }) => {
        const { stage, users } = await setStage(onTestFinished, await createEmbeddedTestDatabase());
        for (const [at, moment] of listMoments(seed).entries()) {
          askSome(users, at);
          await reachKillMoment(stage, moment);
          await stage.service.kill();
          await stage.start();
          if (isTimeForCalm(at)) await settles(users);
        }
      },
      STORM_TIMEOUT_MS,
    );

    test.skipIf(!serverUrl).concurrent(
      `of the leader of two processes on one Postgres loses and repeats nothing (KILLS_SEED=${seed})`,
      async ({ onTestFinished }) => {
        const { stage, users } = await setStage(onTestFinished, await createServerTestDatabase(serverUrl ?? ''));
        let leader: RunningService = stage.service;
        let heir = stage.start();
        onTestFinished(async () => void (await Promise.all([leader.kill(), heir.then((service) => service.kill())])));
        for (const [at, moment] of listMoments(seed).entries()) {
          askSome(users, at);
          await reachKillMoment(stage, moment);
          const dead = leader;
          leader = await heir;
          await dead.kill();
          heir = stage.start();
          if (isTimeForCalm(at)) await settles(users);
        }
      },
      STORM_TIMEOUT_MS,
    );
  }
});

function listMoments(seed: number): KillMoment[] {
  return fc.sample(killMoments, { seed, numRuns: KILLS_IN_A_STORM });
}

function isTimeForCalm(at: number): boolean {
  return at % KILLS_WITHOUT_CALM === KILLS_WITHOUT_CALM - 1 || at === KILLS_IN_A_STORM - 1;
}

async function setStage(
  onTestFinished: TestContext['onTestFinished'],
  database: TestDatabase,
): Promise<{ stage: ServiceStage; users: AskingPeople }> {
  onTestFinished(() => database.close());
  await database.release();
  const stage = await startServiceStage({ database });
  onTestFinished(() => stage.close());
  stage.provider.behaveUsually(answerAtLength());
  await stage.service.isReady();
  return { stage, users: createAskingPeople(stage.telegram.control) };
}

/** Three users ask, one of them twice. */
function askSome(users: AskingPeople, round: number): void {
  users.ask(`round ${round}, one`);
  users.ask(`round ${round}, two`);
  users.ask(`round ${round}, three`, `round ${round}, and four`);
}

async function reachKillMoment({ telegram: { control } }: ServiceStage, moment: KillMoment): Promise<void> {
  if (moment.kind === 'time') return new Promise((resolve) => setTimeout(resolve, moment.afterMs));
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

async function settles(users: AskingPeople): Promise<void> {
  await eventually(() => users.findComplaints().length === 0 || undefined, SETTLING_MS).catch(() => {});
  expect(users.findComplaints()).toEqual([]);
}
