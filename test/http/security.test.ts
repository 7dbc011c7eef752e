import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectRaw, requestHead } from '../support/clients/http-raw.ts';
import { type HttpService, MODEL, startHttpService, UPSTREAM_KEY } from '../support/harness/http.ts';
import { answerJson } from '../support/hosts/fake-provider.ts';
import { createScriptedImages } from '../support/hosts/scripted-images.ts';
import { startStopwatch } from '../support/machine/measure.ts';

/** A service in the operator's network that clients must not reach. */
interface Canary {
  readonly url: string;
  readonly visits: readonly string[];
  close(): Promise<void>;
}

async function startCanary(): Promise<Canary> {
  const visits: string[] = [];
  const server = createServer((request, response) => {
    visits.push(request.url ?? '');
    response.end('internal');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    visits,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

let service: HttpService;
let canary: Canary;
const images = createScriptedImages('painter', [{ id: 'drawing', type: 'image' }]);
beforeAll(async () => {
  canary = await startCanary();
  service = await startHttpService({ imageProviders: [images.provider] });
});
afterAll(async () => {
  await service.close();
  await canary.close();
});

const messages = [{ role: 'user', content: 'Hi' }];
const ROUTES = ['/ai/openai/chat/completions', '/ai/v2', '/ai/imagen', '/ai/openai/images/generations'] as const;
const upload = async (headers: Record<string, string> = {}, name = 'note.txt') => {
  const answer = await fetch(`${service.url}/upload/${name}`, { method: 'PUT', body: 'twelve bytes', headers });
  return (await answer.json()) as { ok: boolean; id: string; owner: string; url: string };
};

describe('objects of other users (API1, API5)', () => {
  test('an owner key opens only its own file', async () => {
    const [mine, theirs] = [await upload(), await upload()];
    const remove = (id: string, authorization: string) =>
      fetch(`${service.url}/file/${id}`, { method: 'DELETE', headers: { authorization } });
    for (const key of [mine.owner, service.apiKey, `Bearer ${service.apiKey}`, theirs.owner.toLowerCase(), theirs.id])
      expect((await remove(theirs.id, key)).status).toBe(403);
    expect((await fetch(theirs.url)).status).toBe(200);
    expect((await remove(theirs.id, theirs.owner)).status).toBe(200);
  });

  test('neither an owner key nor a part of an API key works as an API key', async () => {
    const { owner } = await upload();
    for (const key of [owner, service.apiKey.slice(0, -1), `${service.apiKey}x`, service.apiKey.toUpperCase(), '', ' '])
      expect((await service.get('/ai/openai/models', { headers: { authorization: `Bearer ${key}` } })).status).toBe(
        401,
      );
  });

  test('ids can not be guessed from others: they share nothing', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, async () => (await upload()).id));
    expect(new Set(ids.map((id) => id.slice(0, 4))).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[\w-]{22}$/);
  });

  test('no header turns a safe method into a deletion', async () => {
    const { url } = await upload();
    const headers = { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' };
    expect((await fetch(`${url}?_method=DELETE`, { headers })).status).toBe(200);
    expect((await fetch(url)).status).toBe(200);
  });
});

test('a private service stores files only for clients with a key, and sends them to clients with the link (API2)', async () => {
  const allowedIds = [50];
  const club = await startHttpService({ allowedIds });
  const put = (headers: Record<string, string>) =>
    fetch(`${club.url}/upload/note.txt`, { method: 'PUT', body: 'twelve bytes', headers });
  const form = new FormData();
  form.set('file', new Blob(['twelve bytes']), 'note.txt');
  for (const refused of [await put({}), await fetch(`${club.url}/upload`, { method: 'POST', body: form })]) {
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ ok: false, error: { code: 'invalid_api_key' } });
  }
  const taken = await put({ authorization: `Bearer ${club.apiKey}` });
  expect(taken.status).toBe(200);
  const { url } = (await taken.json()) as { url: string };
  expect(await (await fetch(url)).text()).toBe('twelve bytes');
  allowedIds.length = 0;
  expect((await put({})).status).toBe(200);
  await club.close();
});

describe('UPLOADS', () => {
  let club: Awaited<ReturnType<typeof startHttpService>>;
  beforeAll(async () => {
    club = await startHttpService();
  });
  afterAll(() => club.close());
  type Headers = Readonly<Record<string, string>>;
  const put = (headers: Headers) =>
    fetch(`${club.url}/upload/note.txt`, { method: 'PUT', body: 'twelve bytes', headers });
  const post = (headers: Headers) => {
    const body = new FormData();
    body.set('file', new Blob(['twelve bytes']), 'note.txt');
    return fetch(`${club.url}/upload`, { method: 'POST', body, headers });
  };
  const ways = [put, post];
  const store = async () => (await (await put({})).json()) as { owner: string; url: string };
  const countFiles = async () => (await club.management.countFiles()).files;

  test('key: a client without a valid key uploads nothing, whatever else it sends', async () => {
    club.rules.uploads = 'anyone';
    const { owner } = await store();
    const { id } = await club.accounts.ensureTelegramUser(7);
    const { token } = await club.sessions.begin(id, { origin: 'link', userAgent: '' });
    club.rules.uploads = 'key';
    const stored = await countFiles();
    const forged: readonly Headers[] = [
      {},
      { authorization: owner },
      { authorization: `Bearer ${owner}` },
      { authorization: `Bearer ${token}` },
      { authorization: `Basic ${btoa(`user:${club.apiKey}`)}` },
      { authorization: 'Bearer', 'x-api-key': club.apiKey },
      { authorization: 'Bearer null' },
      { cookie: `authorization=Bearer ${club.apiKey}` },
      { 'x-api-key': `${club.apiKey}x` },
      { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1', host: 'localhost', 'x-real-ip': '::1' },
      { 'x-http-method-override': 'GET', 'proxy-authorization': `Bearer ${club.apiKey}` },
    ];
    for (const send of ways)
      for (const headers of forged) {
        const answer = await send(headers);
        expect([answer.status, await answer.json()]).toMatchObject([
          401,
          { ok: false, error: { code: 'invalid_api_key' } },
        ]);
      }
    const inQuery = await fetch(`${club.url}/upload/a.txt?api_key=${club.apiKey}`, { method: 'PUT', body: 'x' });
    expect(inQuery.status).toBe(401);
    expect(await countFiles()).toBe(stored);
    for (const send of ways) {
      expect((await send({ authorization: `Bearer ${club.apiKey}` })).status).toBe(200);
      expect((await send({ 'x-api-key': club.apiKey })).status).toBe(200);
    }
  });

  test('off: nobody uploads, links stay, and the front page names no uploads', async () => {
    club.rules.uploads = 'anyone';
    const { url } = await store();
    club.rules.uploads = 'off';
    const stored = await countFiles();
    for (const send of ways)
      for (const headers of [{}, { authorization: `Bearer ${club.apiKey}` }]) {
        const answer = await send(headers);
        expect([answer.status, await answer.json()]).toMatchObject([
          403,
          { ok: false, error: { code: 'uploads_off' } },
        ]);
      }
    expect(await countFiles()).toBe(stored);
    expect(await (await fetch(url)).text()).toBe('twelve bytes');
    const front = async () => (await fetch(`${club.url}/`, { headers: { accept: 'text/html' } })).text();
    expect(await front()).not.toContain('/upload');
    expect(await (await fetch(`${club.url}/`)).json()).toMatchObject({
      endpoints: expect.not.arrayContaining(['/upload']),
    });
    club.rules.uploads = 'key';
    expect(await front()).toMatch(/upload<\/code><\/dt><dd>[^<]*\(API key required\)/);
  });

  test('an upload that has begun ends as it was allowed to', async () => {
    club.rules.uploads = 'anyone';
    const begun = Promise.withResolvers<void>();
    const changed = Promise.withResolvers<void>();
    async function* send() {
      yield new TextEncoder().encode('twelve ');
      begun.resolve();
      await changed.promise;
      yield new TextEncoder().encode('bytes');
    }
    const body = ReadableStream.from(send());
    const answer = fetch(`${club.url}/upload/slow.txt`, { method: 'PUT', body, duplex: 'half' } as RequestInit);
    await begun.promise;
    await expect.poll(async () => (await club.management.countFiles()).uploading).toBe(1);
    club.rules.uploads = 'off';
    changed.resolve();
    const { url } = (await (await answer).json()) as { url: string };
    expect(await (await fetch(url)).text()).toBe('twelve bytes');
  });
});

describe('fields that clients can not set (API3)', () => {
  test('a request counts for the user of its key, whatever its body says', async () => {
    const ask = async (more: object) => {
      const answer = await service.post('/ai/v2', { model: MODEL, request: { messages }, ...more });
      return ((await answer.json()) as { user: number }).user;
    };
    const usual = await ask({});
    for (const more of [{ user: 4711 }, { userId: 4711, keyId: 1, plan: 'admin', role: 'admin' }])
      expect(await ask(more)).toBe(usual);
    const polluted = `{"__proto__":{"personId":4711},"constructor":{"prototype":{"plan":"admin"}},"model":"${MODEL}","request":{"messages":[{"role":"user","content":"Hi"}]}}`;
    const answer = await service.post('/ai/v2', polluted);
    expect(((await answer.json()) as { user: number }).user).toBe(usual);
    expect(Reflect.get({}, 'personId')).toBeUndefined();
  });

  test('a form sets neither the id nor the owner of a file', async () => {
    const form = new FormData();
    const wished = { id: 'A'.repeat(22), owner: 'B'.repeat(43), user_id: '1', userId: '1', sha256: '0' };
    for (const [name, value] of Object.entries(wished)) form.set(name, value);
    form.set('file', new Blob(['twelve bytes']), 'note.txt');
    const answer = await fetch(`${service.url}/upload`, { method: 'POST', body: form });
    if (answer.status === 400) return;
    const stored = (await answer.json()) as { id: string; owner: string };
    expect(stored.id).not.toBe(wished.id);
    expect(stored.owner).not.toBe(wished.owner);
  });
});

describe('expensive bodies (API4)', () => {
  const deep = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const deepObject = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

  test.each(ROUTES)('%s refuses deep nesting at once', async (path) => {
    for (const nested of [deep(129), deep(500_000), deepObject(500_000), '['.repeat(1_000_000)]) {
      const elapsedMs = startStopwatch();
      const answer = await service.post(path, `{"model":"${MODEL}","messages":${nested}}`);
      expect(answer.status).toBe(400);
      expect(elapsedMs()).toBeLessThan(5000);
    }
  });

  test.each(ROUTES)('%s refuses bodies that grow when they are decompressed', async (path) => {
    const answer = await service.post(path, 'x', {
      headers: { 'content-encoding': 'gzip', 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(415);
  });

  test('an address of a hundred thousand characters is refused', async () => {
    const answer = await fetch(`${service.url}/file/${'a'.repeat(100_000)}`);
    expect([404, 414, 431]).toContain(answer.status);
  });
});

describe('internal addresses (API7)', () => {
  test('image addresses in a chat are not fetched, but forwarded to the provider unchanged', async () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: `${canary.url}/secret` } },
      { type: 'image_url', image_url: { url: 'http://169.254.169.254/latest/meta-data/' } },
      { type: 'image_url', image_url: { url: 'file:///etc/passwd' } },
    ];
    const body = { model: MODEL, messages: [{ role: 'user', content }] };
    expect((await service.post('/ai/openai/chat/completions', body)).status).toBe(200);
    expect((await service.post('/ai/v2', { model: MODEL, request: body })).status).toBe(200);
    expect(service.provider.chatRequests.at(-1)?.body['messages']).toEqual(body.messages);
    expect(canary.visits).toEqual([]);
  });

  test('redirects of a provider are not followed', async () => {
    for (const status of [301, 302, 307, 308]) {
      service.provider.behave(answerJson(status, {}, { location: `${canary.url}/redirected` }));
      const answer = await service.post('/ai/openai/chat/completions', { model: MODEL, messages });
      expect(answer.status).toBeGreaterThanOrEqual(500);
    }
    expect(canary.visits).toEqual([]);
  });

  test('links to files never contain the Host header of a request', async () => {
    const raw = await connectRaw(service.port);
    const headers = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'content-length': '4',
      connection: 'close',
    };
    raw.send(`${requestHead('PUT /upload/note.txt', headers)}data`);
    const text = await raw.ended();
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).not.toContain('evil.example');
  });
});

describe('internal details in answers (API8)', () => {
  const requests: readonly (readonly [string, RequestInit])[] = [
    ['/ai/openai/chat/completions', { method: 'POST', body: '{' }],
    ['/ai/openai/models/%00', {}],
    ['/ai/openai/models/..%2f..%2fetc%2fpasswd', {}],
    ['/file/..%2f..%2fetc%2fpasswd', {}],
    ['/file/%E0%A4%A', {}],
    ['/docs/..%2f..%2fpackage.json', {}],
    ['/docs/swagger-ui.css/../../../package.json', {}],
    ['/upload/x', { method: 'PUT', body: 'x', headers: { 'x-expires-in': "1'; drop table files; --" } }],
    ["/file/'%20or%201=1--", {}],
    ['/metrics', {}],
    ['/.env', {}],
    ['/package.json', {}],
  ];

  test.each(requests)('%s: no stack, no path, no library', async (path, init) => {
    const answer = await service.get(path, init);
    const body = await answer.text();
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(body).not.toMatch(/\bat .*:\d+:\d+|node_modules|\/src\/|fastify|FST_|drizzle|postgres|root:/i);
    expect(body).not.toContain(UPSTREAM_KEY);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('server')).toBeNull();
    expect(answer.headers.get('x-powered-by')).toBeNull();
  });
});

describe('injection into headers and the log (API8)', () => {
  test('a request id with special characters is replaced', async () => {
    for (const id of ['a b', 'ä', 'x'.repeat(200), '{"level":60}', '<script>']) {
      const answer = await fetch(`${service.url}/healthz`, {
        headers: { 'x-request-id': Buffer.from(id).toString('latin1') },
      });
      expect(answer.headers.get('x-request-id')).toMatch(/^req_[\w-]+$/);
    }
    expect(service.logText()).not.toContain('<script>');
  });

  test('requests can not inject log lines or headers', async () => {
    const before = service.logLines().length;
    const injected = '%0d%0a{"level":60,"msg":"injected"}%0d%0aSet-Cookie:%20a=b';
    for (const path of [`/file/${injected}`, `/${injected}`, `/ai/openai/models/${injected}`]) {
      const answer = await service.get(path);
      await answer.text();
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
    const { url } = await upload({}, `a${injected}.txt`);
    const answer = await fetch(url);
    expect(answer.headers.get('set-cookie')).toBeNull();
    await answer.text();
    await service.post('/ai/v2', { model: 'x\n{"level":60,"msg":"injected"}', request: { messages } });
    await expect.poll(() => service.logLines().length).toBeGreaterThan(before);
    for (const line of service.logLines()) expect(line['msg']).not.toBe('injected');
  });

  test('terminal escape sequences are escaped in the log', async () => {
    await service.post('/ai/v2', { model: '\u001b[2J\u0007', request: { messages } });
    expect(service.logText()).not.toContain('\u001b');
  });
});
