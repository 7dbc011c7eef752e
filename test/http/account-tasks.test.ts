import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { taskRuns } from '../../src/database/schema/index.ts';
import {
  type ConsoleService,
  createTask,
  DAILY,
  refusalOf,
  type SignedInUser,
  startConsoleService,
} from '../support/harness/http-users.ts';

let service: ConsoleService;
let ann: SignedInUser;
let bob: SignedInUser;
beforeAll(async () => {
  service = await startConsoleService();
  [ann, bob] = await Promise.all([service.signIn(100), service.signIn(200)]);
});
afterAll(() => service.close());

const PATH = '/api/me/tasks';
const GROUP_ID = -1_001_234;
const createInGroup = ({ userId }: SignedInUser) => createTask(service, { userId, groupId: GROUP_ID });

describe('tasks', () => {
  test('are listed with their next run, in all chats', async () => {
    const user = await service.signIn(300);
    const [once, inGroup] = [await createTask(service, user, { kind: 'reminder' }), await createInGroup(user)];
    const first = (await user.send('GET', `${PATH}?limit=1`)).body;
    const second = (await user.send('GET', `${PATH}?limit=1&cursor=${first.next_cursor}`)).body;
    expect(second.next_cursor).toBeNull();
    const all = [...first.data, ...second.data];
    expect(all.map(({ id }) => id).toSorted((one, other) => one - other)).toEqual([once, inGroup]);
    expect(all.find(({ id }) => id === inGroup)).toMatchObject({
      ...{ kind: 'question', text: DAILY.prompt, is_in_group: true, state: 'active', pause_reason: null },
      ...{ rule: 'FREQ=DAILY', starts_at: '2026-11-24T08:00', time_zone: 'Europe/Berlin' },
    });
    expect(Date.parse(all[0].next_run_at)).toBeGreaterThan(Date.now());
    expect((await user.send('GET', `${PATH}/${inGroup}`)).body.id).toBe(inGroup);
  });

  test('are paused, resumed, changed and deleted', async () => {
    const path = `${PATH}/${await createInGroup(ann)}`;
    const paused = { state: 'paused', pause_reason: 'user', next_run_at: null };
    expect((await ann.send('POST', `${path}/pause`)).body).toMatchObject(paused);
    expect((await ann.send('POST', `${path}/resume`)).body).toMatchObject({ state: 'active', pause_reason: null });
    const changes = { text: ' News about bees ', when: 'every weekday 9:30', quiet_when_nothing_new: true };
    expect((await ann.send('PATCH', path, changes)).body).toMatchObject({
      ...{ text: 'News about bees', quiet_when_nothing_new: true, rule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR' },
      starts_at: expect.stringMatching(/T09:30$/),
    });
    expect((await ann.send('PATCH', path, { when: 'завтра в 9:00' })).body).toMatchObject({ rule: null });
    expect((await ann.send('DELETE', path)).status).toBe(204);
    expect(refusalOf(await ann.send('GET', path))).toEqual([404, 'not_found']);
    expect((await ann.send('DELETE', path)).status).toBe(404);
  });

  test('run now, once at a time, and show their runs', async () => {
    const id = await createTask(service, ann);
    const { status, body } = await ann.send('POST', `${PATH}/${id}/run`);
    expect([status, body]).toMatchObject([202, { state: 'waiting', is_manual: true, ended_at: null }]);
    expect(refusalOf(await ann.send('POST', `${PATH}/${id}/run`))).toEqual([409, 'running']);
    const failed = { state: 'failed', reason: 'not-started', endedAt: new Date() } as const;
    await service.database.db.update(taskRuns).set(failed).where(eq(taskRuns.taskId, id));
    await ann.send('POST', `${PATH}/${id}/run`);
    const runs = (await ann.send('GET', `${PATH}/${id}/runs`)).body.data;
    expect(runs).toMatchObject([{ state: 'waiting' }, { state: 'failed', reason: 'not-started', missed_count: 0 }]);
  });

  test('of another user can neither be seen nor changed', async () => {
    const paths = [await createTask(service, ann), await createInGroup(ann)].map((id) => `${PATH}/${id}`);
    expect((await bob.send('GET', PATH)).body).toEqual({ data: [], next_cursor: null });
    for (const path of paths) {
      const before = (await ann.send('GET', path)).body;
      const answers = [
        await bob.send('GET', path),
        await bob.send('GET', `${path}/runs`),
        await bob.send('PATCH', path, { text: 'Mine' }),
        await bob.send('POST', `${path}/pause`),
        await bob.send('POST', `${path}/resume`),
        await bob.send('POST', `${path}/run`),
        await bob.send('DELETE', path),
      ];
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
      expect((await ann.send('GET', path)).body).toEqual(before);
      expect((await ann.send('GET', `${path}/runs`)).body.data).toEqual([]);
    }
  });

  test.each([
    [{ when: 'sometime' }, 'unknown_time'],
    [{ when: '2020-01-01 9:00' }, 'past_time'],
    [{ when: '2099-01-01 9:00' }, 'distant_time'],
    [{ when: 'every 1 minutes' }, 'too_often'],
    [{ text: ' \n' }, 'invalid_text'],
    [{ text: 'x'.repeat(2001) }, 'invalid_request_error'],
    [{ text: 5 }, 'invalid_request_error'],
    [{ quiet_when_nothing_new: 'yes' }, 'invalid_request_error'],
    [{ owner: 1 }, 'invalid_request_error'],
  ])('refuse change %#', async (changes, code) => {
    const path = `${PATH}/${await createTask(service, ann)}`;
    const before = (await ann.send('GET', path)).body;
    const { status, body } = await ann.send('PATCH', path, changes);
    expect([status, body.error.code, body.error.param]).toEqual([400, code, Object.keys(changes)[0]]);
    expect((await ann.send('GET', path)).body).toEqual(before);
    await ann.send('DELETE', path);
  });

  test.each(['0', 'x', '99999999999'])('refuse the id %s', async (id) => {
    expect((await ann.send('GET', `${PATH}/${id}`)).status).toBe(400);
  });
});
