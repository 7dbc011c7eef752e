import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  type Answer,
  type ConsoleService,
  type SignedInUser,
  startConsoleService,
} from '../support/harness/http-users.ts';
import { createFakeClock } from '../support/machine/fake-clock.ts';

const MAX_FILE_BYTES = 1024 * 1024;

let service: ConsoleService;
let ann: SignedInUser;
let bob: SignedInUser;
const clock = createFakeClock(Date.now());
beforeAll(async () => {
  service = await startConsoleService({ storageOptions: { maxFileBytes: MAX_FILE_BYTES }, clock });
  ann = await service.signIn(100);
  bob = await service.signIn(200);
});
afterAll(() => service.close());

interface Sent {
  readonly name: string;
  readonly type?: string;
  readonly token?: string;
}

async function put(
  content: string | Uint8Array<ArrayBuffer> | ReadableStream,
  { name, type = 'text/plain', token = ann.token }: Sent,
  serviceUrl = service.url,
): Promise<Pick<Answer, 'status' | 'body'>> {
  const response = await fetch(`${serviceUrl}/api/me/files?name=${encodeURIComponent(name)}`, {
    method: 'PUT',
    body: content,
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    ...(content instanceof ReadableStream && { duplex: 'half' }),
  });
  return { status: response.status, body: await response.json() };
}

const listOf = async (user: SignedInUser, query = '') => (await user.send('GET', `/api/me/files${query}`)).body;

describe('an upload', () => {
  test('stores the bytes for the user of the session', async () => {
    const { status, body } = await put('Hello', { name: 'Größe 1.txt' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: 'Größe 1.txt', size_bytes: 5, media_type: 'text/plain', kind: 'file' });
    expect(body).not.toHaveProperty('owner');
    expect(await (await fetch(body.url)).text()).toBe('Hello');
    expect((await listOf(ann)).data).toMatchObject([{ id: body.id }]);
    expect(await listOf(bob)).toMatchObject({ data: [], total_count: 0, total_bytes: 0 });
  });

  test('is refused for everyone while uploads are switched off, and needs no API key while they need one', async () => {
    onTestFinished(() => {
      service.rules.uploads = undefined;
    });
    service.rules.uploads = 'off';
    expect(await put('Hello', { name: 'a.txt' })).toMatchObject({
      status: 403,
      body: { error: { code: 'uploads_off' } },
    });
    expect((await ann.send('GET', '/api/me')).body).toMatchObject({ can_upload: false });
    service.rules.uploads = 'key';
    expect((await ann.send('GET', '/api/me')).body).toMatchObject({ can_upload: true });
    const { status, body } = await put('Hello', { name: 'b.txt' });
    expect(status).toBe(201);
    expect((await ann.send('DELETE', `/api/me/files/${body.id}`)).status).toBe(204);
  });

  test.each([
    ['without a session', { name: 'a.txt', token: 'st-sb-unknown' }, 401],
    ['with an API key', { name: 'a.txt', token: 'sk-sb-key-of-the-tests' }, 401],
    ['without a name', { name: '' }, 400],
    ['with too long a name', { name: 'a'.repeat(2000) }, 400],
  ])('is refused %s', async (_case, sent, status) => {
    expect(await put('Hello', sent)).toMatchObject({ status, body: { error: { message: expect.any(String) } } });
  });

  test('is refused if it is too large, announced or not', async () => {
    const bytes = new Uint8Array(MAX_FILE_BYTES + 1);
    const refusal = { status: 413, body: { error: { code: 'file_too_large' } } };
    expect(await put(bytes, { name: 'large' })).toMatchObject(refusal);
    expect(await put(new Blob([bytes]).stream(), { name: 'large' })).toMatchObject(refusal);
    expect(await listOf(ann, '?search=large')).toMatchObject({ total_count: 0 });
  });

  test('is refused if the client falls silent, and leaves nothing', async () => {
    // Its own clock, because the time of earlier uploads, which may still be discarded, would end as well.
    const ownClock = createFakeClock(Date.now());
    const own = await startConsoleService({ clock: ownClock });
    onTestFinished(() => own.close());
    const user = await own.signIn(100);
    const silent = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)) });
    const sending = put(silent, { name: 'silent', token: user.token }, own.url);
    let isAnswered = false;
    const settle = () => {
      isAnswered = true;
    };
    void sending.then(settle, settle);
    // The time limit begins when the service reads the body.
    await expect
      .poll(async () => {
        await ownClock.advance(60_000);
        return isAnswered;
      })
      .toBe(true);
    expect(await sending).toMatchObject({ status: 408 });
    expect(await listOf(user, '?search=silent')).toMatchObject({ total_count: 0 });
  });
});

describe('the list', () => {
  test('has pages, a search and totals over all pages', async () => {
    const carl = await service.signIn(300);
    const { token } = carl;
    for (const name of ['one.txt', 'two.txt', '100%.txt']) await put(name, { name, token });
    const first = await listOf(carl, '?limit=2');
    expect(first).toMatchObject({ total_count: 3, total_bytes: 22 });
    const second = await listOf(carl, `?limit=2&cursor=${first.next_cursor}`);
    const names = [...first.data, ...second.data].map(({ name }: { name: string }) => name);
    expect([names, second.next_cursor]).toEqual([['100%.txt', 'two.txt', 'one.txt'], null]);
    expect((await listOf(carl, '?search=%25')).data).toMatchObject([{ name: '100%.txt' }]);
    expect(await listOf(carl, '?kind=conversation')).toMatchObject({ data: [], total_count: 0 });
    expect((await carl.send('GET', '/api/me/files?kind=other')).status).toBe(400);
    expect((await carl.send('GET', `/api/me/files?search=one&cursor=${first.next_cursor}`)).status).toBe(400);
  });

  test('shows images whose download is neither counted nor protected', async () => {
    const dora = await service.signIn(400);
    const { body: image } = await put('not really', { name: 'a.png', type: 'image/png', token: dora.token });
    expect(image.thumbnail_url).toBe(image.url);
    await put('<svg/>', { name: 'a.svg', type: 'image/svg+xml', token: dora.token });
    await dora.send('PATCH', `/api/me/files/${image.id}`, { password: 'secret' });
    const { data } = await listOf(dora);
    expect(data).toMatchObject([{ thumbnail_url: null }, { thumbnail_url: null, has_password: true }]);
  });
});

describe('a file', () => {
  test('is changed by its owner', async () => {
    const { body } = await put('Hello', { name: 'a.txt' });
    const path = `/api/me/files/${body.id}`;
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const changed = await ann.send('PATCH', path, { name: 'b.txt', expires_at: expiresAt, password: 'secret' });
    expect(changed.body).toMatchObject({ name: 'b.txt', expires_at: expiresAt, has_password: true });
    expect((await fetch(body.url)).status).toBe(401);
    const headers = { 'x-password': 'secret' };
    expect(await (await fetch(body.url, { headers })).text()).toBe('Hello');
    const free = await ann.send('PATCH', path, { expires_at: null, password: null });
    expect(free.body).toMatchObject({ name: 'b.txt', expires_at: null, has_password: false });
    expect((await fetch(body.url)).status).toBe(200);
  });

  test.each([
    { name: ' ' },
    { expires_at: '2020-01-01T00:00:00Z' },
    { expires_at: 'tomorrow' },
    { password: '' },
    { password: 'é'.repeat(200) },
    { owner: 5 },
  ])('is not changed by %j', async (change) => {
    const { body } = await put('Hello', { name: 'a.txt' });
    expect((await ann.send('PATCH', `/api/me/files/${body.id}`, change)).status).toBe(400);
  });

  test('is deleted by its owner', async () => {
    const { body } = await put('Hello', { name: 'a.txt' });
    expect((await ann.send('DELETE', `/api/me/files/${body.id}`)).status).toBe(204);
    expect((await fetch(body.url)).status).toBe(404);
    expect((await ann.send('DELETE', `/api/me/files/${body.id}`)).status).toBe(404);
  });

  test('is out of reach for others', async () => {
    const { body } = await put('Hello', { name: 'a.txt' });
    const path = `/api/me/files/${body.id}`;
    for (const answer of [
      await bob.send('PATCH', path, { name: 'mine.txt' }),
      await bob.send('PATCH', path, { password: 'mine' }),
      await bob.send('DELETE', path),
      await bob.send('DELETE', '/api/me/files/not-an-id'),
    ]) {
      expect(answer.status).toBe(404);
    }
    expect(await (await fetch(body.url)).text()).toBe('Hello');
  });
});

test('a shared conversation has no password', async () => {
  const bytes = Buffer.from(
    JSON.stringify({ version: 1, title: 'Talk', botUsername: 'bot', isComplete: true, messages: [] }),
  );
  const file = await service.storage.upload(
    (async function* () {
      yield bytes;
    })(),
    { kind: 'conversation', name: 'Talk.json', mediaType: 'application/json', userId: ann.userId },
    AbortSignal.timeout(60_000),
  );
  const path = `/api/me/files/${file.id}`;
  expect((await ann.send('PATCH', path, { password: 'secret' })).status).toBe(409);
  expect((await bob.send('PATCH', path, { password: 'secret' })).status).toBe(404);
  const renamed = await ann.send('PATCH', path, { name: 'Our talk' });
  expect(renamed.body).toMatchObject({ name: 'Our talk', kind: 'conversation', thumbnail_url: null });
  expect((await fetch(renamed.body.url)).status).toBe(200);
});
