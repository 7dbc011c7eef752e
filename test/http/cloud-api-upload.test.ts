import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { connectRaw, requestHead } from '../support/clients/http-raw.ts';
import { fieldPart, filePart, MULTIPART_TYPE, toMultipartBody } from '../support/clients/multipart-body.ts';
import { readUploadAnswer, type UploadAnswer } from '../support/harness/files.ts';
import { type HttpService, startHttpService } from '../support/harness/http.ts';
import { createFastClock } from '../support/machine/fast-clock.ts';
import { createWatchedStore } from '../support/stores/watched-store.ts';

const MAX_FILE_BYTES = 8 * 1024 * 1024;

const store = createWatchedStore();
let service: HttpService;
/** The same service with a short timeout for requests other than uploads. */
let hasty: HttpService;
/** The same service with a short timeout for silent uploads. */
let impatient: HttpService;

beforeAll(async () => {
  service = await startHttpService({ store, storageOptions: { maxFileBytes: MAX_FILE_BYTES } });
  hasty = await startHttpService({ clock: createFastClock(300) });
  impatient = await startHttpService({ clock: createFastClock(40) });
});
afterAll(() => Promise.all([service, hasty, impatient].map((one) => one.close())));

const file = filePart('; filename="a.txt"');

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: UploadAnswer;
}

async function read(answer: Response): Promise<Answer> {
  return { status: answer.status, headers: answer.headers, body: await readUploadAnswer(answer) };
}

async function post(form: FormData | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  const type: Record<string, string> = Buffer.isBuffer(form) ? { 'content-type': MULTIPART_TYPE } : {};
  return read(await fetch(`${service.url}/upload`, { method: 'POST', body: form, headers: { ...type, ...headers } }));
}

async function put(name: string, body: NonNullable<RequestInit['body']>, init: RequestInit = {}): Promise<Answer> {
  return read(await fetch(`${service.url}/upload/${name}`, { method: 'PUT', body, ...init }));
}

function formWith(file: File, fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', file);
  return form;
}

describe('an upload', () => {
  const bytes = Buffer.from('the bytes of the file');

  test('by a form returns the owner key, the link and the stored properties', async () => {
    const { status, body } = await post(formWith(new File([bytes], 'notes.txt', { type: 'text/plain' })));
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      owner: expect.stringMatching(/^[\w-]{43}$/),
      id: expect.stringMatching(/^[\w-]{22}$/),
      url: `${service.url}/file/${body.id}`,
      name: 'notes.txt',
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    });
    const download = await fetch(body.url);
    expect(download.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(Buffer.from(await download.arrayBuffer())).toEqual(bytes);
  });

  test('by PUT stores the body unchanged', async () => {
    const { status, body } = await put('picture.png', bytes);
    expect([status, body.name, body.size]).toEqual([200, 'picture.png', bytes.length]);
    const download = await fetch(body.url);
    expect(download.headers.get('content-type'), 'the type by the name').toBe('image/png');
    expect(Buffer.from(await download.arrayBuffer())).toEqual(bytes);
  });

  test.each([0, 1, 65_535, 65_536, 65_537, 3_000_000])(
    'of %i bytes is returned unchanged, by form and by PUT',
    async (size) => {
      const content = Buffer.alloc(size, 'content');
      for (const { status, body } of [await post(formWith(new File([content], 'x'))), await put('x', content)]) {
        expect([status, body.size]).toEqual([200, size]);
        expect(Buffer.from(await (await fetch(body.url)).arrayBuffer()).equals(content)).toBe(true);
      }
    },
  );

  test('without a declared length is accepted', async () => {
    const stream = new Blob([bytes]).stream();
    const { status, body } = await put('x', stream, { duplex: 'half' } as RequestInit);
    expect([status, body.size]).toEqual([200, bytes.length]);
  });

  test('takes its options from fields before the file, or from headers', async () => {
    const before = Date.now();
    const byFields = await post(formWith(new File([bytes], 'a.txt'), { expires_in: '7d', max_downloads: '3' }));
    const byHeaders = await put('a.txt', bytes, { headers: { 'x-expires-in': '604800', 'x-max-downloads': '3' } });
    for (const { status, body } of [byFields, byHeaders]) {
      expect(status).toBe(200);
      expect(Math.abs(Date.parse(body.expires_at) - before - 7 * 86_400_000)).toBeLessThan(60_000);
      expect(await service.storage.find(body.id)).toMatchObject({ downloadsLeft: 3 });
    }
  });

  test.each([
    [{ expires_in: '1h' }],
    [{ max_downloads: '3', inline: 'true' }],
    [{ password: 'open', expires_in: '7d' }],
  ])('takes the options %o also from fields after the file, in any mixture', async (fields) => {
    const options = Object.entries(fields).map(([name, value]) => fieldPart(name, value));
    const orders = [
      [file, ...options],
      [options[0] ?? file, file, ...options.slice(1)],
      [...options, file],
    ];
    const found = [];
    for (const parts of orders) {
      const { status, body } = await post(toMultipartBody(parts));
      expect(status).toBe(200);
      const stored = await service.storage.find(body.id);
      const minutes = stored?.expiresAt && Math.round((stored.expiresAt.getTime() - Date.now()) / 60_000);
      found.push([stored?.downloadsLeft, stored?.hasPassword, stored?.isInline, minutes]);
    }
    expect(found).toEqual([found[0], found[0], found[0]]);
    expect(found[0]).not.toEqual([undefined, false, false, undefined]);
  });

  test.each(['name', 'type', 'size', 'lastModified', 'relativePath', 'MAX_FILE_SIZE', 'qquuid'])(
    'ignores the field %s, which uploaders add by themselves',
    async (name) => {
      for (const parts of [
        [fieldPart(name, 'other.txt'), file],
        [file, fieldPart(name, 'image/png')],
      ]) {
        const { status, body } = await post(toMultipartBody(parts));
        expect([status, body.name]).toEqual([200, 'a.txt']);
      }
    },
  );

  test('expires after the time that it was given, counted from its end', async () => {
    let laterMs = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + laterMs };
    const slow = await startHttpService({ clock });
    onTestFinished(() => slow.close());
    const connection = await connectRaw(slow.port);
    const headers = { 'x-expires-in': '60', 'content-length': '5', expect: '100-continue', connection: 'close' };
    connection.send(requestHead('PUT /upload/a', headers));
    await connection.receive((text) => text.includes('100 Continue'));
    laterMs = 30_000;
    connection.send('hello');
    const expiresAt = /"expires_at":"([^"]+)"/.exec(await connection.ended())?.[1] ?? '';
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now() + 75_000);
  });

  test('with an API key belongs to a user, without one to no user', async () => {
    const headers = { authorization: `Bearer ${service.apiKey}` };
    const { body: own } = await put('a', bytes, { headers });
    const { body: anonymous } = await put('a', bytes);
    expect((await service.storage.find(own.id))?.userId).toEqual(expect.any(Number));
    expect((await service.storage.find(anonymous.id))?.userId).toBeUndefined();
  });

  test('is not mixed up with a concurrent one', async () => {
    const contents = Array.from({ length: 6 }, (_, index) => Buffer.alloc(500_000 + index, String(index)));
    const answers = await Promise.all(contents.map((content, index) => put(`file-${index}`, content)));
    for (const [index, { body }] of answers.entries()) {
      expect(body.name).toBe(`file-${index}`);
      expect(Buffer.from(await (await fetch(body.url)).arrayBuffer()).equals(contents[index] ?? bytes)).toBe(true);
    }
  });

  test('may take longer than other requests', async () => {
    const connection = await connectRaw(hasty.port);
    connection.send(requestHead('PUT /upload/slow', { 'content-length': '750000', connection: 'close' }));
    // On the clock of the service, six minutes.
    for (let sent = 0; sent < 15; sent++) {
      await delay(80);
      connection.send('x'.repeat(50_000));
    }
    expect(await connection.ended()).toContain('HTTP/1.1 200');
  });
});

describe('a name', () => {
  const download = async (body: { url: string }) => {
    const header = (await fetch(body.url)).headers.get('content-disposition') ?? '';
    return decodeURIComponent(/filename\*=UTF-8''(\S+)$/.exec(header)?.[1] ?? '');
  };

  test.each([
    'plain.txt',
    'привет мир.txt',
    '👩‍👩‍👧‍👦 😀.png',
    'שלום עולם.pdf',
    '日本語.zip',
    'a;b, c=d (1).txt',
    "it's 100% fine.txt",
  ])('%s is returned unchanged, by form and by path', async (name) => {
    const byForm = await post(formWith(new File(['x'], name)));
    const byPath = await put(encodeURIComponent(name), 'x');
    for (const { body } of [byForm, byPath]) {
      expect(body.name).toBe(name);
      expect(await download(body)).toBe(name);
    }
  });

  test.each([
    ['of curl, with backslashes', '; filename="say \\"hi\\".txt"', 'say _hi_.txt'],
    ['of a browser, with percent signs', '; filename="say %22hi%22.txt"', 'say _hi_.txt'],
    ['in the extended form alone', "; filename*=utf-8''%D1%84%20%F0%9F%98%80.txt", 'ф 😀.txt'],
    ['in the extended form after an unquoted one', "; filename=x.txt; filename*=UTF-8''%D1%84.txt", 'ф.txt'],
    ['in the extended form after a quoted one', '; filename="x.txt"; filename*=UTF-8\'\'%D1%84.txt', 'ф.txt'],
    ['in the extended form before one', '; filename*=UTF-8\'\'%D1%84.txt; filename="x.txt"', 'ф.txt'],
    ['in the extended form with a language', '; filename="x.txt"; filename*=utf-8\'ru\'%D1%84.txt', 'ф.txt'],
    ['in the extended form in Latin-1', '; filename*=iso-8859-1\'\'%E9.txt; filename="x.txt"', 'é.txt'],
    ['in the extended form between others', '; filename*=UTF-8\'\'%D1%84.txt; size=5; filename="x.txt"', 'ф.txt'],
    ['in the extended form in quotes', '; filename="x.txt"; filename*="UTF-8\'\'%D1%84.txt"', 'ф.txt'],
    ['in a plain form that looks like both', '; filename="a; filename*=UTF-8\'\'b.txt"', "a; filename_=UTF-8''b.txt"],
    ['beside an extended form in no charset', '; filename="x.txt"; filename*=UTF-9\'\'%D1', 'x.txt'],
    ['beside a broken extended form', '; filename="x.txt"; filename*=UTF-8\'\'%FF', 'x.txt'],
    ['with a path', '; filename="C:\\fakepath\\..\\me.txt"', 'me.txt'],
    ['with slashes', '; filename="../../etc/passwd"', 'passwd'],
    ['that is broken UTF-8', `; filename="${'\u00ff'}"`, expect.any(String)],
  ])('%s is decoded', async (_title, disposition, name) => {
    const { status, body } = await post(toMultipartBody([filePart(disposition)]));
    expect([status, body.name]).toEqual([200, name]);
  });

  test('in the extended form wins in every form that a field may precede', async () => {
    const names = ['; filename="x.txt"', "; filename*=UTF-8''%D1%84.txt"];
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(names, { minLength: 2 }),
        fc.constantFrom('', 'y'.repeat(3000), 'filename="z.txt"\r\n\r\n'),
        fc.boolean(),
        async (order, field, isFolded) => {
          const part = filePart(order.join(isFolded ? '\r\n ' : ''));
          const { status, body } = await post(toMultipartBody([fieldPart('name', field), part]));
          expect([status, body.name]).toEqual([200, 'ф.txt']);
        },
      ),
      { numRuns: 12 },
    );
  });

  test.each([
    'a%0d%0aset-cookie: x=1.txt',
    'a%00b.txt',
    '%e2%80%aegpj.exe',
    '%2e%2e%2fx',
    'x'.repeat(300),
    '%f0%9f%98%80'.repeat(80),
  ])('with a malicious value, %s, has no effect', async (name) => {
    const { status, body } = await put(name, 'x');
    expect(status).toBe(200);
    const answer = await fetch(body.url);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="[^"\\]*"; filename\*=UTF-8''[\w%.!~*-]+$/,
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
    expect(body.name).not.toMatch(/[\u0000-\u001f\u202e]/);
  });
});

describe('a charset', () => {
  const cyrillic = Buffer.from('cff0e8e2e5f22c20ece8f0', 'hex');
  const utf16 = (isBig: boolean, hasMark = true) => {
    const bytes = Buffer.from(`${hasMark ? '\ufeff' : ''}Привет, мир`, 'utf16le');
    return isBig ? bytes.swap16() : bytes;
  };

  test.each<[type: string, bytes: Buffer, served: string]>([
    ['text/plain; charset=windows-1251', cyrillic, 'text/plain; charset=windows-1251'],
    ['text/plain;charset="CP1251"', cyrillic, 'text/plain; charset=cp1251'],
    ['text/csv; charset=windows-1251; header=absent', cyrillic, 'text/csv; charset=windows-1251'],
    ['text/markdown; charset=windows-1251', cyrillic, 'text/markdown; charset=windows-1251'],
    ['text/plain; charset=koi8-r', Buffer.from('f0d2c9d7c5d42c20cdc9d2', 'hex'), 'text/plain; charset=koi8-r'],
    ['text/plain; charset=utf-16', utf16(false), 'text/plain; charset=utf-16'],
    ['text/plain; charset=utf-16', utf16(true), 'text/plain; charset=utf-16'],
    ['text/plain; charset=utf-16be', utf16(true, false), 'text/plain; charset=utf-16be'],
    ['text/plain', utf16(true), 'text/plain; charset=utf-8'],
    ['text/csv', utf16(false), 'text/csv'],
    ['text/plain', Buffer.from('\ufeffПривет, мир'), 'text/plain; charset=utf-8'],
    ['text/plain; charset=x-unknown', Buffer.from('Привет, мир'), 'text/plain; charset=x-unknown'],
  ])('of %s is kept in the header and honored by the page, by form and by PUT', async (type, bytes, served) => {
    const part = { headers: ['Content-Disposition: form-data; name="file"; filename="a"', `Content-Type: ${type}`] };
    const byForm = await post(toMultipartBody([{ ...part, body: bytes }]));
    const byPath = await put('a', bytes, { headers: { 'content-type': type } });
    for (const { body } of [byForm, byPath]) {
      const answer = await fetch(body.url);
      expect(answer.headers.get('content-type')).toBe(served);
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
      expect(await (await fetch(`${body.url}/view`)).text()).toContain('>\nПривет, мир<');
    }
  });

  test('of a type that browsers run changes nothing', async () => {
    const { body } = await put('a', 'x', { headers: { 'content-type': 'text/html; charset=utf-7' } });
    expect((await fetch(body.url)).headers.get('content-type')).toBe('application/octet-stream');
  });
});

describe('an upload is refused', () => {
  test.each([
    ['without a file', toMultipartBody([fieldPart('inline', 'true')])],
    ['with no parts at all', toMultipartBody([])],
    ['with nothing', Buffer.alloc(0)],
    ['with an empty name', toMultipartBody([filePart('; filename=""')])],
    ['with an invalid name', toMultipartBody([filePart('; filename=".."')])],
    [
      'with a file in another part',
      toMultipartBody([{ ...file, headers: ['Content-Disposition: form-data; name="x"; filename="a"'] }]),
    ],
    ['with a field where the file should be', toMultipartBody([fieldPart('file', 'text')])],
    ['with two files', toMultipartBody([file, file])],
    ['with an endless option', toMultipartBody([fieldPart('password', 'x'.repeat(10_000)), file])],
    [
      'with 10 000 fields',
      toMultipartBody([...Array.from({ length: 10_000 }, () => fieldPart('inline', 'true')), file]),
    ],
    [
      'with an endless header',
      toMultipartBody([{ headers: [`X: ${'x'.repeat(300_000)}`, ...file.headers], body: 'x' }]),
    ],
    ['without its end', toMultipartBody([file], { isOpen: true })],
    ['that is no form', Buffer.from('hello')],
    ['that is noise', Buffer.alloc(100_000, '\r\n--')],
  ])('%s', async (_title, body) => {
    const stored = store.blobCount;
    const answer = await post(body);
    expect(answer.body).toEqual({ ok: false, error: { code: 'invalid_form', message: expect.any(String) } });
    expect(answer.status).toBe(400);
    await service.storage.sweep(AbortSignal.timeout(60_000));
    expect(store.blobCount).toBeLessThanOrEqual(stored);
  });

  test.each([
    [{ expires_in: 'soon' }],
    [{ expires_in: '0' }],
    [{ expires_in: '99999999d' }],
    [{ max_downloads: '0' }],
    [{ max_downloads: '1.5' }],
    [{ inline: 'perhaps' }],
    [{ password: 'ä'.repeat(129) }],
  ])('with the option %o', async (fields) => {
    const answer = await post(formWith(new File(['x'], 'a'), fields));
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_option']);
    expect(answer.body.error.message).toContain(Object.keys(fields)[0]);
  });

  test('with a field that has no name', async () => {
    const nameless = { headers: ['Content-Disposition: form-data'], body: 'x' };
    for (const parts of [
      [nameless, file],
      [file, nameless],
    ]) {
      const { status, body } = await post(toMultipartBody(parts));
      expect([status, body.error.code]).toEqual([400, 'unknown_option']);
    }
  });

  test.each(['expires', 'expires-in', 'Password', '__proto__', 'x'.repeat(100)])(
    'with the unknown field %s, and the known ones are listed',
    async (name) => {
      for (const parts of [
        [fieldPart(name, '1h'), file],
        [file, fieldPart(name, '1h')],
      ]) {
        const { status, body } = await post(toMultipartBody(parts));
        // The parser itself refuses names of built-in object properties.
        if (name === '__proto__' && body.error.code === 'invalid_form') continue;
        expect([status, body.error.code]).toEqual([400, 'unknown_option']);
        expect(body.error.message).toContain(`"${name.slice(0, 40)}`);
        expect(body.error.message).toContain('expires_in, max_downloads, password, inline');
        expect(body.error.message.length).toBeLessThan(200);
      }
    },
  );

  test.each(['x-expires', 'expires-in', 'x-expires_in', 'x-max-download', 'x-ttl', 'password', 'x-inline-file'])(
    'with the unknown header %s, before its body is read',
    async (name) => {
      const connection = await connectRaw(service.port);
      connection.send(requestHead('PUT /upload/a', { expect: '100-continue', 'content-length': '5', [name]: '1h' }));
      const answer = await connection.ended();
      expect(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*unknown_option/);
      expect(answer).toContain(`\\"${name}\\"`);
      expect(answer).toContain('x-expires-in, x-max-downloads, x-password, x-inline');
    },
  );

  test.each(['expires_in', 'max_downloads', 'password', 'inline', 'name'])(
    'with the field %s sent twice, on either side of the file',
    async (name) => {
      const [one, two] = [fieldPart(name, '1'), fieldPart(name, '1')];
      for (const parts of [
        [one, two, file],
        [one, file, two],
        [file, one, two],
      ]) {
        const { status, body } = await post(toMultipartBody(parts));
        expect([status, body.error]).toMatchObject([400, { code: 'invalid_form', message: `${name} was sent twice.` }]);
      }
    },
  );

  test.each(['x-expires-in', 'x-max-downloads', 'x-password', 'x-inline'])('with the header %s twice', async (name) => {
    const connection = await connectRaw(service.port);
    connection.send(
      `PUT /upload/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1\r\n${name}: 1\r\n${name}: 1\r\n\r\nx`,
    );
    expect(await connection.ended()).toMatch(/^HTTP\/1.1 400 [\s\S]*was sent twice/);
  });

  test('with an option in the address', async () => {
    const { status, body } = await put('a?expires_in=1h', 'x');
    expect([status, body.error.code]).toEqual([400, 'unknown_option']);
    expect(body.error.message).toContain('"expires_in" in the address is not supported');
    expect((await put('a?_=17', 'x')).status, 'what is no option does no harm').toBe(200);
  });

  test('for no header that browsers, clients and proxies send by themselves', async () => {
    const names = ['x-forwarded-for', 'x-real-ip', 'x-request-id', 'expires', 'max-forwards', 'x-amz-meta', 'priority'];
    const headers = Object.fromEntries(names.map((name) => [name, '0']));
    expect((await put('a', 'x', { headers })).status).toBe(200);
  });

  test('with a wrong API key', async () => {
    const { status, body } = await put('a', 'x', { headers: { authorization: 'Bearer sk-wrong' } });
    expect([status, body]).toEqual([
      401,
      { ok: false, error: { code: 'invalid_api_key', message: expect.any(String) } },
    ]);
  });

  test.each(['application/json', 'text/plain', 'multipart/mixed; boundary=x', 'multipart/form-data'])(
    'as %s',
    async (type) => {
      const { status, body } = await post(toMultipartBody([file]), { 'content-type': type });
      expect([status, body.ok, body.error.code]).toEqual([415, false, 'unsupported_media_type']);
    },
  );

  test('when it is compressed', async () => {
    const { status, body } = await put('a', 'x', { headers: { 'content-encoding': 'gzip' } });
    expect([status, body.error.code]).toEqual([415, 'unsupported_media_type']);
  });

  test.each(['PUT /upload/a', 'POST /upload'])('by its declared length (%s)', async (line) => {
    const connection = await connectRaw(service.port);
    const headers = { 'content-length': '99999999999', 'content-type': MULTIPART_TYPE };
    connection.send(requestHead(line, headers));
    const answer = await connection.receive((text) => text.endsWith('}'));
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toContain('file_too_large');
    connection.socket.destroy();
  });

  test('when it exceeds the limit, and the client can read why', async () => {
    const connection = await connectRaw(service.port);
    connection.send(requestHead('PUT /upload/a', { 'transfer-encoding': 'chunked' }));
    const piece = Buffer.alloc(1024 * 1024, 'x');
    for (let sent = 0; sent < 12 && !connection.received().includes('413'); sent++) {
      connection.send(`${piece.length.toString(16)}\r\n`);
      connection.send(piece);
      connection.send('\r\n');
      await delay(20);
    }
    expect(await connection.receive((text) => text.includes('file_too_large'))).toMatch(/^HTTP\/1.1 413 /);
    connection.socket.destroy();
  });

  test('when its size differs from the declared length', async () => {
    const connection = await connectRaw(service.port);
    connection.send(`${requestHead('PUT /upload/a', { 'content-length': '100' })}only this`);
    connection.socket.end();
    expect(await connection.ended()).not.toContain('HTTP/1.1 200');
  });

  test.each(['PATCH', 'DELETE', 'GET'])('by %s', async (method) => {
    const answer = await read(await fetch(`${service.url}/upload`, { method }));
    expect([answer.status, answer.body.error.code]).toEqual([405, 'method_not_allowed']);
    expect(answer.headers.get('allow')).toContain('POST');
  });

  test.each(['', '/'])('by PUT without a name (/upload%s), with the right address', async (end) => {
    const { status, body } = await read(await fetch(`${service.url}/upload${end}`, { method: 'PUT', body: 'x' }));
    expect([status, body.ok, body.error.code]).toEqual([400, false, 'name_required']);
    expect(body.error.message).toContain('PUT /upload/<name>');
  });

  test.each(['%ff%zz', '%ff', '100%'])('under the badly encoded name %s, with a remedy', async (name) => {
    const { status, body } = await put(name, 'x');
    expect([status, body.ok, body.error.code]).toEqual([400, false, 'invalid_name']);
    expect(body.error.message).toContain('percent-encoded UTF-8');
    expect(body.error.message).toContain('POST /upload');
  });

  test('under a name that is too long, with the limit', async () => {
    const { status, body } = await put('x'.repeat(1025), 'x');
    expect([status, body.ok, body.error.code]).toEqual([414, false, 'name_too_long']);
    expect(body.error.message).toContain('1024 characters');
    expect((await put('x'.repeat(1024), 'x')).status).toBe(200);
  });

  test('over the quota, with the time to wait', async () => {
    const small = await startHttpService({ storageOptions: { maxBytesPerDay: 1000 } });
    try {
      const send = () => fetch(`${small.url}/upload/a`, { method: 'PUT', body: 'x'.repeat(900) });
      expect((await send()).status).toBe(200);
      const answer = await read(await send());
      expect([answer.status, answer.body.error.code]).toEqual([429, 'quota_exceeded']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      await small.close();
    }
  });
});

describe('a client that waits for 100 Continue', () => {
  test.each(['PUT /upload/a', 'POST /upload'])('gets it (%s)', async (line) => {
    const connection = await connectRaw(service.port);
    const body = line.startsWith('PUT') ? Buffer.from('hello') : toMultipartBody([filePart('; filename="a"')]);
    connection.send(
      requestHead(line, {
        expect: '100-continue',
        connection: 'close',
        'content-type': MULTIPART_TYPE,
        'content-length': String(body.length),
      }),
    );
    expect(await connection.receive((text) => text.includes('\r\n\r\n'))).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    connection.send(body);
    expect(await connection.ended()).toContain('HTTP/1.1 200');
  });

  test.each([
    ['too large', { 'content-length': '99999999999' }, 413],
    ['without access', { 'content-length': '5', authorization: 'Bearer sk-wrong' }, 401],
    ['with a wrong option', { 'content-length': '5', 'x-expires-in': 'soon' }, 400],
  ])('is refused before it sends the body: %s', async (_title, headers, status) => {
    const connection = await connectRaw(service.port);
    connection.send(requestHead('PUT /upload/a', { expect: '100-continue', ...headers }));
    expect(await connection.ended()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  test('gets it at other routes as well', async () => {
    const connection = await connectRaw(service.port);
    const headers = { expect: '100-continue', authorization: `Bearer ${service.apiKey}`, 'content-length': '2' };
    connection.send(
      requestHead('POST /ai/v2', { ...headers, 'content-type': 'application/json', connection: 'close' }),
    );
    await connection.receive((text) => text.includes('100 Continue'));
    connection.send('{}');
    expect(await connection.ended()).toContain('HTTP/1.1 400');
  });
});

describe('a client that disconnects or stalls', () => {
  const untilNothingIsLeft = async (stored: number) => {
    await expect
      .poll(async () => {
        await service.storage.sweep(AbortSignal.timeout(60_000));
        return store.blobCount;
      })
      .toBeLessThanOrEqual(stored);
  };

  test.each(['PUT /upload/a', 'POST /upload'])('in the middle leaves nothing behind (%s)', async (line) => {
    const stored = store.blobCount;
    const connection = await connectRaw(service.port);
    connection.send(requestHead(line, { 'content-length': '4000000', 'content-type': MULTIPART_TYPE }));
    connection.send(toMultipartBody([filePart('; filename="a"', Buffer.alloc(2_000_000))], { isOpen: true }));
    await delay(200);
    connection.socket.destroy();
    await untilNothingIsLeft(stored);
    expect(service.logLines().filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  test.each(['PUT /upload/a', 'POST /upload'])('is disconnected when it is silent (%s)', async (line) => {
    const connection = await connectRaw(impatient.port);
    connection.send(requestHead(line, { 'content-length': '4000', 'content-type': MULTIPART_TYPE }));
    expect(await connection.ended()).toMatch(/^HTTP\/1.1 408 [\s\S]*upload_too_slow/);
  });

  test.each([
    ['the file', filePart('; filename="a"', 'x'.repeat(10))],
    ['a field', fieldPart('inline', 'x')],
  ])('is disconnected when it sends %s too slowly', async (_title, part) => {
    const connection = await connectRaw(impatient.port);
    connection.send(requestHead('POST /upload', { 'content-length': '40000', 'content-type': MULTIPART_TYPE }));
    connection.send(toMultipartBody([part], { isOpen: true }).subarray(0, -2));
    const drip = setInterval(() => connection.send('x'), 100);
    try {
      expect(await connection.ended()).toMatch(/^HTTP\/1.1 408 [\s\S]*upload_too_slow/);
    } finally {
      clearInterval(drip);
    }
  });
});

test('keys, passwords and names are not logged', async () => {
  const { body } = await post(formWith(new File(['x'], 'my-private-name.txt'), { password: 'my-private-password' }));
  await fetch(`${service.url}/file/${body.id}`, { method: 'DELETE', headers: { authorization: `${body.owner}x` } });
  await fetch(body.url, { headers: { 'x-password': 'my-private-guess' } });
  await fetch(body.url, { method: 'DELETE', headers: { authorization: body.owner } });
  await expect.poll(() => service.logLines().filter(({ method }) => method === 'DELETE').length).toBeGreaterThan(1);
  for (const secret of ['my-private', body.owner, body.id]) expect(service.logText()).not.toContain(secret);
});
