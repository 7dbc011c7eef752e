import { describe, expect, test } from 'vitest';
import { listRoutes } from '../../support/harness/http.ts';
import { ADMIN, startManagementService } from '../../support/harness/http-users.ts';
import { startBeforeAll } from '../../support/vitest/tiers.ts';

const service = startBeforeAll(() => startManagementService());

const withKey = (key: string) => ({ authorization: `Bearer ${key}` });
const listManagementRoutes = () =>
  listRoutes(service.printRoutes()).filter(
    ([method, path]) => /^\/api\/(?!me\b|sessions\b)/.test(path) && method !== 'HEAD',
  );

test('every route refuses requests without a key and keys that may not manage', async () => {
  const user = await service.accounts.ensureTelegramUser(70);
  const ofUser = await service.apiKeys.create(user.id, 'mine', { scope: 'manage' });
  const ofAdmin = await service.apiKeys.create(service.adminId, 'for clients');
  expect(listManagementRoutes().length).toBeGreaterThan(2);
  for (const [method, path] of listManagementRoutes()) {
    const send = async (headers: Record<string, string>) => {
      const {
        status,
        body,
        headers: answered,
      } = await service.manage(method, path.replace(':id', '1'), undefined, headers);
      return { route: `${method} ${path}`, status, code: body.error.code, cached: answered.get('cache-control') };
    };
    const route = `${method} ${path}`;
    const unknown = { route, status: 401, code: 'invalid_api_key', cached: 'no-store' };
    const forbidden = { route, status: 403, code: 'insufficient_permissions', cached: 'no-store' };
    expect(await send({ authorization: '' })).toEqual(unknown);
    expect(await send(withKey('sk-sb-nobodys'))).toEqual(unknown);
    expect(await send(withKey(service.apiKey))).toEqual(forbidden);
    expect(await send(withKey(ofUser?.secret ?? ''))).toEqual(forbidden);
    expect(await send(withKey(ofAdmin?.secret ?? ''))).toEqual(forbidden);
  }
});

test('an admin who was removed from the configuration has no access any more', async () => {
  expect((await service.manage('GET', '/api/users')).status).toBe(200);
  service.adminIds.splice(0);
  expect((await service.manage('GET', '/api/users')).status).toBe(403);
  service.adminIds.push(ADMIN);
  expect((await service.manage('GET', '/api/users')).status).toBe(200);
});

test('a key works with x-api-key as well', async () => {
  const headers = { authorization: '', 'x-api-key': service.manageKey };
  expect((await service.manage('GET', '/api/users', undefined, headers)).status).toBe(200);
});

describe('limits', () => {
  test('a key has a number of requests in a minute', async () => {
    const other = await startManagementService();
    const answers = [];
    // A client may have half of the open requests.
    for (let round = 0; round < 16; round++)
      answers.push(...(await Promise.all(Array.from({ length: 20 }, () => other.manage('GET', '/api/users?limit=1')))));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(300);
    const { status, headers, body } = await other.manage('GET', '/api/users');
    expect([status, body.error.code]).toEqual([429, 'rate_limit_exceeded']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    await other.close();
  });
});
