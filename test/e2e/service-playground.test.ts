import { AuthenticationError, BadRequestError, NotFoundError, OpenAI } from 'openai';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listOtherButtons } from '../support/harness/chats.ts';
import {
  createWorkFolder,
  eventually,
  openPlaygroundChat,
  type RunningService,
  startService,
} from '../support/harness/process.ts';

let folder: Awaited<ReturnType<typeof createWorkFolder>>;
let service: RunningService;
beforeAll(async () => {
  folder = await createWorkFolder();
  service = await startService(folder.path);
  await service.isReady();
});
afterAll(async () => {
  await service.kill();
  await folder.remove();
});

const messages = [{ role: 'user' as const, content: 'Hi' }];

describe('without any settings', () => {
  test('the service prints its addresses, models and the file with the key', () => {
    expect(service.output()).toContain(`Playground  ${service.url}/playground`);
    expect(service.output()).toContain('from demo');
    expect(service.output()).toContain('embedded Postgres in');
    expect(service.apiKey).toMatch(/^sk-sb-.{40,}/);
    expect(service.output()).not.toContain(service.apiKey);
  });

  test('the playground page is served', async () => {
    const page = await service.get('/playground');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(await page.text()).toContain('<script type="module"');
  });

  test('the service is healthy and ready', async () => {
    expect(await (await service.get('/healthz')).json()).toEqual({ status: 'ok' });
    expect(await (await service.get('/readyz')).json()).toEqual({
      status: 'ready',
      checks: { database: true, updates: true, bot: true },
      version: expect.stringMatching(/^\d+\.\d+\.\d+(?:$|-dev)/),
    });
  });

  test('an admin sees which requests failed', async () => {
    expect((await service.post('/ai/openai/chat/completions', { model: 'unlisted-model', messages })).status).toBe(404);
    const signedIn = await service.post('/api/sessions', { playground: true });
    const { token } = (await signedIn.json()) as { token: string };
    const answer = await service.get('/api/failures', { headers: { authorization: `Bearer ${token}` } });
    expect(await answer.json()).toEqual({
      data: [
        {
          ...{ model: 'unlisted-model', provider: null, outcome: 'unknown_model', count: 1 },
          last_at: expect.stringMatching(/^20/),
        },
      ],
    });
  });

  test('a user writes to the bot and sees the answer grow', async () => {
    const person = await openPlaygroundChat(service);
    await person.writes('Hello there');
    const answer = await eventually(async () => {
      const last = (await person.messages()).at(-1);
      return last?.message.from?.is_bot && last.edits > 0 && listOtherButtons(last.message).length === 0
        ? last
        : undefined;
    });
    const versions = person.events.flatMap((event) =>
      (event.type === 'message' || event.type === 'message-changed') &&
      event.message.message.message_id === answer.message.message_id
        ? [event.message.message.text ?? '']
        : [],
    );
    person.leaves();
    expect(versions.length).toBeGreaterThan(1);
    expect(versions[0]?.length).toBeLessThan(versions.at(-1)?.length ?? 0);
    expect(versions.at(-1)).toBe(answer.message.text);
  });

  test('topics switched on for private chats are used without a restart', async () => {
    const person = await openPlaygroundChat(service);
    await person.configuresBot({ privateTopics: true });
    const { message: question } = await person.writes('Why do bells ring?');
    const answer = await eventually(async () =>
      (await person.messages()).find(
        ({ message }) => message.from?.is_bot && message.message_id > question.message_id && message.text,
      ),
    );
    expect(answer.message).toMatchObject({ is_topic_message: true, message_thread_id: expect.any(Number) });
    await person.configuresBot({ privateTopics: false });
    person.leaves();
  });

  test('links to the bot lead into the playground', async () => {
    const person = await openPlaygroundChat(service);
    const sees = (pattern: RegExp) =>
      eventually(async () => {
        const last = (await person.messages()).at(-1)?.message;
        return last?.from?.is_bot && pattern.test(last.text ?? '') ? last : undefined;
      });
    await person.writes('A question to share');
    await sees(/./);
    await person.writes('/share');
    const { message_id } = await sees(/as a page\?/);
    await person.presses(message_id, 0);
    const card = (await sees(/^http\S+\/share\//m)).text ?? '';
    const id = /\/share\/(\S+)/.exec(card)?.[1] ?? '';
    expect(card).toContain(`${service.url}/playground/t.me/switchboard_bot?start=c_${id}`);
    const page = await (await service.get(`/share/${id}`)).text();
    expect(page).toContain(`href="/playground/t.me/switchboard_bot?start=c_${id}"`);
    expect(`${card}${page}`).not.toContain('https://t.me/');
    person.leaves();
  });

  test('the bot has its commands and descriptions', async () => {
    expect(await (await service.get('/playground/control/state')).json()).toMatchObject({
      bot: { commandSets: expect.arrayContaining([expect.anything()]), description: expect.stringMatching(/./) },
    });
  });
});

describe('the client of OpenAI', () => {
  const connect = (apiKey = service.apiKey) =>
    new OpenAI({ apiKey, baseURL: `${service.url}/ai/openai`, maxRetries: 0, timeout: 20_000 });

  test('lists models and finds one', async () => {
    const models = await Array.fromAsync(connect().models.list());
    expect(models.map((model) => model.id)).toContain('demo');
    expect(await connect().models.retrieve('demo')).toMatchObject({ id: 'demo', object: 'model' });
    await expect(connect().models.retrieve('nobody')).rejects.toBeInstanceOf(NotFoundError);
  });

  test('gets a completion', async () => {
    const completion = await connect().chat.completions.create({ model: 'demo', messages });
    expect(completion.choices[0]?.message.content).toBeTruthy();
    expect(completion.choices[0]?.finish_reason).toBe('stop');
    expect(completion.usage?.total_tokens).toBeGreaterThan(0);
  });

  test('gets a stream with usage at the end', async () => {
    const stream = await connect().chat.completions.create({
      model: 'demo',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).not.toBe('');
    expect(chunks.at(-1)?.usage?.total_tokens).toBeGreaterThan(0);
  });

  test('may disconnect during a stream, and the service continues', async () => {
    const stream = await connect().chat.completions.create({ model: 'demo-slow', messages, stream: true });
    let seen = 0;
    for await (const _chunk of stream) {
      seen += 1;
      if (seen === 3) break;
    }
    expect(stream.controller.signal.aborted).toBe(true);
    expect((await connect().chat.completions.create({ model: 'demo', messages })).choices).toHaveLength(1);
  });

  test('calls tools', async () => {
    const tools = [
      {
        type: 'function' as const,
        function: {
          name: 'weather',
          parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        },
      },
    ];
    const asked = await connect().chat.completions.create({ model: 'demo', messages, tools, tool_choice: 'required' });
    const call = asked.choices[0]?.message.tool_calls?.[0];
    if (call?.type !== 'function') throw new Error('no tool was called');
    expect(call.function.name).toBe('weather');
    expect(JSON.parse(call.function.arguments)).toHaveProperty('city');
    const answered = await connect().chat.completions.create({
      model: 'demo',
      messages: [
        ...messages,
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: 'rain' },
      ],
      tools,
    });
    expect(answered.choices[0]?.message.content).toBeTruthy();
  });

  test('throws its own error classes', async () => {
    const create = (client: OpenAI, body: object) =>
      client.chat.completions.create({ model: 'demo', messages, ...body });
    await expect(create(connect('sk-wrong'), {})).rejects.toBeInstanceOf(AuthenticationError);
    await expect(create(connect(), { model: 'nobody' })).rejects.toBeInstanceOf(NotFoundError);
    await expect(create(connect(), { messages: [] })).rejects.toBeInstanceOf(BadRequestError);
  });
});

describe('the native text API', () => {
  test('answers with a completion', async () => {
    const answer = await service.post('/ai/v2', { model: 'demo', request: { messages } });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      object: 'chat.completion',
      model: 'demo',
      choices: [{ index: 0, message: { role: 'assistant' }, finish_reason: 'stop' }],
      user: expect.any(Number),
    });
  });

  test('streams lines up to [DONE]', async () => {
    const answer = await service.post('/ai/v2', { model: 'demo', request: { messages, stream: true } });
    const lines = (await answer.text()).split('\n').filter((line) => line !== '');
    expect(lines.at(-1)?.replace('data: ', '')).toBe('[DONE]');
    const chunks = lines.slice(0, -1).map((line) => JSON.parse(line.replace('data: ', '')));
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).not.toBe('');
  });

  test('requires a key', async () => {
    const body = { model: 'demo', request: { messages } };
    expect((await service.post('/ai/v2', body, { key: 'sk-wrong' })).status).toBe(401);
  });
});

test('the native image API generates an image', async () => {
  const body = { model: 'demo-image', prompt: 'a red fox in snow', ratio: '9:16' };
  const answer = (await (await service.post('/ai/imagen', body)).json()) as {
    readonly files: readonly string[];
    readonly size: { readonly width: number; readonly height: number };
  };
  const { info } = await sharp(Buffer.from(answer.files[0] ?? '', 'base64'))
    .raw()
    .toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject(answer.size);
  expect(info.width * 16).toBe(info.height * 9);
});
