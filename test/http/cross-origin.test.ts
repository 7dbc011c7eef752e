import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const ORIGIN = 'https://chat.example.com';
const CHAT = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] };

let database: TestDatabase;
let closed: HttpService;
let open: HttpService;
let forAll: HttpService;
beforeAll(async () => {
  database = await createTestDatabase();
  closed = await startHttpService({ database });
  open = await startHttpService({ database, corsOrigins: [ORIGIN, 'http://localhost:3000'] });
  forAll = await startHttpService({ database, corsOrigins: ['*'] });
});
afterAll(async () => {
  await Promise.all([closed, open, forAll].map((service) => service.close()));
  await database.close();
});

const preflight = (service: HttpService, origin: string, path = '/ai/openai/chat/completions') =>
  fetch(`${service.url}${path}`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization, content-type, x-stainless-os',
    },
  });
const allowed = (answer: Response) => answer.headers.get('access-control-allow-origin');
const ask = (service: HttpService, origin: string, more: object = {}) =>
  service.post('/ai/openai/chat/completions', { ...CHAT, ...more }, { headers: { origin } });

describe('requests of other origins', () => {
  test('are refused by default', async () => {
    for (const answer of [await preflight(closed, ORIGIN), await ask(closed, ORIGIN)]) {
      expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  test('are allowed for configured origins', async () => {
    const answer = await preflight(open, ORIGIN);
    expect(answer.status).toBe(204);
    expect(allowed(answer)).toBe(ORIGIN);
    expect(answer.headers.get('access-control-allow-methods')).toContain('POST');
    expect(answer.headers.get('access-control-allow-headers')).toBe('authorization, content-type, x-stainless-os');
    expect(answer.headers.get('vary')).toContain('origin');
  });

  test.each(['https://evil.example', 'https://chat.example.com.evil.example', 'http://chat.example.com', 'null'])(
    'are refused for %s',
    async (origin) => {
      const refused = await preflight(open, origin);
      expect(allowed(refused)).toBeNull();
      const answer = await ask(open, origin);
      expect(allowed(answer)).toBeNull();
      expect(answer.headers.get('vary')).toContain('origin');
    },
  );

  test('can read answers, streams and errors', async () => {
    const answers = [
      await ask(open, ORIGIN),
      await ask(open, ORIGIN, { stream: true }),
      await ask(open, ORIGIN, { model: 'nobodys' }),
      await open.get('/ai/openai/models', { headers: { origin: ORIGIN, authorization: 'Bearer wrong' } }),
      await fetch(`${open.url}/nowhere`, { headers: { origin: ORIGIN } }),
    ];
    for (const answer of answers) {
      expect(allowed(answer)).toBe(ORIGIN);
      expect(answer.headers.get('access-control-expose-headers')).toContain('x-request-id');
      await answer.text();
    }
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 401, 404]);
  });

  test('can read the headers for file names, ranges and retry times', async () => {
    const stored = await fetch(`${open.url}/upload/note.txt`, { method: 'PUT', body: 'twelve bytes' });
    const { url } = (await stored.json()) as { url: string };
    const [whole, part] = await Promise.all(
      [{}, { range: 'bytes=0-3' }].map((range) => fetch(url, { headers: { origin: ORIGIN, ...range } })),
    );
    expect([whole?.status, part?.status]).toEqual([200, 206]);
    await Promise.all([whole?.arrayBuffer(), part?.arrayBuffer()]);
    const readable = part?.headers.get('access-control-expose-headers')?.split(', ');
    const names = new Set([...(whole?.headers.keys() ?? []), ...(part?.headers.keys() ?? [])]);
    const sent = [...names].filter((name) => /^(content-(disposition|range)|accept-ranges|etag)$/.test(name));
    expect(sent).toHaveLength(4);
    expect(readable).toEqual(
      expect.arrayContaining([
        ...sent,
        'retry-after',
        'x-request-id',
        'x-should-retry',
        'x-ratelimit-remaining-tokens',
      ]),
    );
  });

  test('never include cookies or passwords of the browser', async () => {
    for (const service of [open, forAll])
      expect((await preflight(service, ORIGIN)).headers.get('access-control-allow-credentials')).toBeNull();
  });

  test('are all allowed by *', async () => {
    expect(allowed(await preflight(forAll, 'https://anybody.example'))).toBe('*');
    expect(allowed(await ask(forAll, 'https://anybody.example'))).toBe('*');
  });
});
