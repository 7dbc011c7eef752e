import { beforeEach, expect, it } from 'vitest';
import {
  createTasks,
  MAX_ENDED_TASKS,
  MAX_PAUSED_TASKS,
  MAX_PROMPT_LENGTH,
  type NewTask,
  type Task,
  type TaskOwner,
  type Tasks,
} from '../../src/core/tasks/index.ts';
import { users } from '../../src/database/schema/index.ts';
import { createFakeClock, type FakeClock } from '../support/machine/fake-clock.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const HOUR_MS = 3_600_000;
const GROUP = -1_001_234;

describeOnEveryDatabase('tasks of users', (createDatabase) => {
  let clock: FakeClock;
  let tasks: Tasks;
  let ann: TaskOwner;
  let bob: TaskOwner;
  let limits = { active: 3, shortestIntervalMs: HOUR_MS };
  const database = startBeforeAll(() => createDatabase());
  beforeEach(async () => {
    limits = { active: 3, shortestIntervalMs: HOUR_MS };
    clock = createFakeClock();
    tasks = createTasks({ db: database.db, clock, readLimits: async () => limits });
    const rows = await database.db.insert(users).values([{}, {}]).returning();
    const [first = 0, second = 0] = rows.map(({ id }) => id);
    ann = { userId: first, groupId: undefined };
    bob = { userId: second, groupId: undefined };
  });

  const daily = (changes: Partial<NewTask> = {}): NewTask => ({
    kind: 'question',
    prompt: 'The news about ships',
    times: { kind: 'repeated', rule: 'FREQ=DAILY', startsAt: '2026-01-01T08:00', timeZone: 'Europe/Berlin' },
    quietWhenNothingNew: true,
    ...changes,
  });
  const once = (afterMs: number): NewTask['times'] => ({
    kind: 'once',
    at: new Date(clock.now() + afterMs),
    timeZone: 'UTC',
  });
  const add = async (owner = ann, changes: Partial<NewTask> = {}): Promise<Task> => {
    const made = await tasks.create(owner, daily(changes));
    if (!('id' in made)) throw new Error(made.kind);
    return made;
  };

  it('are not created beside too many paused ones, by parallel requests either', async () => {
    limits = { active: 200, shortestIntervalMs: HOUR_MS };
    for (let count = 0; count < MAX_PAUSED_TASKS; count += 1) await tasks.pause(ann, (await add()).id);
    limits = { active: 3, shortestIntervalMs: HOUR_MS };
    const made = await Promise.all(Array.from({ length: 5 }, () => tasks.create(ann, daily())));
    expect(made.filter((one) => 'id' in one)).toHaveLength(3);
    for (const one of made) if ('id' in one) await tasks.pause(ann, one.id);
    expect(await tasks.create(ann, daily())).toEqual({ kind: 'too-many', limit: MAX_PAUSED_TASKS + 3 });
    await add(bob);
  });

  it('are stored with their next due time', async () => {
    const task = await add(ann, { topicId: 7, prompt: ' The news \u0000' });
    expect(task).toMatchObject({
      owner: ann,
      topicId: 7,
      prompt: 'The news',
      quietWhenNothingNew: true,
      state: { kind: 'active', nextDueAt: new Date('2026-01-01T07:00Z') },
    });
    expect(await tasks.find(ann, task.id)).toEqual(task);
  });

  it('belong to one user in one chat', async () => {
    const task = await add();
    const inGroup = { ...ann, groupId: GROUP };
    const other = await add(inGroup);
    for (const owner of [bob, { ...bob, groupId: GROUP }, inGroup]) {
      expect(await tasks.find(owner, task.id)).toBeUndefined();
      expect(await tasks.change(owner, task.id, { prompt: 'x' })).toBeUndefined();
      expect(await tasks.pause(owner, task.id)).toBeUndefined();
      expect(await tasks.resume(owner, task.id)).toBeUndefined();
      expect(await tasks.runNow(owner, task.id)).toBeUndefined();
      expect(await tasks.remove(owner, task.id)).toBe(false);
      expect(await tasks.listRuns(owner, task.id, { offset: 0, limit: 9 })).toEqual({ runs: [], totalCount: 0 });
    }
    expect(await tasks.list(bob, { offset: 0, limit: 9 })).toEqual({ tasks: [], totalCount: 0 });
    expect(await tasks.list(ann, { offset: 0, limit: 9 })).toEqual({ tasks: [task], totalCount: 1 });
    expect(await tasks.list(inGroup, { offset: 0, limit: 9 })).toEqual({ tasks: [other], totalCount: 1 });
  });

  it('are listed in pages: the next due first, then paused ones, then ended ones', async () => {
    const paused = await add();
    await tasks.pause(ann, paused.id);
    const later = await add();
    const sooner = await add(ann, { times: once(1000) });
    const first = await tasks.list(ann, { offset: 0, limit: 2 });
    const second = await tasks.list(ann, { offset: 2, limit: 2 });
    expect([...first.tasks, ...second.tasks].map(({ id }) => id)).toEqual([sooner.id, later.id, paused.id]);
    expect(second.totalCount).toBe(3);
  });

  it('have a maximum number in all chats that holds under concurrent requests', async () => {
    await add();
    await add({ ...ann, groupId: GROUP });
    const made = await Promise.all([1, 2, 3].map(() => tasks.create(ann, daily())));
    expect(made.filter((one) => 'id' in one)).toHaveLength(1);
    expect(made).toContainEqual({ kind: 'too-many', limit: 3 });
    await add(bob);
    const [first] = (await tasks.list(ann, { offset: 0, limit: 1 })).tasks;
    await tasks.pause(ann, first?.id ?? 0);
    await add();
    expect(await tasks.resume(ann, first?.id ?? 0)).toEqual({ kind: 'too-many', limit: 3 });
  });

  it('have a shortest interval and a longest text', async () => {
    const times = (rule: string) =>
      ({ ...daily().times, rule, kind: 'repeated', startsAt: '2026-01-01T08:00' }) as const;
    const create = (changes: Partial<NewTask>) => tasks.create(ann, daily(changes));
    const tooOften = { kind: 'too-often', shortestIntervalMs: HOUR_MS };
    expect(await create({ times: times('FREQ=MINUTELY;INTERVAL=30') })).toEqual(tooOften);
    expect(await create({ times: times('FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0,10') })).toEqual(tooOften);
    expect(await create({ times: times('FREQ=HOURLY') })).toMatchObject({ state: { kind: 'active' } });
    for (const prompt of ['', ' \u0000', 'x'.repeat(MAX_PROMPT_LENGTH + 1)])
      expect(await create({ prompt })).toEqual({ kind: 'invalid-prompt', maxLength: MAX_PROMPT_LENGTH });
  });

  it('need times that are valid and still to come', async () => {
    const create = (times: NewTask['times']) => tasks.create(ann, daily({ times }));
    const rule = { kind: 'repeated', rule: 'FREQ=DAILY', startsAt: '2026-01-01T08:00', timeZone: 'UTC' } as const;
    expect(await create(once(0))).toEqual({ kind: 'past' });
    expect(await create(once(10 * 366 * 24 * HOUR_MS))).toEqual({ kind: 'too-far' });
    expect(await create({ ...rule, rule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' })).toEqual({ kind: 'never' });
    expect(await create({ ...rule, rule: 'FREQ=DAILY;UNTIL=20251231' })).toEqual({ kind: 'never' });
    const invalid = { kind: 'invalid-times', detail: expect.any(String) };
    expect(await create({ ...rule, rule: 'FREQ=SECONDLY' })).toEqual(invalid);
    expect(await create({ ...rule, startsAt: '2026-02-30T08:00' })).toEqual(invalid);
    for (const timeZone of ['Mars/Phobos', '+02:00', 'UTC\nRRULE:FREQ=DAILY', ''])
      expect(await create({ ...rule, timeZone })).toEqual(invalid);
  });

  it('pause, and resume at the next due time from then on', async () => {
    const task = await add();
    expect(await tasks.pause(ann, task.id)).toMatchObject({ state: { kind: 'paused', reason: 'user' } });
    await clock.advance(48 * HOUR_MS);
    const resumed = await tasks.resume(ann, task.id);
    expect(resumed).toMatchObject({ state: { kind: 'active', nextDueAt: new Date('2026-01-03T07:00Z') } });
    const soon = await add(ann, { times: once(HOUR_MS) });
    await tasks.pause(ann, soon.id);
    await clock.advance(2 * HOUR_MS);
    expect(await tasks.resume(ann, soon.id)).toEqual({ kind: 'past' });
  });

  it('change, within the same limits', async () => {
    const task = await add();
    expect(await tasks.change(ann, task.id, { prompt: 'Other' })).toEqual({ ...task, prompt: 'Other' });
    const times = { ...daily().times, kind: 'repeated', rule: 'FREQ=DAILY', startsAt: '2026-01-01T09:00' } as const;
    const changed = await tasks.change(ann, task.id, { times });
    expect(changed).toMatchObject({ times, state: { kind: 'active', nextDueAt: new Date('2026-01-01T08:00Z') } });
    expect(await tasks.change(ann, task.id, { prompt: '' })).toMatchObject({ kind: 'invalid-prompt' });
    expect(await tasks.change(ann, task.id, { times: once(-1) })).toEqual({ kind: 'past' });
    await tasks.pause(ann, task.id);
    expect(await tasks.change(ann, task.id, { times: once(5) })).toMatchObject({ state: { kind: 'paused' } });
    expect(await tasks.change(ann, task.id, { kind: 'reminder' })).toMatchObject({ quietWhenNothingNew: false });
  });

  it('run now once at a time', async () => {
    const task = await add();
    const runs = await Promise.all([tasks.runNow(ann, task.id), tasks.runNow(ann, task.id)]);
    expect(runs).toContain('running');
    expect(runs).toContainEqual(expect.objectContaining({ state: 'due', isManual: true, taskId: task.id }));
    expect(await tasks.find(ann, task.id)).toEqual(task);
    expect(await tasks.listRuns(ann, task.id, { offset: 0, limit: 9 })).toMatchObject({ totalCount: 1 });
    expect(await tasks.remove(ann, task.id)).toBe(true);
    expect(await tasks.find(ann, task.id)).toBeUndefined();
  });

  it('keep their local time when their user changes the time zone', async () => {
    const moving = await add();
    const elsewhere = await add(ann, { times: { ...daily().times, timeZone: 'Asia/Tokyo' } });
    const single = await add(ann, { times: { ...once(5 * HOUR_MS), timeZone: 'Europe/Berlin' } });
    const other = await add(bob);
    expect(await tasks.changeTimeZone(ann.userId, { from: 'Europe/Berlin', to: 'America/New_York' })).toBe(1);
    expect(await tasks.find(ann, moving.id)).toMatchObject({
      times: { timeZone: 'America/New_York', startsAt: '2026-01-01T08:00' },
      state: { nextDueAt: new Date('2026-01-01T13:00Z') },
    });
    for (const task of [elsewhere, single]) expect(await tasks.find(ann, task.id)).toEqual(task);
    expect(await tasks.find(bob, other.id)).toEqual(other);
  });

  it('keep a bounded number of ended ones', async () => {
    limits = { active: 1000, shortestIntervalMs: HOUR_MS };
    for (let number = 0; number < MAX_ENDED_TASKS + 3; number += 1) {
      const { id } = await add(ann, { times: once(HOUR_MS), prompt: `${number}` });
      await database.db.execute(`update tasks set state = 'ended', next_due_at = null where id = ${id}`);
    }
    await add();
    const { totalCount } = await tasks.list(ann, { offset: 0, limit: 1 });
    expect(totalCount).toBe(MAX_ENDED_TASKS + 1);
  });
});
