import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listSecrets } from '../../../src/app/list-secrets.ts';
import { parseYaml, readProvidersContent } from '../../../src/core/models/index.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createRecordingLogger } from '../../support/harness/foundation.ts';
import { ADMIN, type ManagementService, startManagementService } from '../../support/harness/http-users.ts';
import { createTestSettings } from '../../support/harness/settings.ts';
import { answerJson, type FakeProvider, startFakeProvider } from '../../support/hosts/fake-provider.ts';

const KEY = 'sk-key-of-the-stored-provider-0123';

let service: ManagementService;
let host: FakeProvider;
let passedMs = 0;
beforeAll(async () => {
  service = await startManagementService({ clock: { ...systemClock, now: () => Date.now() + passedMs } });
  host = await startFakeProvider();
});
afterAll(async () => {
  await service?.close();
  await host?.close();
});
beforeEach(async () => {
  // The next test may make as many changes.
  passedMs += 60_000;
  for (const name of ['BOT_TOKEN', 'BRAVE_API_KEY', 'GROQ_API_KEY', 'ALLOWED_IDS', 'ADMIN_IDS'])
    await service.settings.setVariable(name, undefined);
});

const send = (method: string, id: string, body?: unknown, headers = {}) =>
  service.manage(method, `/api/settings/${id}`, body, headers);
const PATH = '/api/settings/variable:BOT_TOKEN';
const put = (body: object) => service.manage('PUT', PATH, body);
const lastAction = async () => (await service.manage('GET', '/api/audit-log?limit=1')).body.data[0];
const home = (fields: object = {}) => ({ value: { base_url: host.baseUrl, api_keys: [KEY], ...fields } });
const providers = () => service.settings.current().models.providers;

describe('a provider', () => {
  test('is tested, stored without its key in sight, in force at once, and in the audit log', async () => {
    const { status, body } = await send('PUT', 'provider:home', home());
    expect(status).toBe(200);
    expect(body).toMatchObject({ effect: 'in_force', findings: [expect.stringMatching(/^home: \d+ models?$/)] });
    expect(body.setting).toMatchObject({
      origin: 'stored',
      value: { base_url: host.baseUrl, api_keys: ['[stored]'] },
      version: 1,
      changed_by: ADMIN,
      problem: null,
    });
    expect(providers()).toContainEqual(expect.objectContaining({ name: 'home', apiKeys: [KEY] }));
    expect(listSecrets(service.settings.current())).toContain(KEY);
    expect(await lastAction()).toMatchObject({ action: 'set-setting', subject: 'provider:home', reason: 'added' });
  });

  test('keeps its key when other fields change, but not for another address', async () => {
    await send('PUT', 'provider:kept', home());
    const kept = { api_keys: ['[stored]'], models: ['fake-model'] };
    expect((await send('PUT', 'provider:kept', home(kept))).status).toBe(200);
    expect(providers()).toContainEqual(expect.objectContaining({ name: 'kept', apiKeys: [KEY] }));
    expect((await lastAction()).reason).toBe('changed models');
    const stolen = await send('PUT', 'provider:kept', home({ ...kept, base_url: 'https://evil.example/v1' }));
    expect([stolen.status, stolen.body.error.code]).toEqual([400, 'setting_invalid']);
    expect((await send('PUT', 'provider:new', home(kept))).status).toBe(400);
  });

  test('that does not answer is stored on request only', async () => {
    const nowhere = home({ base_url: 'http://127.0.0.1:9/v1' });
    const refused = await send('PUT', 'provider:away', nowhere);
    expect([refused.status, refused.body.error.code]).toEqual([400, 'setting_does_not_work']);
    const listed = await send(
      'PUT',
      'provider:away',
      home({ base_url: 'http://127.0.0.1:9/v1', models: ['fake-model'] }),
    );
    expect([listed.status, listed.body.error.code]).toEqual([400, 'setting_does_not_work']);
    expect((await send('GET', 'provider:away')).status).toBe(404);
    expect((await send('PUT', 'provider:away', { ...nowhere, untested: true })).body.findings).toEqual([]);
    expect((await send('DELETE', 'provider:away')).body.setting.origin).toBe('removed');
    expect(providers().some(({ name }) => name === 'away')).toBe(false);
  });

  test('can be given as YAML, and is checked by the rules of the providers file', async () => {
    const yaml = `base_url: ${host.baseUrl}\napi_keys: [${KEY}]\nmodels:\n  - { id: fake-model, price: { input: 1, output: 2 } }\n`;
    expect((await send('PUT', 'provider:yaml', { yaml })).status).toBe(200);
    const wrong = await send('POST', 'provider:yaml/test', { yaml: 'base_url: nowhere\nwieght: 3\n' });
    expect(wrong.body.error).toMatchObject({
      code: 'setting_invalid',
      message: 'provider yaml: wieght: is not a known setting',
    });
    expect((await send('PUT', 'provider:yaml', { yaml: 'base_url: [' })).status).toBe(400);
    const twice = await send('PUT', 'provider:yaml', { value: { base_url: host.baseUrl }, yaml });
    expect(twice.body.error.message).toBe('base_url: is given twice, in value and in yaml');
  });

  test('is shown in its form, whose fields and the others come back together', async () => {
    const models = [{ id: 'fake-model', price: { input: 1, output: 2 } }];
    await send('PUT', 'provider:form', home({ models: ['fake-model'], headers: { 'x-team': 'sales' }, weight: 2 }));
    const { body } = await send('GET', 'provider:form');
    const { name, value, rest_yaml: rest } = body.form;
    expect([name, value.models, rest]).toEqual(['provider', [{ id: 'fake-model' }], '']);
    const joined = { value: { ...value, models }, yaml: `${rest}free_fields: [seed]\ntimeouts: { idle_ms: 9000 }\n` };
    expect((await send('PUT', 'provider:form', joined)).status).toBe(200);
    expect(providers().find((each) => each.name === 'form')).toMatchObject({
      apiKeys: [KEY],
      headers: { 'x-team': 'sales' },
      models: [{ id: 'fake-model', price: { input: 1, output: 2 } }],
      timeouts: { idleMs: 9000 },
      weight: 2,
    });
  });

  test('gets no secrets of the environment', async () => {
    await service.settings.setVariable('GROQ_API_KEY', 'gsk-key-of-the-operator');
    const sent = [
      { preset: 'groq', base_url: host.baseUrl },
      { base_url: host.baseUrl, api_keys: '$GROQ_API_KEY' },
      { base_url: host.baseUrl, headers: { 'x-key': '$' + '{GROQ_API_KEY}' } },
    ];
    for (const value of sent) expect((await send('PUT', 'provider:thief', { value, untested: true })).status).toBe(400);
    const quiet = await send('PUT', 'provider:thief', home({ headers: { 'x-key': 'x$GROQ_API_KEY' } }));
    expect(quiet.status).toBe(200);
    expect(JSON.stringify(host.requests.map(({ headers }) => headers))).not.toContain('gsk-key');
    const fixed = await send('PUT', 'provider:groq', { value: { preset: 'groq', api_keys: ['mine'] } });
    expect([fixed.status, fixed.body.error.code]).toEqual([409, 'setting_fixed']);
  });

  test('pasted with spaces and quotes has a clean key', async () => {
    await send('PUT', 'provider:pasted', home({ api_keys: ` "${KEY}"\n` }));
    expect(providers()).toContainEqual(expect.objectContaining({ name: 'pasted', apiKeys: [KEY] }));
  });
});

describe('a variable', () => {
  test('of the environment is shown without its secret, and can not be changed', async () => {
    await service.settings.setVariable('BRAVE_API_KEY', 'key-of-the-operator');
    const { body } = await send('GET', 'variable:BRAVE_API_KEY');
    expect(body).toMatchObject({ origin: 'environment', value: '[stored]' });
    expect((await send('PUT', 'variable:BRAVE_API_KEY', { value: 'mine', untested: true })).status).toBe(409);
    for (const name of [
      'DATA_DIR',
      'DATABASE_URL',
      'ENCRYPTION_KEY',
      'HOST',
      'PROVIDERS_FILE',
      'TELEGRAM_API_ROOT',
      'PATH',
    ])
      expect((await send('PUT', `variable:${name}`, { value: 'mine' })).status, name).toBe(409);
  });

  test('is in force at once and can be undone, twice', async () => {
    expect((await send('PUT', 'variable:ADMIN_IDS', { value: ` '${ADMIN}, 8' ` })).status).toBe(200);
    await send('PUT', 'variable:ADMIN_IDS', { value: `${ADMIN},9` });
    expect(service.settings.current().config.adminIds).toEqual([ADMIN, 9]);
    await send('POST', 'variable:ADMIN_IDS/undo', {});
    expect(service.settings.current().config.adminIds).toEqual([ADMIN, 8]);
    expect(await lastAction()).toMatchObject({ action: 'undo-setting', reason: `${ADMIN}, 8` });
    await send('POST', 'variable:ADMIN_IDS/undo', {});
    expect(service.settings.current().config.adminIds).toEqual([ADMIN, 9]);
    await send('DELETE', 'variable:ADMIN_IDS');
    expect(service.settings.current().config.adminIds).toEqual([]);
  });

  test('for the token makes no bot without a word about who may use it', async () => {
    const token = { value: '123456789:AAE-a-token-of-this-suite-0123456789a', untested: true };
    const before = await lastAction();
    for (const send of [() => put(token), () => service.manage('POST', `${PATH}/test`, token)]) {
      const { status, body } = await send();
      expect([status, body.error.code]).toEqual([409, 'access_undecided']);
    }
    expect(await lastAction()).toEqual(before);
    expect((await put({ ...token, for_everyone: true })).status).toBe(200);
    expect((await service.manage('DELETE', PATH)).status).toBe(200);
    // To bring it back is to decide again.
    expect((await service.manage('POST', `${PATH}/undo`, {})).status).toBe(409);
    await send('PUT', 'variable:ALLOWED_IDS', { value: '8' });
    expect((await put(token)).status).toBe(200);
    expect((await send('DELETE', 'variable:ALLOWED_IDS')).body.error.code).toBe('access_undecided');
    await service.manage('DELETE', PATH);
    await send('DELETE', 'variable:ALLOWED_IDS');
  });

  test('that is invalid, alone or with others, changes nothing', async () => {
    const before = await lastAction();
    const wrong = await send('PUT', 'variable:ADMIN_IDS', { value: 'ann' });
    expect(wrong.body.error).toMatchObject({ code: 'setting_invalid', message: expect.stringContaining('ADMIN_IDS') });
    const alone = await send('PUT', 'variable:STORAGE_CHAT_IDS', { value: '-1001234567890', untested: true });
    expect(alone.body.error.message).toContain('STORAGE_CHAT_IDS needs BOT_TOKEN');
    for (const value of ['', 5, null, { a: 1 }])
      expect((await send('PUT', 'variable:ADMIN_IDS', { value })).status).toBe(400);
    expect(await lastAction()).toEqual(before);
  });
});

describe('plans, budgets, aliases and tools', () => {
  test('are read as those of the providers file', async () => {
    await send('PUT', 'plan:family', { yaml: 'user: { requests_per_minute: 3, dollars_per_month: 5 }' });
    await send('PUT', 'budget:instance', { value: { dollars_per_month: 20 } });
    await send('PUT', 'alias:fast', { value: ['home/fake-model'] });
    const tool = {
      function: 'get_weather',
      description: 'Weather',
      url: 'https://weather.example.com/now?key=abcdefgh',
    };
    const { body } = await send('PUT', 'tool:get_weather', { value: tool, untested: true });
    expect(body.setting.value.url).toBe('[stored]');
    const { plans, budget, models, tools } = service.settings.current();
    expect(plans['family']?.user?.requestsPerMinute).toBe(3);
    expect(budget?.usdPerMonth).toBe(20);
    expect(models.aliases).toEqual({ fast: ['home/fake-model'] });
    expect(tools.sources).toEqual([expect.objectContaining({ name: 'get_weather', secrets: ['abcdefgh'] })]);
  });

  test('with a budget under which no model can be used are stored on request only', async () => {
    const { catalogue } = service;
    const { findPrices } = catalogue;
    const budget = { value: { dollars_per_month: 20 } };
    const priced = catalogue.list().find(({ type }) => type === 'chat')?.id;
    try {
      Object.assign(catalogue, { findPrices: (id: string) => (id === priced ? [] : undefined) });
      const { body } = await send('POST', 'budget:instance/test', budget);
      expect(body.findings.join()).not.toContain(priced);
      Object.assign(catalogue, { findPrices: () => undefined });
      for (const [id, value] of [
        ['budget:instance', budget],
        ['plan:unpriced', { value: { key: { dollars_per_day: 1 } } }],
      ] as const) {
        const refused = await send('PUT', id, value);
        expect([refused.status, refused.body.error.code]).toEqual([400, 'setting_does_not_work']);
        expect(refused.body.error.message).toContain('their prices are not known');
        expect((await send('PUT', id, { ...value, untested: true })).status).toBe(200);
      }
      const allowing = { value: { ...budget.value, allows_unpriced_models: true } };
      expect((await send('PUT', 'budget:instance', allowing)).body.findings).toEqual([]);
      const counted = await send('PUT', 'plan:unpriced', { value: { key: { tokens_per_day: 1 } } });
      expect(counted.body.findings).toEqual([]);
    } finally {
      Object.assign(catalogue, { findPrices });
    }
  });

  test('run no programs', async () => {
    const { body } = await send('PUT', 'tool:shell', { value: { command: 'sh', args: ['-c', 'id'] } });
    expect(body.error.message).toContain('tool shell: command: only the operator can set it');
  });
});

describe('an export', () => {
  const file = (key: string) => `
providers:
  - { name: written, base_url: "https://written.example.com/v1", api_keys: [${key}], models: [a] }
  - { name: named, base_url: "https://named.example.com/v1", api_keys: $WRITTEN_KEY, models: [b] }
tools:
  - { name: shell, command: a-server, args: [--token, arg-secret-0123], env: { TOKEN: env-secret-0123 } }
  - { name: remote, mcp: "https://mcp.example.com/?token=query-secret", headers: { Authorization: Bearer $WRITTEN_KEY } }
plans: { family: { user: { requests_per_minute: 9 } } }
tool_limits: { steps: 4 }
`;
  const exported = async () => {
    const { headers, body } = await service.manage('GET', '/api/settings/export');
    expect(headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    return body as string;
  };
  let folder: string;
  afterAll(async () => {
    await service.settings.setVariable('PROVIDERS_FILE', undefined);
    await rm(folder, { recursive: true });
  });
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'switchboard-export-'));
    const path = join(folder, 'providers.yaml');
    await writeFile(path, file('sk-written-in-clear-0123'));
    await service.settings.setVariable('WRITTEN_KEY', 'sk-of-a-variable-0123');
    await service.settings.setVariable('PROVIDERS_FILE', path);
  });

  test('is the whole truth as one providers file, which works with the variables that it names', async () => {
    await service.settings.setVariable('GROQ_API_KEY', 'gsk-of-the-environment');
    await send('PUT', 'variable:ADMIN_IDS', { value: `${ADMIN},77` });
    await send('PUT', 'plan:family', { value: { user: { requests_per_minute: 1 } } });
    await send('PUT', 'plan:guests', { value: { user: { requests_per_minute: 2 } } });
    const fields = { base_url: 'https://a.example.com/v1/$HOME', headers: { 'x-key': 'header-secret' }, models: ['c'] };
    await send('PUT', 'provider:away', { value: { api_keys: ['$one$', KEY], ...fields }, untested: true });
    const text = await exported();
    expect(text).toContain(`# ADMIN_IDS=${ADMIN},77 (set in the console)\n`);
    expect(text).toContain('# Providers by variables of the environment: groq\n');
    const values: Readonly<Record<string, string>> = {
      ['WRITTEN_KEY']: 'sk-of-a-variable-0123',
      ['PROVIDER_WRITTEN_API_KEYS_0']: 'sk-written-in-clear-0123',
      ['PROVIDER_AWAY_API_KEYS_0']: '$one$',
      ['PROVIDER_AWAY_API_KEYS_1']: KEY,
      ['PROVIDER_AWAY_HEADERS_X_KEY']: 'header-secret',
      ['TOOL_SHELL_ARGS_0']: '--token',
      ['TOOL_SHELL_ARGS_1']: 'arg-secret-0123',
      ['TOOL_SHELL_ENV_TOKEN']: 'env-secret-0123',
      ['TOOL_REMOTE_MCP']: 'https://mcp.example.com/?token=query-secret',
    };
    const own = parseYaml(text) as { providers: { name: string }[]; tools: { name?: string }[] };
    const chosen = {
      ...own,
      providers: own.providers.filter(({ name }) => ['written', 'named', 'away'].includes(name)),
      tools: own.tools.filter(({ name }) => name !== undefined),
    };
    const read = readProvidersContent(chosen, (name) => values[name]);
    const { models, plans, tools } = service.settings.current();
    const inForce = models.providers.filter(({ name = '' }) => ['written', 'named', 'away'].includes(name));
    expect(read.providers).toEqual(inForce);
    expect(read.plans).toEqual(plans);
    expect(read.plans['family']?.user?.requestsPerMinute).toBe(9);
    expect(read.tools.limits).toEqual(tools.limits);
    expect(read.tools.sources.map((source) => ({ ...source, secrets: [] }))).toEqual(
      tools.sources.filter(({ kind }) => kind === 'mcp').map((source) => ({ ...source, secrets: [] })),
    );
  });

  test('contains no secret, wherever it comes from', async () => {
    await send('PUT', 'variable:BRAVE_API_KEY', { value: 'brave-secret-0123', untested: true });
    const text = await exported();
    expect(text).toMatch(/BRAVE_API_KEY=\$\{BRAVE_API_KEY\}/);
    for (const secret of [KEY, 'written-in-clear', 'of-a-variable', 'arg-secret', 'env-secret', 'query-secret'])
      expect(text).not.toContain(secret);
    for (const secret of ['header-secret', '$one$', 'brave-secret', 'abcdefgh']) expect(text).not.toContain(secret);
  });
});

describe('two admins', () => {
  test('do not overwrite each other', async () => {
    await send('PUT', 'plan:contested', { value: {} });
    const { headers } = await send('GET', 'plan:contested');
    const condition = { 'if-match': headers.get('etag') ?? '' };
    const change = (count: number) => send('PUT', 'plan:contested', { value: { user: { at_once: count } } }, condition);
    const statuses = (await Promise.all([1, 2, 3, 4].map(change))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 412, 412, 412]);
    const isNew = { 'if-none-match': '*' };
    expect((await send('PUT', 'plan:contested', { value: {} }, isNew)).body.error.code).toBe('already_exists');
    expect((await send('PUT', 'plan:another', { value: {} }, isNew)).status).toBe(200);
  });

  test('in two processes do not overwrite each other either', async () => {
    const { db } = service.database;
    const { logger } = createRecordingLogger();
    const encryptionKey = randomBytes(32);
    const open = () =>
      createTestSettings({ db, clock: systemClock, logger }, { ...service, adminIds: [ADMIN], encryptionKey });
    const [one, other] = [await open(), await open()];
    const manager = { telegramId: ADMIN, keyId: undefined };
    const change = ({ editor }: typeof one, at_once: number) =>
      editor.change({ manager, values: new Map([['plan:shared', { user: { at_once } }]]) });
    await change(one, 1);
    await expect(change(other, 2)).rejects.toMatchObject({ name: 'SettingsChangedError' });
    // It has read what the first one stored.
    await change(other, 3);
    await one.readAgain();
    expect(one.current().plans['shared']?.user?.atOnce).toBe(3);
    // Rows that another key has encrypted are left out.
    expect(one.current().leftOut.get('plan:contested')).toMatch(/encrypted with another key/);
    await service.settings.readAgain();
    expect(service.settings.current().leftOut.has('plan:shared')).toBe(true);
  });
});

test('the first admin of an open bot is made once, by one of many, with an entry in the audit log', async () => {
  const { editor } = service.settings;
  const codes: boolean[] = [];
  await send('DELETE', 'variable:ADMIN_IDS');
  await send('DELETE', 'variable:ALLOWED_IDS');
  const redeemAs = (isRight: boolean) => async () => codes.push(isRight) > 0 && isRight;
  expect(await editor.makeFirstAdmin(5, redeemAs(false))).toBe(false);
  expect(service.settings.current().config.adminIds).toEqual([]);
  const tries = [6, 7, 8].map((id) => editor.makeFirstAdmin(id, redeemAs(true)));
  expect(await Promise.all(tries)).toEqual([true, false, false]);
  expect(service.settings.current().config.adminIds).toEqual([6]);
  // Nobody else has used a code up.
  expect(codes).toEqual([false, true]);
  expect(await lastAction()).toMatchObject({
    ...{ action: 'set-setting', subject: 'variable:ADMIN_IDS', admin_telegram_id: 6 },
    reason: '6, the first admin',
  });
  await send('DELETE', 'variable:ADMIN_IDS');
  await service.settings.setVariable('ALLOWED_IDS', '9');
  expect(await editor.makeFirstAdmin(5, redeemAs(true))).toBe(false);
});

test('an admin who is demoted during the tests changes nothing', async () => {
  const answered = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  host.behaveAtModels(async (exchange) => {
    asked.resolve();
    await answered.promise;
    await answerJson(200, { object: 'list', data: [{ id: 'fake-model', object: 'model' }] })(exchange);
  });
  const { adminIds } = service;
  const sent = send('PUT', 'provider:late', home());
  await asked.promise;
  adminIds.length = 0;
  answered.resolve();
  const { status } = await sent;
  adminIds.push(ADMIN);
  expect([status, (await send('GET', 'provider:late')).status]).toEqual([403, 404]);
});

test('no secret is in an answer, in the log, in the audit log, or readable in the database', async () => {
  await send('PUT', 'provider:home', home());
  await send('PUT', 'provider:home', home({ api_keys: ['[stored]', 'another-key-0123456789'] }));
  const answers = [
    await service.manage('GET', '/api/settings'),
    await send('GET', 'provider:home'),
    await service.manage('GET', '/api/audit-log?limit=100'),
    await service.manage('GET', '/api/providers'),
  ];
  const { db } = service.database;
  const rows = await db.execute(sql`select name, encode(value, 'escape') as value from stored_settings`);
  const all = JSON.stringify(answers.map(({ body }) => body)) + service.logText() + JSON.stringify(rows);
  expect(all).toContain('provider:home');
  for (const secret of [KEY, 'another-key-0123456789', 'abcdefgh']) expect(all).not.toContain(secret);
});

test('users without the right to manage see and change nothing', async () => {
  const key = { authorization: `Bearer ${service.apiKey}` };
  for (const [method, path] of [
    ['GET', '/api/settings'],
    ['GET', '/api/settings/export'],
    ['GET', '/api/settings/provider:home'],
    ['PUT', '/api/settings/provider:home'],
    ['DELETE', '/api/settings/provider:home'],
    ['POST', '/api/settings/provider:home/undo'],
    ['POST', '/api/settings/provider:home/test'],
  ] as const) {
    const body = method === 'PUT' || method === 'POST' ? {} : undefined;
    expect((await service.manage(method, path, body, key)).status).toBe(403);
  }
});
