import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import { checkInitData } from '../../src/core/sessions/index.ts';
import { MODEL } from '../support/harness/http.ts';
import { BOT_TOKEN, refusalOf, signInitData, startConsoleService } from '../support/harness/http-users.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const ANN = 100;
const BOB = 200;
const YOU = 300;

const service = startBeforeAll(() =>
  startConsoleService({
    checkInitData: (initData) => checkInitData(initData, BOT_TOKEN, Date.now()),
    playground: { userId: YOU, secret: undefined },
    plans: { small: { key: { usdPerDay: 2 } } },
  }),
);
afterEach(() => {
  service.adminIds.length = 0;
});

describe('signing in', () => {
  const signIn = (body: object, headers?: Record<string, string>) =>
    service.send('POST', '/api/sessions', body, headers);

  test('works once with the code of a link', async () => {
    const { id } = await service.accounts.ensureTelegramUser(ANN);
    const { code } = await service.sessions.createCode(id);
    const first = await signIn({ code });
    expect(first.status).toBe(201);
    expect(first.headers.get('cache-control')).toBe('no-store');
    expect(refusalOf(await signIn({ code }))).toEqual([401, 'link_used']);
    const headers = { authorization: `Bearer ${first.body.token}` };
    expect((await service.send('GET', '/api/me', undefined, headers)).body).toMatchObject({ id, telegram_id: ANN });
  });

  test('works with init data that Telegram has just signed, also on first contact', async () => {
    const { status, body } = await signIn({ init_data: signInitData(77, Date.now()) });
    expect(status).toBe(201);
    const headers = { authorization: `Bearer ${body.token}` };
    expect((await service.send('GET', '/api/me', undefined, headers)).body).toMatchObject({ telegram_id: 77 });
  });

  test('is refused with forged or old init data', async () => {
    const now = Date.now();
    const forged = signInitData(ANN, now, '1:another-token');
    expect(refusalOf(await signIn({ init_data: forged }))).toEqual([401, 'init_data_invalid']);
    const old = signInitData(ANN, now - 3_600_000);
    expect(refusalOf(await signIn({ init_data: old }))).toEqual([401, 'init_data_expired']);
  });

  test('is refused to banned accounts', async () => {
    await service.management.changeAccess(
      { telegramId: 88, manager: { userId: 1, telegramId: YOU, keyId: undefined }, check: () => {} },
      { isBanned: true, reason: '' },
    );
    expect(refusalOf(await signIn({ init_data: signInitData(88, Date.now()) }))).toEqual([403, 'not_admitted']);
  });

  test('in the playground works on this machine only, from its own page', async () => {
    expect((await signIn({ playground: true })).status).toBe(201);
    const refused = [403, 'no_playground'];
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'x-forwarded-for': '203.0.113.7' },
      { 'x-forwarded-host': 'ai.example.com' },
      { 'x-real-ip': '203.0.113.7' },
      { forwarded: 'for=203.0.113.7' },
    ]) {
      expect(refusalOf(await signIn({ playground: true }, headers))).toEqual(refused);
    }
  });

  /** Signs in over a socket, which may name any host and version; returns the whole response. */
  const signInRaw = (version: string, host: string) => {
    const { hostname, port } = new URL(service.url);
    const body = '{"playground":true}';
    const head = `POST /api/sessions HTTP/${version}\r\nHost: ${host}\r\nConnection: close\r\n`;
    const socket = connect(Number(port), hostname);
    socket.end(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    return text(socket);
  };

  test('in the playground does not work through nginx with its default headers', async () => {
    const { host } = new URL(service.url);
    expect(await signInRaw('1.0', host)).toMatch(/^HTTP\/1\.1 403 [\s\S]*no_playground/);
  });

  test('in the playground does not work under another name, and says which ones do', async () => {
    for (const host of ['192.0.2.2:8080', 'ai.example.com', '127.0.0.1.example.com']) {
      expect(await signInRaw('1.1', host)).toMatch(/^HTTP\/1\.1 403 [\s\S]*only at localhost or 127\.0\.0\.1/);
    }
  });

  test.each([
    {},
    { code: 5 },
    { code: 'x'.repeat(200) },
    { init_data: 'x'.repeat(9000) },
    { playground: false },
    { code: 'a', playground: true },
  ])('is refused with %j', async (body) => {
    expect((await signIn(body)).status).toBe(400);
  });

  test('is refused above 30 attempts of a client in a minute', async () => {
    const own = await startConsoleService({ database: service.database });
    try {
      const attempts = [];
      for (let count = 0; count < 31; count += 1) attempts.push(await own.send('POST', '/api/sessions', { code: 'x' }));
      expect(attempts.map(({ status }) => status)).toEqual([...Array(30).fill(401), 429]);
      expect(refusalOf(await own.send('POST', '/api/sessions', { playground: true }))[0]).toBe(429);
    } finally {
      await own.close();
    }
  });
});

describe('a session', () => {
  test('is needed for every route of one’s own', async () => {
    for (const path of ['/api/me', '/api/me/keys', '/api/me/usage', '/api/me/sessions', '/api/me/limits']) {
      expect(refusalOf(await service.send('GET', path))).toEqual([401, 'session_ended']);
      const headers = { authorization: `Bearer ${service.apiKey}` };
      expect(refusalOf(await service.send('GET', path, undefined, headers))).toEqual([401, 'session_ended']);
    }
  });

  test('is no API key', async () => {
    const ann = await service.signIn(ANN);
    const body = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] };
    expect((await ann.send('POST', '/ai/openai/chat/completions', body)).status).toBe(401);
  });

  test('works with the User-Agent of its client only', async () => {
    const ann = await service.signIn(ANN);
    expect((await ann.send('GET', '/api/me')).status).toBe(200);
    expect((await ann.send('GET', '/api/me', undefined, { 'user-agent': 'stolen' })).status).toBe(401);
  });

  test('ends by signing out, or from another session', async () => {
    const first = await service.signIn(ANN);
    const second = await service.signIn(ANN);
    const { body } = await second.send('GET', '/api/me');
    expect((await first.send('DELETE', `/api/me/sessions/${body.session_id}`)).status).toBe(204);
    expect((await second.send('GET', '/api/me')).status).toBe(401);
    const third = await service.signIn(ANN);
    expect((await first.send('DELETE', '/api/me/sessions')).status).toBe(204);
    expect((await third.send('GET', '/api/me')).status).toBe(401);
    expect((await first.send('GET', '/api/me/sessions')).body.data).toHaveLength(1);
    expect((await first.send('DELETE', '/api/me/sessions/current')).status).toBe(204);
    expect((await first.send('GET', '/api/me')).status).toBe(401);
  });

  test('of another user can not be ended', async () => {
    const ann = await service.signIn(ANN);
    const bob = await service.signIn(BOB);
    const { body } = await bob.send('GET', '/api/me');
    expect((await ann.send('DELETE', `/api/me/sessions/${body.session_id}`)).status).toBe(404);
    expect((await bob.send('GET', '/api/me')).status).toBe(200);
  });

  test('ends with a ban, and manages the service only while its user is an admin', async () => {
    service.adminIds.push(BOB);
    const ann = await service.signIn(ANN);
    const bob = await service.signIn(BOB);
    expect(refusalOf(await ann.send('GET', '/api/users'))).toEqual([403, 'insufficient_permissions']);
    expect((await bob.send('PATCH', `/api/access/${ANN}`, { banned: true, reason: 'spam' })).status).toBe(200);
    expect((await ann.send('GET', '/api/me')).status).toBe(401);
    const { body: log } = await bob.send('GET', '/api/audit-log?limit=1');
    expect(log.data[0]).toMatchObject({ action: 'ban', admin_telegram_id: BOB, key: null });
    expect((await bob.send('PATCH', `/api/access/${ANN}`, { banned: false })).status).toBe(200);
    service.adminIds.length = 0;
    expect(refusalOf(await bob.send('GET', '/api/users'))).toEqual([403, 'insufficient_permissions']);
    expect((await bob.send('GET', '/api/me')).body).toMatchObject({ is_admin: false });
  });
});

describe('what belongs to a user', () => {
  test('keys are made, changed, rotated and revoked by their owner only', async () => {
    const ann = await service.signIn(ANN);
    const bob = await service.signIn(BOB);
    const { status, body: made } = await ann.send('POST', '/api/me/keys', { label: 'laptop', allowed_models: ['a*'] });
    expect([status, made.secret.startsWith(made.prefix)]).toEqual([201, true]);
    expect((await bob.send('GET', '/api/me/keys')).body.data).toEqual([]);
    const path = `/api/me/keys/${made.id}`;
    for (const answer of [
      await bob.send('PATCH', path, { paused: true }),
      await bob.send('PATCH', path, { label: 'mine' }),
      await bob.send('POST', `${path}/rotate`, { overlap_seconds: 0 }),
      await bob.send('DELETE', path),
    ]) {
      expect(answer.status).toBe(404);
    }
    expect((await ann.send('GET', '/api/me/keys')).body.data).toMatchObject([{ label: 'laptop', paused_at: null }]);
    const changed = await ann.send('PATCH', path, { label: 'desk', paused: true, allowed_models: null });
    expect(changed.body).toMatchObject({ label: 'desk', paused_at: expect.any(String), allowed_models: null });
    const rotated = await ann.send('POST', `${path}/rotate`, { overlap_seconds: 0 });
    expect(rotated.body.secret).not.toBe(made.secret);
    expect((await ann.send('DELETE', path)).status).toBe(204);
    expect((await ann.send('GET', '/api/me/keys')).body.data).toEqual([]);
    expect((await ann.send('POST', '/api/me/keys', { label: 'x', scope: 'manage' })).status).toBe(400);
    expect((await ann.send('POST', '/api/me/keys', { label: 'x', user: bob.userId })).status).toBe(400);
  });

  test('rules and pauses that an admin sets for a key are not lifted by its owner', async () => {
    const ann = await service.signIn(ANN);
    const bob = await service.signIn(BOB);
    service.adminIds.push(BOB);
    const made = await ann.send('POST', '/api/me/keys', { label: 'laptop', tokens_per_day: 10, at_once: 5 });
    const [own, managed] = [`/api/me/keys/${made.body.id}`, `/api/keys/${made.body.id}`];
    const expires_at = '2030-01-01T00:00:00.000Z';
    const set = { paused: true, allowed_models: ['cheap-*'], requests_per_minute: 5, tokens_per_day: 100, expires_at };
    expect((await bob.send('PATCH', managed, set)).status).toBe(200);
    const later = '2031-01-01T00:00:00.000Z';
    const lifts = [
      ...[{ paused: false }, { allowed_models: null }, { allowed_models: ['*'] }, { requests_per_minute: null }],
      ...[{ tokens_per_day: 1000 }, { expires_at: null }, { expires_at: later }, { label: 'x', expires_at: later }],
      { at_once: 9, tokens_per_day: null },
    ];
    for (const lift of lifts) expect(refusalOf(await ann.send('PATCH', own, lift))).toEqual([403, 'set_by_admin']);
    const rotated = await ann.send('POST', `${own}/rotate`, { overlap_seconds: 0 });
    expect(rotated.body).toMatchObject({ label: 'laptop', at_once: 5, requests_per_minute: 5, expires_at });
    expect(rotated.body.set_by_admin).toEqual([
      ...['expires_at', 'allowed_models', 'requests_per_minute', 'tokens_per_day', 'paused'],
    ]);
    const free = { label: 'desk', note: 'mine', at_once: null, paused: true };
    expect(await ann.send('PATCH', own, free)).toMatchObject({ status: 200, body: { label: 'desk', at_once: null } });
    await bob.send('PATCH', managed, { paused: false, allowed_models: null, requests_per_minute: 9 });
    expect(refusalOf(await ann.send('PATCH', own, { requests_per_minute: null }))).toEqual([403, 'set_by_admin']);
    const again = await ann.send('PATCH', own, { paused: true, allowed_models: ['*'] });
    expect(again).toMatchObject({ status: 200, body: { paused_at: expect.any(String), allowed_models: ['*'] } });
    expect((await ann.send('PATCH', own, { paused: false })).body).toMatchObject({ paused_at: null });
    expect((await ann.send('DELETE', own)).status).toBe(204);
  });

  test('keys have budgets, within what the plan allows a key', async () => {
    const ann = await service.signIn(ANN);
    const made = await ann.send('POST', '/api/me/keys', { label: 'laptop', dollars_per_day: 5 });
    expect(made.body).toMatchObject({ dollars_per_day: 5, dollars_per_month: null, dollars_total: null });
    const path = `/api/me/keys/${made.body.id}`;
    await service.accounts.setPlan(ann.userId, 'small');
    const tooMuch = { status: 400, body: { error: { param: 'dollars_per_day' } } };
    expect(await ann.send('PATCH', path, { dollars_per_day: 5.01 })).toMatchObject(tooMuch);
    expect((await ann.send('PATCH', path, { dollars_per_day: 2, dollars_total: 2.5 })).status).toBe(200);
    expect(await ann.send('PATCH', path, { dollars_per_day: 2.01 })).toMatchObject(tooMuch);
    expect(await ann.send('POST', '/api/me/keys', { label: 'more', dollars_per_day: 3 })).toMatchObject(tooMuch);
    expect((await ann.send('PATCH', path, { dollars_total: -1 })).status).toBe(400);
    expect((await ann.send('PATCH', path, { dollars_total: null })).body).toMatchObject({ dollars_total: null });
    expect((await ann.send('GET', '/api/me/keys')).body.data).toMatchObject([{ dollars_per_day: 2 }]);
    const bob = await service.signIn(BOB);
    service.adminIds.push(BOB);
    await bob.send('PUT', `/api/budgets/key:${made.body.id}`, { dollars_per_day: 1 });
    expect(refusalOf(await ann.send('PATCH', path, { dollars_per_day: 0.5 }))).toEqual([403, 'set_by_admin']);
    // What stays as it is changes nothing.
    expect((await ann.send('PATCH', path, { dollars_per_day: 1, label: 'desk' })).status).toBe(200);
    expect((await ann.send('DELETE', path)).status).toBe(204);
  });

  test('keys of the management API get rules, but do not live longer', async () => {
    const bob = await service.signIn(BOB);
    service.adminIds.push(BOB);
    const made = await service.apiKeys.create(bob.userId, 'deploy', { scope: 'manage' });
    const path = `/api/me/keys/${made?.key.id}`;
    const [early, late] = ['2030-01-01T00:00:00.000Z', '2031-01-01T00:00:00.000Z'];
    const rules = { expires_at: late, allowed_models: ['a*'], dollars_per_day: 1 };
    expect(await bob.send('PATCH', path, rules)).toMatchObject({ status: 200, body: rules });
    expect((await bob.send('PATCH', path, { expires_at: early })).body).toMatchObject({ expires_at: early });
    for (const body of [{ expires_at: late }, { expires_at: null }, { paused: true }, { paused: false }])
      expect(refusalOf(await bob.send('PATCH', path, body))).toEqual([403, 'insufficient_permissions']);
    expect((await bob.send('DELETE', path)).status).toBe(204);
  });

  test('keys that an admin makes for a user keep their rules', async () => {
    const ann = await service.signIn(ANN);
    const bob = await service.signIn(BOB);
    service.adminIds.push(BOB);
    const made = await bob.send('POST', '/api/keys', { user: ann.userId, label: 'given', at_once: 1 });
    const own = `/api/me/keys/${made.body.id}`;
    expect(refusalOf(await ann.send('PATCH', own, { at_once: 2 }))).toEqual([403, 'set_by_admin']);
    expect((await ann.send('PATCH', own, { tokens_per_day: 2 })).status).toBe(200);
    expect((await ann.send('DELETE', own)).status).toBe(204);
  });

  test('usage is one’s own, whatever the query asks for', async () => {
    const ann = await service.signIn(ANN);
    const bob = await service.signIn(BOB);
    const { body: key } = await ann.send('POST', '/api/me/keys', { label: 'laptop' });
    const headers = { authorization: `Bearer ${key.secret}` };
    const chat = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] };
    expect((await service.post('/ai/openai/chat/completions', chat, { headers })).status).toBe(200);
    await service.writtenDown();
    expect((await ann.send('GET', '/api/me/usage')).body.data).toHaveLength(1);
    for (const query of ['', `?user=${ann.userId}`, `?key=${key.id}`]) {
      expect((await bob.send('GET', `/api/me/usage${query}`)).body.data).toEqual([]);
    }
    const sums = await ann.send('GET', '/api/me/usage/summary?group_by=model');
    expect(sums.body.data).toMatchObject([{ model: MODEL, requests: 1 }]);
    expect((await bob.send('GET', `/api/me/usage/summary?group_by=model&user=${ann.userId}`)).body.data).toEqual([]);
  });
});
