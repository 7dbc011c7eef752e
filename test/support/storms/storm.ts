import fc from 'fast-check';
import { expect, type TestContext } from 'vitest';
import { eventually, type RunningService } from '../harness/process.ts';
import { type ServiceHarness, type ServiceHarnessOptions, startServiceHarness } from '../harness/service.ts';
import {
  createEmbeddedTestDatabase,
  createServerTestDatabase,
  findServerUrl,
  type TestDatabase,
} from '../stores/test-database.ts';

/** Repeated ends of processes while they work. */
export interface Storm {
  /** Beginning of the title: the work that is running. */
  readonly running: string;
  /** The title continues: which processes are ended, and when. */
  readonly killed: string;
  /** End of the title: the outcome that must hold. */
  readonly holds: string;
  /** Number of processes: one on an embedded database, several on a server. */
  readonly processes: 1 | 2 | 3;
  /** Number of storms with different moments. Default 1. */
  readonly count?: number;
  readonly moments: fc.Arbitrary<readonly Moment[]>;
  /** Everything must hold after so many rounds, and at the end. Default: at the end. */
  readonly roundsUntilCalm?: number;
  /** The next round begins while the new processes start. Default false. */
  readonly overlaps?: boolean;
  readonly options?: Omit<ServiceHarnessOptions, 'database'>;
  createWork(place: StormPlace): Promise<Work> | Work;
}

export interface StormPlace {
  readonly stage: ServiceHarness;
  readonly database: TestDatabase;
}

/** Work of the processes in a storm. */
export interface Work {
  begin(round: number): Promise<void> | void;
  /** Time from `begin` to the first moment. Default 0. */
  readonly leadMs?: number;
  hasBegun?(): boolean;
  /** Returns what does not hold (yet). */
  findComplaints(): readonly string[];
  /** Checks what can be seen only at the end. */
  end?(): Promise<void>;
}

/**
 * When processes are ended: some time after the work has begun, or when the call of this number gets no response from
 * Telegram, which may have taken effect or not; by SIGTERM as soon as the work shows. Default victim: the first process.
 */
export type Moment = { readonly victims?: readonly number[] } & (
  | { readonly kind: 'time'; readonly afterMs: number }
  | { readonly kind: 'call'; readonly method: string; readonly skip: number; readonly takesEffect: boolean }
  | { readonly kind: 'SIGTERM' }
);

const LATEST_CALL_MS = 8000;
const SETTLING_MS = 240_000;

/** Returns moments some time after the work has begun, in milliseconds. */
export function atTime(min: number, max: number): fc.Arbitrary<Moment> {
  return fc.record({ kind: fc.constant('time' as const), afterMs: fc.integer({ min, max }) });
}

/** Returns moments at one of the first calls that write answers. */
export function atCall(maxSkip: number): fc.Arbitrary<Moment> {
  return fc.record({
    kind: fc.constant('call' as const),
    method: fc.constantFrom('sendMessage', 'editMessageText'),
    skip: fc.nat({ max: maxSkip }),
    takesEffect: fc.boolean(),
  });
}

/** Returns lists of this number of moments. */
export function several(count: number, ...moments: readonly fc.Arbitrary<Moment>[]): fc.Arbitrary<Moment[]> {
  return fc.array(fc.oneof(...moments), { minLength: count, maxLength: count });
}

/** Returns whether a storm can run here. */
export function hasPlace({ processes }: Storm): boolean {
  return processes === 1 || findServerUrl() !== undefined;
}

/** Runs a storm and checks what must hold. The seed determines its moments. */
export async function weather(storm: Storm, seed: number, { onTestFinished }: TestContext): Promise<void> {
  const isShared = storm.processes > 1;
  const database = isShared
    ? await createServerTestDatabase(findServerUrl() ?? '')
    : await createEmbeddedTestDatabase({ isNew: true });
  onTestFinished(() => database.close());
  if (!isShared) await database.release();
  const stage = await startServiceHarness({ database, ...storm.options });
  onTestFinished(() => stage.close());
  await stage.service.isReady();
  const work = await storm.createWork({ stage, database });
  const processes: Promise<RunningService>[] = [Promise.resolve(stage.service)];
  onTestFinished(async () => void (await Promise.all(processes.map(async (one) => (await one).kill()))));
  while (processes.length < storm.processes) processes.push(Promise.resolve(await stage.start()));

  for (const [round, moment] of fc.sample(storm.moments, { seed, numRuns: 1 }).flat().entries()) {
    await work.begin(round);
    await reach(stage, moment, work);
    const { victims = [0] } = moment;
    const running = await Promise.all(isShared ? processes : [stage.service]);
    await Promise.all(victims.map((at) => end(running[at], moment)));
    for (const at of victims.toReversed()) {
      const started = stage.start();
      // The others inherit the work; the first of them is the next leader.
      processes.splice(at, 1);
      processes.push(started);
      if (!storm.overlaps) await started;
    }
    if ((round + 1) % (storm.roundsUntilCalm ?? Number.POSITIVE_INFINITY) === 0) await expectCalm(work);
  }
  await expectCalm(work);
  await work.end?.();
}

async function reach({ telegram: { control } }: ServiceHarness, moment: Moment, work: Work): Promise<void> {
  if (moment.kind === 'SIGTERM') return void (await eventually(() => work.hasBegun?.() || undefined, SETTLING_MS));
  const leadMs = work.leadMs ?? 0;
  if (moment.kind === 'time')
    return new Promise((resolve) => setTimeout(resolve, Math.max(0, leadMs + moment.afterMs)));
  const { method, skip, takesEffect } = moment;
  const before = control.calls(method).length;
  control.injectFault({ method, skip, kind: { type: 'no-answer', takesEffect } });
  const isHit = () =>
    control
      .calls(method)
      .slice(before)
      .some(({ status }) => status === undefined) || undefined;
  await eventually(isHit, leadMs + LATEST_CALL_MS).catch(() => {});
  control.clearFaults();
}

async function end(service: RunningService | undefined, { kind }: Moment): Promise<void> {
  if (kind === 'SIGTERM') expect((await service?.stop())?.code).toBe(0);
  else await service?.kill();
}

async function expectCalm(work: Work): Promise<void> {
  await eventually(() => work.findComplaints().length === 0 || undefined, SETTLING_MS).catch(() => {});
  expect(work.findComplaints()).toEqual([]);
}
