import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MODEL } from '../../support/harness/http.ts';
import { ADMIN, type ManagementService, startManagementService } from '../../support/harness/http-users.ts';

const TRUSTED = { user: { requestsPerMinute: 5, usdPerDay: 1 } };

let service: ManagementService;
let userId: number;
beforeAll(async () => {
  service = await startManagementService({ plans: { trusted: TRUSTED } });
  userId = (await service.accounts.ensureTelegramUser(100)).id;
});
afterAll(() => service.close());

const send = (method: string, path: string, body?: unknown, headers = {}) =>
  service.manage(method, path, body, headers);
const lastAction = async () => (await send('GET', '/api/audit-log?limit=1')).body.data[0];
const createKey = async (fields: object = {}) =>
  (await send('POST', '/api/keys', { user: userId, label: 'laptop', ...fields })).body;
const chat = async (key: string, model = MODEL) => {
  const init = { headers: { authorization: `Bearer ${key}` } };
  const body = { model, messages: [{ role: 'user', content: 'Hi' }] };
  return (await service.post('/ai/openai/chat/completions', body, init)).status;
};
/** Results of authentication are cached for a second. */
const untilChat = (key: string, status: number) => expect.poll(() => chat(key)).toBe(status);

describe('plans', () => {
  test('of users are changed, with an audit entry that names the admin and the key', async () => {
    const changed = await send('PATCH', `/api/users/${userId}`, { plan: 'trusted' });
    expect(changed).toMatchObject({ status: 200, body: { plan: 'trusted', assigned_plan: 'trusted' } });
    const entry = { action: 'plan', subject: '100', reason: 'trusted', admin_telegram_id: ADMIN };
    expect(await lastAction()).toMatchObject({ ...entry, key: expect.any(Number) });
    const reset = await send('PATCH', `/api/users/${userId}`, { plan: null });
    expect(reset.body).toMatchObject({ plan: 'free', assigned_plan: null });
    expect(await service.accounts.findUser(userId)).toMatchObject({ plan: 'free' });
  });

  test('are listed as in the providers file', async () => {
    const { body } = await send('GET', '/api/plans');
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(['admin', 'free', 'trusted']);
    expect(body.data[2]).toMatchObject({ user: { requests_per_minute: 5, dollars_per_day: 1, at_once: null } });
  });
});

describe('If-Match', () => {
  test('prevents changes of what has changed, and leaves no audit entry', async () => {
    const path = `/api/users/${userId}`;
    const { headers } = await send('GET', path);
    const condition = { 'if-match': headers.get('etag') ?? '' };
    expect((await send('PATCH', path, { plan: 'trusted' }, condition)).status).toBe(200);
    const before = await lastAction();
    const late = await send('PATCH', path, { plan: 'free' }, condition);
    expect([late.status, late.body.error.code]).toEqual([412, 'precondition_failed']);
    expect(await lastAction()).toEqual(before);
    expect((await send('GET', path)).body.plan).toBe('trusted');
    expect((await send('PATCH', path, { plan: null }, { 'if-match': '*' })).status).toBe(200);
  });

  test('lets one of many concurrent changes through', async () => {
    const path = '/api/budgets/instance';
    const { headers } = await send('PUT', path, { dollars_total: 1 });
    const condition = { 'if-match': headers.get('etag') ?? '' };
    const raises = Array.from({ length: 8 }, () =>
      send('POST', `${path}/raise`, { period: 'total', by_dollars: 1 }, condition),
    );
    const statuses = (await Promise.all(raises)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 412)]);
    expect((await send('GET', path)).body.dollars_total).toBe(2);
  });

  test('is not disturbed by uses of a key', async () => {
    const key = await createKey();
    const { headers } = await send('GET', `/api/keys/${key.id}`);
    expect(await chat(key.secret)).toBe(200);
    await service.keyUses.flush();
    const { body } = await send('GET', `/api/keys/${key.id}`);
    expect(body.last_used).toMatchObject({ route: '/ai/openai/chat/completions' });
    const condition = { 'if-match': headers.get('etag') ?? '' };
    expect((await send('PATCH', `/api/keys/${key.id}`, { note: 'new' }, condition)).status).toBe(200);
  });
});

describe('access', () => {
  test('is taken and given, also to accounts that have never written', async () => {
    expect((await send('GET', '/api/access/900')).body).toMatchObject({ user: null, banned: false });
    const banned = await send('PATCH', '/api/access/900', { banned: true, reason: 'spam' });
    expect(banned.body).toMatchObject({ telegram_id: 900, banned: true, ban_reason: 'spam' });
    expect(await lastAction()).toMatchObject({
      action: 'ban',
      subject: '900',
      reason: 'spam',
      key: expect.any(Number),
    });
    await send('PATCH', '/api/access/900', { banned: false });
    expect((await send('GET', '/api/access/900')).body.banned).toBe(false);
    expect(await lastAction()).toMatchObject({ action: 'unban' });
  });

  test('bans stop the keys of a user', async () => {
    const key = await createKey();
    expect(await chat(key.secret)).toBe(200);
    await send('PATCH', '/api/access/100', { banned: true });
    await untilChat(key.secret, 401);
    await send('PATCH', '/api/access/100', { banned: false });
    await untilChat(key.secret, 200);
  });

  test('of admins is not taken, and permissions need a private service', async () => {
    const admin = await send('PATCH', `/api/access/${ADMIN}`, { banned: true });
    expect([admin.status, admin.body.error.code]).toEqual([409, 'conflict']);
    const permission = await send('PATCH', '/api/access/900', { allowed: true });
    expect([permission.status, permission.body.error.param]).toEqual([409, 'allowed']);
  });

  test('is given in a private service', async () => {
    const closed = await startManagementService({ allowedIds: [50] });
    const { body } = await closed.manage('PATCH', '/api/access/901', { allowed: true });
    expect(body).toMatchObject({ allowed: true, fixed: false });
    const fixed = await closed.manage('PATCH', '/api/access/50', { allowed: false });
    expect([fixed.status, fixed.body.error.code]).toEqual([409, 'conflict']);
    const actions = (await closed.manage('GET', '/api/audit-log')).body.data;
    expect(actions.map(({ action }: { action: string }) => action)).toEqual(['allow']);
    await closed.close();
  });
});

describe('API keys', () => {
  test('are created with rules, and shown without their secret afterwards', async () => {
    const rules = {
      note: 'for tests',
      expires_at: '2099-01-01T00:00:00.000Z',
      allowed_models: [MODEL],
      requests_per_minute: 9,
      tokens_per_day: 1000,
      at_once: 2,
    };
    const response = await send('POST', '/api/keys', {
      user: userId,
      label: ' work ',
      ...rules,
      expires_at: '2030-01-01T00:00:00Z',
    });
    expect(response.status).toBe(201);
    const { secret, ...key } = response.body;
    expect(key).toMatchObject({ ...rules, expires_at: '2030-01-01T00:00:00.000Z', label: 'work', scope: 'use' });
    expect(await chat(secret)).toBe(200);
    expect(await chat(secret, 'vendor/deep/model:free')).toBe(403);
    expect((await send('GET', `/api/keys/${key.id}`)).body).toMatchObject(key);
    const listed = await send('GET', `/api/keys?user=${userId}&limit=100`);
    expect(listed.body.data.map(({ id }: { id: number }) => id)).toContain(key.id);
    expect(JSON.stringify(listed.body)).not.toContain(secret);
    const search = async (text: string) =>
      (await send('GET', `/api/keys?limit=100&search=${encodeURIComponent(text)}`)).body.data.map(
        ({ id }: { id: number }) => id,
      );
    for (const text of ['WOR', key.prefix]) expect(await search(text), text).toContain(key.id);
    for (const text of ['w%k', key.prefix.slice(1), secret]) expect(await search(text), text).not.toContain(key.id);
    expect(service.logText()).not.toContain(secret);
    expect(await lastAction()).toMatchObject({ action: 'create-key', subject: `key:${key.id}` });
  });

  test('are changed, paused and resumed', async () => {
    const { id, secret } = await createKey({ note: 'old', at_once: 3 });
    const changed = await send('PATCH', `/api/keys/${id}`, { label: 'phone', note: null, paused: true });
    expect(changed.body).toMatchObject({ label: 'phone', note: null, at_once: 3, paused_at: expect.any(String) });
    expect(await lastAction()).toMatchObject({ action: 'change-key', reason: 'label, note, paused' });
    await untilChat(secret, 401);
    const resumed = await send('PATCH', `/api/keys/${id}`, { paused: false });
    expect(resumed.body).toMatchObject({ paused_at: null, at_once: 3 });
    await untilChat(secret, 200);
  });

  test('get a new secret, with an overlap', async () => {
    const { id, secret } = await createKey();
    const { body } = await send('POST', `/api/keys/${id}/rotate`, { overlap_seconds: 3600 });
    expect(body.secret).not.toBe(secret);
    expect([await chat(body.secret), await chat(secret)]).toEqual([200, 200]);
    const again = await send('POST', `/api/keys/${id}/rotate`, { overlap_seconds: 0 });
    await untilChat(body.secret, 401);
    expect(await chat(again.body.secret)).toBe(200);
  });

  test('are revoked', async () => {
    const { id, secret } = await createKey();
    expect((await send('DELETE', `/api/keys/${id}`)).status).toBe(204);
    await untilChat(secret, 401);
    expect((await send('GET', `/api/keys/${id}`)).status).toBe(404);
    expect((await send('DELETE', `/api/keys/${id}`)).status).toBe(404);
    expect(await lastAction()).toMatchObject({ action: 'revoke-key', subject: `key:${id}` });
  });

  test('of the management API are neither created nor changed here, only revoked', async () => {
    const other = await service.apiKeys.create(service.adminId, 'spare', { scope: 'manage' });
    const path = `/api/keys/${other?.key.id}`;
    const created = await send('POST', '/api/keys', { user: service.adminId, label: 'x', scope: 'manage' });
    expect([created.status, created.body.error.param]).toEqual([400, 'scope']);
    for (const answer of [await send('PATCH', path, { paused: true }), await send('POST', `${path}/rotate`, {})])
      expect([answer.status, answer.body.error.code]).toEqual([403, 'insufficient_permissions']);
    expect((await send('DELETE', path)).status).toBe(204);
  });

  test('the universal key is not among them', async () => {
    const { body } = await send('GET', '/api/keys?limit=100');
    expect(body.data.map(({ prefix }: { prefix: string }) => prefix)).not.toContain(service.apiKey.slice(0, 10));
  });

  test('are made with a budget in one step, which only admins change', async () => {
    const { id } = await service.accounts.ensureTelegramUser(701);
    const { status, body } = await send('POST', '/api/keys', { user: id, label: 'one', dollars_per_month: 5 });
    expect([status, body.set_by_admin]).toEqual([201, ['budget']]);
    expect((await send('GET', `/api/budgets/key:${body.id}`)).body).toMatchObject({ dollars_per_month: 5 });
    expect(await lastAction()).toMatchObject({
      ...{ action: 'create-key', subject: `key:${body.id}`, reason: '$5 per month' },
    });
    for (const amount of [-1, 1_000_001, 0.0000000001, '5', 'NaN', true, [5]])
      expect(
        (await send('POST', '/api/keys', { user: id, label: 'two', dollars_total: amount })).body.error.param,
      ).toBe('dollars_total');
    expect((await service.apiKeys.list(id)).map(({ label }) => label)).toEqual(['one']);
  });

  test('have a maximum number', async () => {
    const { id } = await service.accounts.ensureTelegramUser(700);
    const statuses: number[] = [];
    for (let made = 0; made <= service.apiKeys.maxKeys; made += 1)
      statuses.push((await send('POST', '/api/keys', { user: id, label: 'one' })).status);
    expect([statuses.at(-2), statuses.at(-1)]).toEqual([201, 409]);
  });
});

describe('budgets', () => {
  test('are set, raised and removed', async () => {
    const path = `/api/budgets/user:${userId}`;
    const unset = { dollars_per_day: null, dollars_per_month: null, dollars_total: null };
    expect((await send('GET', path)).body).toMatchObject({ scope: `user:${userId}`, ...unset });
    const set = await send('PUT', path, { dollars_per_day: 0.1, dollars_total: 20 });
    expect(set.body).toMatchObject({ ...unset, dollars_per_day: 0.1, dollars_total: 20 });
    expect(await lastAction()).toMatchObject({
      action: 'set-budget',
      subject: `user:${userId}`,
      reason: '$0.1 per day, $20 in total',
    });
    const raised = await send('POST', `${path}/raise`, { period: 'day', by_dollars: 0.2 });
    expect(raised.body.dollars_per_day).toBe(0.3);
    const other = await send('POST', `${path}/raise`, { period: 'month', by_dollars: 1 });
    expect([other.status, other.body.error.code]).toEqual([409, 'conflict']);
    expect((await send('GET', '/api/budgets?limit=100')).body.data).toContainEqual(raised.body);
    expect((await send('DELETE', path)).status).toBe(204);
    expect((await send('GET', path)).body).toMatchObject(unset);
  });

  test('are found by the scope of a user before version 0.3', async () => {
    const { id } = await service.accounts.ensureTelegramUser(103);
    const set = await send('PUT', `/api/budgets/person:${id}`, { dollars_per_day: 2 });
    expect(set.body).toMatchObject({ scope: `user:${id}`, dollars_per_day: 2 });
    expect((await send('GET', `/api/budgets/user:${id}`)).body).toEqual(set.body);
    const log = await send('GET', `/api/audit-log?subject=person:${id}`);
    expect(log.body.data).toMatchObject([{ action: 'set-budget', subject: `user:${id}` }]);
  });

  test('of a key are the admin’s until they are removed', async () => {
    const { id } = await createKey();
    const rules = async () => (await send('GET', `/api/keys/${id}`)).body.set_by_admin;
    expect(await rules()).toEqual([]);
    await send('PUT', `/api/budgets/key:${id}`, { dollars_per_day: 1 });
    expect(await rules()).toEqual(['budget']);
    await send('PATCH', `/api/keys/${id}`, { at_once: 3 });
    expect(await rules()).toEqual(['at_once', 'budget']);
    expect((await send('DELETE', `/api/budgets/key:${id}`)).status).toBe(204);
    expect(await rules()).toEqual(['at_once']);
  });

  test('of a plan are raised for one user, whose plan then counts no more', async () => {
    const { id } = await service.accounts.ensureTelegramUser(101);
    await send('PATCH', `/api/users/${id}`, { plan: 'trusted' });
    const path = `/api/budgets/user:${id}`;
    const none = { dollars_per_day: null, dollars_per_month: null, dollars_total: null };
    const before = await send('GET', path);
    const ofPlan = { ...none, dollars_per_day: 1 };
    expect(before.body).toMatchObject({
      dollars_per_day: null,
      plan: 'trusted',
      configured: ofPlan,
      effective: ofPlan,
    });
    const condition = { 'if-match': before.headers.get('etag') ?? '' };
    const raised = await send('POST', `${path}/raise`, { period: 'day', by_dollars: 2 }, condition);
    expect(raised.body).toMatchObject({ dollars_per_day: 3, configured: ofPlan, effective: { dollars_per_day: 3 } });
    expect(await lastAction()).toMatchObject({ action: 'raise-budget', reason: '$3 per day' });
    // The amount has changed, so a client that read it before must read it again.
    expect((await send('POST', `${path}/raise`, { period: 'day', by_dollars: 2 }, condition)).status).toBe(412);
  });

  test('of scopes without a user or a key are 404', async () => {
    expect((await send('PUT', '/api/budgets/user:999999', {})).status).toBe(404);
    expect((await send('GET', '/api/budgets/key:999999')).status).toBe(404);
    expect((await send('GET', '/api/budgets/chat:-100123')).status).toBe(200);
  });
});

describe('invalid bodies are refused and named', () => {
  const KEY = { user: 1, label: 'x' };
  test.each([
    ['PATCH', '/api/users/1', {}, 'plan'],
    ['PATCH', '/api/users/1', { plan: 'nobodys' }, 'plan'],
    ['PATCH', '/api/users/1', { plan: '__proto__' }, 'plan'],
    ['PATCH', '/api/users/1', { plan: 'free', role: 'admin' }, 'role'],
    ['PATCH', '/api/users/1', { plan: ['free'] }, 'plan'],
    ['PATCH', '/api/access/5', { banned: 'yes' }, 'banned'],
    ['PATCH', '/api/access/5', { reason: 'a\u0000b' }, 'reason'],
    ['PATCH', '/api/access/5', { reason: '\ud800' }, 'reason'],
    ['PATCH', '/api/access/5', { reason: 'x'.repeat(501) }, 'reason'],
    ['PATCH', '/api/access/-5', {}, 'id'],
    ['POST', '/api/keys', { label: 'x' }, 'user'],
    ['POST', '/api/keys', { ...KEY, user: 1e308 }, 'user'],
    ['POST', '/api/keys', { ...KEY, user: '1' }, 'user'],
    ['POST', '/api/keys', { ...KEY, label: ' ' }, 'label'],
    ['POST', '/api/keys', { ...KEY, label: '\u0000' }, 'label'],
    ['POST', '/api/keys', { ...KEY, expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    ['POST', '/api/keys', { ...KEY, expires_at: 'tomorrow' }, 'expires_at'],
    ['POST', '/api/keys', { ...KEY, allowed_models: [] }, 'allowed_models'],
    ['POST', '/api/keys', { ...KEY, allowed_models: ['a\u0000'] }, 'allowed_models[0]'],
    ['POST', '/api/keys', { ...KEY, requests_per_minute: 0 }, 'requests_per_minute'],
    ['POST', '/api/keys', { ...KEY, tokens_per_day: 1.5 }, 'tokens_per_day'],
    ['POST', '/api/keys', { ...KEY, secret: 'sk-mine' }, 'secret'],
    ['PATCH', '/api/keys/1', { paused: null }, 'paused'],
    ['PATCH', '/api/keys/key:1', { paused: true }, 'id'],
    ['POST', '/api/keys/1/rotate', { overlap_seconds: 604801 }, 'overlap_seconds'],
    ['POST', '/api/keys/1/rotate', { overlap_seconds: -1 }, 'overlap_seconds'],
    ['PUT', '/api/budgets/instance', { dollars_per_day: -1 }, 'dollars_per_day'],
    ['PUT', '/api/budgets/instance', { dollars_per_day: 1e308 }, 'dollars_per_day'],
    ['PUT', '/api/budgets/instance', { dollars_per_day: 0.0000000001 }, 'dollars_per_day'],
    ['PUT', '/api/budgets/instance', { dollars_per_day: '1' }, 'dollars_per_day'],
    ['PUT', '/api/budgets/instance', { dollars: 1 }, 'dollars'],
    ['PUT', '/api/budgets/everybody', {}, 'id'],
    ['PUT', '/api/budgets/user:0', {}, 'id'],
    ['PUT', '/api/budgets/address:1.2.3.4', {}, 'id'],
    ['PUT', "/api/budgets/key:1'--", {}, 'id'],
    ['POST', '/api/budgets/instance/raise', { period: 'year', by_dollars: 1 }, 'period'],
    ['POST', '/api/budgets/instance/raise', { period: 'day', by_dollars: 0 }, 'by_dollars'],
    ['POST', '/api/budgets/instance/raise', { period: 'day' }, 'by_dollars'],
  ])('%s %s %.60j', async (method, path, body, param) => {
    const { status, body: answer } = await send(method, path, body);
    expect([status, answer.error?.param]).toEqual([400, param]);
    expect(answer.error.message).toContain(`'${param}'`);
  });

  test.each([['[]'], ['null'], ['{'], [''], ['{"plan":"free"}\u0000']])('that are no object: %j', async (body) => {
    expect((await send('PATCH', '/api/users/1', body)).status).toBe(400);
  });

  test('and large ones', async () => {
    const { status, body } = await send('PATCH', '/api/access/5', { reason: 'x'.repeat(70_000) });
    expect([status, body.error.code]).toEqual([413, 'request_too_large']);
    const many = await send('POST', '/api/keys', { ...KEY, allowed_models: Array.from({ length: 2000 }, () => 'x') });
    expect(many.status).toBe(400);
  });
});
