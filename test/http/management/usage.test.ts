import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ManagementService, startManagementService } from '../../support/harness/http-users.ts';

/** A note with a formula, a quote and a separator. */
const HOSTILE_NAME = '=HYPERLINK("http://x"),Ann';

let service: ManagementService;
let userIds: readonly [number, number];
beforeAll(async () => {
  service = await startManagementService();
  userIds = [(await service.accounts.ensureTelegramUser(100)).id, (await service.accounts.ensureTelegramUser(101)).id];
  expect((await service.manage('PATCH', `/api/users/${userIds[1]}`, { note: HOSTILE_NAME })).status).toBe(200);
  await addUsage({ at: '2026-03-28T23:30:00Z', user: 0, model: 'one', cost: '0.1', tokens: 10, key: 5 });
  // After midnight in Berlin, which is an hour ahead.
  await addUsage({ at: '2026-03-28T22:59:59.999Z', user: 0, model: 'one', cost: '0.2', tokens: 20, key: 5 });
  // The day on which the clock is put forward: it has 23 hours.
  await addUsage({ at: '2026-03-29T21:59:00Z', user: 1, model: 'two', cost: null, tokens: 30, chat: -100 });
  await addUsage({ at: '2026-03-29T22:00:00Z', user: 1, model: '=cmd|x', cost: '0.000000001', tokens: 40, chat: -100 });
  await addUsage({ at: '2026-04-01T00:00:00Z', user: 1, model: 'two', cost: '1.5', tokens: 50 });
});
afterAll(() => service.close());

interface Added {
  readonly at: string;
  readonly user: 0 | 1;
  readonly model: string;
  readonly cost: string | null;
  readonly tokens: number;
  readonly key?: number;
  readonly chat?: number;
}

async function addUsage({ at, user, model, cost, tokens, key, chat }: Added): Promise<void> {
  await service.database.db.execute(sql`
    insert into usage (id, user_id, key_id, chat_id, kind, model, provider, prompt_tokens, completion_tokens,
      cached_tokens, cost_usd, is_estimated, finish_reason, duration_ms, created_at)
    values (gen_random_uuid(), ${userIds[user]}, ${key ?? null}, ${chat ?? null}, 'chat', ${model}, 'host', ${tokens}, 1,
      2, ${cost}::numeric, false, 'stop', 12, ${at}::timestamptz)`);
}

const PERIOD = 'from=2026-03-01&to=2026-05-01';
const get = async (path: string) => {
  const { status, body } = await service.manage('GET', path);
  expect([path, status, body.error]).toEqual([path, 200, undefined]);
  return body;
};
const sumsOf = async (query: string) =>
  (await get(`/api/usage/summary?${PERIOD}&limit=100&${query}`)).data as Record<string, unknown>[];
const models = async (query: string) =>
  ((await get(`/api/usage?limit=100&${query}`)).data as { model: string }[]).map(({ model }) => model);

describe('rows', () => {
  test('contain everything but messages, newest first', async () => {
    const { data } = await get(`/api/usage?${PERIOD}`);
    expect(data.map(({ model }: { model: string }) => model)).toEqual(['two', '=cmd|x', 'two', 'one', 'one']);
    expect(data[0]).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      created_at: '2026-04-01T00:00:00.000Z',
      user: userIds[1],
      user_name: HOSTILE_NAME,
      key: null,
      chat: null,
      kind: 'chat',
      model: 'two',
      provider: 'host',
      prompt_tokens: 50,
      completion_tokens: 1,
      cached_tokens: 2,
      cache_write_tokens: null,
      reasoning_tokens: null,
      audio_input_tokens: null,
      audio_output_tokens: null,
      images: 0,
      audio_seconds: null,
      characters: null,
      cost_usd: 1.5,
      estimated: false,
      finish_reason: 'stop',
      duration_ms: 12,
    });
  });

  test('are filtered', async () => {
    expect(await models(`${PERIOD}&user=${userIds[0]}`)).toEqual(['one', 'one']);
    expect(await models(`${PERIOD}&key=5`)).toEqual(['one', 'one']);
    expect(await models(`${PERIOD}&chat=-100`)).toEqual(['=cmd|x', 'two']);
    expect(await models(`${PERIOD}&model=two`)).toEqual(['two', 'two']);
    expect(await models(`${PERIOD}&provider=other`)).toEqual([]);
    expect(await models(`${PERIOD}&kind=image`)).toEqual([]);
    expect(await models('from=2026-03-29T21:59:00Z&to=2026-03-29T22:00:00Z')).toEqual(['two']);
    expect(await models('from=2026-03-29&to=2026-03-30&time_zone=Europe/Berlin')).toEqual(['two', 'one']);
  });

  test('by default are those of the last 30 days', async () => {
    expect(await models('')).toEqual([]);
  });

  test('come in pages, also within the same microsecond', async () => {
    const { body } = await service.manage('GET', `/api/usage?${PERIOD}&limit=3`);
    const rest = await get(`/api/usage?${PERIOD}&limit=3&cursor=${body.next_cursor}`);
    expect([body.data.length, rest.data.length, rest.next_cursor]).toEqual([3, 2, null]);
    const ids = [...body.data, ...rest.data].map(({ id }) => id);
    expect(new Set(ids).size).toBe(5);
  });
});

describe('sums', () => {
  const some = (fields: object) => expect.objectContaining(fields);

  test('by day of the time zone, also when the clock changes', async () => {
    expect(await sumsOf('group_by=day')).toEqual([
      some({ day: '2026-03-28', requests: 2, prompt_tokens: 30, cost_usd: 0.3, requests_without_cost: 0 }),
      some({ day: '2026-03-29', requests: 2, prompt_tokens: 70, cost_usd: 0.000000001, requests_without_cost: 1 }),
      some({ day: '2026-04-01', requests: 1 }),
    ]);
    expect(await sumsOf('group_by=day&time_zone=Europe/Berlin')).toEqual([
      some({ day: '2026-03-28', requests: 1, prompt_tokens: 20 }),
      some({ day: '2026-03-29', requests: 2, prompt_tokens: 40 }),
      some({ day: '2026-03-30', requests: 1, prompt_tokens: 40 }),
      some({ day: '2026-04-01', requests: 1 }),
    ]);
  });

  test('by month, model, user, key, provider, kind and chat', async () => {
    expect(await sumsOf('group_by=month')).toEqual([
      some({ month: '2026-03', requests: 4, cached_tokens: 8, reasoning_tokens: 0 }),
      some({ month: '2026-04', requests: 1 }),
    ]);
    const byModel = await sumsOf('group_by=model');
    expect(byModel.map(({ model, requests }) => [model, requests])).toEqual(
      expect.arrayContaining([
        ['one', 2],
        ['two', 2],
        ['=cmd|x', 1],
      ]),
    );
    expect(await sumsOf('group_by=user')).toEqual([some({ user: userIds[0] }), some({ user: userIds[1] })]);
    expect(await sumsOf('group_by=key')).toEqual([some({ key: null, requests: 3 }), some({ key: 5, requests: 2 })]);
    expect(await sumsOf('group_by=chat')).toEqual([
      some({ chat: -100, requests: 2 }),
      some({ chat: null, requests: 3 }),
    ]);
    expect(await sumsOf('group_by=provider')).toEqual([some({ provider: 'host', requests: 5 })]);
    expect(await sumsOf('group_by=kind')).toEqual([some({ kind: 'chat', requests: 5, images: 0 })]);
  });

  test('by cost begin with the most expensive, and are cut', async () => {
    const byCost = await sumsOf('group_by=model&order=cost');
    expect(byCost).toHaveLength(3);
    const byName = await sumsOf('group_by=model');
    const costs = byName.map(({ cost_usd }) => cost_usd).toSorted((one, other) => Number(other) - Number(one));
    expect(byCost.map(({ cost_usd }) => cost_usd)).toEqual(costs);
    const cut = await get(`/api/usage/summary?${PERIOD}&limit=1&group_by=model&order=cost`);
    expect(cut).toEqual({ data: byCost.slice(0, 1), next_cursor: null });
  });

  test('by two at once, and of filtered rows', async () => {
    expect(await sumsOf('group_by=month,model&model=two')).toEqual([
      some({ month: '2026-03', model: 'two', requests: 1, cost_usd: 0, requests_without_cost: 1 }),
      some({ month: '2026-04', model: 'two', requests: 1, cost_usd: 1.5 }),
    ]);
    expect(await sumsOf('group_by=user,day')).toEqual(await sumsOf('group_by=day,user'));
  });

  test.each(['day', 'month', 'model', 'user', 'key', 'chat', 'day,model', 'month,key', 'day,chat'])(
    'by %s come in pages',
    async (grouping) => {
      const whole = await sumsOf(`group_by=${grouping}`);
      const paged: unknown[] = [];
      let cursor = '';
      do {
        const page = await get(`/api/usage/summary?${PERIOD}&limit=1&group_by=${grouping}${cursor}`);
        paged.push(...page.data);
        cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
      } while (cursor !== '');
      expect(paged).toEqual(whole);
    },
  );

  test('are cut at the ends of the period', async () => {
    const { data } = await get(
      '/api/usage/summary?group_by=day&from=2026-03-28T23:00:00Z&to=2026-03-29T22:00:00Z&time_zone=Europe/Berlin',
    );
    expect(data).toEqual([some({ day: '2026-03-29', requests: 2 })]);
  });
});

describe('CSV', () => {
  test('has the same columns, and no formulas', async () => {
    const { status, headers, body } = await service.manage('GET', `/api/usage?${PERIOD}&format=csv&limit=1`);
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'no-store',
    ]);
    const lines = body.replace(/^\uFEFF/, '').split('\r\n');
    const { data } = await get(`/api/usage?${PERIOD}`);
    expect(lines[0]).toBe(Object.keys(data[0]).join(','));
    expect(lines).toHaveLength(7);
    expect(lines[2]).toContain(",'=cmd|x,");
  });

  test('names users for admins only, also where names look like formulas', async () => {
    const files = await Promise.all(
      [`/api/usage?${PERIOD}&format=csv`, `/api/usage/summary?${PERIOD}&format=csv&group_by=month,user`].map((path) =>
        service.manage('GET', path),
      ),
    );
    for (const { body } of files) {
      const [header = '', ...lines] = body.replace(/^\uFEFF/, '').split('\r\n');
      expect(header.split(',')).toContain('user_name');
      expect(
        lines.filter((line: string) => line.includes(`,"'${HOSTILE_NAME.replaceAll('"', '""')}",`)).length,
      ).toBeGreaterThan(1);
    }
    const { token } = await service.sessions.begin(userIds[1], { origin: 'link', userAgent: 'node' });
    const headers = { authorization: `Bearer ${token}`, 'user-agent': 'node' };
    for (const path of ['usage?', 'usage/summary?group_by=month,user&'])
      for (const format of ['csv', 'json']) {
        const answer = await fetch(`${service.url}/api/me/${path}${PERIOD}&format=${format}`, { headers });
        expect([answer.status, await answer.text()]).toEqual([200, expect.not.stringMatching(/user_name|HYPERLINK/)]);
      }
  });

  test('of sums has the columns of the grouping', async () => {
    const { body } = await service.manage('GET', `/api/usage/summary?${PERIOD}&format=csv&group_by=month,user`);
    const [header, first] = body.replace(/^\uFEFF/, '').split('\r\n');
    expect(header).toMatch(/^month,user,user_name,requests,tokens,prompt_tokens,/);
    expect(first).toMatch(new RegExp(`^2026-03,${userIds[0]},,2,32,30,2,`));
  });
});

describe('invalid queries are refused and named', () => {
  test.each([
    ['/api/usage?from=2026-02-30', 'from'],
    ['/api/usage?from=1999-12-31', 'from'],
    ['/api/usage?from=2026-11-01T00:00', 'from'],
    ['/api/usage?from=infinity', 'from'],
    ['/api/usage?to=2100-01-01', 'to'],
    ['/api/usage?from=2026-02-01&to=2026-02-01', 'from'],
    ['/api/usage?from=2026-02-02&to=2026-02-01', 'from'],
    ['/api/usage?from=2020-01-01&to=2026-01-01', 'from'],
    ['/api/usage?time_zone=Mars/Olympus', 'time_zone'],
    ['/api/usage?time_zone=%2B05:00', 'time_zone'],
    ["/api/usage?time_zone=UTC'", 'time_zone'],
    ['/api/usage?time_zone=', 'time_zone'],
    ['/api/usage?user=me', 'user'],
    ['/api/usage?key=0', 'key'],
    ['/api/usage?chat=0', 'chat'],
    ['/api/usage?chat=99999999999999999999', 'chat'],
    ['/api/usage?model=%00', 'model'],
    ['/api/usage?kind=video', 'kind'],
    ['/api/usage?format=xml', 'format'],
    ['/api/usage?group_by=day', 'group_by'],
    ['/api/usage/summary', 'group_by'],
    ['/api/usage/summary?group_by=', 'group_by'],
    ['/api/usage/summary?group_by=year', 'group_by'],
    ['/api/usage/summary?group_by=day,month', 'group_by'],
    ['/api/usage/summary?group_by=model,user', 'group_by'],
    ['/api/usage/summary?group_by=day,day', 'group_by'],
    ['/api/usage/summary?group_by=day,model,user', 'group_by'],
    ['/api/usage/summary?group_by=constructor', 'group_by'],
    ['/api/usage/summary?group_by=model&order=name', 'order'],
    ['/api/usage/summary?group_by=day,model&order=cost', 'order'],
    ['/api/usage/summary?group_by=model&order=cost&format=csv', 'order'],
    ['/api/usage/summary?group_by=model&order=cost&cursor=x', 'order'],
  ])('%s', async (path, param) => {
    const { status, body } = await service.manage('GET', path);
    expect([status, body.error?.param]).toEqual([400, param]);
    expect(body.error.message).toContain(`'${param}'`);
  });
});
