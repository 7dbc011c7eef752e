import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { feedback } from '../../src/database/schema/index.ts';
import { type HttpService, MODEL, startHttpService } from '../support/harness/http.ts';
import { createScriptedImages } from '../support/hosts/scripted-images.ts';
import { createTestDatabase, type TestDatabase } from '../support/stores/test-database.ts';

const images = createScriptedImages('painter', [{ id: 'drawing', type: 'image' }]);
const CHAT = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }] };

let database: TestDatabase;
let service: HttpService;
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startHttpService({ database, imageProviders: [images.provider] });
});
beforeEach(async () => void (await database.db.delete(feedback)));
afterAll(async () => {
  await service.close();
  await database.close();
});

const rate = (body: object, init?: RequestInit) => service.post('/ai/feedback', body, init);
const kept = async () =>
  (await database.db.select().from(feedback)).map(({ replyId, model, rating, comment }) => ({
    replyId,
    model,
    rating,
    comment,
  }));
const idOf = async (answer: Response): Promise<string> => ((await answer.json()) as { id: string }).id;

describe('feedback about an answer', () => {
  test('is stored once, changed, and withdrawn', async () => {
    const id = await idOf(await service.post('/ai/openai/chat/completions', CHAT));
    const first = await rate({ id, rating: 'down', comment: ' too long\u0000 ' });
    expect([first.status, await first.json()]).toEqual([200, { id, rating: 'down', comment: 'too long' }]);
    expect(await kept()).toEqual([{ replyId: id, model: MODEL, rating: 'down', comment: 'too long' }]);
    await rate({ id, rating: 'up' });
    expect(await kept()).toEqual([{ replyId: id, model: MODEL, rating: 'up', comment: null }]);
    expect(await (await rate({ id, rating: null, comment: 'x' })).json()).toEqual({ id, rating: null, comment: null });
    expect(await kept()).toEqual([]);
    expect((await rate({ id, rating: null })).status).toBe(200);
  });

  test('works for streams, the native API, responses and images', async () => {
    const streamed = await (
      await service.post('/ai/v2', { model: MODEL, request: { messages: CHAT.messages, stream: true } })
    ).text();
    const ids = [
      /"id":"([^"]+)"/.exec(streamed)?.[1] ?? '',
      await idOf(await service.post('/ai/v2', { model: MODEL, request: { messages: CHAT.messages } })),
      await idOf(await service.post('/ai/openai/responses', { model: MODEL, input: 'Hi' })),
      await idOf(await service.post('/ai/imagen', { model: 'drawing', prompt: 'a lighthouse' })),
    ];
    for (const id of ids) expect((await rate({ id, rating: 'up' })).status).toBe(200);
    expect((await kept()).map(({ model }) => model)).toContain('drawing');
  });

  test('is refused for answers of other users in the same way as for unknown answers', async () => {
    const id = await idOf(await service.post('/ai/openai/chat/completions', CHAT));
    const stranger = await service.accounts.ensureTelegramUser(99);
    const made = await service.apiKeys.create(stranger.id, 'theirs');
    const answers = [
      await rate({ id, rating: 'down' }, { headers: { authorization: `Bearer ${made?.secret}` } }),
      await rate({ id: 'chatcmpl-nobodys', rating: 'down' }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { code: 'reply_not_found', param: 'id' } });
    }
    expect(await kept()).toEqual([]);
    expect(await database.db.select().from(feedback).where(eq(feedback.userId, stranger.id))).toEqual([]);
  });

  test.each([
    [{ rating: 'up' }, 'id'],
    [{ id: '', rating: 'up' }, 'id'],
    [{ id: 'x'.repeat(501), rating: 'up' }, 'id'],
    [{ id: 'x' }, 'rating'],
    [{ id: 'x', rating: 'great' }, 'rating'],
    [{ id: 'x', rating: 'up', comment: 5 }, 'comment'],
    [{ id: 'x', rating: 'up', comment: 'x'.repeat(4001) }, 'comment'],
  ])('%j is refused and names the field', async (body, param) => {
    const answer = await rate(body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { param, code: 'invalid_request_error' } });
  });
});
