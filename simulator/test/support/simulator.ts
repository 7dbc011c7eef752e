import { FormData, request } from 'undici';
import type { Control } from '../../src/control/control.ts';
import { createSimulator, type SimulatorOptions } from '../../src/create-simulator.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../src/json.ts';
import { type ListeningSimulator, listenSimulator } from '../../src/listen-simulator.ts';

/** Token of the bot in every test simulator. */
export const TEST_TOKEN = '7000001:AAtestTokenOfASimulatedBot_0123456789ab';

/** Response of a Bot API call. */
export interface BotApiAnswer {
  readonly status: number;
  readonly ok: boolean;
  readonly result: unknown;
  readonly description: string | undefined;
  readonly retryAfter: number | undefined;
}

interface TestFile {
  readonly bytes: Uint8Array;
  readonly fileName: string;
  readonly mimeType?: string;
}

/** Simulator on a loopback port, called over plain HTTP as by a bot. */
export interface TestSimulator extends ListeningSimulator {
  readonly control: Control;
  readonly token: string;
  /** Calls a method with a JSON body. */
  call(method: string, params?: JsonObject): Promise<BotApiAnswer>;
  /** Calls a method and returns its result. @throws an Error with the description if it fails */
  succeed(method: string, params?: JsonObject): Promise<JsonObject>;
  /** Calls a method with a multipart body. */
  upload(method: string, params: JsonObject, files: { readonly [field: string]: TestFile }): Promise<BotApiAnswer>;
  /** Calls a control route, relative to `/playground/control/`. */
  controlRoute(
    path: string,
    body?: unknown,
    headers?: { [name: string]: string },
  ): Promise<{ status: number; body: JsonObject }>;
}

/** Starts a simulator with one bot, `@test_bot`. The caller closes it. */
export async function startTestSimulator(
  options: SimulatorOptions & { readonly port?: number } = {},
): Promise<TestSimulator> {
  const simulator = createSimulator({
    bots: [{ token: TEST_TOKEN, username: 'test_bot', firstName: 'Test Bot' }],
    ...options,
  });
  const token = options.bots?.[0]?.token ?? TEST_TOKEN;
  const listening = await listenSimulator(simulator, options.port === undefined ? {} : { port: options.port });
  const methodUrl = (method: string) => `${listening.url}/bot${token}/${method}`;
  const call = async (method: string, params: JsonObject = {}) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await request(methodUrl(method), { method: 'POST', headers, body: JSON.stringify(params) });
    return toAnswer(answer.statusCode, await answer.body.text());
  };
  return {
    ...listening,
    control: simulator.control,
    token,
    call,
    async succeed(method, params) {
      const answer = await call(method, params);
      if (!answer.ok) throw new Error(`${method}: ${answer.description}`);
      return isJsonObject(answer.result) ? answer.result : { value: answer.result };
    },
    async upload(method, params, files) {
      const answer = await request(methodUrl(method), { method: 'POST', body: toForm(params, files) });
      return toAnswer(answer.statusCode, await answer.body.text());
    },
    async controlRoute(path, body, headers = {}) {
      const answer = await request(`${listening.url}/playground/control/${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const parsed = parseJson(await answer.body.text());
      return { status: answer.statusCode, body: isJsonObject(parsed) ? parsed : {} };
    },
  };
}

function toForm(params: JsonObject, files: { readonly [field: string]: TestFile }): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(params)) {
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  for (const [field, { bytes, fileName, mimeType }] of Object.entries(files)) {
    form.append(field, new File([Buffer.from(bytes)], fileName, { type: mimeType ?? 'application/octet-stream' }));
  }
  return form;
}

function toAnswer(status: number, text: string): BotApiAnswer {
  const body = parseJson(text);
  if (!isJsonObject(body)) throw new Error(`no JSON came: ${text.slice(0, 100)}`);
  const parameters = isJsonObject(body.parameters) ? body.parameters : {};
  return {
    status,
    ok: body.ok === true,
    result: body.result,
    description: typeof body.description === 'string' ? body.description : undefined,
    retryAfter: typeof parameters.retry_after === 'number' ? parameters.retry_after : undefined,
  };
}

/** Returns a PNG with a valid header only, which is enough for code that reads sizes. */
export function makePng(width: number, height: number, sizeBytes = 64): Buffer {
  const bytes = Buffer.alloc(Math.max(sizeBytes, 33));
  Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').copy(bytes);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}
