import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { updates, usage } from '../../src/database/schema/index.ts';
import { eventually } from '../support/harness/process.ts';
import { type ServiceHarness, startServiceHarness } from '../support/harness/service.ts';
import { answerHello, streamEventsOf } from '../support/hosts/fake-provider.ts';
import { type SeverableProxy, startSeverableProxy } from '../support/stores/severable-proxy.ts';
import { createServerTestDatabase, findServerUrl, type TestDatabase } from '../support/stores/test-database.ts';

const serverUrl = findServerUrl();

/** Long enough for a machine under load. */
const PATIENCE_MS = 60_000;
/** 5 s without a response, 5 s for the probe, and time for a busy machine. */
const SILENCE_MS = 40_000;

describe.skipIf(!serverUrl)('a service whose Postgres becomes unavailable', () => {
  let database: TestDatabase;
  let proxy: SeverableProxy;
  let stage: ServiceHarness;
  beforeAll(async () => {
    database = await createServerTestDatabase(serverUrl ?? '');
    const url = new URL(database.config.kind === 'postgres' ? database.config.url : '');
    proxy = await startSeverableProxy({ host: url.hostname, port: Number(url.port || 5432) });
    url.host = `127.0.0.1:${proxy.port}`;
    stage = await startServiceHarness({ settings: { DATABASE_URL: url.href, UNIVERSAL_API_KEY: 'sk-of-this-suite' } });
    await stage.service.isReady();
  });
  afterAll(async () => {
    await stage?.close();
    await proxy?.close();
    await database?.close();
  });

  const ask = (more: object = {}) =>
    stage.service.post('/ai/openai/chat/completions', {
      model: 'fake-model',
      messages: [{ role: 'user', content: 'Hi' }],
      ...more,
    });
  const countUsage = async () => (await database.db.select({ id: usage.id }).from(usage)).length;

  test('reports it, recovers, and counts each answer once', async () => {
    const { service, provider } = stage;
    expect((await ask()).status).toBe(200);
    await eventually(async () => (await countUsage()) === 1 || undefined);

    // A stream that started before ends completely.
    const gate = Promise.withResolvers<void>();
    provider.behave(async (exchange) => {
      const events = streamEventsOf(exchange.request);
      exchange.response.writeHead(200, { 'content-type': 'text/event-stream' });
      exchange.response.write(events[0]);
      await gate.promise;
      exchange.response.end(events.slice(1).join(''));
    });
    const stream = await ask({ stream: true });
    expect(stream.status).toBe(200);

    await proxy.sever();
    const readiness = await service.get('/readyz');
    expect(readiness.status).toBe(503);
    expect(await readiness.json()).toMatchObject({
      status: 'not ready',
      checks: { database: false },
      reason: 'the database cannot be reached',
    });
    expect((await service.get('/healthz')).status).toBe(200);

    gate.resolve();
    expect(await stream.text()).toMatch(/\[DONE\]\n\n$/);

    // A key that was just used is cached for a second.
    const refused = await eventually(async () => {
      const answer = await ask();
      if (answer.status === 503) return answer;
      await answer.text();
      return undefined;
    });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.json()).toEqual({
      error: {
        message: expect.not.stringMatching(/postgres|ECONN|query|127\.0/i),
        type: 'server_error',
        param: null,
        code: 'service_unavailable',
      },
    });
    const upload = await service.get('/upload/a.txt', { method: 'PUT', body: 'twelve bytes' });
    expect(upload.status).toBe(503);
    expect(upload.headers.get('retry-after')).toBe('5');
    expect(await upload.json()).toMatchObject({ ok: false, error: { code: 'service_unavailable' } });
    stage.writes('Is anybody there?');

    await proxy.mend();
    await eventually(async () => (await service.get('/readyz')).status === 200 || undefined, PATIENCE_MS);
    expect((await ask()).status).toBe(200);
    await stage.says('Hello, world!');
    const answered = provider.chatRequests.length;
    await eventually(async () => (await countUsage()) === answered || undefined, PATIENCE_MS);
    expect(stage.said().filter((text) => text === 'Hello, world!')).toHaveLength(1);
    expect(service.output()).not.toMatch(/"level":60/);
  });

  test('treats a silent server as unavailable: requests are answered in time, and the service recovers', async () => {
    const { service, provider } = stage;
    // A key that was just used is cached for a second.
    await sleep(1100);
    const answered = provider.chatRequests.length;
    proxy.hush();
    stage.writes('Does anybody hear me?');
    const beganAt = performance.now();
    const [answers, readiness] = await Promise.all([
      Promise.all(Array.from({ length: 20 }, () => ask())),
      service.get('/readyz'),
    ]);
    expect(performance.now() - beganAt).toBeLessThan(SILENCE_MS);
    expect(readiness.status).toBe(503);
    for (const answer of answers) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('5');
      expect(await answer.json()).toMatchObject({ error: { code: 'service_unavailable' } });
    }
    expect(provider.chatRequests).toHaveLength(answered);
    expect((await service.get('/healthz')).status).toBe(200);

    proxy.speak();
    await eventually(async () => (await service.get('/readyz')).status === 200 || undefined);
    expect((await ask()).status).toBe(200);
    // The question of the user was not lost and is not answered twice.
    await eventually(() => stage.said().filter((text) => text === 'Hello, world!').length === 2 || undefined);
    const known = provider.chatRequests.length;
    await eventually(async () => (await countUsage()) === known || undefined);
  });

  test('counts an answer once even if the confirmation of the row is lost', async () => {
    const before = await countUsage();
    stage.provider.behave(answerHello());
    const isLost = proxy.loseConfirmation('insert into "usage"', 'INSERT 0');
    expect((await ask()).status).toBe(200);
    await isLost;
    expect(await countUsage()).toBe(before + 1);
    // The insert is tried again.
    await proxy.loseConfirmation('insert into "usage"', 'INSERT 0');
    expect(await countUsage()).toBe(before + 1);
    expect((await ask()).status).toBe(200);
    await eventually(async () => (await countUsage()) >= before + 2 || undefined, PATIENCE_MS);
    expect(await countUsage()).toBe(before + 2);
  });

  test('goes on when a connection is lost while it is opened', async () => {
    const { service } = stage;
    const isLost = proxy.loseConfirmation('b.typarray', 'SELECT');
    await proxy.sever();
    await proxy.mend();
    await isLost;
    await eventually(async () => (await service.get('/readyz')).status === 200 || undefined, PATIENCE_MS);
    expect((await ask()).status).toBe(200);
    expect(service.output()).toContain('lost while it was opened');
    expect(service.output()).not.toMatch(/"level":60/);
  });

  test('is not ready while updates cannot be stored, and recovers by itself', async () => {
    const { service } = stage;
    // The error of a server with a full disk, SQLSTATE disk_full.
    await database.db.execute(sql`
      create function refuse() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
    await database.db.execute(
      sql`create trigger refuse before insert on updates for each row execute function refuse()`,
    );
    const before = stage.said().length;
    stage.writes('Written while nothing can be stored');
    const refused = await eventually(async () => {
      const response = await service.get('/readyz');
      return response.status === 503 ? response : undefined;
    }, PATIENCE_MS);
    expect(await refused.json()).toEqual({
      status: 'not ready',
      checks: { database: true, updates: false, bot: true },
      reason: 'the disk is full',
      version: expect.any(String),
    });
    await database.db.execute(sql`drop trigger refuse on updates`);
    await eventually(async () => (await service.get('/readyz')).status === 200 || undefined, PATIENCE_MS);
    await eventually(() => stage.said().length > before || undefined, PATIENCE_MS);
    const stored = await database.db.select({ id: updates.updateId }).from(updates).where(sql`${updates.updateId} < 0`);
    expect(stored).toEqual([]);
  });
});
