import { type HttpService, type HttpServiceOptions, startHttpService } from './http-service.ts';
import { createEmbeddedTestDatabase, type TestDatabase } from './test-database.ts';

/** Telegram id of the admin. */
export const ADMIN = 7;

/** Sends a request with the admin's key. A body that is no string is sent as JSON. */
export type Manage = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Response>;

/** Creates a key of the admin with the scope `manage`. The service must have `ADMIN` in its `adminIds`. */
export async function createManager(service: HttpService) {
  const { id: adminId } = await service.accounts.ensureTelegramUser(ADMIN);
  const created = await service.apiKeys.create(adminId, 'console', { scope: 'manage' });
  const manageKey = created?.secret ?? '';
  const manageAt =
    (url: string): Manage =>
    (method, path, body, headers = {}) =>
      fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${manageKey}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
  return { adminId, manageKey, manageAt };
}

export interface ManagementService extends HttpService {
  readonly database: TestDatabase;
  /** Telegram ids of the admins; may be changed. */
  readonly adminIds: number[];
  /** Key of the admin with the scope `manage`. */
  readonly manageKey: string;
  /** Id of the admin. */
  readonly adminId: number;
  /** Sends a request with the admin's key and reads the answer. */
  manage(...request: Parameters<Manage>): Promise<Answer>;
}

/** An answer with its parsed body. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it with what they expect
  readonly body: any;
}

/** Starts the service with an admin who has a key for the management API. */
export async function startManagementService(options: HttpServiceOptions = {}): Promise<ManagementService> {
  const database = options.database ?? (await createEmbeddedTestDatabase());
  const adminIds = [ADMIN];
  const service = await startHttpService({ ...options, database, adminIds });
  const { adminId, manageKey, manageAt } = await createManager(service);
  return {
    ...service,
    database,
    adminIds,
    manageKey,
    adminId,
    async manage(...request) {
      const response = await manageAt(service.url)(...request);
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    },
    async close() {
      await service.close();
      if (!options.database) await database.close();
    },
  };
}
