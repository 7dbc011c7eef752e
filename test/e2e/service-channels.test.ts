import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestSimulator, TEST_TOKEN, type TestSimulator } from '../../simulator/test/support/simulator.ts';
import { createWorkFolder, eventually, runToEnd, type Settings, startService } from '../support/harness/process.ts';

const WORKER_TOKEN = '7100001:AAtokenOfAWorkerBotOfTheSuite_0123456789';

let folder: Awaited<ReturnType<typeof createWorkFolder>>;
let telegram: TestSimulator;
let channelId: number;
let settings: Settings;
beforeAll(async () => {
  folder = await createWorkFolder();
  telegram = await startTestSimulator({
    bots: [
      { token: TEST_TOKEN, username: 'test_bot', firstName: 'Test Bot' },
      { token: WORKER_TOKEN, username: 'worker_bot', firstName: 'Worker' },
    ],
  });
  telegram.control.createPerson({ firstName: 'Owner' });
  channelId = telegram.control.createChat({ type: 'channel', title: 'Vault' }).id;
  settings = { BOT_TOKEN: TEST_TOKEN, TELEGRAM_API_ROOT: telegram.url, STORAGE_CHAT_IDS: String(channelId) };
});
afterAll(async () => {
  await telegram.close();
  await folder.remove();
});

interface Uploaded {
  readonly ok: boolean;
  readonly owner: string;
  readonly url: string;
}

async function start(changes: Settings = {}) {
  const service = await startService(folder.path, { ...settings, ...changes });
  onTestFinished(async () => void (await service.kill()));
  const upload = async (bytes: Buffer) => {
    const body = new FormData();
    body.append('file', new Blob([Uint8Array.from(bytes)]), 'letter.txt');
    const answer = await service.get('/upload', { method: 'POST', body });
    return (await answer.json()) as Uploaded;
  };
  const download = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());
  return { ...service, upload, download };
}
const documents = () => telegram.control.transcript(channelId).flatMap(({ message }) => message.document ?? []);

test('a file is stored in the channel, survives a restart, and is removed when it is deleted', async () => {
  const first = await start();
  expect(first.output()).toContain(`Files       in the Telegram channel ${channelId} by 1 bot`);
  const bytes = randomBytes(21 * 1024 * 1024);
  const { ok, owner, url } = await first.upload(bytes);
  expect(ok).toBe(true);
  expect(documents()).toHaveLength(2);
  for (const { file_name: name } of documents()) expect(name).toMatch(/^[\w-]{22}\.bin$/);
  await first.kill();

  const second = await start({ CLOUD_URL: 'https://files.example' });
  const path = new URL(url).pathname;
  expect((await second.download(`${second.url}${path}`)).equals(bytes)).toBe(true);
  expect((await second.upload(Buffer.from('small'))).url).toMatch(/^https:\/\/files\.example\/file\//);
  const deletion = await second.get(path, { method: 'DELETE', headers: { authorization: owner } });
  expect(await deletion.json()).toEqual({ ok: true });
  await eventually(() => documents().length === 1 || undefined);
  expect(`${first.output()}${second.output()}`).not.toContain(TEST_TOKEN.split(':')[1]);
});

test('the encryption key is created once, readable by its owner only', async () => {
  const path = join(folder.path, 'data', 'encryption.key');
  const key = await readFile(path, 'utf8');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await (await start()).stop();
  expect(await readFile(path, 'utf8')).toBe(key);
  expect(await readdir(join(folder.path, 'data'))).not.toContain('files');
});

test('--check reports which bot stores in which channel, and what is missing', async () => {
  const check = (changes: Settings = {}) => runToEnd(folder.path, ['--check'], { ...settings, ...changes });
  const fine = await check();
  expect(fine).toMatchObject({ code: 0, stderr: '' });
  expect(fine.stdout).toContain(`- "Vault" (${channelId}): @test_bot`);

  const stranger = await check({ STORAGE_BOT_TOKENS: `${TEST_TOKEN},${WORKER_TOKEN}` });
  expect(stranger.code).toBe(78);
  expect(stranger.stderr).toMatch(/^- @worker_bot does not know the channel .* Add @worker_bot to the channel/);

  telegram.control.changeBot(channelId, { action: 'demote' });
  expect((await check()).stderr).toContain(`@test_bot can't store files in "Vault" (${channelId}): it is not an admin`);
});

test('a bot that is removed from its only channel in the middle of an upload: the upload is refused', async () => {
  telegram.control.changeBot(channelId, { action: 'promote' });
  const service = await start();
  const before = documents().length;
  const bytes = async function* () {
    for (let sent = 0; sent < 60; sent++) {
      if (sent === 30) {
        await eventually(() => documents().length > before || undefined);
        telegram.control.changeBot(channelId, { action: 'remove' });
      }
      yield Buffer.alloc(1024 * 1024, 'content');
    }
  };
  const init = { method: 'PUT', body: ReadableStream.from(bytes()), duplex: 'half' } as RequestInit;
  const refused = await service.get('/upload/large.bin', init);
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: 'storage_unavailable' } }]);
  telegram.control.changeBot(channelId, { action: 'add' });
});

test('a bot that is removed from its only channel: uploads and /readyz say so, until it is back', async () => {
  telegram.control.changeBot(channelId, { action: 'promote' });
  const service = await start();
  await service.isReady();
  telegram.control.changeBot(channelId, { action: 'remove' });
  const put = () => service.get('/upload/letter.txt', { method: 'PUT', body: 'hello' });
  const refused = await put();
  expect([refused.status, await refused.json()]).toMatchObject([503, { error: { code: 'storage_unavailable' } }]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  const readiness = await service.get('/readyz');
  expect([readiness.status, await readiness.json()]).toMatchObject([
    503,
    { checks: { database: true, bot: true, storage: false }, reason: 'the storage takes no files' },
  ]);

  telegram.control.changeBot(channelId, { action: 'add' });
  telegram.control.changeBot(channelId, { action: 'promote' });
  await service.isReady();
  expect((await put()).status).toBe(200);
  telegram.control.changeBot(channelId, { action: 'demote' });
});

test('an unusable channel is reported in the log, and everything else works', async () => {
  const service = await start();
  await service.prints(/files cannot be stored/);
  await service.isReady();
  telegram.control.changeBot(channelId, { action: 'promote' });
  expect((await service.upload(Buffer.from('mended'))).ok).toBe(true);
});
