import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ManagementService, startManagementService } from '../../support/harness/http-users.ts';
import { createFastClock } from '../../support/machine/fast-clock.ts';
import { watchLongestStep } from '../../support/machine/measure.ts';
import { EXHAUSTIVE } from '../../support/vitest/tiers.ts';

const MAX_CSV_ROWS = 100_000;
const MAX_ROWS_READ = 50_000;
const FIRST = Date.parse('2026-01-01T00:00:00Z');
/** CPU time of the longest step of the service, its embedded database and the client. */
const MAX_STEP_MS = 100;
const SLOW = { ...EXHAUSTIVE, timeout: 120_000 };

/** One row a second, one more than a file may have. */
const at = (second: number) => new Date(FIRST + second * 1000).toISOString();
const rowsOf = (seconds: number) => `/api/usage?format=csv&from=${at(0)}&to=${at(seconds)}`;

let service: ManagementService;
beforeAll(async () => {
  service = await startManagementService({ clock: createFastClock(120) });
  const { id } = await service.accounts.ensureTelegramUser(100);
  for (let first = 0; first <= MAX_CSV_ROWS; first += 10_000)
    await service.database.db.execute(sql`
      insert into usage (id, user_id, kind, model, provider, prompt_tokens, completion_tokens, is_estimated,
        duration_ms, created_at)
      select gen_random_uuid(), ${id}::int, 'chat', 'model', 'host', 1, 1, false, 1,
        ${at(0)}::timestamptz + second * interval '1 second'
      from generate_series(${first}::int, least(${first}::int + 9999, ${MAX_CSV_ROWS}::int)) as second`);
}, 120_000);
afterAll(() => service.close());

test('a CSV file has the maximum number of rows, and is refused beyond it', SLOW, async () => {
  const whole = await service.manage('GET', rowsOf(MAX_CSV_ROWS));
  expect(whole.status).toBe(200);
  const lines = whole.body.split('\r\n');
  expect(lines).toHaveLength(MAX_CSV_ROWS + 2);
  expect(new Set(lines.map((line: string) => line.split(',', 1)[0])).size).toBe(MAX_CSV_ROWS + 2);
  const { status, body } = await service.manage('GET', rowsOf(MAX_CSV_ROWS + 1));
  expect([status, body.error.code, body.error.param]).toEqual([400, 'too_many_rows', 'from']);
  expect(body.error.message).toContain(`${MAX_CSV_ROWS}`);
});

test('a client that stops reading is disconnected, and little is read for it', SLOW, async () => {
  let queries = 0;
  const { usage } = service.management;
  const { list } = usage;
  Object.assign(usage, {
    list: (...parameters: Parameters<typeof list>) => {
      queries += 1;
      return list(...parameters);
    },
  });
  const request = get(service.url + rowsOf(MAX_CSV_ROWS), {
    headers: { authorization: `Bearer ${service.manageKey}` },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  // Buffers of the system take some megabytes before the server stops reading.
  const hasStopped = async () => {
    const readSoFar = queries;
    await sleep(1000);
    return readSoFar > 0 && queries === readSoFar;
  };
  await expect.poll(hasStopped).toBe(true);
  expect(queries).toBeLessThan(MAX_CSV_ROWS / 250 - 50);
  Object.assign(usage, { list });
  const closed = new Promise((resolve) => response.once('close', resolve));
  response.resume();
  await closed;
  expect(response.complete).toBe(false);
  // Its place is free.
  expect((await service.manage('GET', '/api/plans')).status).toBe(200);
});

test('the embedded database sums up and searches a limited number of rows', SLOW, async () => {
  const period = (seconds: number) => `from=${at(0)}&to=${at(seconds)}`;
  const paths = ['/api/usage/summary?group_by=day&', '/api/usage/summary?group_by=model&', '/api/usage?model=other&'];
  for (const path of paths) {
    expect((await service.manage('GET', path + period(MAX_ROWS_READ))).status).toBe(200);
    const { status, body } = await service.manage('GET', path + period(MAX_ROWS_READ + 1));
    expect([path, status, body.error?.code]).toEqual([path, 400, 'too_many_rows']);
    expect(body.error.message).toContain(`${MAX_ROWS_READ}`);
    // Rows of one user are found by an index.
    expect((await service.manage('GET', `${path}user=999&${period(MAX_CSV_ROWS)}`)).status).toBe(200);
  }
  expect((await service.manage('GET', `/api/usage?${period(MAX_CSV_ROWS)}`)).status).toBe(200);
});

test('a CSV file of many sums does not block the thread', SLOW, async () => {
  const { id } = await service.accounts.ensureTelegramUser(200);
  await service.database.db.execute(sql`
    insert into usage (id, user_id, kind, model, provider, prompt_tokens, completion_tokens, is_estimated,
      duration_ms, created_at)
    select gen_random_uuid(), ${id}::int, 'chat', 'model ' || n, 'host', 1, 1, false, 1, '2025-06-01T00:00:00Z'
    from generate_series(1, 9900) as n`);
  const read = () =>
    service.manage('GET', '/api/usage/summary?format=csv&group_by=model&from=2025-06-01&to=2025-06-02');
  await read();
  const stop = watchLongestStep();
  const { status, body } = await read();
  expect(stop()).toBeLessThan(MAX_STEP_MS);
  expect(status).toBe(200);
  const names = body
    .split('\r\n')
    .slice(1, -1)
    .map((line: string) => line.split(',', 1)[0]);
  expect(new Set(names).size).toBe(9900);
  await service.database.db.execute(sql`delete from usage where user_id = ${id}::int`);
});
