import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ManagementService, startManagementService } from '../../support/harness/http-users.ts';

let service: ManagementService;
beforeAll(async () => {
  service = await startManagementService();
  for (let telegramId = 100; telegramId < 110; telegramId += 1) await service.accounts.ensureTelegramUser(telegramId);
});
afterAll(() => service.close());

/** Reads all pages, from a cursor on. */
const listAll = async (path: string, from = ''): Promise<{ id: number }[]> => {
  const { status, body } = await service.manage('GET', from === '' ? path : `${path}&cursor=${from}`);
  expect([path, status]).toEqual([path, 200]);
  return [...body.data, ...(body.next_cursor ? await listAll(path, body.next_cursor) : [])];
};

describe('pages', () => {
  test('contain everything once, also if rows are added meanwhile', async () => {
    const first = await service.manage('GET', '/api/users?limit=4');
    expect(first.body.data).toHaveLength(4);
    const added = await service.accounts.ensureTelegramUser(500);
    const rest = await listAll('/api/users?limit=4', first.body.next_cursor);
    const ids = [...first.body.data, ...rest].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain(added.id);
    expect(ids.length).toBeGreaterThanOrEqual(12);
  });

  test('have a cursor only if more follow', async () => {
    const whole = await service.manage('GET', '/api/users?limit=100');
    expect(whole.body.next_cursor).toBeNull();
    const exact = await service.manage('GET', `/api/users?limit=${whole.body.data.length}`);
    expect(exact.body.next_cursor).toBeNull();
  });
});

describe('invalid queries are refused and named', () => {
  const cursorOf = async (path: string) => (await service.manage('GET', path)).body.next_cursor as string;

  const MANY = Array.from({ length: 1500 }, (_, index) => `f${index}=1`).join('&');

  test.each([
    ['/api/users?limit=0', 'limit'],
    ['/api/users?limit=101', 'limit'],
    ['/api/users?limit=1e9', 'limit'],
    ['/api/users?limit=', 'limit'],
    ['/api/users?limit=2&limit=3', 'limit'],
    ['/api/users?limit=NaN', 'limit'],
    ['/api/users?nobody=1', 'nobody'],
    ['/api/users?__proto__=1', '__proto__'],
    ['/api/users?plan=%00', 'plan'],
    ['/api/users?plan=a&plan=b', 'plan'],
    [`/api/users?plan=${'x'.repeat(100)}`, 'plan'],
    ['/api/users?role=owner', 'role'],
    ['/api/users?banned=yes', 'banned'],
    ['/api/users?telegram_id=-5', 'telegram_id'],
    ['/api/users?telegram_id=99999999999999999', 'telegram_id'],
    ['/api/users?telegram_id=1.5', 'telegram_id'],
    ['/api/users?cursor=', 'cursor'],
    ['/api/users?cursor=WyJ4Il0', 'cursor'],
    ['/api/users?cursor=%00%00', 'cursor'],
    [`/api/users?cursor=${'A'.repeat(2000)}`, 'cursor'],
    [`/api/users?${MANY}`, 'f0'],
    ['/api/users/0', 'id'],
    ['/api/users/-1', 'id'],
    ['/api/users/abc', 'id'],
    ['/api/users/99999999999', 'id'],
    ['/api/users/4294967297', 'id'],
    ['/api/users/1%00', 'id'],
    ['/api/audit-log?action=nothing', 'action'],
    ['/api/audit-log?from=yesterday', 'from'],
    ['/api/audit-log?from=2026-02-30T00:00:00Z', 'from'],
    ['/api/audit-log?from=0001-01-01T00:00:00Z', 'from'],
    ['/api/audit-log?to=9999-12-31T00:00:00Z', 'to'],
    ['/api/audit-log?subject=%00', 'subject'],
  ])('%.60s', async (path, param) => {
    const { status, body } = await service.manage('GET', path);
    expect([status, body.error.param]).toEqual([400, param]);
    expect(body.error.message).toContain(`'${param}'`);
  });

  test('a cursor of another list or other filters', async () => {
    const cursor = await cursorOf('/api/users?limit=1');
    for (const path of [`/api/audit-log?cursor=${cursor}`, `/api/users?role=user&cursor=${cursor}`]) {
      const { status, body } = await service.manage('GET', path);
      expect([path, status, body.error.param]).toEqual([path, 400, 'cursor']);
    }
    expect((await service.manage('GET', `/api/users?limit=3&cursor=${cursor}`)).status).toBe(200);
  });
});

describe('users', () => {
  const list = async (query: string) => (await service.manage('GET', `/api/users?limit=100&${query}`)).body.data;

  test('are found by plan, role, ban and Telegram id', async () => {
    const { id } = await service.accounts.ensureTelegramUser(600);
    await service.accounts.setPlan(id, 'trusted');
    await service.database.db.execute(sql`insert into bans (telegram_id, reason) values (600, 'spam')`);
    const user = {
      id,
      telegram_id: 600,
      ...{ note: null, name: null, username: null, universal_key: false },
      role: 'user',
      plan: 'trusted',
      assigned_plan: 'trusted',
      banned: true,
      admitted: false,
      reachable: true,
      created_at: expect.stringMatching(/^2\d{3}-.*Z$/),
    };
    expect(await list('plan=trusted')).toEqual([user]);
    expect(await list('banned=true')).toEqual([user]);
    expect(await list('telegram_id=600')).toEqual([user]);
    const { body, headers } = await service.manage('GET', `/api/users/${id}`);
    expect(body).toEqual(user);
    expect(headers.get('etag')).toMatch(/^"[\w-]{22}"$/);
    const admins = await list('role=admin');
    expect(admins).toMatchObject([{ id: service.adminId, plan: 'admin', assigned_plan: null, admitted: true }]);
    expect(await list('plan=admin')).toEqual(admins);
    expect((await list('role=user&banned=false')).map((each: { id: number }) => each.id)).not.toContain(id);
  });

  test('that do not exist are 404', async () => {
    const { status, body } = await service.manage('GET', '/api/users/1000000');
    expect([status, body.error.code]).toEqual([404, 'not_found']);
  });
});

test('the audit log is listed newest first, and filtered', async () => {
  await service.database.db.execute(sql`
    insert into admin_actions (admin_telegram_id, action, subject, reason, created_at) values
      (7, 'ban', '600', 'spam', '2026-01-01T00:00:00Z'),
      (8, 'unban', '600', '', '2026-01-02T00:00:00Z'),
      (7, 'plan', '601', 'trusted', '2026-01-03T00:00:00Z'),
      (9, 'pause-broadcast', '1', '', '2026-01-04T00:00:00Z')`);
  const subjects = async (query: string) =>
    (await service.manage('GET', `/api/audit-log?${query}`)).body.data.map((each: { action: string }) => each.action);
  expect(await subjects('')).toEqual(['pause-broadcast', 'plan', 'unban', 'ban']);
  expect(await subjects('subject=600')).toEqual(['unban', 'ban']);
  expect(await subjects('admin_telegram_id=7')).toEqual(['plan', 'ban']);
  expect(await subjects('action=unban')).toEqual(['unban']);
  // The name before version 0.3.
  expect(await subjects('action=pause-announcement')).toEqual(['pause-broadcast']);
  expect(await subjects('from=2026-01-02T00:00:00Z&to=2026-01-03T00:00:00Z')).toEqual(['unban']);
  expect(await listAll('/api/audit-log?limit=1')).toHaveLength(4);
});

test('users are named by admins, found by the note, and the universal key is called that', async () => {
  const list = async (query: string) => (await service.manage('GET', `/api/users?limit=100&${query}`)).body.data;
  const { id } = await service.accounts.ensureTelegramUser(601);
  const renamed = await service.manage('PATCH', `/api/users/${id}`, { note: ' Ann, Sales ' });
  expect(renamed).toMatchObject({ status: 200, body: { id, note: 'Ann, Sales', plan: 'free' } });
  expect(await list('search=SALES')).toMatchObject([{ id }]);
  const { body } = await service.manage('GET', '/api/audit-log?action=note');
  expect(body.data).toMatchObject([{ subject: '601', subject_name: 'Ann, Sales', reason: '' }]);
  const { body: key } = await service.manage('POST', '/api/keys', { user: id, label: 'laptop' });
  expect(key.user_name).toBe('Ann, Sales');
  const { body: found } = await service.manage('GET', '/api/keys?search=sales');
  expect(found.data).toMatchObject([{ id: key.id, user_name: 'Ann, Sales' }]);
  const { body: budget } = await service.manage('PUT', `/api/budgets/key:${key.id}`, { dollars_total: 1 });
  expect(budget.name).toBe('Ann, Sales');
  const both = await service.manage('PATCH', `/api/users/${id}`, { note: null, plan: 'admin' });
  expect(both.body).toMatchObject({ note: null, assigned_plan: 'admin' });
  expect((await service.manage('PATCH', `/api/users/${id}`, {})).body.error.param).toBe('plan');
  expect((await service.manage('PATCH', `/api/users/${id}`, { note: 'x'.repeat(101) })).body.error.param).toBe('note');
  const owners = (await list('role=user')).filter((user: { universal_key: boolean }) => user.universal_key);
  expect(owners).toMatchObject([{ telegram_id: null }]);
});
