import { eq, sql } from 'drizzle-orm';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { createConversations } from '../../src/core/conversations/index.ts';
import { createPersonalData } from '../../src/core/personal-data/index.ts';
import { createStoredResponses, MAX_STORED_CHARACTERS } from '../../src/core/responses/index.ts';
import { conversations, jobs, messages, responses, usage } from '../../src/database/schema/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createId } from '../../src/lib/ids.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import { answerHello, answerJson, completionOf } from '../support/hosts/fake-provider.ts';
import { createGate } from '../support/hosts/scripted-models.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const PATH = '/ai/openai/responses';
const ANN = 1001;
const BEN = 1002;

let database: TestDatabase;
let service: HttpService;
let annKey: string;
let annId: number;
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startHttpService({ database });
  const ann = await service.accounts.ensureTelegramUser(ANN);
  annId = ann.id;
  annKey = (await service.apiKeys.create(ann.id, 'laptop'))?.secret ?? '';
});
afterEach(() => service.provider.behaveUsually(answerHello()));
afterAll(async () => {
  await service.close();
  await database.close();
});

interface Answer extends JsonObject {
  readonly id: string;
  readonly status: string;
  readonly output: readonly (JsonObject & { readonly id: string })[];
}
const asAnn = () => ({ headers: { authorization: `Bearer ${annKey}` } });
const create = async (fields: JsonObject): Promise<Answer> => {
  const response = await service.post(PATH, { model: MODEL, ...fields }, asAnn());
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
};
const stored = () => createStoredResponses({ db: database.db, clock: systemClock });
const get = async (path: string) => {
  const response = await service.get(`${PATH}/${path}`, asAnn());
  return { status: response.status, body: (await response.json()) as JsonObject };
};
const seenMessages = () =>
  ((service.provider.chatRequests.at(-1)?.body['messages'] ?? []) as JsonObject[]).map(({ role, content }) => [
    role,
    content,
  ]);
const answerText = (text: string) =>
  service.provider.behaveUsually((exchange) => {
    const choices = [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }];
    return answerJson(200, { ...completionOf(exchange.request), choices })(exchange);
  });

describe('a stored response', () => {
  test('is read back and deleted', async () => {
    const made = await create({ input: 'Hi', metadata: { topic: 'greetings' } });
    expect(made).toMatchObject({ store: true, status: 'completed' });
    expect(await get(made.id)).toEqual({ status: 200, body: made });
    const deleted = await service.get(`${PATH}/${made.id}`, { method: 'DELETE', ...asAnn() });
    expect(await deleted.json()).toEqual({ id: made.id, object: 'response', deleted: true });
    expect(await get(made.id)).toMatchObject({ status: 404, body: { error: { code: 'response_not_found' } } });
  });

  test('is the same when it was streamed', async () => {
    const response = await service.post(PATH, { model: MODEL, input: 'Hi', stream: true }, asAnn());
    const last = (await response.text()).split('\n\n').at(-3) ?? '';
    const made = JSON.parse(last.slice(last.indexOf('data: ') + 6)).response;
    expect(made).toMatchObject({ status: 'completed', store: true });
    expect(await get(made.id)).toEqual({ status: 200, body: made });
  });

  test('is not streamed again', async () => {
    const made = await create({ input: 'Hi' });
    expect(await get(`${made.id}?stream=true`)).toMatchObject({ status: 400, body: { error: { param: 'stream' } } });
    expect(await get(`${made.id}?stream=false`)).toEqual({ status: 200, body: made });
  });

  test('is continued with all its items', async () => {
    answerText('One.');
    const first = await create({ input: 'First', instructions: 'Be brief.' });
    answerText('Two.');
    const second = await create({ input: 'Second', previous_response_id: first.id });
    await create({ input: 'Third', previous_response_id: second.id });
    // Instructions are not carried over.
    expect(seenMessages()).toEqual([
      ['user', 'First'],
      ['assistant', 'One.'],
      ['user', 'Second'],
      ['assistant', 'Two.'],
      ['user', 'Third'],
    ]);
  });

  test('with a tool call is continued by the result alone', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } };
    service.provider.behaveUsually((exchange) => {
      const message = { role: 'assistant', content: null, tool_calls: [call] };
      return answerJson(200, {
        ...completionOf(exchange.request),
        choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
      })(exchange);
    });
    const first = await create({ input: 'Weather?', tools: [{ type: 'function', name: 'weather' }] });
    answerText('Rain.');
    const input = [{ type: 'function_call_output', call_id: first.output[0]?.call_id, output: 'rain' }];
    await create({ input, previous_response_id: first.id });
    expect(seenMessages().map(([role]) => role)).toEqual(['user', 'assistant', 'tool']);
    const refused = await service.post(
      PATH,
      { model: MODEL, input: 'Never mind', previous_response_id: first.id },
      asAnn(),
    );
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { param: 'previous_response_id[1]' } });
  });

  test('is found by references to its items, and by repeated items', async () => {
    answerText('One.');
    const first = await create({ input: 'Lighthouse' });
    const [message] = first.output;
    const reference = { type: 'item_reference', id: message?.id };
    await create({ input: [{ role: 'user', content: 'Lighthouse' }, reference, { role: 'user', content: 'Beacons' }] });
    expect(seenMessages()).toEqual([
      ['user', 'Lighthouse'],
      ['assistant', 'One.'],
      ['user', 'Beacons'],
    ]);
    await create({ input: [{ role: 'user', content: 'Lighthouse' }, message, { role: 'user', content: 'Other' }] });
    const conversations = createConversations({ db: database.db });
    const filter = { isArchived: false, limit: 50, search: 'Beacons' };
    const found = await conversations.listConversations(
      { chatId: ANN, topicId: undefined, hasAllTopics: true },
      filter,
    );
    // One conversation with two branches, instead of one for each request.
    expect(found).toMatchObject([{ firstWords: 'Lighthouse', messageCount: 4 }]);
    const history = await conversations.readHistory(found[0]?.id ?? 0);
    expect(history.messages.map(({ content }) => content)).toEqual([
      'Lighthouse',
      'One.',
      'Beacons',
      'One.',
      'Other',
      'One.',
    ]);
    const unknown = await service.post(
      PATH,
      { model: MODEL, input: [{ type: 'item_reference', id: 'msg_none' }] },
      asAnn(),
    );
    expect(await unknown.json()).toMatchObject({ error: { param: 'input[0].id' } });
    const twice = await service.post(PATH, { model: MODEL, input: [reference, reference] }, asAnn());
    expect(await twice.json()).toMatchObject({ error: { param: 'input[1].id' } });
  });

  test('is not continued if the conversation is too long', async () => {
    // Each has three bytes.
    const text = '€'.repeat(MAX_STORED_CHARACTERS - 1000);
    const made: string[] = [];
    for (let number = 0; number < 7; number++) {
      const id = createId('resp_');
      const inputItems = [{ id: `msg_${number}`, type: 'message', role: 'user', content: text }];
      const ids = {
        id,
        userId: annId,
        createdAt: new Date(),
        previousId: made.at(-1),
        itemIds: ['msg_all'],
        isBackground: false,
      };
      const shown = { input: [], answer: 'x', model: MODEL, finishReason: 'stop', instructions: undefined };
      await stored().add({ ...ids, ...shown, inputItems, body: { id, output: [] } });
      made.push(id);
    }
    const previous = made.at(-1);
    const refused = await service.post(PATH, { model: MODEL, input: 'x', previous_response_id: previous }, asAnn());
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { code: 'context_length_exceeded', param: 'previous_response_id' },
    });
    // Only the newest are read.
    expect((await stored().findByItems(annId, ['msg_all'])).map(({ id }) => id)).toEqual(made.slice(1));
  });

  test('lists its input items in pages', async () => {
    const input = ['a', 'b', 'c'].map((content) => ({ role: 'user', content }));
    const { id } = await create({ input });
    const texts = (body: JsonObject) =>
      (body['data'] as { content: { text: string }[] }[]).map(({ content }) => content[0]?.text);
    const first = (await get(`${id}/input_items?limit=2`)).body;
    expect(texts(first)).toEqual(['c', 'b']);
    expect(first['has_more']).toBe(true);
    const rest = (await get(`${id}/input_items?after=${String(first['last_id'])}`)).body;
    expect(texts(rest)).toEqual(['a']);
    expect(texts((await get(`${id}/input_items?order=asc`)).body)).toEqual(['a', 'b', 'c']);
    expect((await get(`${id}/input_items?after=msg_none`)).body).toMatchObject({ error: { param: 'after' } });
    expect((await get(`${id}/input_items?limit=0`)).body).toMatchObject({ error: { param: 'limit' } });
  });

  test('belongs to one user', async () => {
    const { id, output } = await create({ input: 'Private' });
    // The universal key is another user.
    for (const path of [id, `${id}/input_items`]) expect((await service.get(`${PATH}/${path}`)).status).toBe(404);
    expect((await service.get(`${PATH}/${id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await service.post(`${PATH}/${id}/cancel`, {})).status).toBe(404);
    const continued = await service.post(PATH, { model: MODEL, input: 'Mine', previous_response_id: id });
    expect(await continued.json()).toMatchObject({ error: { code: 'previous_response_not_found' } });
    const reference = { type: 'item_reference', id: output[0]?.id };
    expect((await service.post(PATH, { model: MODEL, input: [reference] })).status).toBe(400);
  });

  test.each([
    ['a\u0000b', 200],
    ['a\ud800b', 200],
    ['x'.repeat(10_000), 400],
  ])('is stored whatever the ids of its items: %#', async (id, status) => {
    expect(await create({ input: [{ id, role: 'user', content: id }] })).toMatchObject({ store: true });
    const reference = { type: 'item_reference', id };
    expect((await service.post(PATH, { model: MODEL, input: [reference] }, asAnn())).status).toBe(status);
    const continued = await service.post(PATH, { model: MODEL, input: 'x', previous_response_id: id }, asAnn());
    expect(continued.status).toBe(400);
  });

  test.each(['', '/input_items'])('with U+0000 in its id does not exist: %s', async (suffix) => {
    expect((await get(`resp_%00${suffix}`)).status).toBe(404);
  });

  test.each([
    ['the client does not want it', { store: false, input: 'Hi' }],
    ['it is too large', { input: [{ role: 'user', content: 'x'.repeat(1024 * 1024) }] }],
  ])('is not kept if %s', async (_why, fields) => {
    const made = await create(fields);
    expect(made['store']).toBe(false);
    expect((await get(made.id)).status).toBe(404);
  });

  test('works with the official client', async () => {
    const client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: annKey, maxRetries: 0 });
    answerText('One.');
    const first = await client.responses.create({ model: MODEL, input: 'First' });
    const second = await client.responses.create({ model: MODEL, input: 'Second', previous_response_id: first.id });
    expect(second.previous_response_id).toBe(first.id);
    expect((await client.responses.retrieve(second.id)).output_text).toBe('One.');
    const items = await client.responses.inputItems.list(second.id);
    expect(items.data).toHaveLength(1);
    await client.responses.delete(second.id);
    await expect(client.responses.retrieve(second.id)).rejects.toMatchObject({ status: 404 });
  });
});

describe('a background response', () => {
  const finished = async (id: string, status: string) =>
    vi.waitFor(async () => expect((await get(id)).body['status']).toBe(status));

  test('is fetched later', async () => {
    const gate = createGate();
    service.provider.behaveUsually(async (exchange) => {
      await gate.passed;
      await answerHello()(exchange);
    });
    const made = await create({ input: 'Take your time', background: true });
    expect(made).toMatchObject({ status: 'in_progress', background: true, output: [] });
    expect((await get(made.id)).body).toMatchObject({ status: 'in_progress' });
    gate.open();
    await finished(made.id, 'completed');
    expect((await get(made.id)).body).toMatchObject({ id: made.id, output: [{ type: 'message' }], background: true });
    const cancelled = await service.post(`${PATH}/${made.id}/cancel`, {}, asAnn());
    expect(await cancelled.json()).toMatchObject({ status: 'completed' });
  });

  test('is cancelled, and the provider with it', async () => {
    const closed = Promise.withResolvers<void>();
    service.provider.behaveUsually(({ response }) => void response.on('close', () => closed.resolve()));
    const made = await create({ input: 'Never ends', background: true });
    await vi.waitFor(() => expect(seenMessages()).toEqual([['user', 'Never ends']]));
    const cancelled = await service.post(`${PATH}/${made.id}/cancel`, {}, asAnn());
    expect(await cancelled.json()).toMatchObject({ id: made.id, status: 'cancelled' });
    await closed.promise;
    await finished(made.id, 'cancelled');
  });

  test.each([
    ['deleted', (other: HttpService, id: string) => other.get(`${PATH}/${id}`, { method: 'DELETE', ...asAnn() })],
    ['cancelled', (other: HttpService, id: string) => other.post(`${PATH}/${id}/cancel`, {}, asAnn())],
  ])('%s by another process does not complete', async (change, act) => {
    const other = await startHttpService({ database });
    onTestFinished(() => other.close());
    const gate = createGate();
    service.provider.behaveUsually(async (exchange) => {
      await gate.passed;
      await answerHello()(exchange);
    });
    const kept = await create({ input: 'Wait as well', background: true });
    const { id } = await create({ input: 'Wait', background: true });
    expect((await act(other, id)).status).toBe(200);
    gate.open();
    await finished(kept.id, 'completed');
    if (change === 'cancelled') await finished(id, 'cancelled');
    // Its end has no event that could be waited for.
    else await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await get(id)).status).toBe(change === 'deleted' ? 404 : 200);
  });

  test('fails if the response before it was deleted meanwhile', async () => {
    const first = await create({ input: 'One' });
    const gate = createGate();
    service.provider.behaveUsually(async (exchange) => {
      await gate.passed;
      await answerHello()(exchange);
    });
    const { id } = await create({ input: 'Two', background: true, previous_response_id: first.id });
    await service.get(`${PATH}/${first.id}`, { method: 'DELETE', ...asAnn() });
    gate.open();
    await finished(id, 'failed');
  });

  test('goes on when another user deletes it', async () => {
    const gate = createGate();
    service.provider.behaveUsually(async (exchange) => {
      await gate.passed;
      await answerHello()(exchange);
    });
    const { id } = await create({ input: 'Wait', background: true });
    expect((await service.get(`${PATH}/${id}`, { method: 'DELETE' })).status).toBe(404);
    gate.open();
    await finished(id, 'completed');
  });

  test('leaves nothing when the data of its user is deleted meanwhile', async () => {
    const gate = createGate();
    service.provider.behaveUsually(async (exchange) => {
      await gate.passed;
      await answerHello()(exchange);
    });
    const { db } = database;
    const { id: userId } = await service.accounts.ensureTelegramUser(BEN);
    const headers = { authorization: `Bearer ${(await service.apiKeys.create(userId, 'laptop'))?.secret}` };
    const asked = service.provider.chatRequests.length;
    for (const background of [true, false]) {
      const answer = service.post(PATH, { model: MODEL, input: 'Secret', background }, { headers });
      if (background) expect((await answer).status).toBe(200);
      else void answer.catch(() => {});
    }
    await vi.waitFor(() => expect(service.provider.chatRequests.length).toBe(asked + 2));
    const logger = createLogger({ level: 'silent' });
    const recorder = { flush: () => service.writtenDown() };
    const data = createPersonalData({ db, clock: systemClock, logger, storage: service.storage, recorder });
    await data.forget(userId);
    gate.open();
    // The end of the responses has no event that could be waited for.
    await new Promise((resolve) => setTimeout(resolve, 500));
    await service.writtenDown();
    for (const table of [responses, conversations, messages, usage]) {
      expect(await db.select().from(table).where(eq(table.userId, userId))).toEqual([]);
    }
    expect(service.logLines().filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  test.each([
    ['has too many characters', 'x'.repeat(1024 * 1024)],
    ['has too many when they are escaped', '"'.repeat(600 * 1024)],
  ])('is refused if its input %s', async (_problem, input) => {
    const refused = await service.post(PATH, { model: MODEL, input, background: true }, asAnn());
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: { param: 'input' } });
  });

  test('that fails says why', async () => {
    service.provider.behaveUsually(
      answerJson(400, { error: { message: 'too long', code: 'context_length_exceeded' } }),
    );
    const made = await create({ input: 'Hi', background: true });
    await finished(made.id, 'failed');
    expect((await get(made.id)).body).toMatchObject({ error: { message: expect.stringContaining('too long') } });
  });

  test('fails at once when the connection to its provider breaks', async () => {
    service.provider.behaveUsually(({ response }) => void response.destroy());
    const { id } = await create({ input: 'Hi', background: true });
    const message = expect.stringContaining('No provider of this model can answer right now.');
    await vi.waitFor(async () => expect((await get(id)).body).toMatchObject({ error: { message } }), 30_000);
  });

  test('is asked for once although the database fails when it is stored', async () => {
    const { db } = database;
    // Sequences keep their value when a transaction fails.
    await db.execute(sql`create sequence stored_tries`);
    await db.execute(sql`
      create function fail_at_first() returns trigger language plpgsql as $$ begin
        if nextval('stored_tries') < 3 then raise exception 'not now'; end if;
        return new;
      end $$`);
    await db.execute(sql`create trigger fails before update on responses execute function fail_at_first()`);
    onTestFinished(async () => {
      await db.execute(sql`drop trigger fails on responses`);
      await db.execute(sql`drop function fail_at_first`);
      await db.execute(sql`drop sequence stored_tries`);
    });
    const asked = service.provider.chatRequests.length;
    const { id } = await create({ input: 'Hi', background: true });
    await vi.waitFor(async () => expect((await get(id)).body['status']).toBe('completed'), 20_000);
    expect(service.provider.chatRequests).toHaveLength(asked + 1);
  });

  test('runs at most twenty times at once for a user', async () => {
    service.provider.behaveUsually(() => {});
    const ask = () => service.post(PATH, { model: MODEL, input: 'Wait', background: true }, asAnn());
    const answers = await Promise.all(Array.from({ length: 90 }, ask));
    const begun = answers.filter(({ status }) => status === 200);
    expect(begun).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(70);
    expect((await ask()).status).toBe(429);
    for (const answer of begun) {
      const { id } = z.object({ id: z.string() }).parse(await answer.json());
      await service.post(`${PATH}/${id}/cancel`, {}, asAnn());
      await finished(id, 'cancelled');
    }
  });

  test.each<[string, (keyId: number) => Promise<unknown>, object]>([
    [
      'revoked',
      (keyId) => service.apiKeys.revoke(annId, keyId),
      { code: 'invalid_api_key', message: 'The API key of this request is no longer valid.' },
    ],
    [
      'paused',
      (keyId) => service.apiKeys.pause(annId, keyId),
      { code: 'invalid_api_key', message: 'This API key is paused.' },
    ],
    [
      'restricted to other models',
      (keyId) => service.apiKeys.change(annId, keyId, { allowedModels: ['other'] }),
      { message: expect.stringContaining(`may not use the model '${MODEL}'`) },
    ],
  ])('is not begun again when its key is %s', async (_change, act, error) => {
    service.provider.behaveUsually(() => {});
    const made = await service.apiKeys.create(annId, 'phone');
    const headers = { authorization: `Bearer ${made?.secret}` };
    const asked = service.provider.chatRequests.length;
    const answer = await service.post(PATH, { model: MODEL, input: 'Wait', background: true }, { headers });
    const { id } = (await answer.json()) as Answer;
    await service.provider.chatRequest(asked);
    const [job] = await database.db.select().from(jobs).where(eq(jobs.key, id));
    expect(job?.payload).not.toContain('127.0.0.1');
    await act(made?.key.id ?? 0);
    const other = await startHttpService({ database });
    onTestFinished(() => other.close());
    // As if the first process had died.
    await database.db.update(jobs).set({ holder: 'dead', dueAt: sql`now()` }).where(eq(jobs.key, id));
    await vi.waitFor(async () => expect((await get(id)).body).toMatchObject({ status: 'failed', error }), 20_000);
    expect(other.provider.chatRequests).toEqual([]);
  });

  test('waits while a limit of its key is reached by requests in flight', async () => {
    const gate = createGate();
    service.provider.behaveUsually(async (exchange) => {
      await gate.passed;
      await answerHello()(exchange);
    });
    const made = await service.apiKeys.create(annId, 'watch', { atOnce: 1 });
    const headers = { authorization: `Bearer ${made?.secret}` };
    const asked = service.provider.chatRequests.length;
    const first = service.post(PATH, { model: MODEL, input: 'First' }, { headers });
    await service.provider.chatRequest(asked);
    const answer = await service.post(PATH, { model: MODEL, input: 'Second', background: true }, { headers });
    const { id } = (await answer.json()) as Answer;
    await finished(id, 'queued');
    expect(service.provider.chatRequests).toHaveLength(asked + 1);
    gate.open();
    expect((await first).status).toBe(200);
    await database.db.update(jobs).set({ dueAt: sql`now()` }).where(eq(jobs.key, id));
    await vi.waitFor(async () => expect((await get(id)).body).toMatchObject({ status: 'completed' }), 20_000);
  });

  test('cannot be cancelled if it is none', async () => {
    const { id } = await create({ input: 'Hi' });
    expect((await service.post(`${PATH}/${id}/cancel`, {}, asAnn())).status).toBe(400);
  });
});

describe('what a user stores', () => {
  const MIB = 1024 * 1024;
  const PAGE_BYTES = 32 * MIB;
  const TEXT = 'x'.repeat(MIB / 2);

  test('has a limit, which counts before a host is asked and ends with what is deleted', async () => {
    const cara = await service.accounts.ensureTelegramUser(1003);
    const key = (await service.apiKeys.create(cara.id, 'laptop'))?.secret ?? '';
    const headers = { authorization: `Bearer ${key}` };
    const ids = Array.from({ length: 7 }, () => createId('resp_'));
    const half = sql`repeat('x', ${PAGE_BYTES / 2})`;
    const filling = { userId: cara.id, input: half, body: half };
    for (const id of ids) await database.db.insert(responses).values({ id, ...filling });
    const ask = (fields: JsonObject) =>
      service.post(PATH, { model: MODEL, input: [{ role: 'user', content: TEXT }], ...fields }, { headers });

    const answers = await Promise.all(Array.from({ length: 40 }, () => ask({})));
    const storedCount = answers.filter(({ status }) => status === 200).length;
    expect(storedCount).toBeGreaterThan(5);
    // Each has more than 1 MiB.
    expect(storedCount).toBeLessThan(32);

    const before = service.provider.chatRequests.length;
    for (const fields of [{}, { stream: true }, { background: true }, { store: true }]) {
      const refused = await ask(fields);
      expect([fields, refused.status, refused.headers.get('x-should-retry')]).toEqual([fields, 429, 'false']);
      expect(await refused.json()).toEqual({
        error: {
          message: expect.stringContaining('256 MiB, which is the limit. Send "store": false'),
          type: 'insufficient_quota',
          code: 'quota_exceeded',
          param: 'store',
        },
      });
    }
    expect(service.provider.chatRequests).toHaveLength(before);
    expect((await ask({ store: false })).status).toBe(200);
    expect((await service.post(PATH, { model: MODEL, input: TEXT }, asAnn())).status).toBe(200);

    expect((await service.get(`${PATH}/${ids[0]}`, { method: 'DELETE', headers })).status).toBe(200);
    expect((await ask({})).status).toBe(200);
  });

  test('never exceeds the limit by parallel requests', async () => {
    const dora = await service.accounts.ensureTelegramUser(1004);
    const limited = createStoredResponses({ db: database.db, clock: systemClock }, 1000);
    const tries = await Promise.allSettled(Array.from({ length: 50 }, () => limited.reserve(dora.id, 100)));
    const reserved = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(reserved).toHaveLength(10);
    reserved[0]?.();
    await limited.reserve(dora.id, 100);
    await expect(limited.reserve(dora.id, 1)).rejects.toThrow('which is the limit');
    // Counts what is stored anew.
    await limited.delete(dora.id, 'resp_unknown');
    await expect(limited.reserve(dora.id, 1)).rejects.toThrow('which is the limit');
    for (const giveBack of reserved.slice(1)) giveBack();
    await limited.reserve(dora.id, 900);
    await expect(limited.reserve(dora.id, 1)).rejects.toThrow('which is the limit');
  });
});

test('an answer of a chat is a response, and its conversation goes on', async () => {
  const conversations = createConversations({ db: database.db });
  const ann = await service.accounts.ensureTelegramUser(ANN);
  const { id: conversationId } = await conversations.startConversation({ chatId: ANN, topicId: undefined }, ann.id);
  const question = {
    conversationId,
    parentId: undefined,
    role: 'user',
    content: 'In Telegram',
    userId: ann.id,
  } as const;
  const asked = await conversations.addMessage(question);
  const answer = { conversationId, parentId: asked.id, role: 'assistant', content: '', model: MODEL } as const;
  const answered = await conversations.addMessage(answer);
  await conversations.finishMessage(answered.id, { content: 'Answered there.', finishReason: 'stop' });
  const id = await createStoredResponses({ db: database.db, clock: systemClock }).ensureForAnswer(ann.id, answered.id);
  expect((await get(id)).body).toMatchObject({
    model: MODEL,
    output: [{ type: 'message', content: [{ type: 'output_text', text: 'Answered there.' }] }],
  });
  expect((await get(`${id}/input_items`)).body).toMatchObject({ data: [{ content: [{ text: 'In Telegram' }] }] });
  await create({ input: 'By API', previous_response_id: id });
  expect(seenMessages()).toEqual([
    ['user', 'In Telegram'],
    ['assistant', 'Answered there.'],
    ['user', 'By API'],
  ]);
  const latest = await conversations.findLatestMessage(conversationId);
  const path = await conversations.listPath(latest?.id ?? 0);
  expect(path.map(({ content }) => content).slice(0, 3)).toEqual(['In Telegram', 'Answered there.', 'By API']);
});
