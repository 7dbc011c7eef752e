import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createWebSearch,
  type WebSearch,
  type WebSearchService,
  WebSearchUnavailableError,
} from '../../../../src/core/web-search/index.ts';
import { createRecordingLogger } from '../../../support/harness/foundation.ts';
import {
  answerJson,
  type FakeSearchServer,
  type SearchAnswer,
  startFakeSearchServer,
} from '../../../support/hosts/fake-search-server.ts';
import { createFakeClock, type FakeClock } from '../../../support/machine/fake-clock.ts';

const { signal } = new AbortController();
const FOX = { url: 'https://foxes.example/', title: 'Foxes', text: 'Foxes are small.', date: undefined };
const braveAnswer = (...results: readonly object[]) => ({ type: 'search', web: { results } });
const braveFox = braveAnswer({ url: FOX.url, title: FOX.title, description: FOX.text });
const plainFox = { results: [{ url: FOX.url, title: FOX.title, content: FOX.text }] };

let servers: Record<'brave' | 'tavily' | 'searxng', FakeSearchServer>;
let clock: FakeClock;
let lines: () => readonly string[];
const opened: WebSearch[] = [];

beforeAll(async () => {
  const [brave, tavily, searxng] = await Promise.all([1, 2, 3].map(startFakeSearchServer));
  if (!brave || !tavily || !searxng) throw new Error('a server is missing');
  servers = { brave, tavily, searxng };
});
beforeEach(() => {
  clock = createFakeClock();
  servers.brave.answers(answerJson(braveFox));
  servers.tavily.answers(answerJson(plainFox));
  servers.searxng.answers(answerJson(plainFox));
});
afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())));
afterAll(() => Promise.all(Object.values(servers).map((server) => server.close())));

function open(...kinds: readonly WebSearchService['kind'][]): WebSearch {
  const { logger, lines: written } = createRecordingLogger();
  lines = () => written;
  const services = kinds.map((kind): WebSearchService => {
    const { baseUrl } = servers[kind];
    if (kind !== 'searxng') return { kind, apiKey: `key-of-${kind}`, baseUrl };
    return { kind, baseUrl: `${baseUrl.replace('//', '//ann:pass%2Fword@')}/searx` };
  });
  const webSearch = createWebSearch({ clock, logger }, services);
  opened.push(webSearch);
  return webSearch;
}

const countRequests = () => Object.values(servers).map(({ requests }) => requests.length);

describe('a request', () => {
  test('to Brave', async () => {
    expect(await open('brave').search({ text: 'small foxes & co', freshness: 'week' }, signal)).toEqual([FOX]);
    expect(servers.brave.requests.at(-1)).toMatchObject({
      method: 'GET',
      path: '/res/v1/web/search',
      parameters: { q: 'small foxes & co', freshness: 'pw', count: '10' },
      headers: { 'x-subscription-token': 'key-of-brave', accept: 'application/json' },
    });
  });

  test('to Tavily', async () => {
    expect(await open('tavily').search({ text: 'foxes', freshness: 'day' }, signal)).toEqual([FOX]);
    expect(servers.tavily.requests.at(-1)).toMatchObject({
      method: 'POST',
      path: '/search',
      headers: { authorization: 'Bearer key-of-tavily' },
      body: { query: 'foxes', time_range: 'day', max_results: 10 },
    });
  });

  test('to SearXNG, below a path and with a password', async () => {
    expect(await open('searxng').search({ text: 'foxes', freshness: 'year' }, signal)).toEqual([FOX]);
    expect(servers.searxng.requests.at(-1)).toMatchObject({
      method: 'GET',
      path: '/searx/search',
      parameters: { q: 'foxes', format: 'json', time_range: 'year' },
      headers: { authorization: `Basic ${Buffer.from('ann:pass/word').toString('base64')}` },
    });
  });
});

describe('results', () => {
  const read = async (...results: readonly object[]) => {
    servers.brave.answers(answerJson(braveAnswer(...results)));
    return open('brave').search({ text: 'foxes' }, signal);
  };

  test('are plain text', async () => {
    const [result] = await read({
      url: 'https://foxes.example',
      title: 'Tom &amp; <strong>foxes</strong>',
      description: 'Ben&#x27;s\n\u202efoxes<script>alert(1)</script>',
      page_age: '2026-11-21T08:00:00',
    });
    expect(result).toEqual({
      url: 'https://foxes.example/',
      title: 'Tom & foxes',
      text: "Ben's foxesalert(1)",
      date: '2026-11-21',
    });
  });

  test('of Tavily keep what looks like HTML', async () => {
    servers.tavily.answers(answerJson({ results: [{ url: FOX.url, title: 'a <b', content: 'if x <y && z> 1' }] }));
    const [result] = await open('tavily').search({ text: 'foxes' }, signal);
    expect(result).toMatchObject({ title: 'a <b', text: 'if x <y && z> 1' });
  });

  test('have web addresses, each once', async () => {
    const urls = ['javascript:alert(1)', 'ftp://a.example', 'https://u:p@a.example', 'nonsense', 7, null];
    const found = await read(
      ...urls.map((url) => ({ url })),
      { url: `https://a.example/${'x'.repeat(5000)}` },
      { url: 'https://a.example/' },
      { url: 'https://a.example' },
    );
    expect(found).toEqual([{ url: 'https://a.example/', title: 'a.example', text: '', date: undefined }]);
  });

  test('are few and short', async () => {
    const long = 'щ'.repeat(3000);
    const many = Array.from({ length: 50 }, (_, at) => ({
      url: `https://a.example/${at}`,
      title: long,
      description: long,
    }));
    const found = await read(...many);
    expect(found).toHaveLength(8);
    expect(JSON.stringify(found).length).toBeLessThan(8000);
  });

  test('may be none', async () => {
    servers.brave.answers(answerJson({ type: 'search', query: {} }));
    expect(await open('brave', 'tavily').search({ text: 'qwxz' }, signal)).toEqual([]);
  });
});

describe('failover', () => {
  const faults: Record<string, SearchAnswer> = {
    'a refused key': answerJson({ detail: 'no' }, 401),
    'a key that Brave does not know': answerJson({ error: { code: 'SUBSCRIPTION_TOKEN_INVALID' } }, 422),
    'a used-up plan': answerJson({}, 432),
    'a rate limit': answerJson({}, 429),
    'an error of the server': answerJson({}, 500),
    'a redirect': answerJson({}, 302, { location: 'http://127.0.0.1:1/' }),
    'a refused query': answerJson({}, 400),
    junk: (response) => void response.end('<html>'),
    'another form': answerJson({ results: 'none', web: [] }),
    'a huge answer': (response) => void response.end(`{"web":{"results":["${'x'.repeat(2 * 1024 * 1024)}"]}}`),
    'a broken connection': (response) => void response.socket?.destroy(),
    'half an answer': (response) => {
      response.writeHead(200, { 'content-length': 500 }).write('{"web":');
      setTimeout(() => response.socket?.destroy(), 5);
    },
  };

  test.each(Object.entries(faults))('after %s', async (_, fault) => {
    servers.brave.answers(fault);
    expect(await open('brave', 'tavily').search({ text: 'my secret' }, signal)).toEqual([FOX]);
    const log = JSON.stringify(lines());
    expect(log).toContain('a web search service failed');
    expect(log).not.toMatch(/key-of|secret/);
  });

  test('after a slow answer', async () => {
    servers.brave.answers(() => {});
    const found = open('brave', 'tavily').search({ text: 'foxes' }, signal);
    await vi.waitFor(() => expect(clock.pending).toBeGreaterThan(0));
    await clock.advance(9000);
    expect(await found).toEqual([FOX]);
  });

  test('of SearXNG none of whose engines answers', async () => {
    servers.searxng.answers(answerJson({ results: [], unresponsive_engines: [['google', 'timeout']] }));
    await expect(open('searxng').search({ text: 'foxes' }, signal)).rejects.toThrow(WebSearchUnavailableError);
    servers.searxng.answers(answerJson({ results: [], unresponsive_engines: [] }));
    expect(await open('searxng').search({ text: 'foxes' }, signal)).toEqual([]);
  });

  test('skips a service for a while, then asks it first again', async () => {
    const webSearch = open('brave', 'tavily');
    const before = countRequests();
    const counts = () => countRequests().map((count, at) => count - (before[at] ?? 0));
    servers.brave.answers(answerJson({}, 500), answerJson(braveFox));
    await webSearch.search({ text: 'foxes' }, signal);
    await webSearch.search({ text: 'foxes' }, signal);
    expect(counts()).toEqual([1, 2, 0]);
    await clock.advance(20_000);
    await webSearch.search({ text: 'foxes' }, signal);
    expect(counts()).toEqual([2, 2, 0]);
  });

  test.each([
    ['the time that the service names', { 'retry-after': '120' }, 120_000],
    ["Brave's used-up limits", { 'x-ratelimit-remaining': '5, 0', 'x-ratelimit-reset': '1, 300' }, 300_000],
    ['an hour at most', { 'retry-after': '86400' }, 3_600_000],
  ])('after a rate limit rests for %s', async (_, headers, restMs) => {
    servers.brave.answers(answerJson({}, 429, headers), answerJson(braveFox));
    const webSearch = open('brave');
    await expect(webSearch.search({ text: 'foxes' }, signal)).rejects.toThrow(WebSearchUnavailableError);
    await clock.advance(restMs - 10_000);
    await expect(webSearch.search({ text: 'foxes' }, signal)).rejects.toThrow(WebSearchUnavailableError);
    await clock.advance(10_000);
    expect(await webSearch.search({ text: 'foxes' }, signal)).toEqual([FOX]);
  });

  test('waits for a limit of requests per second', async () => {
    const headers = { 'x-ratelimit-remaining': '0, 900', 'x-ratelimit-reset': '1, 1419704' };
    servers.brave.answers(answerJson({}, 429, headers), answerJson(braveFox));
    const before = servers.brave.requests.length;
    const found = open('brave').search({ text: 'foxes' }, signal);
    await vi.waitFor(() => expect(servers.brave.requests.length).toBe(before + 1));
    await vi.waitFor(async () => {
      await clock.advance(500);
      expect(servers.brave.requests.length).toBe(before + 2);
    });
    expect(await found).toEqual([FOX]);
  });

  test('ends when nothing is left', async () => {
    for (const server of Object.values(servers)) server.answers(answerJson({}, 500));
    await expect(open('brave', 'tavily', 'searxng').search({ text: 'foxes' }, signal)).rejects.toThrow(
      WebSearchUnavailableError,
    );
  });

  test('does not follow a stopped answer', async () => {
    const stop = new AbortController();
    servers.brave.answers(() => stop.abort(new Error('stopped')));
    const before = servers.tavily.requests.length;
    await expect(open('brave', 'tavily').search({ text: 'foxes' }, stop.signal)).rejects.toThrow('stopped');
    expect(servers.tavily.requests.length).toBe(before);
    expect(lines()).toEqual([]);
  });
});

test('a check says what is wrong with each service', async () => {
  servers.brave.answers(answerJson({}, 401));
  servers.searxng.answers(answerJson({}, 403));
  expect(await open('brave', 'tavily', 'searxng').check(signal)).toEqual([
    { name: 'brave', problem: 'access is refused (status 401)' },
    { name: 'tavily', problem: undefined },
    { name: 'searxng', problem: 'it refuses JSON (status 403): add json to search.formats in its settings.yml' },
  ]);
});
