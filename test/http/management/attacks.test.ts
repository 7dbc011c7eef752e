import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MODEL } from '../../support/harness/http.ts';
import { type ManagementService, startManagementService } from '../../support/harness/http-users.ts';
import { createServerTestDatabase, findServerUrl, type TestDatabase } from '../../support/stores/test-database.ts';

const serverUrl = findServerUrl();
const SECRET = /sk-sb-[\w-]{20,}/;

describe.skipIf(!serverUrl)('the management API under attack', () => {
  let database: TestDatabase;
  /** Two processes on one database. */
  let service: ManagementService;
  let other: ManagementService;
  let users = 1000;
  beforeAll(async () => {
    database = await createServerTestDatabase(serverUrl ?? '');
    service = await startManagementService({ database });
    other = await startManagementService({ database });
  });
  afterAll(async () => {
    await service?.close();
    await other?.close();
    await database?.close();
  });

  const createUser = async () => (await service.accounts.ensureTelegramUser(++users)).id;
  const actionsOf = async (subject: string) =>
    (await service.manage('GET', `/api/audit-log?limit=100&subject=${encodeURIComponent(subject)}`)).body.data;

  test('concurrent raises in two processes add up, each with its audit entry', async () => {
    const path = `/api/budgets/user:${await createUser()}`;
    await service.manage('PUT', path, { dollars_per_day: 0.1 });
    const raises = Array.from({ length: 40 }, (_, index) =>
      (index % 2 === 0 ? service : other).manage('POST', `${path}/raise`, { period: 'day', by_dollars: 0.1 }),
    );
    const amounts = (await Promise.all(raises)).map(({ body }) => body.dollars_per_day);
    expect(amounts.toSorted((one, two) => one - two)).toEqual(amounts.map((_, index) => (index + 2) / 10));
    expect((await other.manage('GET', path)).body.dollars_per_day).toBe(4.1);
    expect(await actionsOf(path.slice('/api/budgets/'.length))).toHaveLength(41);
  });

  test('of concurrent changes with the same tag, in two processes, one is made', async () => {
    const path = `/api/budgets/user:${await createUser()}`;
    const etag = (await service.manage('GET', path)).headers.get('etag') ?? '';
    const change = (index: number) =>
      index % 3 === 0
        ? other.manage('PUT', path, { dollars_per_day: index + 1 }, { 'if-match': etag })
        : service.manage('PUT', path, { dollars_total: index + 1 }, { 'if-match': etag });
    const statuses = (await Promise.all(Array.from({ length: 20 }, (_, index) => change(index)))).map(
      ({ status }) => status,
    );
    expect(statuses.toSorted()).toEqual([200, ...new Array(19).fill(412)]);
    expect(await actionsOf(path.slice('/api/budgets/'.length))).toHaveLength(1);
  });

  test.each([
    'user:5 ',
    ' user:5',
    'PERSON:5',
    'user:05',
    'key:012',
    'chat:1e3',
    'chat:--1',
    'chat:+1',
    'user:٥',
    'user:５',
    'user:5\n',
    'user:5:6',
    'instance ',
    'Instance',
    'user:99999999999',
    'chat:99999999999999999999',
    'user:5\u0000',
    'ｐerson:5',
  ])('%j is no scope', async (scope) => {
    const path = `/api/budgets/${encodeURIComponent(scope)}`;
    for (const [method, body] of [['GET'], ['PUT', { dollars_total: 1 }], ['DELETE']] as const)
      expect((await service.manage(method, path, body)).status).toBe(400);
  });

  test('a user with the largest id has a budget', async () => {
    expect((await service.manage('GET', '/api/budgets/user:2147483647')).status).toBe(404);
    expect((await service.manage('GET', '/api/budgets/key:2147483647')).status).toBe(404);
    expect((await service.manage('GET', '/api/budgets/user:2147483648')).status).toBe(400);
  });

  test('what changes nothing leaves no audit entry', async () => {
    const user = await createUser();
    const { body: key } = await service.manage('POST', '/api/keys', { user, label: 'laptop' });
    expect((await service.manage('PATCH', `/api/keys/${key.id}`, {})).status).toBe(200);
    expect((await service.manage('DELETE', `/api/budgets/user:${user}`)).status).toBe(204);
    expect((await service.manage('PUT', `/api/budgets/user:${user}`, { dollars_total: -1 })).status).toBe(400);
    expect((await service.manage('PATCH', `/api/keys/${key.id}`, { paused: true }, { 'if-match': '"x"' })).status).toBe(
      412,
    );
    expect((await actionsOf(`key:${key.id}`)).map(({ action }: { action: string }) => action)).toEqual(['create-key']);
    expect(await actionsOf(`user:${user}`)).toEqual([]);
  });

  test('secrets are in one answer only: not in lists, the audit log, errors, logs and examples', async () => {
    const user = await createUser();
    const { body: key } = await service.manage('POST', '/api/keys', { user, label: 'laptop' });
    const { body: rotated } = await service.manage('POST', `/api/keys/${key.id}/rotate`, { overlap_seconds: 60 });
    for (const secret of [key.secret, rotated.secret]) {
      const answer = await service.post(
        '/ai/openai/chat/completions',
        { model: MODEL, messages: [] },
        {
          headers: { authorization: `Bearer ${secret}` },
        },
      );
      expect(await answer.text()).not.toMatch(SECRET);
      const wrong = await fetch(`${service.url}/api/keys/${secret}`, {
        headers: { authorization: `Bearer ${service.manageKey}` },
      });
      expect(wrong.status).toBe(400);
      expect(await wrong.text()).not.toMatch(SECRET);
    }
    for (const path of [
      '/api/keys?limit=100',
      `/api/keys/${key.id}`,
      '/api/audit-log?limit=100',
      '/api/users?limit=100',
    ])
      expect(JSON.stringify((await service.manage('GET', path)).body)).not.toMatch(SECRET);
    expect(await (await fetch(`${service.url}/openapi.json`)).text()).not.toMatch(SECRET);
    for (const secret of [key.secret, rotated.secret, service.manageKey])
      expect(service.logText()).not.toContain(secret);
  });

  test("a user's key neither reads nor changes anything here, also a key of scope use of an admin", async () => {
    const { body: victim } = await service.manage('POST', '/api/keys', { user: await createUser(), label: 'victim' });
    const { body: admins } = await service.manage('POST', '/api/keys', { user: service.adminId, label: 'mine' });
    const { body: attacker } = await service.manage('POST', '/api/keys', { user: await createUser(), label: 'x' });
    for (const { secret } of [admins, attacker]) {
      for (const [method, path, body] of [
        ['GET', `/api/keys/${victim.id}`],
        ['PATCH', `/api/keys/${victim.id}`, { paused: true }],
        ['POST', `/api/keys/${victim.id}/rotate`, {}],
        ['PUT', `/api/budgets/key:${victim.id}`, { dollars_total: 0 }],
        ['POST', `/api/budgets/key:${victim.id}/raise`, { period: 'day', by_dollars: 1 }],
        ['GET', '/api/usage'],
      ] as const) {
        const answer = await fetch(service.url + path, {
          method,
          headers: { 'x-api-key': secret, 'content-type': 'application/json' },
          ...(body ? { body: JSON.stringify(body) } : {}),
        });
        expect([answer.status, path]).toEqual([403, path]);
      }
    }
  });
});
