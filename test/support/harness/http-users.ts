import { createHmac } from 'node:crypto';
import type { NewTask, TaskOwner } from '../../../src/core/tasks/index.ts';
import { createTestDatabase } from '../stores/test-database.ts';
import { type HttpService, type HttpServiceOptions, startHttpService } from './http.ts';

/** User agent of `fetch`. */
const USER_AGENT = 'node';

/** An answer with its parsed body. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it with what they expect
  readonly body: any;
}

/** A user with a session of the console. */
export interface SignedInUser {
  readonly userId: number;
  readonly token: string;
  /** Sends a request in the session and reads the answer. A body is sent as JSON. */
  send(method: string, path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

export type ConsoleService = Awaited<ReturnType<typeof startConsoleService>>;

/** Starts the service without a bot, with the routes of the console. */
export async function startConsoleService(options: HttpServiceOptions = {}) {
  const database = options.database ?? (await createTestDatabase());
  const adminIds: number[] = [];
  const service = await startHttpService({ ...options, database, adminIds });
  const send: SignedInUser['send'] = async (method, path, body, headers = {}) => {
    const response = await fetch(service.url + path, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return readAnswer(response);
  };
  return {
    ...service,
    database,
    /** Telegram ids of the admins; may be changed. */
    adminIds,
    /** Sends a request without a session. */
    send,
    /** Begins a session of a Telegram account, which becomes a user. The limit of sign-ins does not count it. */
    async signIn(telegramId: number): Promise<SignedInUser> {
      const { id: userId } = await service.accounts.ensureTelegramUser(telegramId);
      const { token } = await service.sessions.begin(userId, { origin: 'link', userAgent: USER_AGENT });
      const authorization = `Bearer ${token}`;
      return {
        userId,
        token,
        send: (method, path, sent, headers) => send(method, path, sent, { authorization, ...headers }),
      };
    },
    async close() {
      await service.close();
      if (!options.database) await database.close();
    },
  };
}

/** Returns status and code of a refusal. */
export function refusalOf({ status, body }: Pick<Answer, 'status' | 'body'>): readonly [number, string | undefined] {
  return [status, body.error?.code];
}

/** A question to a model, each day. */
export const DAILY: NewTask = {
  kind: 'question',
  prompt: 'News about <b>space</b>',
  times: { kind: 'repeated', rule: 'FREQ=DAILY', startsAt: '2026-11-24T08:00', timeZone: 'Europe/Berlin' },
  quietWhenNothingNew: false,
};

/** Creates a task, by default a daily one. @returns its id */
export async function createTask(
  { tasks }: Pick<ConsoleService, 'tasks'>,
  owner: TaskOwner,
  changes: Partial<NewTask> = {},
): Promise<number> {
  const task = await tasks.create(owner, { ...DAILY, ...changes });
  if (!('id' in task)) throw new Error(`Refused: ${task.kind}`);
  return task.id;
}

/** Token of the bot for which `signInitData` signs. */
export const BOT_TOKEN = '1:token-of-the-tests';

/** Returns init data of a Mini App as Telegram signs it. */
export function signInitData(telegramId: number, signedAtMs: number, botToken = BOT_TOKEN): string {
  const fields = new URLSearchParams({
    auth_date: String(Math.floor(signedAtMs / 1000)),
    query_id: 'AAHdF6IQAAAAAN0XohDhrOrc',
    user: JSON.stringify({ id: telegramId, first_name: 'Ann & Bob = "1"', language_code: 'en' }),
  });
  const lines = [...fields].map(([name, value]) => `${name}=${value}`).sort();
  const key = createHmac('sha256', 'WebAppData').update(botToken).digest();
  fields.set('hash', createHmac('sha256', key).update(lines.join('\n')).digest('hex'));
  return String(fields);
}

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

export type ManagementService = Awaited<ReturnType<typeof startManagementService>>;

/** Starts the service with an admin who has a key for the management API. */
export async function startManagementService(options: HttpServiceOptions = {}) {
  const database = options.database ?? (await createTestDatabase());
  const adminIds = [ADMIN];
  const service = await startHttpService({ ...options, database, adminIds });
  const { adminId, manageKey, manageAt } = await createManager(service);
  return {
    ...service,
    database,
    /** Telegram ids of the admins; may be changed. */
    adminIds,
    /** Key of the admin with the scope `manage`. */
    manageKey,
    /** Id of the admin. */
    adminId,
    /** Sends a request with the admin's key and reads the answer. */
    manage: async (...request: Parameters<Manage>) => readAnswer(await manageAt(service.url)(...request)),
    async close() {
      await service.close();
      if (!options.database) await database.close();
    },
  };
}

async function readAnswer(response: Response): Promise<Answer> {
  const { status, headers } = response;
  const text = await response.text();
  const isJson = text !== '' && headers.get('content-type')?.startsWith('application/json');
  return { status, headers, body: isJson ? JSON.parse(text) : text };
}
