import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Conversations, createConversations, TaskRunStartedError } from '../../src/core/conversations/index.ts';
import { createGroups } from '../../src/core/groups/index.ts';
import {
  createTaskLedger,
  createTasks,
  MAX_MISSED,
  MAX_RUNS_KEPT,
  type NewTask,
  type Task,
  type TaskLedger,
  type TaskOwner,
  type TaskRunOutcome,
  type Tasks,
} from '../../src/core/tasks/index.ts';
import { groups, tasks as taskTable, users } from '../../src/database/schema/index.ts';
import { createRecordingLogger } from '../support/harness/foundation.ts';
import { createFakeClock, type FakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const GROUP = -555;
const ANN = 77;

describeOnEveryDatabase('ledger of task runs', (createDatabase) => {
  let database: TestDatabase;
  let clock: FakeClock;
  let tasks: Tasks;
  let ledger: TaskLedger;
  let conversations: Conversations;
  let owner: TaskOwner;
  let limits = { active: 20, shortestIntervalMs: 30 * MINUTE_MS };
  beforeAll(async () => {
    database = await createDatabase();
    conversations = createConversations({ db: database.db });
    const [row] = await database.db.insert(users).values({ telegramId: ANN }).returning();
    owner = { userId: row?.id ?? 0, groupId: undefined };
  });
  beforeEach(async () => {
    await database.db.delete(taskTable);
    limits = { active: 20, shortestIntervalMs: 30 * MINUTE_MS };
    clock = createFakeClock(Date.UTC(2026, 0, 1, 7));
    const deps = { db: database.db, clock, readLimits: async () => limits };
    tasks = createTasks(deps);
    ledger = createTaskLedger(deps);
  });
  afterAll(() => database.close());

  const add = async (times: NewTask['times'], changes: Partial<NewTask> & { readonly owner?: TaskOwner } = {}) => {
    const { owner: user = owner, ...rest } = changes;
    const task: NewTask = { kind: 'question', prompt: 'News?', times, quietWhenNothingNew: false, ...rest };
    const made = await tasks.create(user, task);
    if (!('id' in made)) throw new Error(made.kind);
    return made;
  };
  const daily = { kind: 'repeated', rule: 'FREQ=DAILY', startsAt: '2026-01-01T08:00', timeZone: 'UTC' } as const;
  const once = (afterMs: number) => ({ kind: 'once', at: new Date(clock.now() + afterMs), timeZone: 'UTC' }) as const;
  const listRuns = async ({ id }: Task) => (await tasks.listRuns(owner, id, { offset: 0, limit: 200 })).runs;
  const find = async ({ id }: Task) => {
    const found = await tasks.find(owner, id);
    if (!found) throw new Error('the task is gone');
    return found;
  };
  /** Makes the due runs and claims them. */
  const claim = async () => {
    await ledger.addDueRuns();
    return ledger.claimRuns();
  };
  const ask = async (taskRunId: number) => {
    const { id } = await conversations.currentConversation({ chatId: ANN, topicId: undefined }, owner.userId);
    return conversations.addMessage({ conversationId: id, parentId: undefined, role: 'user', content: 'x', taskRunId });
  };
  const answer = async (
    question: Awaited<ReturnType<typeof ask>>,
    finishReason: string,
    { content = 'y', isShown = true } = {},
  ) => {
    const { conversationId, id: parentId } = question;
    const { id } = await conversations.addMessage({ conversationId, parentId, role: 'assistant', content: '' });
    await conversations.finishMessage(id, { content, finishReason });
    if (isShown) await conversations.recordDelivery(id, { chatId: ANN, telegramMessageId: id, page: 0 });
    return () => conversations.settleMessage(id);
  };
  /** Lets the task run once, with the outcome. */
  const runOnce = async (outcome: TaskRunOutcome) => {
    const [claimed] = await claim();
    if (claimed?.purpose !== 'run') throw new Error('no run is due');
    return ledger.endRun(claimed.runId, outcome);
  };

  it('has one run for a due time, however many processes look', async () => {
    const task = await add(daily);
    expect(await ledger.findNextDue()).toEqual(new Date('2026-01-01T08:00Z'));
    expect(await claim()).toEqual([]);
    await clock.advance(60 * MINUTE_MS);
    await Promise.all([1, 2, 3, 4].map(() => ledger.addDueRuns()));
    const claimed = await Promise.all([1, 2, 3, 4].map(() => ledger.claimRuns()));
    const [run] = await listRuns(task);
    expect(claimed.flat()).toEqual([{ runId: run?.id, chatId: ANN, purpose: 'run', claim: 1 }]);
    expect(await listRuns(task)).toMatchObject([{ state: 'claimed', dueAt: new Date('2026-01-01T08:00Z') }]);
    expect((await find(task)).state).toEqual({ kind: 'active', nextDueAt: new Date('2026-01-02T08:00Z') });
  });

  it('ends a task whose last due time has come', async () => {
    const task = await add(once(MINUTE_MS));
    await clock.advance(MINUTE_MS);
    expect(await runOnce({ state: 'done' })).toMatchObject({ state: 'done', endedAt: expect.any(Date) });
    expect(await find(task)).toMatchObject({ state: { kind: 'ended' } });
    await clock.advance(DAY_MS);
    expect(await claim()).toEqual([]);
    expect(await tasks.runNow(owner, task.id)).toMatchObject({ isManual: true });
    expect(await claim()).toHaveLength(1);
    expect(await find(task)).toMatchObject({ state: { kind: 'ended' } });
  });

  it('makes one run of all due times that were missed, and counts them', async () => {
    const task = await add(daily);
    await clock.advance(5 * DAY_MS);
    expect(await claim()).toHaveLength(1);
    expect(await listRuns(task)).toMatchObject([{ dueAt: new Date('2026-01-01T08:00Z'), missedCount: 4 }]);
    expect((await find(task)).state).toMatchObject({ nextDueAt: new Date('2026-01-06T08:00Z') });
    const often = await add({ ...daily, rule: 'FREQ=HOURLY' });
    await clock.advance(400 * DAY_MS);
    await claim();
    expect(await listRuns(often)).toMatchObject([{ missedCount: MAX_MISSED }]);
    const { state } = await find(often);
    expect(state.kind === 'active' && state.nextDueAt.getTime() - clock.now()).toBe(60 * MINUTE_MS);
  });

  it('lets a task wait for the end of its run', async () => {
    const task = await add(daily);
    await clock.advance(60 * MINUTE_MS);
    const [first] = await claim();
    await clock.advance(2 * DAY_MS + MINUTE_MS);
    await ledger.addDueRuns();
    expect(await ledger.findNextDue()).toBeUndefined();
    expect(await tasks.runNow(owner, task.id)).toBe('running');
    await ledger.endRun(first?.runId ?? 0, { state: 'done' });
    expect(await claim()).toHaveLength(1);
    const [second] = await listRuns(task);
    expect(second).toMatchObject({ dueAt: new Date('2026-01-02T08:00Z'), missedCount: 1 });
  });

  it('keeps the shortest interval, even if it has become longer', async () => {
    const task = await add({ ...daily, rule: 'FREQ=MINUTELY;INTERVAL=30' });
    limits = { active: 20, shortestIntervalMs: 120 * MINUTE_MS };
    await clock.advance(60 * MINUTE_MS);
    await claim();
    expect((await find(task)).state).toMatchObject({ nextDueAt: new Date('2026-01-01T10:00Z') });
  });

  it('is not repeated after the clock was set back', async () => {
    const task = await add(daily);
    const early = { ...clock, now: () => clock.now() - 90 * MINUTE_MS };
    await clock.advance(60 * MINUTE_MS);
    await runOnce({ state: 'done' });
    const other = createTaskLedger({ db: database.db, clock: early, readLimits: async () => limits });
    await other.addDueRuns();
    expect(await other.claimRuns()).toEqual([]);
    expect(await listRuns(task)).toHaveLength(1);
  });

  it('hands over again what has not started, a limited number of times', async () => {
    const task = await add(daily);
    await clock.advance(60 * MINUTE_MS);
    const [first] = await claim();
    expect(await ledger.claimRuns()).toEqual([]);
    for (let number = 2; number <= 6; number += 1) {
      await clock.advance(MINUTE_MS * 2 ** (number - 3) - 1);
      expect(await ledger.claimRuns()).toEqual([]);
      await clock.advance(1);
      expect(await ledger.claimRuns()).toEqual([{ ...first, claim: number }]);
      expect(await ledger.endSettledRuns()).toBe(0);
    }
    await clock.advance(16 * MINUTE_MS);
    expect(await ledger.claimRuns()).toEqual([]);
    expect(await ledger.endSettledRuns()).toBe(1);
    expect(await listRuns(task)).toMatchObject([{ state: 'failed', reason: 'not-started', notice: 'not-started' }]);
    expect(await ledger.claimRuns()).toEqual([{ ...first, purpose: 'notice', claim: 1 }]);
    await ledger.recordNotice(first?.runId ?? 0);
    await clock.advance(60 * MINUTE_MS);
    expect(await ledger.claimRuns()).toEqual([]);
  });

  it('starts with its question, once', async () => {
    const task = await add(daily);
    await clock.advance(60 * MINUTE_MS);
    const [claimed] = await claim();
    const runId = claimed?.runId ?? 0;
    const asked = await Promise.allSettled([ask(runId), ask(runId), ask(runId)]);
    const questions = asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(questions).toHaveLength(1);
    for (const one of asked) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(TaskRunStartedError);
    const found = await ledger.findRun(runId);
    expect(found).toMatchObject({ chatId: ANN, run: { state: 'started', questionId: questions[0]?.id } });
    expect(found?.task).toEqual(await find(task));
    // Nobody has begun to answer.
    await clock.advance(MINUTE_MS);
    expect(await ledger.claimRuns()).toMatchObject([{ runId, claim: 2 }]);
    const settle = await answer(questions[0] ?? (await ask(runId)), 'stop');
    await clock.advance(5 * MINUTE_MS);
    expect(await ledger.claimRuns()).toEqual([]);
    expect(await ledger.endSettledRuns()).toBe(0);
    await settle();
    expect(await ledger.endSettledRuns()).toBe(1);
    expect(await listRuns(task)).toMatchObject([{ state: 'done' }]);
    await expect(ask(runId)).rejects.toThrow(TaskRunStartedError);
  });

  it.each([
    ['stop', { state: 'done' }],
    ['stopped', { state: 'done' }],
    ['error', { state: 'failed', reason: 'error' }],
    ['interrupted', { state: 'failed', reason: 'interrupted' }],
  ])('ends as its answer does: %s', async (finishReason, expected) => {
    const task = await add(daily);
    await clock.advance(60 * MINUTE_MS);
    const [claimed] = await claim();
    const settle = await answer(await ask(claimed?.runId ?? 0), finishReason);
    await settle();
    await ledger.endSettledRuns();
    expect(await listRuns(task)).toMatchObject([expected]);
  });

  it.each([
    ['y', { state: 'failed', reason: 'unreachable', isQuiet: false }],
    ['**NOTHING_NEW**', { state: 'done', isQuiet: true }],
    ['', { state: 'done', isQuiet: false }],
  ])('ends by an answer that the chat does not show: %j', async (content, expected) => {
    const task = await add(daily);
    await clock.advance(60 * MINUTE_MS);
    const [claimed] = await claim();
    const settle = await answer(await ask(claimed?.runId ?? 0), 'stop', { content, isShown: false });
    await settle();
    await ledger.endSettledRuns();
    expect(await listRuns(task)).toMatchObject([expected]);
  });

  it('is unclear if its conversation is deleted meanwhile', async () => {
    const task = await add(daily);
    await clock.advance(60 * MINUTE_MS);
    const [claimed] = await claim();
    const { conversationId } = await ask(claimed?.runId ?? 0);
    await database.db.execute(`delete from conversations where id = ${conversationId}`);
    await ledger.endSettledRuns();
    expect(await listRuns(task)).toMatchObject([{ state: 'unclear' }]);
  });

  it('ends once, in the first state', async () => {
    const task = await add(daily);
    await clock.advance(60 * MINUTE_MS);
    const [claimed] = await claim();
    const runId = claimed?.runId ?? 0;
    await ledger.endRun(runId, { state: 'failed', reason: 'error' });
    expect(await ledger.endRun(runId, { state: 'done' })).toMatchObject({ state: 'failed' });
    expect(await find(task)).toMatchObject({ failures: 1 });
    await tasks.remove(owner, task.id);
    expect(await ledger.findRun(runId)).toBeUndefined();
    expect(await ledger.endRun(runId, { state: 'done' })).toBeUndefined();
  });

  it('pauses a task after three failures in a row, and tells why', async () => {
    const task = await add(daily);
    await clock.advance(60 * MINUTE_MS);
    const outcomes = ['failed', 'failed', 'done', 'failed', 'unclear', 'failed'] as const;
    for (const state of outcomes) {
      await runOnce(state === 'done' ? { state } : { state, reason: 'error' });
      await clock.advance(DAY_MS);
    }
    expect((await find(task)).state.kind).toBe('active');
    expect(await runOnce({ state: 'failed', reason: 'error' })).toMatchObject({ notice: 'paused' });
    expect(await find(task)).toMatchObject({ state: { kind: 'paused', reason: 'failures' }, failures: 3 });
    expect(await claim()).toMatchObject([{ purpose: 'notice' }]);
    expect(await tasks.resume(owner, task.id)).toMatchObject({ state: { kind: 'active' }, failures: 0 });
  });

  it('pauses a task at once whose chat cannot be used, and tells its user in private', async () => {
    for (const reason of ['unreachable', 'not-allowed'] as const) {
      const inGroup = { ...owner, groupId: GROUP };
      const task = await add(daily, { owner: inGroup });
      await clock.advance(DAY_MS);
      const run = await runOnce({ state: 'failed', reason });
      expect(run?.notice).toBe(reason);
      expect((await tasks.find(inGroup, task.id))?.state).toEqual({ kind: 'paused', reason });
      expect(await ledger.claimRuns()).toEqual([{ runId: run?.id, chatId: ANN, purpose: 'notice', claim: 1 }]);
      await ledger.recordNotice(run?.id ?? 0);
    }
  });

  it('tells once that no quota is left, until there was some again', async () => {
    const task = await add(daily);
    const notices: unknown[] = [];
    await clock.advance(60 * MINUTE_MS);
    for (const outcome of ['quota', 'quota', 'done', 'quota'] as const) {
      const run = await runOnce(outcome === 'done' ? { state: 'done' } : { state: 'skipped', reason: 'quota' });
      notices.push(run?.notice);
      await ledger.recordNotice(run?.id ?? 0);
      await clock.advance(DAY_MS);
    }
    expect(notices).toEqual(['quota', undefined, undefined, 'quota']);
    expect(await find(task)).toMatchObject({ failures: 0, state: { kind: 'active' } });
  });

  it('follows a group that becomes a supergroup', async () => {
    const inGroup = { ...owner, groupId: GROUP };
    await add(daily, { owner: inGroup });
    await add(daily, { owner: { ...owner, groupId: GROUP - 2 } });
    await database.db.insert(groups).values({ chatId: GROUP - 3 });
    const moved = createGroups({ db: database.db, clock, logger: createRecordingLogger().logger });
    await moved.move(GROUP, GROUP - 1);
    await moved.move(GROUP - 2, GROUP - 3);
    await clock.advance(60 * MINUTE_MS);
    expect((await claim()).map(({ chatId }) => chatId).toSorted()).toEqual([GROUP - 1, GROUP - 3].toSorted());
  });

  it('keeps a bounded history', async () => {
    const task = await add(daily);
    await clock.advance(60 * MINUTE_MS);
    for (let day = 0; day < MAX_RUNS_KEPT + 2; day += 1) {
      await runOnce({ state: 'done' });
      await clock.advance(DAY_MS);
    }
    const { runs, totalCount } = await tasks.listRuns(owner, task.id, { offset: 0, limit: 3 });
    expect([runs.length, totalCount]).toEqual([3, MAX_RUNS_KEPT]);
    expect(runs[0]?.dueAt.getTime()).toBe(clock.now() - DAY_MS);
  });
});
