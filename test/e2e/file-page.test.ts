import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SharedMessage } from '../../src/core/shared-conversations/index.ts';
import { findChromium, launchBrowser } from '../support/clients/browser.ts';
import { watchProblems } from '../support/clients/playground-page.ts';
import { readUploadAnswer } from '../support/harness/files.ts';
import { type HttpService, startHttpService } from '../support/harness/http.ts';
import { sharePage } from '../support/harness/share-page.ts';
import { drawPng, toWav } from '../support/samples/media.ts';
import { testByTier } from '../support/vitest/tiers.ts';

describe.skipIf(findChromium() === undefined)('the page about a file', () => {
  let service: HttpService;
  let browser: Browser;
  const contexts: BrowserContext[] = [];
  let problems: string[] = [];

  beforeAll(async () => {
    service = await startHttpService();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
  });

  const upload = async (file: File, fields: Record<string, string> = {}): Promise<string> => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', file);
    return (await readUploadAnswer(fetch(`${service.url}/upload`, { method: 'POST', body: form }))).url;
  };
  const open = async (url: string | undefined, options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext(options);
    contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    problems = watchProblems(page, service.url);
    if (url !== undefined) await page.goto(url);
    return page;
  };
  const download = async (page: Page) => {
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    return { name: saved.suggestedFilename(), bytes: await readFile(await saved.path()) };
  };
  const picture = () => new File([drawPng(320, 200)], 'sea & sky 🌊.png', { type: 'image/png' });

  test('shows an image with its properties and downloads it', async () => {
    const page = await open(await upload(picture(), { expires_in: '7d' }));
    await page.getByRole('heading', { name: 'sea & sky 🌊.png' }).waitFor();
    const image = page.getByRole('img');
    await expect.poll(() => image.evaluate((element: { naturalWidth?: number }) => element.naturalWidth)).toBe(320);
    expect(await page.locator('dl').innerText()).toMatch(/Size[\s\S]+bytes[\s\S]+image\/png[\s\S]+Expires/);
    const saved = await download(page);
    expect(saved.name).toBe('sea & sky 🌊.png');
    expect(saved.bytes.equals(drawPng(320, 200))).toBe(true);
    expect(problems).toEqual([]);
  });

  test('shows the beginning of a text', async () => {
    const text = `<b>not bold</b>\n${'Zeile mit Umlauten äöü\n'.repeat(5000)}`;
    const page = await open(await upload(new File([text], 'notes.txt', { type: 'text/plain' })));
    const shown = await page.locator('pre').textContent();
    expect(text.startsWith(shown ?? '?')).toBe(true);
    expect(shown?.length).toBeGreaterThan(50_000);
    expect(await page.getByText('Only the beginning of the file is shown.').count()).toBe(1);
    expect(problems).toEqual([]);
  });

  testByTier([
    ['text/markdown', 'list.md', '# Packing\n\n- <i>passport</i>'],
    ['text/csv', 'table.csv', 'day;where\nFriday;Lisbon'],
    ['application/json', 'data.json', '{"here": "</pre><script>1</script>"}'],
  ] as const)('shows %s as text, without running or formatting it', async ([type, name, text]) => {
    const page = await open(await upload(new File([text], name, { type }), { inline: 'true' }));
    expect(await page.locator('pre').textContent()).toBe(text);
    expect(problems).toEqual([]);
  });

  test('plays audio', async () => {
    const page = await open(await upload(new File([toWav(1)], 'tone.wav', { type: 'audio/wav' })));
    const duration = () => page.locator('audio').evaluate((element: { duration?: number }) => element.duration);
    await expect.poll(duration).toBeCloseTo(1, 1);
    expect(problems).toEqual([]);
  });

  test('asks for the password and downloads the file', async () => {
    const page = await open(await upload(picture(), { password: 'open sesame' }));
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill('open sesame');
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('sea & sky 🌊.png');
  });

  test('reports a missing file', async () => {
    const page = await open(`${service.url}/file/AAAAAAAAAAAAAAAAAAAAAA`);
    await page.getByRole('heading', { name: 'There is no such file' }).waitFor();
  });

  test('has the colours of the front page and of the reference, which follow the system', async () => {
    const page = await open(service.url, { colorScheme: 'dark' });
    await page.getByRole('link', { name: '/docs' }).waitFor();
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(14, 22, 33)');
    expect(problems).toEqual([]);
    await page.getByRole('link', { name: '/docs' }).click();
    await page.locator('html.dark-mode').waitFor();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.locator('html:not(.dark-mode)').waitFor();
  });

  test('is replaced by the image itself if it was uploaded with inline', async () => {
    const page = await open(await upload(picture(), { inline: 'true' }));
    const image = page.locator('img');
    await expect.poll(() => image.evaluate((element: { naturalWidth?: number }) => element.naturalWidth)).toBe(320);
    expect(await page.locator('h1').count()).toBe(0);
  });

  test('is replaced by a player if audio was uploaded with inline', async () => {
    const url = await upload(new File([toWav(1)], 'tone.wav', { type: 'audio/wav' }), { inline: 'true' });
    const page = await open(url);
    const duration = () => page.locator('video').evaluate((element: { duration?: number }) => element.duration);
    await expect.poll(duration).toBeCloseTo(1, 1);
  });

  const SCRIPT = '<script>top.document.title = "taken over"; fetch("/taken-over")</script>';
  testByTier(
    [
      ['text/html', 'page.html', `<!doctype html><h1>Hello</h1>${SCRIPT}`],
      [
        'application/xhtml+xml',
        'page.xhtml',
        `<html xmlns="http://www.w3.org/1999/xhtml"><body>${SCRIPT}</body></html>`,
      ],
      ['image/svg+xml', 'picture.svg', `<svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}</svg>`],
      [
        'text/xml',
        'page.xml',
        `<x xmlns:h="http://www.w3.org/1999/xhtml"><h:script>fetch("/taken-over")</h:script></x>`,
      ],
      ['text/plain', 'page.txt', `<!doctype html><h1>Hello</h1>${SCRIPT}`],
      ['image/png', 'page.png', `<!doctype html><h1>Hello</h1>${SCRIPT}`],
    ] as const,
    3,
  )('runs no code of a file declared as %s', async ([type, name, content]) => {
    const url = await upload(new File([content], name, { type }), { inline: 'true' });
    const page = await open(undefined);
    const visited: string[] = [];
    page.on('request', (request) => visited.push(request.url()));
    await page.goto(`${url}/view`);
    for (const address of [url, `${url}/${name}`, `${url}/${name}?download`]) {
      // A navigation that becomes a download is an error here.
      await page.goto(address).catch(() => {});
    }
    // A page of the same origin without a policy: embedded content must be harmless by itself.
    const embed = ['iframe src', 'object data', 'embed src', 'img src', 'script src', 'link rel=stylesheet href'];
    const elements = embed.map((start) => `<${start}="${url}/${name}"></${start.split(' ', 1)[0]}>`);
    const body = `<!doctype html><title>host</title>${elements.join('')}`;
    await page.route(`${service.url}/host`, (route) => route.fulfill({ contentType: 'text/html', body }));
    await page.goto(`${service.url}/host`);
    await page.waitForTimeout(300);
    expect(visited.filter((address) => address.includes('taken-over'))).toEqual([]);
    expect(await page.title()).toBe('host');
    for (const frame of page.frames().slice(1)) expect(await frame.getByText('Hello', { exact: true }).count()).toBe(0);
  });

  testByTier([
    ['dark', 360],
    ['light', 1200],
    ['dark', 1200],
  ] as const)('has no accessibility violations in %s mode at a width of %i', async ([colorScheme, width]) => {
    const options = { colorScheme, viewport: { width, height: 700 } };
    const long = new File(['line\n'.repeat(200)], `${'a-very-long-name-'.repeat(8)}.txt`, { type: 'text/plain' });
    for (const url of [
      await upload(long, { expires_in: '1h' }),
      await upload(picture(), {}),
      await upload(picture(), { password: 'x' }),
      `${service.url}/file/AAAAAAAAAAAAAAAAAAAAAA`,
      (await sharePage(service, CONVERSATION)).url,
    ]) {
      const page = await open(url, options);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(await findBarriers(page)).toEqual([]);
    }
  });
});

const WEBP = 'UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==';
/** All kinds of content that the page of a conversation can show, wider than a phone. */
const CONVERSATION: readonly SharedMessage[] = [
  { role: 'user', content: 'Why?', pictures: [`data:image/webp;base64,${WEBP}`], omittedCount: 1 },
  {
    role: 'assistant',
    model: 'clever',
    content: `# So\n\n- [x] done[^1]\n\n| ${'wide | '.repeat(20)}\n|${'--|'.repeat(20)}\n| ${'cell | '.repeat(20)}\n\n\`\`\`js\n${'code();'.repeat(40)}\n\`\`\`\n\n$$\\sum_{k=0}^n k^2 = ${'a+'.repeat(60)}b$$\n\n[^1]: A note with $x^2$.`,
  },
  { role: 'assistant', content: 'Another footnote[^1]\n\n[^1]: here' },
];

/** Rules and elements of all violations that axe finds. The script bypasses the policy of the page. */
async function findBarriers(page: Page): Promise<string[]> {
  const source = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  const found = await page.evaluate(`axe.run().then(({ violations }) => violations
    .flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html.slice(0, 120) + ' ' + (node.any[0]?.message ?? ''))))`);
  return Array.isArray(found) ? found.map(String) : ['axe gave no answer'];
}
