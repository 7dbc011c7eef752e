import { once } from 'node:events';
import { chmod, lstat, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startTestSimulator, TEST_TOKEN, type TestSimulator } from '../../simulator/test/support/simulator.ts';
import {
  CHECKOUT,
  createWorkFolder,
  eventually,
  findFreePort,
  LAYOUT,
  runToEnd,
  type Settings,
  startService,
} from '../support/harness/process.ts';
import { startServiceHarness } from '../support/harness/service.ts';
import { answerJson, type FakeProvider, openAiError, startFakeProvider } from '../support/hosts/fake-provider.ts';
import { EXHAUSTIVE, testByTier } from '../support/vitest/tiers.ts';

let folder: Awaited<ReturnType<typeof createWorkFolder>>;
let telegram: TestSimulator;
let provider: FakeProvider;
beforeAll(async () => {
  folder = await createWorkFolder();
  telegram = await startTestSimulator();
  provider = await startFakeProvider();
});
afterAll(async () => {
  await provider.close();
  await telegram.close();
  await folder.remove();
});

const run = (args: readonly string[], settings: Settings = {}) => runToEnd(folder.path, args, settings);
const STACK = /^\s+at /m;

describe('invalid settings', () => {
  test('are reported all at once, one per line, without secrets', async () => {
    const { code, stdout, stderr } = await run([], {
      BOT_TOKEN: 'not-a-token-but-secret',
      DATABASE_URL: 'mysql://someone:dbpassword@db/switchboard',
      UNIVERSAL_API_KEY: 'short-secret',
      PORT: 'many',
      LOG_LEVEL: 'loud',
      ADMIN_IDS: '@me',
    });
    expect(code).toBe(78);
    expect(stdout).toBe('');
    const lines = stderr.trim().split('\n');
    expect(lines.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      '- BOT_TOKEN',
      '- DATABASE_URL',
      '- UNIVERSAL_API_KEY',
      '- PORT',
      '- ADMIN_IDS',
      '- LOG_LEVEL',
    ]);
    expect(stderr).not.toMatch(/secret|dbpassword/);
  });

  test('of the providers file are reported in the same way', async () => {
    const path = join(folder.path, 'broken.yaml');
    await writeFile(path, 'providers:\n  - name: home\n  - preset: nobody\n');
    const { code, stderr } = await run([], { PROVIDERS_FILE: path });
    expect(code).toBe(78);
    expect(stderr.trim().split('\n').length).toBeGreaterThan(1);
    expect(stderr).not.toMatch(STACK);
  });

  test('are not in the example of the providers file', async () => {
    const path = fileURLToPath(new URL('../../providers.example.yaml', import.meta.url));
    const { code, stdout, stderr } = await run(['--check'], { PROVIDERS_FILE: path });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Everything works.');
  });

  test('of the command line show the usage', async () => {
    const { code, stderr } = await run(['--chekc']);
    expect(code).toBe(64);
    expect(stderr).toContain("Unknown option '--chekc'");
    expect(stderr).toContain(LAYOUT === CHECKOUT ? 'Usage: npm start' : 'Usage: switchboard');
    expect(stderr).not.toMatch(STACK);
  });

  test('--help shows the usage', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('--rotate-universal-key');
  });
});

describe('a .env file', () => {
  const runWith = async (lines: readonly string[], settings: Settings = {}) => {
    await writeFile(join(folder.path, '.env'), `${lines.join('\n')}\n`);
    onTestFinished(() => rm(join(folder.path, '.env')));
    return run(['--check'], { DATA_DIR: join(folder.path, 'unused'), ...settings });
  };

  test('with misspelt settings is rejected, and similar names are suggested', async () => {
    const { code, stderr } = await runWith(['GROK_API_KEY=gsk_x', 'ADMINS=5', 'COLOUR_OF_SKY=blue']);
    expect(code).toBe(78);
    expect(stderr.trim().split('\n').toSorted()).toEqual([
      '- ADMINS is not a setting. Did you mean ADMIN_IDS?',
      '- COLOUR_OF_SKY is not a setting. docs/configuration.md lists all settings',
      '- GROK_API_KEY is not a setting. Did you mean GROQ_API_KEY?',
    ]);
  });

  test('may contain variables of the providers file and of Docker Compose', async () => {
    const path = join(folder.path, 'own.yaml');
    await writeFile(
      path,
      `providers:\n  - name: one\n    base_url: ${provider.baseUrl}\n    api_keys: [$MY_OWN_VARIABLE]\n`,
    );
    const lines = ['MY_OWN_VARIABLE=sk-own', `PROVIDERS_FILE=${path}`, 'POSTGRES_PASSWORD=x', 'NODE_OPTIONS='];
    expect(await runWith(lines)).toMatchObject({ code: 0, stderr: '' });
  });

  test('with a default model of no provider fails the check', async () => {
    const { code, stderr } = await runWith(['DEFAULT_MODEL=gpt-9', 'DEFAULT_IMAGE_MODEL=demo']);
    expect(code).toBe(78);
    expect(stderr).toContain('The default model gpt-9 (DEFAULT_MODEL) is not a chat model of any provider');
    expect(stderr).toContain(
      'The default image model demo (DEFAULT_IMAGE_MODEL) is not an image model of any provider',
    );
  });
});

describe('names in the environment', () => {
  const check = (settings: Settings) => run(['--check'], { DATA_DIR: join(folder.path, 'unused'), ...settings });

  testByTier(
    [
      ['ALOWED_IDS', 'ALLOWED_IDS'],
      ['allowed-ids', 'ALLOWED_IDS'],
      ['ADMINS_ID', 'ADMIN_IDS'],
      ['BOT_TOKN', 'BOT_TOKEN'],
      ['STORAGE_CHAT_ID', 'STORAGE_CHAT_IDS'],
      ['ENCRIPTION_KEY', 'ENCRYPTION_KEY'],
    ] as const,
    2,
  )('that resemble a setting are rejected: %s', async ([name, meant]) => {
    const { code, stderr } = await check({ [name]: '5' });
    expect({ code, stderr }).toEqual({ code: 78, stderr: `- ${name} is not a setting. Did you mean ${meant}?\n` });
  });

  test('that end like a setting cause a warning', async () => {
    const { code, stdout } = await check({ TELEGRAM_BOT_TOKEN: TEST_TOKEN, ALLOWED_USER_IDS: '5' });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Warning +TELEGRAM_BOT_TOKEN is not a setting\. Did you mean BOT_TOKEN\?$/m);
    expect(stdout).toMatch(
      /^Warning +ALLOWED_USER_IDS is not a setting\. docs\/configuration\.md lists all settings$/m,
    );
    expect(stdout).not.toContain('Everything works.');
  });

  test('of other programs are ignored, also those that resemble a setting with a value', async () => {
    const settings = { STAGING_DATABASE_URL: 'x', SWITCHBOARD_SERVICE_PORT: '80', HOSTNAME: 'here', LOGLEVEL: 'info' };
    expect(await check({ ...settings, LOG_LEVEL: 'info' })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Everything works.'),
    });
  });
});

describe('an unusable environment ends the start with one line:', () => {
  const expectWords = async (settings: Settings, words: RegExp, exitCode = 1) => {
    const { code, stderr } = await run([], settings);
    expect(stderr).toMatch(words);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(code).toBe(exitCode);
  };

  test('a database that cannot be reached', () =>
    expectWords(
      { DATABASE_URL: 'postgres://someone:dbpassword@127.0.0.1:9/switchboard' },
      /^The database can't be used: (?!.*dbpassword).*ECONNREFUSED 127\.0\.0\.1:9/,
    ));

  test('a data folder that cannot be created', async () => {
    await writeFile(join(folder.path, 'file'), '');
    await expectWords(
      { DATA_DIR: join(folder.path, 'file') },
      /^The folder .*file.* can't be created: ENOTDIR.*DATA_DIR/,
      78,
    );
  });

  test.skipIf(process.platform !== 'linux')('a data folder in a place without write access', () =>
    expectWords({ DATA_DIR: '/proc/nope' }, /^The folder \/proc\/nope\/postgres can't be created: ENOENT/, 78),
  );

  test('a database folder with other contents', async () => {
    const directory = join(folder.path, 'foreign', 'postgres');
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'PG_VERSION'), 'nonsense');
    await expectWords({ DATA_DIR: join(folder.path, 'foreign') }, /^The database in .*foreign.* can't be used: /);
  });
});

describe('a running service', () => {
  test('locks its data folder; after a stop, a taken port is reported and the key can be rotated', async () => {
    const data = join(folder.path, 'data');
    // Files of an earlier version with open permissions.
    for (const path of await listEntries(data)) await chmod(path, (await lstat(path)).isDirectory() ? 0o755 : 0o666);
    const openBefore = await listOpen(data);
    const service = await startService(folder.path);
    onTestFinished(async () => void (await service.kill()));
    expect((await lstat(data)).mode & 0o777).toBe(0o700);
    await service.isReady();
    const form = new FormData();
    form.set('file', new Blob(['text']), 'notes.txt');
    expect((await service.get('/upload', { method: 'POST', body: form })).status).toBe(200);
    expect((await listOpen(data)).filter((path) => !openBefore.includes(path))).toEqual([]);

    const checked = await run(['--check']);
    expect(checked).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('Is Switchboard already running?'),
    });

    const second = await run([]);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/in use by another process\. Is Switchboard already running\?/);
    expect(second.stderr).not.toMatch(STACK);

    const rotation = await run(['--rotate-universal-key']);
    expect(rotation.code).toBe(1);
    expect(rotation.stderr).toMatch(/Is Switchboard already running\? Stop it first/);

    await service.stop();
    const { port } = new URL(provider.baseUrl);
    const neighbour = await run([], { PORT: port });
    expect(neighbour.code).toBe(1);
    expect(neighbour.stderr).toMatch(new RegExp(`^Port ${port} is already in use`));
    expect(neighbour.stderr).not.toMatch(STACK);

    const rotated = await run(['--rotate-universal-key']);
    expect(rotated.code).toBe(0);
    const keyFile = join(folder.path, 'data', 'universal-api-key');
    expect(rotated.stdout).toBe(`in ${keyFile}\n`);
    const newKey = (await readFile(keyFile, 'utf8')).trim();
    expect(newKey).toMatch(/^sk-sb-/);

    const again = await startService(folder.path);
    onTestFinished(async () => void (await again.kill()));
    expect(again.apiKey).toBe(newKey);
    expect(again.output()).not.toContain(newKey);
    expect(again.output()).not.toContain('Preparing');
    const ask = async (key: string) =>
      (await again.get('/ai/openai/models', { headers: { authorization: `Bearer ${key}` } })).status;
    expect(await ask(service.apiKey)).toBe(401);
    expect(await ask(newKey)).toBe(200);
  });

  test('with its key in the settings does not rotate it', async () => {
    const { code, stderr } = await run(['--rotate-universal-key'], { UNIVERSAL_API_KEY: 'sk-of-the-settings' });
    expect(code).toBe(78);
    expect(stderr).toContain('UNIVERSAL_API_KEY is set: change it there');
  });
});

describe('--check', () => {
  test('reports what would run, and changes nothing', async () => {
    const path = join(folder.path, 'providers.yaml');
    await writeFile(
      path,
      `providers:\n  - name: one\n    base_url: ${provider.baseUrl}\n    api_keys: [$KEY_ONE]\n  - name: two\n    base_url: ${provider.baseUrl}\n`,
    );
    const { code, stdout, stderr } = await run(['--check'], {
      BOT_TOKEN: telegram.token,
      TELEGRAM_API_ROOT: telegram.url,
      PROVIDERS_FILE: path,
      KEY_ONE: 'sk-key-one',
      OPENAI_BASE_URL: provider.baseUrl,
      OPENAI_API_KEY: 'sk-key-three',
      DATA_DIR: join(folder.path, 'untouched'),
    });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toContain('Telegram bot @test_bot');
    expect(stdout).toContain('- one: 1 model');
    expect(stdout).toContain('- two: 1 model');
    expect(stdout).toContain('- custom: 1 model');
    expect(stdout).toContain('; default fake-model; no images');
    expect(stdout).toContain('Everything works.');
    expect(stdout).not.toMatch(/sk-key/);
    expect(stdout).not.toContain('Warning');
    const playground = await run(['--check'], {
      DATA_DIR: join(folder.path, 'untouched'),
      PUBLIC_URL: 'https://ai.example.com',
    });
    expect(playground).toMatchObject({ code: 0, stdout: expect.stringContaining('images by demo-image') });
    expect(playground.stdout).toMatch(/^Warning {5}PUBLIC_URL .*Set TRUSTED_PROXIES to/m);
  });

  test('reports a port of another program, a folder that can’t be used, and an address without /v1', async () => {
    await writeFile(join(folder.path, 'a-file'), '');
    const host = createServer(({ url = '' }, answer) => {
      if (url === '/v1/models') answer.end('{"object":"list","data":[{"id":"m","object":"model"}]}');
      else answer.writeHead(404).end('{"error":{"message":"no such page"}}');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void host.close());
    await once(host, 'listening');
    const { port } = host.address() as AddressInfo;
    const { code, stdout, stderr } = await run(['--check'], {
      DATA_DIR: join(folder.path, 'a-file', 'data'),
      PORT: `${port}`,
      OPENAI_BASE_URL: `http://127.0.0.1:${port}`,
      OPENAI_API_KEY: 'sk-key',
    });
    expect(code).toBe(78);
    expect(stderr.trim().split('\n').toSorted()).toEqual([
      expect.stringMatching(/^- DATA_DIR can't be .*a-file\/data: .*a-file is not a directory$/),
      expect.stringMatching(/^- Port \d+ is already in use by another program/),
      `- Provider custom: answered 404: no such page. The address lacks /v1: http://127.0.0.1:${port}/v1 answers`,
    ]);
    expect(stdout).toContain('- custom: answered 404: no such page\n');
  });

  test.each([
    [{}, 'everyone who finds the bot (ALLOWED_IDS makes it private); nobody is an admin (ADMIN_IDS)'],
    [{ ALLOWED_IDS: '5,6', ADMIN_IDS: '7' }, 'private: 2 ids in ALLOWED_IDS, and whom admins let in; 1 admin'],
  ])('tells who may use the bot: %j', async (settings, words) => {
    const { stdout } = await run(['--check'], {
      BOT_TOKEN: telegram.token,
      TELEGRAM_API_ROOT: telegram.url,
      ...settings,
    });
    expect(stdout).toContain(`Access      ${words}\n`);
  });

  test.each([
    [{}, true],
    [{ UPLOADS: 'key' }, false],
  ])('tells that strangers can upload: %j', async (settings, isTold) => {
    const { stdout } = await run(['--check'], {
      BOT_TOKEN: telegram.token,
      TELEGRAM_API_ROOT: telegram.url,
      PUBLIC_URL: 'http://ai.example.com',
      ...settings,
    });
    expect(
      /^Uploads {5}anyone who reaches the service, without a key \(UPLOADS=key requires one\)$/m.test(stdout),
    ).toBe(isTold);
  });

  test('reports all problems', async () => {
    const strict = await startFakeProvider();
    onTestFinished(() => strict.close());
    strict.behaveAtModels(answerJson(401, openAiError('Incorrect API key provided: sk-refused', 'invalid_api_key')));
    const { code, stderr } = await run(['--check'], {
      BOT_TOKEN: '1234567:AA-a-token-that-nobody-knows-0123456789',
      TELEGRAM_API_ROOT: telegram.url,
      DATABASE_URL: 'postgres://someone:dbpassword@127.0.0.1:9/switchboard',
      OPENAI_BASE_URL: strict.baseUrl,
      OPENAI_API_KEY: 'sk-refused',
    });
    expect(code).toBe(78);
    const lines = stderr.trim().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^- Telegram does not accept BOT_TOKEN/);
    expect(lines[1]).toMatch(/^- The database can't be used: .*ECONNREFUSED/);
    expect(lines[2]).toMatch(/^- Provider custom: /);
    expect(stderr).not.toMatch(/dbpassword|AA-a-token|sk-refused/);
  });
});

describe('Telegram', () => {
  test('that rejects the token ends the process with an explanation', async () => {
    const { code, stderr } = await run([], {
      BOT_TOKEN: '1234567:AA-a-token-that-nobody-knows-0123456789',
      TELEGRAM_API_ROOT: telegram.url,
      DATA_DIR: join(folder.path, 'telegram'),
    });
    expect(code).toBe(78);
    expect(stderr.trim()).toBe('Telegram does not accept BOT_TOKEN: it is mistyped, or was revoked in @BotFather.');
  });

  test('that is unavailable at the start is retried, while the HTTP API works', EXHAUSTIVE, async () => {
    const port = await findFreePort();
    const service = await startService(folder.path, {
      BOT_TOKEN: TEST_TOKEN,
      TELEGRAM_API_ROOT: `http://127.0.0.1:${port}`,
      UNIVERSAL_API_KEY: 'sk-sb-key-of-this-suite',
      DATA_DIR: join(folder.path, 'telegram'),
    });
    onTestFinished(async () => void (await service.kill()));
    const readiness = await service.get('/readyz');
    expect(readiness.status).toBe(503);
    expect(await readiness.json()).toEqual({
      status: 'not ready',
      checks: { database: true, updates: true, bot: false },
      reason: 'the bot has not reached Telegram yet',
      version: expect.any(String),
    });
    const answer = await service.post('/ai/v2', {
      model: 'demo',
      request: { messages: [{ role: 'user', content: 'Hi' }] },
    });
    expect(answer.status).toBe(200);

    const late = await startTestSimulator({ port });
    onTestFinished(() => late.close());
    await service.isReady();
    const chat = late.control.createChat({ type: 'private', person: { firstName: 'Ann' } });
    late.control.sendMessage(chat.id, { text: 'Hello' });
    await eventually(() => late.control.transcript(chat.id).find(({ message }) => message.from?.is_bot));
  });

  test('that serves another program is retried, and the conflict is logged once', EXHAUSTIVE, async () => {
    const stage = await startServiceHarness({ settings: { DATA_DIR: join(folder.path, 'conflict') } });
    onTestFinished(() => stage.close());
    await stage.service.isReady();
    const conflict =
      'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';
    stage.telegram.control.injectFault({
      method: 'getUpdates',
      times: 3,
      kind: { type: 'error', status: 409, description: conflict },
    });
    stage.writes('Hello');
    await stage.says('Hello, world!');
    const told = stage.service.output().match(/another program fetches the updates/g);
    expect(told).toHaveLength(1);
  });
});

describe('a playground on other interfaces (DEMO)', () => {
  test('opens by the link of the start report only, under loopback names, through no proxy', async () => {
    const service = await startService(folder.path, { HOST: '0.0.0.0', DEMO: 'true' });
    onTestFinished(async () => void (await service.kill()));
    const links = [...service.output().matchAll(/\/(?:playground|console\/)\?secret=[\w-]{43}/g)].map(([link]) => link);
    expect(links).toHaveLength(2);
    const ask = (path: string, headers: OutgoingHttpHeaders = {}, method = 'GET') =>
      request(service.url, { path, headers, method });
    const signIn = (headers: OutgoingHttpHeaders) =>
      ask('/api/sessions', { ...headers, 'content-type': 'application/json' }, 'POST');

    const opened = await ask(links[0] ?? '');
    expect(opened).toMatchObject({ status: 302, headers: { location: '/playground' } });
    const cookie = opened.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? '';
    expect((await ask('/playground/', { cookie })).status).toBe(200);
    expect((await signIn({ cookie })).status).toBe(201);

    const { port } = new URL(service.url);
    const foreign: readonly OutgoingHttpHeaders[] = [
      {},
      { host: `localhost:${port}` },
      { cookie: `${cookie}x` },
      { cookie, 'x-forwarded-for': '203.0.113.7' },
      { cookie, forwarded: 'for=203.0.113.7' },
      { cookie, 'x-real-ip': '203.0.113.7' },
      { cookie, via: '1.1 proxy' },
      { cookie, host: `evil.example:${port}` },
      { cookie, origin: 'https://evil.example' },
    ];
    for (const headers of foreign) {
      expect([headers, (await ask('/playground/control/state', headers)).status]).toEqual([headers, 403]);
      expect([headers, (await signIn(headers)).status]).toEqual([headers, 403]);
    }
    expect((await ask(`/playground/?secret=${'x'.repeat(43)}`)).status).toBe(403);
  });
});

/** Sends a request with any headers, also those that `fetch` sets itself. */
async function request(
  url: string,
  { path, headers, method }: { readonly path: string; readonly headers: OutgoingHttpHeaders; readonly method: string },
): Promise<{ readonly status: number | undefined; readonly headers: IncomingHttpHeaders }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  httpRequest(url, { path, headers, method }, resolve)
    .on('error', reject)
    .end(method === 'POST' ? '{"playground":true}' : undefined);
  const answer = await promise;
  answer.resume();
  return { status: answer.statusCode, headers: answer.headers };
}

/** Returns a folder and all entries below it. */
async function listEntries(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true });
  return [directory, ...entries.map((entry) => join(directory, entry))];
}

/** Returns entries that the group or other users may access. */
async function listOpen(directory: string): Promise<readonly string[]> {
  const modes = await Promise.all(
    (await listEntries(directory)).map(async (path) => ({
      path,
      mode: await lstat(path).then(
        ({ mode }) => mode,
        () => 0,
      ),
    })),
  );
  return modes.filter(({ mode }) => (mode & 0o077) !== 0).map(({ path }) => path);
}
