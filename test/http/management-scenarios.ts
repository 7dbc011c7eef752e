import type { HttpService } from '../support/harness/http.ts';
import { ADMIN, createManager, type Manage } from '../support/harness/http-users.ts';

type Scenario = () => Promise<Response>;

/** Services on one database that know the admin. */
interface Services {
  readonly usual: HttpService;
  /** A service on whose clock a minute never ends. */
  readonly strict: HttpService;
  /** Allows no open request of the management API. */
  readonly busy: HttpService;
  /** The private service. */
  readonly members: HttpService;
}

/** Returns a request for each documented answer of the management API. */
export async function createManagementScenarios(services: Services): Promise<Record<string, Scenario>> {
  const { usual, strict, busy, members } = services;
  const { manageAt } = await createManager(usual);
  const manage = manageAt(usual.url);
  const user = await usual.accounts.ensureTelegramUser(4000);
  for (let sent = 0; sent < 300; sent += 20)
    await Promise.all(Array.from({ length: 20 }, () => manageAt(strict.url)('GET', '/api/plans')));

  /** The answers that every route can give. `path` has no parameters left. */
  const accessOf = (route: string, path: string): Record<string, Scenario> => {
    const method = route.split(' ', 1)[0]?.toUpperCase() ?? '';
    const send = (at: Manage, headers = {}) =>
      at(method, path, method === 'GET' || method === 'DELETE' ? undefined : {}, headers);
    return {
      [`${route} 401`]: () => send(manage, { authorization: '' }),
      [`${route} 403`]: () => send(manage, { authorization: `Bearer ${usual.apiKey}` }),
      [`${route} 429`]: () => send(manageAt(strict.url)),
      [`${route} 503`]: () => send(manageAt(busy.url)),
    };
  };
  const listOf = (path: string, query = ''): Record<string, Scenario> => ({
    ...accessOf(`get ${path}`, path),
    [`get ${path} 200`]: () => manage('GET', `${path}?limit=5${query}`),
    [`get ${path} 400`]: () => manage('GET', `${path}?limit=none`),
  });
  /** A list that is always whole. */
  const plain = (path: string): Record<string, Scenario> => ({
    ...accessOf(`get ${path}`, path),
    [`get ${path} 200`]: () => manage('GET', path),
    [`get ${path} 400`]: () => manage('GET', `${path}?limit=5`),
  });
  /** @param unknown id of nothing. */
  const oneOf = (path: string, id: string | number, unknown = '999999'): Record<string, Scenario> => ({
    ...accessOf(`get ${path}/{id}`, `${path}/${id}`),
    [`get ${path}/{id} 200`]: () => manage('GET', `${path}/${id}`),
    [`get ${path}/{id} 400`]: () => manage('GET', `${path}/nothing!`),
    [`get ${path}/{id} 404`]: () => manage('GET', `${path}/${unknown}`),
  });
  /** A route with a body. @param body a valid one */
  const writeOf = (method: string, pattern: string, path: string, body: object): Record<string, Scenario> => {
    const route = `${method.toLowerCase()} ${pattern}`;
    const sendText = (text: string, headers = {}) => manage(method, path, text, headers);
    return {
      ...accessOf(route, path),
      [`${route} 400`]: () => manage(method, path, { nothing: 1 }),
      [`${route} 413`]: () => sendText('x'.repeat(70_000)),
      [`${route} 415`]: () => sendText(JSON.stringify(body), { 'content-type': 'text/plain' }),
    };
  };
  const outdated = { 'if-match': '"another"' };
  const { id: idle } = await usual.accounts.ensureTelegramUser(4001);
  const createKey = async (label = 'one'): Promise<number> => {
    const created = await usual.apiKeys.create(idle, label);
    if (created) return created.key.id;
    for (const { id } of await usual.apiKeys.list(idle)) await usual.apiKeys.revoke(idle, id);
    return createKey(label);
  };
  const keyId = await createKey('lasting');
  const NEW_KEY = { user: user.id, label: 'new' };
  const full = async () => {
    for (let made = 0; made < usual.apiKeys.maxKeys; made += 1) await usual.apiKeys.create(user.id, 'one');
    return manage('POST', '/api/keys', NEW_KEY);
  };
  const PLAN = { value: { user: { requests_per_minute: 3 } } };
  // Stored by an admin, then set in the environment.
  const FIXED = 'variable:BRAVE_API_KEY';
  await manage('PUT', `/api/settings/${FIXED}`, { value: 'key-of-brave', untested: true });
  await usual.settings.setVariable('BRAVE_API_KEY', 'key-of-the-operator');
  await manage('PUT', '/api/settings/plan:tight', PLAN);
  const decide = (id: number) => manage('POST', `/api/access-requests/${id}/decide`, { decision: 'ignore' });
  const ask = async (telegramId: number) => {
    await members.accessRequests.ask({ telegramId, name: 'Ann', language: undefined });
    return telegramId;
  };
  const invite = { adminTelegramId: ADMIN, plan: undefined, maxUses: 1, lifetimeMs: 60_000 };
  const RAISE = { period: 'day', by_dollars: 1 };
  return {
    ...writeOf('PATCH', '/api/users/{id}', `/api/users/${user.id}`, { plan: null }),
    'patch /api/users/{id} 200': () => manage('PATCH', `/api/users/${user.id}`, { plan: null }),
    'patch /api/users/{id} 404': () => manage('PATCH', '/api/users/999999', { plan: null }),
    'patch /api/users/{id} 412': () => manage('PATCH', `/api/users/${user.id}`, { plan: null }, outdated),
    ...accessOf('get /api/access/{id}', '/api/access/5'),
    'get /api/access/{id} 200': () => manage('GET', '/api/access/5'),
    'get /api/access/{id} 400': () => manage('GET', '/api/access/me'),
    ...writeOf('PATCH', '/api/access/{id}', '/api/access/5', {}),
    'patch /api/access/{id} 200': () => manage('PATCH', '/api/access/5', { banned: true }),
    'patch /api/access/{id} 409': () => manage('PATCH', '/api/access/5', { allowed: true }),
    'patch /api/access/{id} 412': () => manage('PATCH', '/api/access/5', {}, outdated),
    ...plain('/api/access-requests'),
    ...writeOf('POST', '/api/access-requests/{id}/decide', '/api/access-requests/4100/decide', { decision: 'allow' }),
    'post /api/access-requests/{id}/decide 200': async () => decide(await ask(4101)),
    'post /api/access-requests/{id}/decide 404': () => decide(4102),
    'post /api/access-requests/{id}/decide 409': async () => {
      await decide(await ask(4103));
      return decide(4103);
    },
    ...plain('/api/invitations'),
    ...writeOf('POST', '/api/invitations', '/api/invitations', {}),
    'post /api/invitations 201': () => manageAt(members.url)('POST', '/api/invitations', { days: 1 }),
    'post /api/invitations 409': () => manage('POST', '/api/invitations', {}),
    ...accessOf('delete /api/invitations/{id}', '/api/invitations/1'),
    'delete /api/invitations/{id} 204': async () => {
      const created = await members.invitations.create(invite);
      return manage('DELETE', `/api/invitations/${created?.invitation.id}`);
    },
    'delete /api/invitations/{id} 400': () => manage('DELETE', '/api/invitations/mine'),
    'delete /api/invitations/{id} 404': () => manage('DELETE', '/api/invitations/999999'),
    ...plain('/api/admitted-groups'),
    ...accessOf('delete /api/admitted-groups/{id}', '/api/admitted-groups/-100'),
    'delete /api/admitted-groups/{id} 204': async () => {
      await members.groupAccess.setAdmitting(-100, true, ADMIN);
      return manage('DELETE', '/api/admitted-groups/-100');
    },
    'delete /api/admitted-groups/{id} 400': () => manage('DELETE', '/api/admitted-groups/ours'),
    'delete /api/admitted-groups/{id} 404': () => manage('DELETE', '/api/admitted-groups/-999999'),
    ...plain('/api/plans'),
    ...listOf('/api/keys'),
    ...oneOf('/api/keys', keyId),
    ...writeOf('POST', '/api/keys', '/api/keys', NEW_KEY),
    'post /api/keys 201': () => manage('POST', '/api/keys', { ...NEW_KEY, user: idle }),
    'post /api/keys 404': () => manage('POST', '/api/keys', { ...NEW_KEY, user: 999_999 }),
    'post /api/keys 409': full,
    ...writeOf('PATCH', '/api/keys/{id}', `/api/keys/${keyId}`, {}),
    'patch /api/keys/{id} 200': async () => manage('PATCH', `/api/keys/${await createKey()}`, { note: 'mine' }),
    'patch /api/keys/{id} 404': () => manage('PATCH', '/api/keys/999999', {}),
    'patch /api/keys/{id} 412': async () => manage('PATCH', `/api/keys/${await createKey()}`, {}, outdated),
    ...writeOf('POST', '/api/keys/{id}/rotate', `/api/keys/${keyId}/rotate`, {}),
    'post /api/keys/{id}/rotate 200': async () => manage('POST', `/api/keys/${await createKey()}/rotate`, {}),
    'post /api/keys/{id}/rotate 404': () => manage('POST', '/api/keys/999999/rotate', {}),
    'post /api/keys/{id}/rotate 412': async () => manage('POST', `/api/keys/${await createKey()}/rotate`, {}, outdated),
    ...accessOf('delete /api/keys/{id}', `/api/keys/${keyId}`),
    'delete /api/keys/{id} 204': async () => manage('DELETE', `/api/keys/${await createKey()}`),
    'delete /api/keys/{id} 400': () => manage('DELETE', '/api/keys/mine'),
    'delete /api/keys/{id} 404': () => manage('DELETE', '/api/keys/999999'),
    'delete /api/keys/{id} 412': async () => manage('DELETE', `/api/keys/${await createKey()}`, undefined, outdated),
    ...listOf('/api/budgets'),
    ...oneOf('/api/budgets', `user:${user.id}`, 'user:999999'),
    ...writeOf('PUT', '/api/budgets/{id}', '/api/budgets/instance', {}),
    'put /api/budgets/{id} 200': () => manage('PUT', `/api/budgets/user:${user.id}`, { dollars_per_day: 1 }),
    'put /api/budgets/{id} 404': () => manage('PUT', '/api/budgets/key:999999', {}),
    'put /api/budgets/{id} 412': () => manage('PUT', '/api/budgets/chat:-5', {}, outdated),
    ...writeOf('POST', '/api/budgets/{id}/raise', '/api/budgets/chat:-5/raise', RAISE),
    'post /api/budgets/{id}/raise 200': async () => {
      await manage('PUT', `/api/budgets/user:${user.id}`, { dollars_per_day: 1 });
      return manage('POST', `/api/budgets/user:${user.id}/raise`, RAISE);
    },
    'post /api/budgets/{id}/raise 404': () => manage('POST', '/api/budgets/user:999999/raise', RAISE),
    'post /api/budgets/{id}/raise 409': () => manage('POST', '/api/budgets/chat:-5/raise', RAISE),
    'post /api/budgets/{id}/raise 412': () => manage('POST', '/api/budgets/chat:-5/raise', RAISE, outdated),
    ...accessOf('delete /api/budgets/{id}', '/api/budgets/chat:-5'),
    'delete /api/budgets/{id} 204': () => manage('DELETE', '/api/budgets/chat:-5'),
    'delete /api/budgets/{id} 400': () => manage('DELETE', '/api/budgets/chats'),
    'delete /api/budgets/{id} 404': () => manage('DELETE', '/api/budgets/user:999999'),
    'delete /api/budgets/{id} 412': () => manage('DELETE', '/api/budgets/chat:-5', undefined, outdated),
    ...listOf('/api/models'),
    ...listOf('/api/files/users'),
    ...Object.assign({}, ...['/api/providers', '/api/files', '/api/system', '/api/failures', '/api/log'].map(plain)),
    ...plain('/api/settings'),
    ...plain('/api/settings/export'),
    ...oneOf('/api/settings', 'variable:ADMIN_IDS', 'plan:nobodys'),
    ...writeOf('PUT', '/api/settings/{id}', '/api/settings/plan:tight', PLAN),
    'put /api/settings/{id} 200': () => manage('PUT', '/api/settings/plan:tight', PLAN),
    'put /api/settings/{id} 409': () => manage('PUT', '/api/settings/variable:DATA_DIR', { value: '/tmp' }),
    'put /api/settings/{id} 412': () => manage('PUT', '/api/settings/plan:tight', PLAN, outdated),
    ...writeOf('POST', '/api/settings/{id}/test', '/api/settings/plan:tight/test', PLAN),
    'post /api/settings/{id}/test 200': () => manage('POST', '/api/settings/plan:tight/test', PLAN),
    'post /api/settings/{id}/test 409': () => manage('POST', '/api/settings/variable:PORT/test', { value: '1' }),
    ...writeOf('POST', '/api/settings/{id}/undo', '/api/settings/plan:tight/undo', {}),
    'post /api/settings/{id}/undo 200': () => manage('POST', '/api/settings/plan:tight/undo', {}),
    'post /api/settings/{id}/undo 404': () => manage('POST', '/api/settings/plan:nobodys/undo', {}),
    'post /api/settings/{id}/undo 409': () => manage('POST', `/api/settings/${FIXED}/undo`, {}),
    'post /api/settings/{id}/undo 412': () => manage('POST', '/api/settings/plan:tight/undo', {}, outdated),
    ...accessOf('delete /api/settings/{id}', '/api/settings/plan:tight'),
    'delete /api/settings/{id} 200': () => manage('DELETE', '/api/settings/plan:tight'),
    'delete /api/settings/{id} 400': () => manage('DELETE', '/api/settings/tight'),
    'delete /api/settings/{id} 404': () => manage('DELETE', '/api/settings/plan:nobodys'),
    'delete /api/settings/{id} 409': () => manage('DELETE', `/api/settings/${FIXED}`),
    'delete /api/settings/{id} 412': () => manage('DELETE', '/api/settings/plan:tight', undefined, outdated),
    ...listOf('/api/users'),
    ...oneOf('/api/users', user.id),
    ...listOf('/api/broadcasts'),
    ...listOf('/api/audit-log'),
    ...listOf('/api/usage'),
    ...listOf('/api/usage/summary', '&group_by=day'),
  };
}
