import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { SharedMessage } from '../../src/core/shared-conversations/index.ts';
import { type HttpService, startHttpService } from '../support/harness/http.ts';
import { sharePage } from '../support/harness/share-page.ts';
import { pauseChildren, watchChildMemory } from '../support/machine/child-processes.ts';
import { createFakeClock, type FakeClock } from '../support/machine/fake-clock.ts';
import { heapBytes } from '../support/machine/measure.ts';
import { listFuzzRuns, startBeforeAll, testByTier } from '../support/vitest/tiers.ts';

const service = startBeforeAll(() => startHttpService());

// FUZZ_SEED=<number> repeats another run, FUZZ_PAGES=2000 runs more pages.
const SEED = Number(process.env['FUZZ_SEED'] ?? 71_331);
const RUNS = listFuzzRuns({ seed: SEED, short: 2, long: 8, wanted: process.env['FUZZ_PAGES'] });
/** Memory limit of the rendering process: its heap of 256 MiB, Node itself, and growth between two measurements. */
const MAX_CHILD_BYTES = 768 * 1024 * 1024;
/** Memory limit of the service. Its page cache is bounded. */
const MAX_HEAP_GROWTH_BYTES = 200 * 1024 * 1024;

const answer = (content: string): SharedMessage => ({ role: 'assistant', model: 'clever', content });

/** A table whose rows are padded to the columns of its header. */
function toTable(columnCount: number, rowCount: number): string {
  return `|${'a|'.repeat(columnCount)}\n|${'-|'.repeat(columnCount)}\n${'|\n'.repeat(rowCount)}`;
}

/** Measures the processor time of an operation on this thread, which also serves the pages. */
async function measureThread<Result>(work: () => Promise<Result>): Promise<readonly [Result, number]> {
  const before = process.threadCpuUsage();
  const result = await work();
  const { user, system } = process.threadCpuUsage(before);
  return [result, (user + system) / 1000];
}

/** Requests health until the operation is done. @returns the longest time of an answer in milliseconds */
async function watchHealth(work: Promise<unknown>): Promise<number> {
  let isDone = false;
  const settled = work.finally(() => {
    isDone = true;
  });
  let longestMs = 0;
  do {
    const start = performance.now();
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    longestMs = Math.max(longestMs, performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 20));
  } while (!isDone);
  await settled;
  return longestMs;
}

describe('a page of a shared conversation with hostile Markdown', () => {
  const HOSTILE: readonly (readonly [string, string, string])[] = [
    ['a table whose rows are padded to 3000 columns', toTable(3000, 16_000), '<pre><code>|a|a|'],
    ['many small tables whose rows are padded', `${toTable(90, 180)}\n`.repeat(15), '<pre><code>|a|a|'],
    ['20 000 strikethroughs', '~~a'.repeat(20_000), '~~a~~a'],
    ['emphasis of two kinds', '*_'.repeat(32_000), '*_*_'],
    ['open links', '[a]('.repeat(16_000), '[a]([a]('],
    ['thousands of quotes', '> a\n\n'.repeat(12_000), '&gt; a\n'],
    ['an excerpt of open links', ']('.repeat(40_000), ']('],
    [
      'a definition that is used thousands of times',
      `[a]: https://a.example/${'b'.repeat(10_000)}\n\n${'[a]\n\n'.repeat(2000)}`,
      '[a]',
    ],
  ];
  testByTier(HOSTILE, 3)(
    'with %s is served completely while the service answers other requests',
    async ([_, content, expected]) => {
      const { url } = await sharePage(service, [answer(content), answer('This is **bold**.')]);
      const pageLoad = fetch(url).then(async (response) => [response.status, await response.text()] as const);
      const [longestMs, threadMs] = await measureThread(() => watchHealth(pageLoad));
      const [status, page] = await pageLoad;
      expect(status).toBe(200);
      expect(page).toContain(expected);
      expect(page.trimEnd().endsWith('</html>')).toBe(true);
      expect(page.length).toBeLessThan(6 * 1024 * 1024);
      expect(longestMs).toBeLessThan(3000);
      expect(threadMs).toBeLessThan(2000);
      const [again, againMs] = await measureThread(() => fetch(url).then((response) => response.text()));
      expect(again).toBe(page);
      expect(againMs).toBeLessThan(500);
    },
  );

  test('shows the other messages with their formatting', async () => {
    const { url } = await sharePage(service, [answer('~~a'.repeat(20_000)), answer('This is **bold**.')]);
    expect(await (await fetch(url)).text()).toContain('<strong>bold</strong>');
  });

  test('shows a table in a quote and with formulas', async () => {
    const { url } = await sharePage(service, [
      answer(`> |$x^2$|${'a|'.repeat(200)}\n> |${'-|'.repeat(201)}\n${'> |\n'.repeat(200)}`),
    ]);
    expect(await (await fetch(url)).text()).toContain('<pre><code>|$x^2$|a|');
  });

  const piece = fc.oneof(
    fc
      .record({ columns: fc.integer({ min: 1, max: 2000 }), rows: fc.integer({ min: 0, max: 2000 }) })
      .map(({ columns, rows }) => `${toTable(columns, rows)}\n`),
    fc
      .record({
        mark: fc.array(
          fc.constantFrom(
            '*',
            '_',
            '~~',
            '`',
            '```',
            '[',
            '![',
            '](',
            ']',
            '<',
            '>',
            '|',
            '$',
            '\\[',
            '[^a]',
            '#',
            '- ',
            '1. ',
            '> ',
            '\n',
            '\n\n',
            '&',
            '&amp;',
            'www.a.b',
            'a@b.c',
            'https://a.b/',
            '<!--',
            '</b>',
            ' ',
            '\t',
            'a',
            '\\frac{',
            '^',
            '}',
          ),
          { minLength: 1, maxLength: 5 },
        ),
        count: fc.integer({ min: 1, max: 3000 }),
      })
      .map(({ mark, count }) => `${mark.join('').repeat(count)}\n\n`),
    fc.nat(300).map((depth) => `${'> - '.repeat(depth)}deep\n`),
    fc.nat(2000).map((count) => Array.from({ length: count }, (_, n) => `[^${n}] `).join('')),
    fc.nat(1000).map((count) => Array.from({ length: count }, (_, n) => `[^${n}]: note [^0]\n\n`).join('')),
    fc.constantFrom(
      '| a | b |\n|--|--|\n| c | d |\n',
      '$$\\sum_{i=1}^n i$$\n',
      '```c\nint a[3];\n```\n',
      '*one* **two** `three`\n',
    ),
  );

  testByTier(RUNS)(
    'is served completely without blocking the service, with any content (FUZZ_SEED=$seed)',
    async ({ seed, count }) => {
      const content = fc
        .array(piece, { minLength: 1, maxLength: 4 })
        .map((pieces) => pieces.join('').slice(0, 64 * 1024));
      const endWatch = watchChildMemory();
      const heapBefore = heapBytes();
      const property = fc.asyncProperty(content, async (markdown) => {
        const question = { role: 'user', content: markdown.slice(0, 1000) } as const;
        const { url, id, ownerKey } = await sharePage(service, [question, answer(markdown)]);
        const [page, threadMs] = await measureThread(async () => {
          const response = await fetch(url);
          expect(response.status).toBe(200);
          return response.text();
        });
        expect(page.trimEnd().endsWith('</html>')).toBe(true);
        expect(page.length).toBeLessThan(6 * 1024 * 1024);
        expect(threadMs).toBeLessThan(2000);
        // A user may have 50.
        await service.storage.delete(id, { ownerKey });
      });
      await fc.assert(property, { numRuns: count, seed, endOnFailure: true });
      expect(endWatch()).toBeLessThan(MAX_CHILD_BYTES);
      await expect.poll(async () => heapBytes() - heapBefore).toBeLessThan(MAX_HEAP_GROWTH_BYTES);
    },
    { timeout: 600_000 },
  );
});

describe('pages that can not be rendered within the limits', () => {
  const answered = answer('This is **bold**.');
  let clock: FakeClock;
  let impatient: HttpService;
  beforeEach(async () => {
    clock = createFakeClock();
    impatient = await startHttpService({ clock });
  });
  afterEach(() => impatient.close());
  /** Pauses renderings, which then take longer than any machine. */
  const neverRender = () => onTestFinished(pauseChildren('rendering-process'));
  /** Lets the time for a rendering pass as soon as it has begun. `clients` wait for it. */
  const expire = async (clients: number) => {
    await expect.poll(() => clock.pending, { interval: 2 }).toBe(clients + 1);
    await clock.advance(20_000);
  };

  test('are shown as plain text with a note, and are not rendered again', async () => {
    neverRender();
    const { url } = await sharePage(impatient, [{ role: 'user', content: 'So?' }, answered]);
    const rendered = Promise.all([1, 2, 3].map(async () => (await fetch(url)).text()));
    await expire(3);
    const pages = await rendered;
    expect(pages[0]).toContain('<p class="plain">This is **bold**.</p>');
    expect(pages[0]).toContain('is too complex to display');
    expect([...pages, await (await fetch(url)).text()]).toEqual(Array(4).fill(pages[0]));
    expect(impatient.logLines().filter(({ problem }) => problem === 'too-slow')).toHaveLength(1);
  });

  test('are cached even when the client disconnects before the end', async () => {
    neverRender();
    const { url, id } = await sharePage(impatient, [answered]);
    const leaving = new AbortController();
    const request = fetch(url, { signal: leaving.signal }).then((response) => response.text());
    leaving.abort();
    await expect(request).rejects.toThrow();
    const others = Promise.all([fetch(url), fetch(url)]);
    await expire(2);
    await others;
    const failures = impatient.logLines().filter(({ fileId }) => fileId === id);
    expect(failures).toHaveLength(1);
  });

  test('are refused temporarily when the queue is full', async () => {
    const pages: { readonly url: string }[] = [];
    const content = '**a** `b` '.repeat(2000);
    for (let n = 0; n < 40; n += 1) pages.push(await sharePage(impatient, [answer(content)]));
    const responses = await Promise.all(pages.map(({ url }) => fetch(url)));
    const refused = responses.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(refused.map(() => '5'));
    expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(20);
    await Promise.all(responses.map((response) => response.body?.cancel()));
    await expect.poll(async () => (await fetch(pages.at(-1)?.url ?? '')).status).toBe(200);
  });
});
