import type { HttpService } from './http-service.ts';
import { createManager, type Manage } from './management-service.ts';

type Scenario = () => Promise<Response>;

/** Services on one database that know the admin. */
interface Services {
  readonly usual: HttpService;
  /** Allows no request of the management API in a minute. */
  readonly strict: HttpService;
  /** Allows no open request of the management API. */
  readonly busy: HttpService;
}

/** Returns a request for each documented answer of the management API. */
export async function createManagementScenarios({ usual, strict, busy }: Services): Promise<Record<string, Scenario>> {
  const { manageAt } = await createManager(usual);
  const manage = manageAt(usual.url);
  const user = await usual.accounts.ensureTelegramUser(4000);

  /** The answers that every route can give. `path` has no parameters left. */
  const accessOf = (route: string, path: string): Record<string, Scenario> => {
    const method = route.split(' ', 1)[0]?.toUpperCase() ?? '';
    const send = (at: Manage, headers = {}) => at(method, path, method === 'GET' ? undefined : {}, headers);
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
  /** @param unknown id of nothing. */
  const oneOf = (path: string, id: string | number, unknown = '999999'): Record<string, Scenario> => ({
    ...accessOf(`get ${path}/{id}`, `${path}/${id}`),
    [`get ${path}/{id} 200`]: () => manage('GET', `${path}/${id}`),
    [`get ${path}/{id} 400`]: () => manage('GET', `${path}/nothing!`),
    [`get ${path}/{id} 404`]: () => manage('GET', `${path}/${unknown}`),
  });
  return {
    ...listOf('/api/users'),
    ...oneOf('/api/users', user.id),
    ...listOf('/api/audit-log'),
    ...listOf('/api/usage'),
    ...listOf('/api/usage/summary', '&group_by=day'),
  };
}
