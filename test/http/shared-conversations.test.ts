import { describe, expect, test } from 'vitest';
import type { SharedMessage } from '../../src/core/shared-conversations/index.ts';
import { startHttpService } from '../support/harness/http.ts';
import { sharePage } from '../support/harness/share-page.ts';
import { toChunks } from '../support/harness/storage.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const service = startBeforeAll(() => startHttpService());

const WEBP = 'data:image/webp;base64,UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==';
const ANSWER: SharedMessage = {
  role: 'assistant',
  model: 'clever',
  content: 'It is **so**: $x^2$, [here](https://a.example/).',
};

const share = (messages: readonly SharedMessage[], title?: string) => sharePage(service, messages, { title });

async function readPage(messages: readonly SharedMessage[], title?: string): Promise<string> {
  const { url } = await share(messages, title);
  return (await fetch(url)).text();
}

describe('the page of a shared conversation', () => {
  test('shows the messages, a link to continue, and metadata for link previews', async () => {
    const { url, id } = await share([{ role: 'user', content: 'Is it <i>so</i>?' }, ANSWER]);
    const answer = await fetch(url);
    const page = await answer.text();
    expect(answer.status).toBe(200);
    expect(page).toContain('<p class="plain">Is it &lt;i&gt;so&lt;/i&gt;?</p>');
    expect(page).toContain('<h2>clever</h2>');
    expect(page).toContain('It is <strong>so</strong>: <span class="katex"><math');
    expect(page).toContain('<a href="https://a.example/" rel="nofollow noopener noreferrer ugc">here</a>');
    expect(page).toContain('<meta property="og:title" content="Foxes &amp; &lt;b&gt;hens&lt;/b&gt;">');
    expect(page).toContain('<meta name="robots" content="noindex">');
    expect(page).toContain(`https://t.me/switch_bot?start=c_${id}`);
  });

  test('forbids scripts and external resources', async () => {
    const { headers } = await fetch((await share([ANSWER])).url);
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self' data:;/,
    );
    expect(headers.get('content-security-policy')).not.toMatch(/script|unsafe/);
    expect(headers.get('x-robots-tag')).toBe('noindex');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('private, no-cache');
  });

  const HOSTILE: readonly (readonly [string, string])[] = [
    ['a script', '<script>alert(1)</script>'],
    ['an element with a handler', 'a <img src=x onerror=alert(1)> b'],
    ['a block of HTML', '<div onclick="alert(1)">\n\n**bold**\n\n</div>'],
    ['a link that is a script', '[press](javascript:alert(1)) <javascript:alert(1)> [x](data:text/html,<script>)'],
    [
      'a link that ends its attribute',
      '[x](https://a.example/"onmouseover="alert(1)) [y](<https://b.example/ "><script>>)',
    ],
    ['a picture elsewhere', '![seen](https://tracker.example/pixel.png) ![](javascript:alert(1))'],
    ['a definition', '[x][a]\n\n[a]: javascript:alert(1) "t"'],
    [
      'a formula with HTML',
      '$\\htmlData{onclick=alert(1)}{x} + \\href{javascript:alert(1)}{y}$ and $\\text{<script>alert(1)</script>}=1$',
    ],
    ['a fence with a strange language', '```"><script>alert(1)</script>\ncode\n```'],
    ['a footnote', 'a[^"><script>]\n\n[^"><script>]: <script>alert(1)</script>'],
    ['marks of formulas', '\u{FDD2}0\u{FDD2} $x^2$ `\u{FDD2}0\u{FDD2}` [x](https://a.example/?\u{FDD2}0\u{FDD2})'],
    ['a table', '| <script> | `|` |\n|--|--|\n| <b onclick=x> | $a<b$ |'],
  ];
  test.each(HOSTILE)('shows %s as plain text', async (_, content) => {
    const page = await readPage([{ role: 'assistant', content }]);
    // The last footer is the page's own, with the mark as an image.
    const body = page.slice(page.indexOf('<body>'), page.lastIndexOf('<footer>'));
    expect(body).not.toMatch(/<script|<img|<iframe|<style|<div onclick|<b /i);
    expect(body).not.toMatch(/<[a-z][^>]*\s(?:on\w+|style)=/i);
    expect(body).not.toMatch(/(?:href|src)="(?!https:|\/share\/|#m0-)/i);
  });

  test('shows shared images, and marks missing ones', async () => {
    const page = await readPage([{ role: 'user', content: '', pictures: [WEBP], omittedCount: 2 }]);
    expect(page).toContain(`<img src="${WEBP}" alt="Image in this message">`);
    expect(page).toContain('2 files are not shown.');
  });

  test('shows content that is nested too deeply or too long as plain text', async () => {
    const deep = `${'> '.repeat(40)}deep`;
    const long = '*a* '.repeat(20_000);
    const page = await readPage([deep, long].map((content) => ({ role: 'assistant', content })));
    expect(page.match(/<p class="plain">/g)).toHaveLength(2);
  });

  test('contains the newest messages of a conversation that is too long', async () => {
    const messages = Array.from({ length: 450 }, (_, n) => ({ role: 'user', content: `number ${n}.` }) as const);
    const page = await readPage(messages);
    expect(page).toContain('the last 400 messages');
    expect(page).not.toContain('number 49.');
    expect(page).toContain('number 449.');
  });

  test('is not sent again when it has not changed', async () => {
    const { url, id } = await share([ANSWER]);
    const etag = (await fetch(url)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    const again = await fetch(url, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await fetch(url, { headers: { 'if-match': '"another"' } })).status).toBe(412);
    await service.storage.change(id, { userId: 1 }, { name: 'Wolves.json' });
    const renamed = await fetch(url, { headers: { 'if-none-match': etag } });
    expect([renamed.status, await renamed.text()]).toEqual([200, expect.stringContaining('<bdi>Wolves</bdi>')]);
  });

  test('has the same headers by HEAD as by GET', async () => {
    const { url } = await share([ANSWER]);
    const [head, get] = [await fetch(url, { method: 'HEAD' }), await fetch(url)];
    const page = await get.arrayBuffer();
    expect(head.status).toBe(200);
    expect(head.headers.get('etag')).toBe(get.headers.get('etag'));
    expect(head.headers.get('content-length')).toBe(String(page.byteLength));
    expect(await head.text()).toBe('');
  });

  test('can be downloaded as Markdown and as JSON', async () => {
    const { url } = await share([{ role: 'user', content: 'So?' }, ANSWER], 'Füchse');
    const markdown = await fetch(`${url}/conversation.md`);
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(markdown.headers.get('content-disposition')).toContain(
      'attachment; filename="F_chse.md"; filename*=UTF-8\'\'F%C3%BCchse.md',
    );
    expect(await markdown.text()).toBe(`# Füchse\n\n## Question\n\nSo?\n\n## clever\n\n${ANSWER.content}\n`);
    const json = await fetch(`${url}/conversation.json`);
    expect(await json.json()).toMatchObject({ version: 1, messages: [{ role: 'user', content: 'So?' }, ANSWER] });
  });

  test('is deleted by its owner key, also when it is cached', async () => {
    const { url, id, ownerKey } = await share([ANSWER]);
    expect((await fetch(url)).status).toBe(200);
    const remove = (authorization?: string) =>
      fetch(url, { method: 'DELETE', ...(authorization !== undefined && { headers: { authorization } }) });
    expect((await remove()).status).toBe(401);
    expect((await remove('Bearer wrong')).status).toBe(403);
    expect(await (await remove(`Bearer ${ownerKey}`)).json()).toEqual({ ok: true });
    expect((await remove(ownerKey)).status).toBe(404);
    for (const path of ['', '/conversation.md', '/conversation.json'])
      expect((await fetch(url + path)).status).toBe(404);
    expect((await fetch(`${service.url}/file/${id}`)).status).toBe(404);
  });

  test.each(['x', 'A'.repeat(22), '..%2f..%2fetc', '%00', 'ä'.repeat(22), 'A'.repeat(2000)])(
    'is a 404 for an invalid id: %s',
    async (id) => {
      const answer = await fetch(`${service.url}/share/${id}`);
      expect([404, 414]).toContain(answer.status);
    },
  );

  test('can not be forged by an upload: a file is no conversation, whatever it contains', async () => {
    const { id } = await share([ANSWER]);
    const copy = await fetch(`${service.url}/file/${id}?download`);
    const bytes = Buffer.from(await copy.arrayBuffer());
    expect(JSON.parse(bytes.toString())).toMatchObject({ version: 1 });
    const order = { name: 'copy.json', mediaType: 'application/json', userId: 1 };
    const file = await service.storage.upload(toChunks(bytes), order, AbortSignal.timeout(60_000));
    expect((await fetch(`${service.url}/share/${file.id}`)).status).toBe(404);
  });
});
