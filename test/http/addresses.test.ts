import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { MODEL, startHttpService } from '../support/harness/http.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

let readiness: () => Promise<{ isReady: boolean; checks: Record<string, boolean> }>;
const service = startBeforeAll(() =>
  startHttpService({
    isReady: () => readiness(),
    plugins: [
      {
        prefix: '/stranger',
        logLevel: 'warn',
        plugin: async (server) => {
          server.setNotFoundHandler((_request, reply) => reply.code(404).send({ ok: false }));
          server.get('/chatter', () => 'again and again');
        },
      },
      {
        prefix: '/playground',
        plugin: async (server) => {
          server.get('/', () => 'chat');
          server.get('/rooms/:id', () => 'room');
          server.post('/boom', () => {
            throw new Error('connect failed: postgres://user:password@db/secret');
          });
        },
      },
    ],
  }),
);

describe('an unknown address', () => {
  test.each([
    ['GET', '/ai'],
    ['GET', '/ai/nope'],
    ['POST', '/ai/openai/chat'],
    ['POST', '/ai/openai/assistants'],
    ['GET', '/v2/models'],
    ['GET', '/ai/v2/more'],
    ['OPTIONS', '/nope'],
    ['GET', '/<script>'],
  ])('%s %s is a 404 in the usual format', async (method, path) => {
    const response = await service.get(path, { method });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const text = await response.text();
    expect(JSON.parse(text)).toEqual({
      error: { message: expect.any(String), type: 'invalid_request_error', param: null, code: 'not_found' },
    });
    expect(text).not.toContain('<script');
  });

  test.each([
    ['POST', '/v1/threads'],
    ['POST', '/ai/openai/batches'],
    ['GET', '/ai/v2/more'],
  ])('of the generation API is named in the 404, with the existing routes: %s %s', async (method, path) => {
    const response = await service.get(path, { method });
    const { error } = z.object({ error: z.object({ message: z.string() }) }).parse(await response.json());
    expect(error.message).toContain(`${method} ${path} is not served here`);
    expect(error.message).toContain('POST /chat/completions, ');
    expect(error.message).toContain('GET /models');
    await vi.waitFor(() => expect(service.logText()).toContain(`"path":"${path}"`));
  });

  test('outside the generation API is not logged', async () => {
    await service.get('/fil/secret-file-id');
    await service.get('/v1/marker');
    await vi.waitFor(() => expect(service.logText()).toContain('"path":"/v1/marker"'));
    expect(service.logText()).not.toContain('secret-file-id');
  });

  test('is a 404 with any body', async () => {
    const response = await service.post('/ai/nope', '{', { headers: { 'content-type': 'text/plain' } });
    expect(response.status).toBe(404);
  });

  test.each(['/ai/openai/models/%', '/ai/openai/models/%zz', '/%c0%af'])(
    '%s is a 400 because it cannot be parsed',
    async (path) => {
      const response = await service.get(path);
      expect(response.status).toBe(400);
      expect(response.headers.get('x-request-id')).toMatch(/^req_/);
      expect(await response.json()).toMatchObject({ error: { code: 'invalid_request_error' } });
    },
  );
});

describe('an unsupported method', () => {
  test.each([
    ['GET', '/ai/openai/chat/completions', 'POST, OPTIONS'],
    ['HEAD', '/ai/openai/chat/completions/', 'POST, OPTIONS'],
    ['PUT', '/ai/v2?x=1', 'POST, OPTIONS'],
    ['POST', '/ai/openai/models', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/ai/openai/models/a/b', 'GET, HEAD, OPTIONS'],
    ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
    ['POST', '/', 'GET, HEAD, OPTIONS'],
    ['PATCH', '/playground/rooms/7', 'GET, HEAD, OPTIONS'],
  ])('%s %s is a 405 that lists the supported methods', async (method, path, allow) => {
    const response = await service.get(path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    const text = await response.text();
    if (method !== 'HEAD') expect(JSON.parse(text)).toMatchObject({ error: { code: 'method_not_allowed' } });
  });

  test('includes OPTIONS, which allows nothing to other origins', async () => {
    const headers = { origin: 'https://example.org', 'access-control-request-method': 'POST' };
    const response = await service.get('/ai/v2', { method: 'OPTIONS', headers });
    expect(response.status).toBe(204);
    expect(response.headers.get('allow')).toBe('POST, OPTIONS');
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('models', () => {
  test("are listed in OpenAI's format with additional fields", async () => {
    for (const path of ['/ai/openai/models', '/ai/openai/models/', '/ai/openai/models?limit=1']) {
      const list = await (await service.get(path)).json();
      expect(list).toMatchObject({ object: 'list' });
      expect(list).toHaveProperty('data.0', {
        id: MODEL,
        object: 'model',
        created: expect.any(Number),
        owned_by: expect.any(String),
        type: 'chat',
        name: 'Fake Model',
        context_length: 8192,
        pricing: { prompt: '0.00000015', completion: '0.0000006' },
        input_modalities: ['text', 'image'],
        output_modalities: ['text'],
      });
    }
  });

  test.each(['vendor/deep/model:free', 'vendor%2Fdeep%2Fmodel%3Afree', 'vendor/deep/model:free/'])(
    'are found by their name, with slashes encoded or not: %s',
    async (path) => {
      const response = await service.get(`/ai/openai/models/${path}`);
      expect(await response.json()).toMatchObject({ id: 'vendor/deep/model:free', object: 'model', type: 'chat' });
    },
  );

  test('that read PDF files say so', async () => {
    const response = await service.get('/ai/openai/models/vendor/deep/model:free');
    expect(await response.json()).toMatchObject({ input_modalities: ['text', 'image', 'file'] });
  });

  test('that no provider serves are a 404', async () => {
    const response = await service.get('/ai/openai/models/vendor/nope');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'model_not_found', param: 'model' } });
  });

  test.each(['/v1/models', '/v1/models/', '/ai/openai/v1/models', '//v1/models?limit=1', `/v1/models/${MODEL}`])(
    'are found by clients that append /v1 to the address: %s',
    async (path) => {
      const response = await service.get(path);
      expect(response.status).toBe(200);
      expect(JSON.stringify(await response.json())).toContain(`"id":"${MODEL}"`);
    },
  );

  test.each(['/ai/openai/models', `/ai/openai/models/${MODEL}`])('are listed only with a key: %s', async (path) => {
    expect((await fetch(`${service.url}${path}`)).status).toBe(401);
  });

  test('can be requested by HEAD', async () => {
    const response = await service.get('/ai/openai/models', { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });
});

describe('routes for operators', () => {
  test('healthz reports that the process is alive', async () => {
    const response = await fetch(`${service.url}/healthz`);
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  });

  test('readyz reports which parts are ready', async () => {
    readiness = async () => ({ isReady: true, checks: { database: true } });
    const response = await fetch(`${service.url}/readyz`);
    expect([response.status, await response.json()]).toEqual([200, { status: 'ready', checks: { database: true } }]);
  });

  test('readyz is a 503 when a part is not ready', async () => {
    readiness = async () => ({ isReady: false, checks: { database: false } });
    const response = await fetch(`${service.url}/readyz`);
    expect([response.status, await response.json()]).toEqual([
      503,
      { status: 'not ready', checks: { database: false } },
    ]);
  });

  test('readyz is a 503 without details when the check itself fails', async () => {
    readiness = async () => {
      throw new Error('postgres://secret');
    };
    const response = await fetch(`${service.url}/readyz`);
    expect([response.status, await response.json()]).toEqual([503, { status: 'not ready', checks: {} }]);
  });

  test('the front page is the console in a playground, and describes the service to programs', async () => {
    const page = await fetch(service.url, { headers: { accept: 'text/html' } });
    expect(page.url).toBe(`${service.url}/console/`);
    expect(await page.text()).toContain('data-mode="playground"');
    const object = await (await fetch(service.url)).json();
    expect(object).toMatchObject({
      name: 'Switchboard',
      endpoints: expect.arrayContaining(['/playground', '/ai/openai', '/ai/v2', '/ai/imagen']),
    });
  });
});

test('an unexpected error of a plugin is a 500 without details', async () => {
  const response = await service.post('/playground/boom', '{}');
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual({
    error: {
      message: expect.not.stringMatching(/postgres|secret/),
      type: 'server_error',
      param: null,
      code: 'internal_error',
    },
  });
  expect(service.logText()).toContain('connect failed');
});

test('a plugin may answer unknown addresses itself without a log line', async () => {
  const headers = { 'x-request-id': 'stranger-1' };
  const response = await service.post('/stranger/nope', '{"a":1}', { headers });
  expect([response.status, await response.json()]).toEqual([404, { ok: false }]);
  expect(await (await service.get('/stranger/chatter', { headers: { 'x-request-id': 'stranger-2' } })).text()).toBe(
    'again and again',
  );
  await service.get('/healthz', { headers: { 'x-request-id': 'last' } });
  await expect.poll(() => service.logText()).toContain('"requestId":"last"');
  expect(service.logText()).not.toContain('"requestId":"stranger-2"');
});
