import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { BlobMissingError, BlobRefusedError } from '../../src/core/storage/index.ts';
import { connectRaw, requestHead } from '../support/clients/http-raw.ts';
import { readUploadAnswer } from '../support/harness/files.ts';
import { type HttpService, startHttpService } from '../support/harness/http.ts';
import { createFastClock } from '../support/machine/fast-clock.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';
import { createWatchedStore } from '../support/stores/watched-store.ts';

const store = createWatchedStore();
let database: TestDatabase;
let service: HttpService;

beforeAll(async () => {
  database = await createTestDatabase();
  service = await startHttpService({ store, database, cloudUrl: 'https://files.example.org' });
});
afterEach(() => store.failReads(undefined));
afterAll(async () => {
  await service.close();
  await database.close();
});

interface Uploaded {
  readonly id: string;
  readonly owner: string;
  readonly url: string;
  /** The link, with the address of the test server. */
  readonly link: string;
}

async function upload(
  body: NonNullable<RequestInit['body']>,
  headers: Record<string, string> = {},
  name = 'file.bin',
): Promise<Uploaded> {
  const init = { method: 'PUT', body, headers };
  const answer = await readUploadAnswer(fetch(`${service.url}/upload/${encodeURIComponent(name)}`, init));
  expect(answer).toMatchObject({ ok: true });
  return { ...answer, link: `${service.url}/file/${answer.id}` };
}

async function failure(answer: Response | Promise<Response>) {
  const { status, headers } = await answer;
  const body = await readUploadAnswer(answer);
  return { status, headers, ok: body.ok, code: body.error?.code };
}

const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', accept: 'text/html,*/*;q=0.8' };

describe('a download', () => {
  test('has a link below the public address', async () => {
    const { url, id } = await upload('x');
    expect(url).toBe(`https://files.example.org/file/${id}`);
  });

  test('has headers that describe the file and forbid everything else', async () => {
    const { link } = await upload('hello', { 'content-type': 'application/zip' }, 'a "ä".zip');
    const { headers } = await fetch(link);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/zip',
      'content-length': '5',
      'content-disposition': `attachment; filename="a ___.zip"; filename*=UTF-8''a%20_%C3%A4_.zip`,
      etag: '"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/),
      'referrer-policy': 'no-referrer',
      'cache-control': 'private, no-cache',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
    });
    expect(Date.parse(headers.get('last-modified') ?? '')).toBeGreaterThan(Date.now() - 60_000);
  });

  test('by HEAD has the same headers and no body', async () => {
    const { link } = await upload('hello');
    const [get, head] = await Promise.all([fetch(link), fetch(link, { method: 'HEAD' })]);
    const comparable = ({ headers }: Response) =>
      Object.fromEntries(
        [...headers].filter(([name]) => !['connection', 'date', 'keep-alive', 'x-request-id'].includes(name)),
      );
    expect(comparable(head)).toEqual(comparable(get));
    expect(await head.text()).toBe('');
  });

  test('is the same below the name of the file or any other name', async () => {
    const { link } = await upload('hello');
    for (const path of ['/file.bin', '/whatever', '/', '/view?download']) {
      expect(await (await fetch(`${link}${path}`)).text()).toBe('hello');
    }
  });

  test.each([
    'text/html',
    'text/html; charset=utf-8',
    'application/xhtml+xml',
    'image/svg+xml',
    'text/xml',
    'application/xml',
    'application/rss+xml',
    'text/javascript',
    'application/javascript',
    'application/ecmascript',
    'text/css',
    'text/xsl',
    'application/pdf',
    'application/wasm',
    'multipart/x-mixed-replace',
    'message/rfc822',
    'application/x-shockwave-flash',
    'text/vtt',
    'x/y',
    'application/octet-stream',
  ])('of %s is an attachment of plain bytes, whatever the uploader requested', async (type) => {
    const { link } = await upload('<script>alert(1)</script>', { 'content-type': type, 'x-inline': 'true' });
    const { headers } = await fetch(link);
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('content-disposition')).toMatch(/^attachment;/);
  });

  test('of a harmless type is shown inline if the uploader requested it', async () => {
    const type = { 'content-type': 'image/png' };
    const [saved, shown] = [await upload('x', type), await upload('x', { ...type, 'x-inline': 'true' })];
    const disposition = async (url: string) => (await fetch(url)).headers.get('content-disposition');
    expect(await disposition(saved.link)).toMatch(/^attachment;/);
    expect(await disposition(shown.link)).toMatch(/^inline;/);
    expect(await disposition(`${shown.link}?download`)).toMatch(/^attachment;/);
  });

  test('has the bare name in its disposition for old clients', async () => {
    const old = await startHttpService({ hasBareFileNames: true });
    try {
      const init = { method: 'PUT', body: 'x' };
      const { url } = await readUploadAnswer(fetch(`${old.url}/upload/${encodeURIComponent('Übung 1.txt')}`, init));
      const header = (await fetch(url)).headers.get('content-disposition') ?? '';
      expect(Buffer.from(header, 'latin1').toString('utf8')).toBe('Übung 1.txt');
    } finally {
      await old.close();
    }
  });

  test.each([
    ['/file/AAAAAAAAAAAAAAAAAAAAAA'],
    ['/file/x'],
    ['/file/..%2f..%2fetc'],
    ['/file/AAAAAAAAAAAAAAAAAAAAAA/name'],
  ])('of a missing file (%s) is always the same 404', async (path) => {
    const answer = await fetch(`${service.url}${path}`);
    expect([answer.status, await answer.json()]).toEqual([
      404,
      { ok: false, error: { code: 'file_not_found', message: 'There is no such file, or it no longer exists.' } },
    ]);
  });

  test.each(['PUT', 'PATCH'])('by %s is a 405 in the same format', async (method) => {
    const { link } = await upload('x');
    expect(await failure(fetch(link, { method }))).toMatchObject({ status: 405, ok: false });
  });

  test('after the expiry is a 404', async () => {
    const { link } = await upload('x', { 'x-expires-in': '1' });
    expect((await fetch(link)).status).toBe(200);
    await expect.poll(async () => (await fetch(link)).status).toBe(404);
  });
});

describe('a link with what a chat put behind it', () => {
  const ENDS = [
    '.',
    ',',
    ')',
    '>',
    ').',
    '>,',
    '\u200b',
    ').\u200b',
    '"',
    "'",
    '`',
    '*',
    '**',
    '_',
    '|',
    ']',
    '!',
    ';',
  ];

  test.each([...ENDS, '…', '»', '”', '\u00a0', '\ufeff', '\u2060', '\u202c', '。', '）', '、', ' '])(
    'is found with %j, percent-encoded too',
    async (end) => {
      const { id, link } = await upload('hello');
      for (const path of [`${link}${encodeURI(end)}`, `${link}${encodeURIComponent(end)}`]) {
        expect(await (await fetch(path)).text()).toBe('hello');
        const part = await fetch(path, { headers: { range: 'bytes=1-2' } });
        expect([part.status, await part.text()]).toEqual([206, 'el']);
        expect((await fetch(path, { method: 'HEAD' })).headers.get('content-length')).toBe('5');
        expect(await (await fetch(`${path}/a.bin`)).text()).toBe('hello');
        for (const page of [path, `${path}/view`, `${link}/view${encodeURIComponent(end)}`]) {
          const answer = await fetch(page, { headers: NAVIGATION });
          expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('file.bin')]);
        }
      }
      const { owner } = await upload('x');
      const removal = await fetch(`${service.url}/file/${id}${encodeURIComponent(end)}`, {
        method: 'DELETE',
        headers: { authorization: owner },
      });
      expect(removal.status, 'found, with the key of another file').toBe(403);
    },
  );

  test('is found with any mixture of them, also escaped twice, and with nothing else', async () => {
    const { id, link, owner } = await upload('hello');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...ENDS), { maxLength: 6 }), async (ends) => {
        expect((await fetch(`${link}${encodeURIComponent(ends.join(''))}`)).status).toBe(200);
        expect((await fetch(`${link}${encodeURIComponent(encodeURIComponent(ends.join('')))}`)).status).toBe(200);
      }),
      { numRuns: 20 },
    );
    for (const wrong of ['x', '.x', '1', ')1', 'ф', '-a']) {
      expect((await fetch(`${link}${encodeURIComponent(wrong)}`)).status).toBe(404);
    }
    expect((await fetch(`${service.url}/file/(${id}`)).status).toBe(404);
    const removal = await fetch(`${service.url}/delete/${id}).`, { headers: { authorization: owner } });
    expect(await removal.json()).toEqual({ ok: true });
  });
});

describe('a link with a name', () => {
  test('is a second form of the link: GET, HEAD, ranges, conditions and the page', async () => {
    const { link } = await upload('hello', { 'content-type': 'text/plain' }, 'notes.txt');
    for (const name of ['notes.txt', 'other%20name.bin', '%D1%84.txt', 'a%2Fb.txt', 'notes.txt).']) {
      const path = `${link}/${name}`;
      const whole = await fetch(path);
      expect([whole.status, await whole.text()]).toEqual([200, 'hello']);
      const head = await fetch(path, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, '5']);
      const part = await fetch(path, { headers: { range: 'bytes=-2' } });
      expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 3-4/5', 'lo']);
      expect((await fetch(path, { headers: { range: 'bytes=9-' } })).status).toBe(416);
      const etag = whole.headers.get('etag') ?? '';
      expect((await fetch(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
      const page = await fetch(`${path}/view`);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(await page.text()).toContain('notes.txt');
      expect(await (await fetch(`${path}/view?download`)).text()).toBe('hello');
    }
  });
});

describe('a download limit', () => {
  test('counts complete downloads and allows no ranges', async () => {
    const { link } = await upload('hello', { 'x-max-downloads': '2' });
    const head = await fetch(link, { method: 'HEAD' });
    expect([head.status, head.headers.get('accept-ranges')]).toEqual([200, null]);
    const etag = head.headers.get('etag') ?? '';
    expect((await fetch(link, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await fetch(`${link}/view`)).status).toBe(200);
    const part = await fetch(link, { headers: { range: 'bytes=1-2' } });
    expect([part.status, await part.text()]).toEqual([200, 'hello']);
    expect(await (await fetch(link)).text()).toBe('hello');
    expect(await failure(fetch(link))).toMatchObject({ status: 404, code: 'file_not_found' });
  });

  test('holds under concurrent requests', async () => {
    const { link } = await upload('x'.repeat(100_000), { 'x-max-downloads': '3' });
    const answers = await Promise.all(Array.from({ length: 12 }, () => fetch(link)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    for (const answer of answers) {
      const { byteLength } = await answer.arrayBuffer();
      expect(answer.status === 200 ? byteLength === 100_000 : byteLength < 200).toBe(true);
    }
    await expect.poll(() => store.openCount).toBe(0);
  });
});

describe('a limited download that ends early', () => {
  const SIZE = 6_000_000;
  const once = () => upload(Buffer.alloc(SIZE, 'content'), { 'x-max-downloads': '1' });
  const isCut = async (link: string) => {
    const answer = await fetch(link);
    expect(answer.status).toBe(200);
    await expect(answer.arrayBuffer()).rejects.toThrow();
  };

  test.each<[string, Error, number]>([
    ['a refusal in the middle', new BlobRefusedError('Telegram refuses', { retryAfterMs: 60_000 }), 3_000_000],
    ['a broken connection to the store', new Error('ECONNRESET'), 100_000],
    ['lost bytes', new BlobMissingError('gone'), 5_900_000],
  ])('by %s is not used up', async (_case, error, afterBytes) => {
    const { link } = await once();
    for (let time = 0; time < 3; time++) {
      store.failReads({ error, afterBytes });
      await isCut(link);
    }
    store.failReads(undefined);
    expect((await (await fetch(link)).arrayBuffer()).byteLength).toBe(SIZE);
    expect((await fetch(link)).status).toBe(404);
  });

  test('by the end of the service is not used up', async () => {
    const ending = await startHttpService({ store, database, closeTimeoutMs: 300 });
    const init = { method: 'PUT', body: Buffer.alloc(40_000_000), headers: { 'x-max-downloads': '1' } };
    const { id } = await readUploadAnswer(fetch(`${ending.url}/upload/x`, init));
    const connection = await connectRaw(ending.port);
    connection.send(requestHead(`GET /file/${id}`));
    await connection.receive((text) => text.includes('\r\n\r\n'));
    connection.socket.pause();
    await ending.stop();
    await expect.poll(() => ending.storage.beginDownload(id)).toBeTypeOf('object');
    connection.socket.destroy();
    await ending.close();
  });

  test('by its reader is used up', async () => {
    const { id, link } = await upload(Buffer.alloc(40_000_000), { 'x-max-downloads': '1' });
    const connection = await connectRaw(service.port);
    connection.send(requestHead(`GET /file/${id}`));
    await connection.receive((text) => text.includes('\r\n\r\n'));
    connection.socket.pause();
    const meanwhile = await failure(fetch(link));
    expect([meanwhile.status, meanwhile.code]).toEqual([503, 'downloads_in_use']);
    expect(Number(meanwhile.headers.get('retry-after'))).toBeGreaterThan(0);
    connection.socket.destroy();
    await expect.poll(async () => (await fetch(link)).status).toBe(404);
  });

  test('before its first byte is not used up', async () => {
    const { link } = await once();
    store.failReads({ error: new BlobRefusedError('no'), afterBytes: 0 });
    expect((await fetch(link)).status).toBe(503);
    store.failReads(undefined);
    expect((await (await fetch(link)).arrayBuffer()).byteLength).toBe(SIZE);
    expect((await fetch(link)).status).toBe(404);
  });

  test('of an empty file is counted', async () => {
    const { link } = await upload('', { 'x-max-downloads': '1' });
    expect((await fetch(link)).status).toBe(200);
    await expect.poll(async () => (await fetch(link)).status).toBe(404);
  });
});

describe('the preview of a link', () => {
  const PREVIEWERS = [
    'TelegramBot (like TwitterBot)',
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'Slackbot 1.0 (+https://api.slack.com/robots)',
    'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
    'WhatsApp/2.23.20.0',
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'facebookexternalhit/1.1 Facebot Twitterbot/1.0',
    'facebookexternalhit/1.1;line-poker/1.0',
    'Twitterbot/1.0',
    'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
    'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5 skype-url-preview@microsoft.com',
    'Mozilla/5.0 (compatible; vkShare; +http://vk.com/dev/Share)',
    'Synapse (bot; +https://github.com/matrix-org/synapse)',
    'http.rb/5.1.0 (Mastodon/4.2.0; +https://mastodon.social/) Bot',
  ];

  test.each(PREVIEWERS)('by %s is the page, and is not counted', async (userAgent) => {
    const headers = { 'user-agent': userAgent, accept: '*/*' };
    const { link } = await upload('hello', { 'x-max-downloads': '1', 'x-inline': 'true' }, 'note.txt');
    for (const [path, more] of [
      ['', {}],
      ['', { range: 'bytes=0-524287' }],
      ['/note.txt', {}],
      ['?download', {}],
      ['/view', {}],
    ] as const) {
      const answer = await fetch(`${link}${path}`, { headers: { ...headers, ...more } });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(await answer.text()).not.toContain('hello');
    }
    expect((await fetch(link, { method: 'HEAD', headers })).headers.get('content-type')).toMatch(/^text\/html/);
    expect(await (await fetch(link)).text()).toBe('hello');
    await expect.poll(async () => (await fetch(link)).status).toBe(404);
  });

  test.each([{ purpose: 'prefetch' }, { 'sec-purpose': 'prefetch;prerender' }, { 'x-purpose': 'preview' }])(
    'by a browser that looks ahead (%o) is not counted',
    async (headers) => {
      const { link } = await upload('hello', { 'x-max-downloads': '1' });
      const init = { headers: headers as Record<string, string> };
      expect((await fetch(link, init)).headers.get('content-type')).toMatch(/^text\/html/);
      expect(await (await fetch(link)).text()).toBe('hello');
    },
  );

  test('shows name, size and image of a file without a limit, whose bytes have their own address', async () => {
    const { id, link } = await upload('x', { 'content-type': 'image/png' }, 'a "b".png');
    const headers = { 'user-agent': PREVIEWERS[0] ?? '' };
    const page = await (await fetch(link, { headers })).text();
    expect(page).toContain('<meta property="og:title" content="a _b_.png">');
    const image = /og:image" content="https:\/\/files\.example\.org([^"]+)"/.exec(page)?.[1] ?? '';
    expect(image).toContain(id);
    const bytes = await fetch(`${service.url}${image}`, { headers });
    expect([bytes.headers.get('content-type'), await bytes.text()]).toEqual(['image/png', 'x']);
  });

  test('of a file with a password tells nothing', async () => {
    const { link } = await upload('x', { 'x-password': 'open' }, 'private-name.txt');
    const page = await (await fetch(link, { headers: { 'user-agent': 'TelegramBot' } })).text();
    expect(page).not.toContain('private-name');
    expect(page).not.toContain('og:');
  });

  test.each(['curl/8.5.0', 'Wget/1.21', 'MyTelegramBotClient/1.0', 'python-requests/2.32', 'robots-of-mine/1'])(
    'is nothing that %s gets',
    async (userAgent) => {
      const { link } = await upload('hello');
      expect(await (await fetch(link, { headers: { 'user-agent': userAgent } })).text()).toBe('hello');
    },
  );
});

describe('a download that fails', () => {
  const big = Buffer.alloc(6_000_000, 'content');

  test('before its first byte is an error', async () => {
    const { link } = await upload(big);
    store.failReads({ error: new BlobRefusedError('secret reason', { retryAfterMs: 60_000 }), afterBytes: 0 });
    const { status, headers, ok, code } = await failure(fetch(link));
    expect([status, ok, code]).toEqual([503, false, 'storage_unavailable']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await fetch(link, { method: 'HEAD' })).status, 'nothing is read for HEAD').toBe(200);
  });

  test('in the middle never looks complete', async () => {
    const { link } = await upload(big);
    store.failReads({ error: new Error('gone'), afterBytes: 3_000_000 });
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const sent = request(link, { agent: false }, (answer) => {
      expect(answer.statusCode).toBe(200);
      let received = 0;
      answer.on('data', (piece) => {
        received += piece.length;
      });
      answer.on('end', () => reject(new Error('it ended as if it was complete')));
      answer.on('error', () => resolve(received));
    });
    sent.end();
    expect(await promise).toBeLessThan(big.length);
    await expect.poll(() => store.openCount).toBe(0);
    expect(service.logText()).toContain('a download was interrupted');
  });

  test('because the client disconnects releases its resources', async () => {
    const { link } = await upload(Buffer.alloc(40_000_000));
    const before = store.readBytes;
    const connection = await connectRaw(service.port);
    connection.send(requestHead(`GET ${new URL(link).pathname}`));
    await connection.receive((text) => text.includes('\r\n\r\n'));
    connection.socket.pause();
    connection.socket.destroy();
    await expect.poll(() => store.openCount).toBe(0);
    expect(store.readBytes - before).toBeLessThan(40_000_000);
  });

  test('because the client does not read is aborted, with bounded read-ahead', async () => {
    const impatient = await startHttpService({ store, clock: createFastClock(60) });
    onTestFinished(() => impatient.close());
    const sent = await fetch(`${impatient.url}/upload/file.bin`, { method: 'PUT', body: Buffer.alloc(40_000_000) });
    const link = `/file/${(await readUploadAnswer(sent)).id}`;
    const before = store.readBytes;
    const connection = await connectRaw(impatient.port);
    connection.socket.pause();
    connection.send(requestHead(`GET ${link}`));
    await expect.poll(() => store.openCount).toBe(1);
    await delay(300);
    expect(store.readBytes - before).toBeLessThan(30_000_000);
    await expect.poll(() => store.openCount).toBe(0);
    connection.socket.destroy();
  });
});

describe('a file with a password', () => {
  const basic = (password: string) => ({ authorization: `Basic ${Buffer.from(`me:${password}`).toString('base64')}` });
  const asHeader = { 'x-password': Buffer.from('пароль: 1').toString('latin1') };

  test('is sent only with the password', async () => {
    const { link } = await upload('hello', asHeader);
    const refused = await failure(fetch(link));
    expect([refused.status, refused.code]).toEqual([401, 'password_required']);
    expect(refused.headers.get('www-authenticate')).toMatch(/^Basic /);
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(401);
    expect((await fetch(`${link}/file.bin`, { headers: basic('wrong') })).status).toBe(401);
    for (const headers of [asHeader, basic('пароль: 1')]) {
      const answer = await fetch(link, { headers });
      expect(await answer.text()).toBe('hello');
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  test('is sent by the form of its page, which shows nothing before', async () => {
    const { link } = await upload('hello', { 'x-password': 'open' }, 'private-name.txt');
    const page = await (await fetch(link, { headers: NAVIGATION })).text();
    expect(page).toContain('Password required');
    expect(page).not.toContain('private-name');
    const submit = (password: string) => fetch(link, { method: 'POST', body: new URLSearchParams({ password }) });
    const wrong = await submit('no');
    expect([wrong.status, await wrong.text()]).toEqual([403, expect.stringContaining('Wrong password')]);
    const right = await submit('open');
    expect([right.status, await right.text()]).toEqual([200, 'hello']);
    expect(right.headers.get('content-disposition')).toMatch(/^attachment;/);
  });

  test.each<[string, RequestInit]>([
    ['no body', {}],
    ['JSON', { headers: { 'content-type': 'application/json' }, body: '{"password":"open"}' }],
    ['a multipart form', { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: '--x--' }],
    ['an invalid content type', { headers: { 'content-type': ' ;; ' }, body: 'x' }],
    ['bytes without a content type', { body: Buffer.from('password=open') }],
    ['a form without password', { body: new URLSearchParams({ other: 'open' }) }],
  ])('or without one is not sent by POST with %s', async (_what, init) => {
    for (const wishes of [{}, { 'x-password': 'open' }]) {
      const { link } = await upload('hello', wishes);
      const answer = await failure(fetch(link, { method: 'POST', ...init }));
      expect([answer.status, answer.code]).toEqual([405, 'method_not_allowed']);
      expect(answer.headers.get('allow')).toBe('DELETE, GET, HEAD, OPTIONS');
    }
  });

  test('is protected against guessing', async () => {
    const { link } = await upload('hello', { 'x-password': 'open' });
    const tries = await Promise.all(
      Array.from({ length: 14 }, (_, index) => fetch(link, { headers: { 'x-password': `guess ${index}` } })),
    );
    expect(tries.map(({ status }) => status).sort()).toEqual([...Array(10).fill(401), ...Array(4).fill(429)]);
    const answer = await failure(fetch(link, { headers: { 'x-password': 'open' } }));
    expect([answer.status, answer.code]).toEqual([429, 'too_many_passwords']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    const form = await fetch(link, { method: 'POST', body: new URLSearchParams({ password: 'open' }) });
    expect([form.status, await form.text()]).toEqual([429, expect.stringMatching(/Try again in \d+ minutes\./)]);
    expect(Number(form.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = await upload('x', { 'x-password': 'open' });
    expect((await fetch(other.link, { headers: { 'x-password': 'open' } })).status).toBe(200);
  });

  test('can be requested any number of times with the right password', async () => {
    const { link } = await upload('hello', { 'x-password': 'open' });
    // One more than the wrong passwords that are allowed.
    for (let time = 0; time < 11; time++) {
      expect((await fetch(link, { headers: { 'x-password': 'open' } })).status).toBe(200);
    }
  });
});

describe('a deletion', () => {
  const remove = (path: string, authorization?: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${service.url}${path}`, { method, headers: { ...headers, ...(authorization ? { authorization } : {}) } });

  test.each([
    ['DELETE', 'file', (key: string) => key],
    ['GET', 'delete', (key: string) => key],
    ['DELETE', 'file', (key: string) => `Bearer ${key}`],
  ])('by %s /%s with the owner key deletes the file', async (method, chatTopic, toHeader) => {
    const { id, owner, link } = await upload('x');
    const answer = await remove(`/${chatTopic}/${id}`, toHeader(owner), {}, method);
    expect([answer.status, await answer.json()]).toEqual([200, { ok: true }]);
    expect((await fetch(link)).status).toBe(404);
    expect(await failure(remove(`/${chatTopic}/${id}`, toHeader(owner), {}, method))).toMatchObject({
      status: 404,
      code: 'file_not_found',
    });
  });

  test.each([
    ['DELETE', 'file'],
    ['GET', 'delete'],
  ])('by %s /%s needs the right key', async (method, chatTopic) => {
    const { id, owner, link } = await upload('x');
    const path = `/${chatTopic}/${id}`;
    expect(await failure(remove(path, undefined, {}, method))).toMatchObject({
      status: 401,
      code: 'owner_key_required',
    });
    for (const wrong of [`${owner}x`, owner.slice(1), 'x'.repeat(5000), 'two words', 'Basic bWU6eA==', id]) {
      expect(await failure(remove(path, wrong, {}, method))).toMatchObject({ status: 403, code: 'wrong_owner_key' });
    }
    expect(await failure(remove(`/${chatTopic}/AAAAAAAAAAAAAAAAAAAAAA`, owner, {}, method))).toMatchObject({
      status: 404,
    });
    expect((await fetch(link)).status).toBe(200);
  });

  test('never happens by GET', async () => {
    const { id, owner, link } = await upload('x');
    for (const method of ['HEAD', 'OPTIONS', 'POST']) await remove(`/delete/${id}`, owner, {}, method);
    for (const headers of [{ purpose: 'prefetch' }, { 'sec-purpose': 'prefetch;prerender' }, { 'x-moz': 'prefetch' }]) {
      expect(await failure(remove(`/delete/${id}`, owner, headers as Record<string, string>))).toMatchObject({
        status: 403,
        code: 'prefetch_refused',
      });
    }
    expect((await fetch(link)).status).toBe(200);
  });
});

describe('the page of a file', () => {
  test('is sent to browsers that navigate; other clients get the bytes', async () => {
    const { link } = await upload('hello', { 'content-type': 'application/x-anything' });
    const typeOf = async (headers: Record<string, string>, url = link) =>
      (await fetch(url, { headers })).headers.get('content-type');
    expect(await typeOf(NAVIGATION)).toBe('text/html; charset=utf-8');
    expect(await typeOf({ accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })).toBe('text/html; charset=utf-8');
    for (const headers of [
      { accept: '*/*' },
      { accept: 'image/avif,image/webp,*/*', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
      { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
      { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe', accept: 'text/html' },
      { ...NAVIGATION, range: 'bytes=0-' },
    ]) {
      expect(await typeOf(headers as Record<string, string>)).toBe('application/octet-stream');
    }
    expect(await typeOf(NAVIGATION, `${link}?download`)).toBe('application/octet-stream');
    expect(await typeOf(NAVIGATION, `${link}/file.bin`)).toBe('application/octet-stream');
    expect(await typeOf({}, `${link}/view`)).toBe('text/html; charset=utf-8');
  });

  test('escapes markup in the name and the text', async () => {
    const evil = '"><script>alert(1)</script>';
    const { link } = await upload(`</pre>${evil}`, { 'content-type': 'text/plain' }, "x'&amp;\u003cb>");
    const page = await fetch(`${link}/view`);
    const text = await page.text();
    expect(text).not.toContain('<script');
    expect(text).toContain('&lt;/pre&gt;&quot;&gt;&lt;script&gt;');
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(page.headers.get('cache-control')).toBe('no-store');
  });

  test('of a missing file is a page as well', async () => {
    const answer = await fetch(`${service.url}/file/AAAAAAAAAAAAAAAAAAAAAA`, { headers: NAVIGATION });
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('There is no such file')]);
  });

  test('is sent when the preview can not be read', async () => {
    const { link } = await upload('hello', {}, 'a.txt');
    store.failReads({ error: new BlobRefusedError('no'), afterBytes: 0 });
    const answer = await fetch(`${link}/view`);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Download')]);
  });
});
