import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleService, type SignedInUser, startConsoleService } from '../support/harness/http-users.ts';
import { talk } from '../support/harness/library.ts';
import { measureBestRun } from '../support/machine/measure.ts';

const ANN = 100;
const BOB = 200;
const GROUP = -1001234;
/** CPU time of the longest step of the service, its embedded database and the client. */
const MAX_STEP_MS = 60;

let service: ConsoleService;
let ann: SignedInUser;
let bob: SignedInUser;
beforeAll(async () => {
  service = await startConsoleService();
  ann = await service.signIn(ANN);
  bob = await service.signIn(BOB);
});
afterAll(() => service.close());

const REMINDER = {
  taskRun: {
    runId: 1,
    taskId: 1,
    kind: 'reminder',
    name: 'tea',
    dueAt: '2026-01-01T08:00:00.000Z',
    timeZone: 'UTC',
    missedCount: 0,
    isLate: false,
    isManual: false,
    isQuiet: false,
  },
} as const;
/** Indexes all messages so far. */
async function indexed() {
  while ((await service.library.index(AbortSignal.timeout(60_000))) > 0);
}

/** Stores a conversation, by default of Ann in her private chat. */
async function converse(question: string, { userId = ann.userId, chatId = ANN } = {}) {
  const conversation = await talk(service.conversations, { userId, chatId, question });
  return { ...conversation, path: `/api/me/conversations/${conversation.id}` };
}

const namesOf = async (user: SignedInUser, query = '') =>
  (await user.send('GET', `/api/me/conversations${query}`)).body.data.map(
    ({ first_words: firstWords }: { first_words: string }) => firstWords,
  );

describe('the list', () => {
  test('has pages and an archive', async () => {
    const carl = await service.signIn(300);
    const own = { userId: carl.userId, chatId: 300 };
    const apples = await converse('apples', own);
    await converse('pears', own);
    const plums = await converse('plums', own);
    await service.conversations.renameConversation(apples.id, 'Fruit <b>of</b> autumn');
    const { body } = await carl.send('GET', '/api/me/conversations?limit=2');
    expect(body.data).toMatchObject([{ first_words: 'plums', is_current: true, message_count: 2 }, { title: null }]);
    expect(await namesOf(carl, `?limit=2&cursor=${body.next_cursor}`)).toEqual(['apples']);
    await service.conversations.setArchived(plums.id, true);
    expect(await namesOf(carl)).toEqual(['pears', 'apples']);
    expect(await namesOf(carl, '?archived=true')).toEqual(['plums']);
  });

  test('is searched by words of titles and of messages', async () => {
    const dora = await service.signIn(400);
    const own = { userId: dora.userId, chatId: 400 };
    const bees = await converse('How do bees fly home?', own);
    await converse('Пчёлы летят домой', own);
    await converse('100% <b>sure</b>', own);
    await service.conversations.renameConversation(bees.id, 'Insects — in flight');
    await converse('bees of Ann');
    await indexed();
    const found = (search: string) => namesOf(dora, `?search=${encodeURIComponent(search)}`);
    expect(await found('bee')).toEqual(['How do bees fly home?']);
    expect(await found('flying HOME')).toEqual(['How do bees fly home?']);
    expect(await found('insec the hom')).toEqual(['How do bees fly home?']);
    expect(await found('the')).toHaveLength(3);
    expect(await found('—')).toEqual(['How do bees fly home?']);
    expect(await found('пчела летит')).toEqual(['Пчёлы летят домой']);
    expect(await found('100%')).toEqual(['100% <b>sure</b>']);
    expect(await found('bees домой')).toEqual([]);
    for (const odd of ['%', "';--", '&|!:*()', 'zz:*&', '\\']) expect(await found(odd)).toEqual([]);
    expect((await dora.send('GET', '/api/me/conversations?search=%00')).status).toBe(400);
  });

  test('has only private conversations of the user', async () => {
    await converse('in private');
    await converse('in a group', { chatId: GROUP });
    expect(await namesOf(ann)).toContain('in private');
    expect(await namesOf(ann)).not.toContain('in a group');
    expect(await namesOf(bob)).toEqual([]);
    await indexed();
    expect(await namesOf(ann, '?search=private')).toEqual(['in private']);
    expect(await namesOf(ann, '?search=group')).toEqual([]);
    expect(await namesOf(bob, '?search=private')).toEqual([]);
  });

  test('is searched for frequent words without blocking the thread', async () => {
    const dora = await service.signIn(400);
    const { id } = await converse('Hello', { userId: dora.userId, chatId: 400 });
    await service.database.db.execute(sql`
      with added as (
        insert into messages (conversation_id, role, content)
        select ${id}, 'user', 'weather ' || n from generate_series(1, 8000) as n returning id, content
      )
      insert into library_chunks (message_id, user_id, number, sent_at, start, length, words)
      select id, ${dora.userId}, 0, now(), 0, 10,
        to_tsvector('simple', content) || array_to_tsvector(array['@user' || ${dora.userId}])
      from added`);
    await service.database.db.execute(sql`delete from library_changes`);
    const search = () => namesOf(dora, `?search=${'weather Weather wEather weAther weaTher weatHer weathEr weatheR'}`);
    expect(await search()).toEqual(['Hello']);
    expect(await measureBestRun(search, MAX_STEP_MS)).toBeLessThan(MAX_STEP_MS);
  });
});

describe('a conversation', () => {
  test('is read in pages along its visible branch', async () => {
    const { id, path, askedId, answeredId } = await converse('What is <b>?');
    const next = { conversationId: id, parentId: answeredId, role: 'user', content: 'And then?' } as const;
    const last = await service.conversations.addMessage(next);
    const aside = {
      conversationId: id,
      parentId: askedId,
      role: 'assistant',
      content: 'Other',
      isAside: true,
    } as const;
    await service.conversations.addMessage(aside);
    const newest = await ann.send('GET', `${path}/messages?limit=2`);
    expect(newest.body.data).toMatchObject([
      { id: last.id, role: 'user', content: 'And then?' },
      { role: 'assistant', content: 'Re: What is <b>?', model: 'fake-model' },
    ]);
    const { next_cursor: cursor } = newest.body;
    const first = await ann.send('GET', `${path}/messages?limit=2&cursor=${cursor}`);
    expect(first.body).toMatchObject({ data: [{ content: 'What is <b>?', model: null }], next_cursor: null });
    const { path: other } = await converse('Other');
    expect((await ann.send('GET', `${other}/messages?limit=2&cursor=${cursor}`)).body.data).toEqual([]);
  });

  test('is read with its reminders', async () => {
    const { id: conversationId, path, answeredId } = await converse('Hello');
    const add = (message: { role: 'user' | 'assistant'; content: string; parentId: number; isReminder?: boolean }) => {
      const { isReminder: isAside = false, ...rest } = message;
      return service.conversations.addMessage({
        conversationId,
        isAside,
        ...rest,
        ...(isAside && { extras: REMINDER }),
      });
    };
    const remind = async (content: string) => {
      const { id: parentId } = await add({ role: 'user', content, parentId: answeredId, isReminder: true });
      await add({ role: 'assistant', content, parentId, isReminder: true });
    };
    await remind('tea');
    const { id: parentId } = await add({ role: 'user', content: 'How long?', parentId: answeredId });
    await add({ role: 'assistant', content: 'Three minutes.', parentId });
    await remind('milk');
    const newest = await ann.send('GET', `${path}/messages?limit=2`);
    const read = [
      newest.body,
      (await ann.send('GET', `${path}/messages?limit=2&cursor=${newest.body.next_cursor}`)).body,
    ];
    expect(
      read.map(({ data }) =>
        data.map((message: { role: string; content: string }) => `${message.role}: ${message.content}`),
      ),
    ).toEqual([
      ['assistant: milk', 'assistant: Three minutes.', 'user: How long?', 'assistant: tea'],
      ['assistant: Re: Hello', 'user: Hello'],
    ]);
  });

  test('is read to its beginning, whatever its length', async () => {
    const { id, path, answeredId } = await converse('The first question');
    let parentId = answeredId;
    for (let count = 2; count < 1100; count++) {
      const role = count % 2 === 0 ? 'user' : 'assistant';
      parentId = (await service.conversations.addMessage({ conversationId: id, parentId, role, content: 'more' })).id;
    }
    let cursor = '';
    let count = 0;
    let oldest = '';
    do {
      const { body } = await ann.send('GET', `${path}/messages?limit=100${cursor}`);
      count += body.data.length;
      oldest = body.data.at(-1).content;
      cursor = body.next_cursor && `&cursor=${body.next_cursor}`;
    } while (cursor);
    expect([count, oldest]).toEqual([1100, 'The first question']);
  });

  test('is renamed', async () => {
    const { path } = await converse('Hello');
    expect((await ann.send('PATCH', path, { title: ' New\n title ' })).body).toMatchObject({ title: 'New title' });
    expect((await ann.send('GET', path)).body).toMatchObject({ title: 'New title' });
    for (const body of [
      { title: ' ' },
      { title: '\u200B' },
      { title: '\u3164 \u2800' },
      { title: 'a'.repeat(61) },
      { user: 5 },
      {},
    ]) {
      expect((await ann.send('PATCH', path, body)).status).toBe(400);
    }
  });

  test('is exported with all branches as Markdown and as JSON', async () => {
    const { id, path, askedId } = await converse('Hello');
    const variant = { conversationId: id, parentId: askedId, role: 'assistant', content: 'Variant' } as const;
    const { id: variantId } = await service.conversations.addMessage(variant);
    const markdown = await ann.send('GET', `${path}/export`);
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(markdown.headers.get('content-disposition')).toBe(`attachment; filename="conversation-${id}.md"`);
    expect(markdown.body).toMatch(
      /^# Hello\n\n### You\n\n_.+_\n\nHello\n\n### fake-model\n\n_.+_\n\nRe: Hello\n\n### Answer/,
    );
    const json = await ann.send('GET', `${path}/export?format=json`);
    expect(json.headers.get('content-disposition')).toBe(`attachment; filename="conversation-${id}.json"`);
    expect(json.body).toMatchObject({ id, title: null, is_complete: true });
    expect(json.body.messages).toHaveLength(3);
    expect(json.body.messages[2]).toMatchObject({ id: variantId, parent_id: askedId, content: 'Variant' });
    expect((await ann.send('GET', `${path}/export?format=html`)).status).toBe(400);
  });

  test.each(['markdown', 'json'])('of any length is exported as %s without blocking the thread', async (format) => {
    const { id, path } = await converse('Hello');
    await service.database.db.execute(sql`
      insert into messages (conversation_id, role, content)
      select ${id}, 'assistant', repeat('слово ', 750) || n from generate_series(1, 1700) as n`);
    const read = async () => {
      const response = await fetch(`${service.url}${path}/export?format=${format}`, {
        headers: { authorization: `Bearer ${ann.token}` },
      });
      const chunks = [];
      for await (const chunk of response.body ?? []) chunks.push(chunk);
      return chunks;
    };
    const chunks = await read();
    expect(await measureBestRun(read, MAX_STEP_MS)).toBeLessThan(MAX_STEP_MS);
    const text = Buffer.concat(chunks).toString();
    expect(text.match(/слово 1700/g)).toHaveLength(1);
    if (format === 'json') expect(JSON.parse(text).messages).toHaveLength(1702);
    else expect(text.match(/^### /gm)).toHaveLength(1702);
  });

  test('is deleted, unless an answer is being written', async () => {
    const { id, path, answeredId } = await converse('Hello');
    const running = await service.conversations.addMessage({
      ...{ conversationId: id, parentId: answeredId, role: 'assistant', content: '' },
    });
    expect((await ann.send('DELETE', path)).status).toBe(409);
    await service.conversations.settleMessage(running.id);
    expect((await ann.send('DELETE', path)).status).toBe(204);
    expect((await ann.send('GET', path)).status).toBe(404);
  });

  test('is out of reach for others, and for its user if it is in a group', async () => {
    const { path } = await converse('Hello');
    const inGroup = await converse('Hello', { chatId: GROUP });
    const requests = [
      ['GET', ''],
      ['GET', '/messages'],
      ['GET', '/export'],
      ['DELETE', ''],
    ] as const;
    for (const [method, rest] of requests) {
      expect((await bob.send(method, path + rest)).status).toBe(404);
      expect((await ann.send(method, inGroup.path + rest)).status).toBe(404);
    }
    expect((await bob.send('PATCH', path, { title: 'mine' })).status).toBe(404);
    expect((await ann.send('GET', path)).body).toMatchObject({ title: null });
  });
});
