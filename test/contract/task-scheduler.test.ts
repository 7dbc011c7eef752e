import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createConversations } from '../../src/core/conversations/index.ts';
import {
  type ClaimedRun,
  createTaskLedger,
  createTaskScheduler,
  createTasks,
  type TaskLedger,
  type TaskOwner,
  type TaskScheduler,
} from '../../src/core/tasks/index.ts';
import { messages, taskRuns, tasks as taskTable, users } from '../../src/database/schema/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createRecordingLogger } from '../support/harness/foundation.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const ANN = 77;
const LIMITS = { active: 1000, shortestIntervalMs: 60_000 };

describeOnEveryDatabase('scheduler of tasks', (createDatabase) => {
  let database: TestDatabase;
  let ledger: TaskLedger;
  let owner: TaskOwner;
  beforeAll(async () => {
    database = await createDatabase();
    ledger = createTaskLedger({ db: database.db, clock: systemClock, readLimits: async () => LIMITS });
    const [row] = await database.db.insert(users).values({ telegramId: ANN }).returning();
    owner = { userId: row?.id ?? 0, groupId: undefined };
  });
  beforeEach(async () => {
    await database.db.delete(taskTable);
  });
  afterAll(() => database.close());

  const { logger, lines } = createRecordingLogger();
  /** A process with its scheduler, until the end of the test. */
  const start = (handOver: (runs: readonly ClaimedRun[]) => Promise<unknown>, own = ledger) => {
    const scheduler = createTaskScheduler({ ledger: own, clock: systemClock, logger });
    const ending = new AbortController();
    const running = scheduler.run(handOver, ending.signal);
    const stop = async () => {
      ending.abort();
      await running;
    };
    onTestFinished(stop);
    return { scheduler, stop };
  };
  const add = async (afterMs: number, scheduler?: TaskScheduler) => {
    const onDueSooner = () => scheduler?.wake();
    const tasks = createTasks({ db: database.db, clock: systemClock, readLimits: async () => LIMITS, onDueSooner });
    const times = { kind: 'once', at: new Date(Date.now() + afterMs), timeZone: 'UTC' } as const;
    const made = await tasks.create(owner, { kind: 'reminder', prompt: 'Tea', times, quietWhenNothingNew: false });
    if (!('id' in made)) throw new Error(made.kind);
    return made;
  };
  const listRuns = async () => database.db.select().from(taskRuns).orderBy(taskRuns.id);

  it('hands over each due run once, in time, however many processes look', async () => {
    const handed: { readonly runId: number; readonly at: number }[] = [];
    const take = async (runs: readonly ClaimedRun[]) =>
      void handed.push(...runs.map(({ runId }) => ({ runId, at: Date.now() })));
    const made = await Promise.all(Array.from({ length: 30 }, (_, number) => add(300 + 20 * number)));
    for (let process = 0; process < 3; process += 1) start(take);
    await vi.waitFor(() => expect(handed).toHaveLength(made.length));
    expect(new Set(handed.map(({ runId }) => runId)).size).toBe(made.length);
    const dueAt = new Map((await listRuns()).map((run) => [run.id, run.dueAt.getTime()]));
    for (const { runId, at } of handed) expect(at).toBeGreaterThanOrEqual(dueAt.get(runId) ?? Number.NaN);
    expect(new Set((await listRuns()).map(({ taskId }) => taskId)).size).toBe(made.length);
  });

  it('wakes up for a task that is due sooner', async () => {
    const take = vi.fn(async () => {});
    const { scheduler } = start(take);
    await add(3_600_000, scheduler);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await add(300, scheduler);
    await vi.waitFor(() => expect(take).toHaveBeenCalledTimes(1));
  });

  it('survives failures of the database and of handing over', async () => {
    await add(300);
    let failures = 0;
    const failing = new Proxy(ledger, {
      get: (target, name: keyof TaskLedger) =>
        name === 'addDueRuns' && failures++ === 0
          ? () => Promise.reject(new Error('the database is away'))
          : target[name],
    });
    const handed: number[] = [];
    const { scheduler } = start(async (runs) => {
      if (handed.length === 0) {
        handed.push(0);
        throw new Error('the inbox is full');
      }
      handed.push(...runs.map(({ runId }) => runId));
    }, failing);
    await vi.waitFor(() => {
      scheduler.wake();
      expect(handed).toEqual([0]);
    });
    await database.db.execute(`update task_runs set lease_until = now() - interval '1 second'`);
    await vi.waitFor(() => {
      scheduler.wake();
      expect(handed).toHaveLength(2);
    });
    expect(lines.filter((line) => line.includes('due tasks could not be read'))).toHaveLength(2);
  });

  it('loses no run of processes that die after claiming it', async () => {
    const conversations = createConversations({ db: database.db });
    const { id: conversationId } = await conversations.currentConversation(
      { chatId: ANN, topicId: undefined },
      owner.userId,
    );
    const made = await Promise.all(Array.from({ length: 20 }, () => add(500)));
    const ask = async (taskRunId: number) =>
      conversations
        .addMessage({ conversationId, parentId: undefined, role: 'user', content: 'x', taskRunId })
        .catch(() => {});
    const dying = start(async (runs) => {
      for (const { runId } of runs.slice(0, 5)) await ask(runId);
    });
    await vi.waitFor(async () => expect(await listRuns()).toHaveLength(made.length));
    await dying.stop();
    await database.db.execute(`update task_runs set lease_until = now() - interval '1 second'`);
    for (let process = 0; process < 2; process += 1)
      start(async (runs) => {
        await Promise.all(runs.flatMap(({ runId }) => [ask(runId), ask(runId)]));
      });
    const isStarted = async () =>
      expect((await listRuns()).map(({ state }) => state)).toEqual(made.map(() => 'started'));
    await vi.waitFor(isStarted);
    const questions = (await listRuns()).map(({ questionId }) => questionId);
    expect(new Set(questions).size).toBe(made.length);
    expect(await database.db.$count(messages)).toBe(made.length);
  });
});
