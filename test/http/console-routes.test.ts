import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SetupChecks } from '../../src/http/setup/setup-checks.ts';
import { listRoutes, NO_KEY_FILE } from '../support/harness/http.ts';
import {
  type ConsoleService,
  createTask,
  type SignedInUser,
  startConsoleService,
} from '../support/harness/http-users.ts';
import { talk } from '../support/harness/library.ts';

const ADMIN = 7;
const ANN = 100;
const BOB = 200;
const SETUP: SetupChecks = {
  universalKey: { kind: 'file', path: NO_KEY_FILE, secret: 'sk-sb-secret' },
  publicUrl: undefined,
  isPublic: false,
  checkBot: async () => ({ kind: 'refused' }),
  listWriters: async () => [],
  checkChannel: async () => ({ kind: 'not-a-channel' }),
  checkProvider: async () => ({ modelCount: 0, problem: 'refused' }),
};
const SLOW = { timeout: 120_000 };

let service: ConsoleService;
/** All routes of the console and the management API, except sign-in. */
let routes: readonly (readonly [method: string, path: string])[];
beforeAll(async () => {
  service = await startConsoleService({
    setup: SETUP,
    playground: { userId: ADMIN, secret: undefined },
  });
  service.adminIds.push(ADMIN);
  routes = listRoutes(service.printRoutes()).filter(([, path]) => path.startsWith('/api/') && path !== '/api/sessions');
});
afterAll(() => service.close());

const hasBody = (method: string) => !['GET', 'HEAD', 'DELETE'].includes(method);
const isOwn = (path: string) => path === '/api/me' || path.startsWith('/api/me/');
const fill = (path: string, id: string) => path.replace(/:\w+/g, () => id);

/** Sends a request to every route of `tried`. @returns those with another status than expected. */
async function findExceptions(
  tried: typeof routes,
  isExpected: (status: number) => boolean,
  send: (method: string, path: string) => Promise<{ readonly status: number }>,
) {
  expect(tried.length).toBeGreaterThan(5);
  const exceptions = [];
  for (const [method, path] of tried) {
    const { status } = await send(method, path);
    if (!isExpected(status)) exceptions.push([method, path, status]);
  }
  return exceptions;
}

const isRefused = (status: number) => status >= 400 && status <= 499;

describe('no route', () => {
  test('accepts a session from anything but the Authorization header', SLOW, async () => {
    const { token } = await service.signIn(ADMIN);
    for (const headers of [
      {},
      { cookie: `token=${token}; session=${token}; console-token=${token}; authorization=Bearer ${token}` },
      { 'x-api-key': token },
      { authorization: token },
      { authorization: `Basic ${btoa(`admin:${token}`)}` },
      { authorization: `Bearer ${token}x` },
      { 'proxy-authorization': `Bearer ${token}` },
    ]) {
      const send = (method: string, path: string) =>
        service.send(method, `${fill(path, '1')}?token=${token}`, hasBody(method) ? {} : undefined, headers);
      expect(await findExceptions(routes, (status) => status === 401, send)).toEqual([]);
    }
  });

  test('of admins accepts the session of a user', SLOW, async () => {
    const ann = await service.signIn(ANN);
    const admins = routes.filter(([, path]) => !isOwn(path));
    const send = (method: string, path: string) => ann.send(method, fill(path, '1'), hasBody(method) ? {} : undefined);
    expect(await findExceptions(admins, (status) => status === 403, send)).toEqual([]);
  });

  test('of one’s own finds what belongs to another user', SLOW, async () => {
    const ann = await service.signIn(ANN);
    const bob = await service.signIn(BOB);
    const conversation = await talk(service.conversations, { userId: ann.userId, chatId: ANN, question: 'Why?' });
    const { body: key } = await ann.send('POST', '/api/me/keys', { label: 'laptop' });
    const { body: memory } = await ann.send('POST', '/api/me/memories', { text: 'Likes tea' });
    const { body: file } = await ann.send('PUT', '/api/me/files?name=a.txt', {});
    const taskId = await createTask(service, ann);
    const { body: profile } = await ann.send('GET', '/api/me');
    const ids = new Map([
      ['conversations', conversation.id],
      ['keys', key.id],
      ['memories', memory.id],
      ['files', file.id],
      ['tasks', taskId],
      ['sessions', profile.session_id],
    ]);
    const changes: Readonly<Record<string, object>> = {
      'PATCH keys': { label: 'mine' },
      'POST keys': { overlap_seconds: 0 },
      'PATCH tasks': { text: 'Mine' },
      'PATCH memories': { text: 'Likes coffee' },
      'PATCH files': { name: 'mine.txt' },
      'PATCH conversations': { title: 'Mine' },
    };
    const withId = routes.filter(([, path]) => isOwn(path) && path.includes(':id'));
    const send = (user: SignedInUser) => (method: string, path: string) => {
      const [, kind = ''] = /^\/api\/me\/([^/]+)\/:id/.exec(path) ?? [];
      expect(ids.get(kind), `an id for ${path}`).toBeDefined();
      return user.send(
        method,
        fill(path, String(ids.get(kind))),
        hasBody(method) ? changes[`${method} ${kind}`] : undefined,
      );
    };
    expect(await findExceptions(withId, (status) => status === 404, send(bob))).toEqual([]);
    const safe = withId.filter(([method]) => method !== 'DELETE');
    expect(await findExceptions(safe, (status) => status < 300, send(ann))).toEqual([]);
  });

  test('answers ids that nothing has', SLOW, async () => {
    // Access is shown for every Telegram id.
    const withId = routes.filter(([, path]) => path.includes(':') && path !== '/api/access/:id');
    const ids = ['0', '-1', '2147483648', '9007199254740993', '1e3', '0x1', 'NaN', '%00', "1'--", '..%2f..%2fusers'];
    for (const id of [...ids, '%F0%9F%98%80', '%ff', '__proto__', 'a'.repeat(22), 'x'.repeat(5000)]) {
      const admin = await service.signIn(ADMIN);
      const send = (method: string, path: string) =>
        admin.send(method, fill(path, id), hasBody(method) ? {} : undefined);
      expect(await findExceptions(withId, isRefused, send), id).toEqual([]);
    }
  });

  test('fails by a cursor that a client has made', SLOW, async () => {
    const { userId } = await service.signIn(ADMIN);
    const { id } = await talk(service.conversations, { userId, chatId: ADMIN, question: 'Why?' });
    const lists = routes.filter(([method]) => method === 'GET');
    const numbers = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 31, 1.5, 1e308].map((place) => [place]);
    const texts = ['\u0000', '\ud800', 'user:99999999999', 'key:0', 'x'.repeat(400)].map((place) => [place]);
    for (const place of [...numbers, ...texts, ['99999999999999999', '00000000-0000-4000-8000-000000000000'], []]) {
      const admin = await service.signIn(ADMIN);
      const send = (method: string, path: string) => {
        const mark = createHash('sha256')
          .update(JSON.stringify([path, []]))
          .digest('base64url')
          .slice(0, 10);
        const cursor = Buffer.from(JSON.stringify([mark, ...place])).toString('base64url');
        return admin.send(method, `${fill(path, String(id))}?cursor=${cursor}`);
      };
      expect(await findExceptions(lists, (status) => status < 500, send), JSON.stringify(place)).toEqual([]);
    }
  });

  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  test('fails by a strange body', SLOW, async () => {
    const bodies = [
      '{',
      '[]',
      'null',
      '{"":1}',
      '{"__proto__":{"label":"x"}}',
      '{"constructor":1}',
      nested(10_000),
      `{"label":"${'x'.repeat(1_000_000)}"}`,
      '{"label":"a\\u0000","name":"a\\u0000","title":"a\\u0000","text":"a\\u0000"}',
      '{"label":"\\ud800"}',
      '{"name":"\\ud800"}',
      '{"title":"\\ud800"}',
      '{"text":"\\u0000"}',
      '{"system_prompt":"\\u0000"}',
      '{"password":"\\ud800"}',
      '{"overlap_seconds":1e300}',
      '{"label":"x","requests_per_minute":2147483648}',
      '{"label":"x","tokens_per_day":1e300}',
      '{"label":"x","expires_at":"0001-01-01T00:00:00Z"}',
      '{"model":"__proto__"}',
    ];
    const changes = routes.filter(([method, path]) => hasBody(method) && path !== '/api/me/files');
    for (const body of bodies) {
      const { token } = await service.signIn(ADMIN);
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'user-agent': 'node' };
      const send = async (method: string, path: string) => {
        const response = await fetch(service.url + fill(path, '1'), { method, headers, body });
        expect(await response.json()).toMatchObject({ error: { message: expect.stringMatching(/^.{5,300}$/) } });
        return response;
      };
      expect(await findExceptions(changes, isRefused, send), body.slice(0, 80)).toEqual([]);
    }
  });
});

test('keys of the management API are revoked in a session, not renewed', async () => {
  const admin = await service.signIn(ADMIN);
  const made = await service.apiKeys.create(admin.userId, 'deploy', { scope: 'manage' });
  const path = `/api/me/keys/${made?.key.id}`;
  expect((await admin.send('POST', `${path}/rotate`, { overlap_seconds: 0 })).status).toBe(403);
  expect((await admin.send('PATCH', path, { expires_at: null })).status).toBe(403);
  expect((await admin.send('DELETE', path)).status).toBe(204);
});
