import { randomBytes } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createApiKeys } from '../../src/core/accounts/index.ts';
import { createStoredSettings } from '../../src/core/stored-settings/index.ts';
import { storedSettings, users } from '../../src/database/schema/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { eventually, findFreePort, type RunningService, sendJson } from '../support/harness/process.ts';
import { type ServiceHarness, startServiceHarness } from '../support/harness/service.ts';
import { createServerTestDatabase, findServerUrl, type TestDatabase } from '../support/stores/test-database.ts';

const ADMIN = 7;
const ENCRYPTION_KEY = randomBytes(32);
const serverUrl = findServerUrl();

describe.skipIf(!serverUrl)('two processes with stored settings', () => {
  let database: TestDatabase;
  let stage: ServiceHarness;
  let one: RunningService;
  let other: RunningService;
  let key: string;
  let clientKey: string;
  beforeEach(async () => {
    database = await createServerTestDatabase(serverUrl ?? '');
    const port = async () => ({ PORT: String(await findFreePort()) });
    const settings = { ADMIN_IDS: `${ADMIN}`, ENCRYPTION_KEY: ENCRYPTION_KEY.toString('base64') };
    stage = await startServiceHarness({ database, settings: { ...settings, ...(await port()) } });
    one = stage.service;
    const [user] = await database.db.insert(users).values({ telegramId: ADMIN }).returning();
    const apiKeys = createApiKeys({ db: database.db, clock: systemClock });
    key = (await apiKeys.create(user?.id ?? 0, 'manage', { scope: 'manage' }))?.secret ?? '';
    clientKey = (await apiKeys.create(user?.id ?? 0, 'client'))?.secret ?? '';
    other = await stage.start(await port());
  });
  afterEach(async () => {
    await one?.kill();
    await stage?.close();
    await database?.close();
  });

  const send = (service: RunningService, method: string, id: string, body?: object) =>
    sendJson(service, key)(method, `/api/settings/${id}`, body);
  const listModels = async (service: RunningService) => {
    const headers = { authorization: `Bearer ${clientKey}` };
    const response = await service.get('/ai/openai/models', { headers });
    const { data } = (await response.json()) as { data: { id: string }[] };
    return data.map(({ id }) => id);
  };

  test('a change at one is in force at the other, and neither overwrites what the other has not read', async () => {
    const value = { base_url: stage.provider.baseUrl, api_keys: ['sk-of-the-second-host'], models: ['of-two'] };
    expect((await send(one, 'PUT', 'provider:two', { value })).status).toBe(200);
    await eventually(async () => (await listModels(other)).includes('of-two') || undefined);
    expect((await send(other, 'GET', 'provider:two')).body).toMatchObject({ origin: 'stored', problem: null });
    expect((await send(other, 'PUT', 'alias:both', { value: ['two/of-two'] })).status).toBe(200);
    const answers = await Promise.all([
      send(one, 'PUT', 'plan:family', { value: { user: { at_once: 1 } } }),
      send(other, 'PUT', 'plan:family', { value: { user: { at_once: 2 } } }),
    ]);
    expect(answers.some(({ status }) => status === 412)).toBe(true);
    await eventually(async () => {
      const [first, second] = [await send(one, 'GET', 'plan:family'), await send(other, 'GET', 'plan:family')];
      return (first.status === 200 && JSON.stringify(first.body) === JSON.stringify(second.body)) || undefined;
    });
    await eventually(async () => (await listModels(one)).includes('both') || undefined);
    for (const service of [one, other]) expect(service.output()).not.toContain('sk-of-the-second-host');
  });

  test('settings of a later version are left out with a reason, and kept as they are', async () => {
    const { db } = database;
    const later = createStoredSettings({ db, clock: systemClock });
    const value = { user: { at_once: 3 }, of_a_later_version: { a: 1 } };
    await later.store(ENCRYPTION_KEY, {
      admin: { adminTelegramId: ADMIN },
      action: 'set-setting',
      values: new Map([['plan:later', value]]),
      notes: new Map(),
      revision: await later.readRevision(),
    });
    const unknown = { name: 'theme:of-a-later-version', value: randomBytes(50), version: 1 };
    await db.insert(storedSettings).values({ ...unknown, changedBy: ADMIN, changedAt: new Date() });
    for (const service of [one, other])
      await eventually(
        async () =>
          /of_a_later_version/.test((await send(service, 'GET', 'plan:later')).body.problem ?? '') || undefined,
      );
    expect((await send(one, 'PUT', 'plan:now', { value: { user: { at_once: 1 } } })).status).toBe(200);
    await eventually(async () => (await send(other, 'GET', 'plan:now')).status === 200 || undefined);
    const { settings } = await later.read([ENCRYPTION_KEY]);
    expect(settings.find(({ id }) => id === 'plan:later')?.value).toEqual(value);
    const [row] = await db.select().from(storedSettings).where(eq(storedSettings.name, unknown.name));
    expect(row?.value?.equals(unknown.value)).toBe(true);
  });

  test('a row that is changed by hand is left out with a reason, until an admin sets it again', async () => {
    await send(one, 'PUT', 'plan:family', { value: { user: { at_once: 1 } } });
    const isTheRow = eq(storedSettings.name, 'plan:family');
    await database.db
      .update(storedSettings)
      .set({ value: randomBytes(64), version: sql`${storedSettings.version} + 1` })
      .where(isTheRow);
    for (const service of [one, other]) {
      await eventually(async () => (await send(service, 'GET', 'plan:family')).body.problem ?? undefined);
      expect((await send(service, 'GET', 'plan:family')).body.problem).toMatch(/changed by hand/);
    }
    expect((await send(other, 'PUT', 'plan:family', { value: { user: { at_once: 2 } } })).status).toBe(200);
    await eventually(async () => (await send(one, 'GET', 'plan:family')).body.problem === null || undefined);
  });
});
