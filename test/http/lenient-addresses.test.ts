import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { MODEL, startHttpService } from '../support/harness/http.ts';
import { streamDeltas } from '../support/hosts/fake-provider.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const service = startBeforeAll(() =>
  startHttpService({ otherModels: [{ id: 'tts', type: 'speech', displayName: 'Voice' }] }),
);

const seen = () => service.provider.chatRequests.at(-1)?.body ?? {};

describe('a body of the Responses API, sent to chat completions', () => {
  const ask = (fields: JsonObject) =>
    service.post('/v1/chat/completions', { model: MODEL, input: [{ role: 'user', content: 'Hi' }], ...fields });

  test('is answered as a chat completion', async () => {
    const response = await ask({
      instructions: 'Be short.',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
        { type: 'function_call', call_id: 'call_0', name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_0', output: 'rain' },
      ],
      tools: [
        { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } },
        { type: 'function', function: { name: 'nested', parameters: { type: 'object', properties: {} } } },
        { type: 'custom', name: 'apply_patch', format: { type: 'text' } },
      ],
      reasoning: { effort: 'low' },
      store: true,
      include: ['reasoning.encrypted_content'],
      metadata: {},
    });
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { object: 'chat.completion', choices: [{ message: { content: 'Hello, world!' } }] },
    ]);
    expect(seen()).toMatchObject({
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ id: 'call_0' }] },
        { role: 'tool', tool_call_id: 'call_0', content: 'rain' },
      ],
      tools: ['look', 'nested', 'apply_patch'].map((name) => ({ type: 'function', function: { name } })),
      reasoning_effort: 'low',
    });
  });

  test('is streamed as chunks, with usage if that is requested', async () => {
    const call = { index: 0, id: 'c', type: 'function', function: { name: 'look', arguments: '{}' } };
    service.provider.behave(streamDeltas([{ content: 'I look.' }, { tool_calls: [call] }], 'tool_calls'));
    const text = await (await ask({ stream: true, stream_options: { include_usage: true } })).text();
    const chunks = text.split('\n\n').filter((line) => line.startsWith('data: {'));
    expect(chunks.map((line) => JSON.parse(line.slice(6)))).toMatchObject([
      { choices: [{ delta: { content: 'I look.' } }] },
      { choices: [{ delta: { tool_calls: [call] } }] },
      { choices: [{ finish_reason: 'tool_calls' }] },
      { choices: [], usage: { prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) } },
    ]);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  test('may be a text, and may have fields of chat completions', async () => {
    const schema = { type: 'object', properties: {} };
    const response = await ask({
      input: 'Hi',
      messages: [],
      n: 1,
      max_tokens: 17,
      reasoning_effort: 'high',
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
      verbosity: 'low',
    });
    expect(response.status).toBe(200);
    expect(seen()).toMatchObject({
      messages: [{ role: 'user', content: 'Hi' }],
      reasoning_effort: 'high',
      response_format: { json_schema: { name: 'answer', schema } },
      verbosity: 'low',
    });
    expect([seen().max_tokens, seen().max_completion_tokens]).toContain(17);
    await ask({ input: 'Hi', max_output_tokens: null, max_tokens: 18 });
    expect([seen().max_tokens, seen().max_completion_tokens]).toContain(18);
  });

  test.each([
    [{ input: 3 }, 'input'],
    [{ input: [] }, 'input'],
    [{ input: [{ type: 'hologram' }] }, 'input[0].type'],
    [{ max_output_tokens: -1 }, 'max_output_tokens'],
  ])('that is invalid is refused: %j', async (fields, param) => {
    const response = await ask(fields);
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param } }]);
  });

  test('keeps messages where a body has both', async () => {
    const messages = [{ role: 'user', content: 'From messages' }];
    expect((await ask({ messages })).status).toBe(200);
    expect(seen().messages).toEqual(messages);
  });
});

describe('an address that clients ask for', () => {
  test('counts the input tokens of a response', async () => {
    const response = await service.post('/v1/responses/input_tokens', { model: MODEL, input: 'How are you today?' });
    const counted = await response.json();
    expect([response.status, counted]).toEqual([
      200,
      { object: 'response.input_tokens', input_tokens: expect.any(Number) },
    ]);
    expect(Object(counted).input_tokens).toBeGreaterThan(3);
    expect((await service.post('/v1/responses/input_tokens', { model: MODEL, input: [] })).status).toBe(400);
  });

  test.each(['/v1/responses/compact', '/ai/openai/responses/compact/', '/v1/v1/responses/compact'])(
    'is a 404 if it is not served: %s',
    async (path) => {
      const response = await service.post(path, { model: MODEL, input: 'Hi' });
      expect([response.status, await response.json()]).toMatchObject([404, { error: { code: 'not_found' } }]);
    },
  );

  test('lists voices and speech models', async () => {
    expect(await (await service.get('/v1/audio/models')).json()).toMatchObject({
      models: [{ id: 'tts', name: 'Voice' }],
    });
    const voices = await (await service.get('/v1/audio/voices')).json();
    expect(voices).toMatchObject({ voices: expect.arrayContaining([{ id: 'alloy', name: 'alloy' }]) });
    expect((await fetch(`${service.url}/v1/audio/voices`)).status).toBe(401);
  });

  test.each([
    ['GET', '/v1/v1/models'],
    ['GET', '/ai/openai/v1/v1/models'],
    ['GET', `//v1//v1/models/${MODEL}`],
  ])('may have /v1 twice: %s %s', async (method, path) => {
    const response = await service.get(path, { method });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining(MODEL)]);
  });

  test('may have /v1 twice: answers of each dialect', async () => {
    const messages = [{ role: 'user', content: 'Hi' }];
    const chat = await service.post('/v1/v1/chat/completions', { model: MODEL, messages });
    expect(await chat.json()).toMatchObject({ object: 'chat.completion' });
    for (const path of ['/v1/v1/messages', '/ai/anthropic/v1/v1/messages']) {
      const message = await service.post(path, { model: MODEL, max_tokens: 10, messages });
      expect(await message.json()).toMatchObject({ type: 'message' });
    }
    const models = await service.get('/v1/v1/models', { headers: { 'anthropic-version': '2023-06-01' } });
    expect(await models.json()).toHaveProperty('has_more');
  });

  test.each([
    [{ 'anthropic-version': '2023-06-01' }, true],
    [{ 'x-api-key': 'k' }, true],
    [{}, false],
  ])('that is unknown is a 404 in the dialect of the client with %j', async (headers, isMessages) => {
    for (const path of ['/v1/files', '/v1/complete', '/v1/messages/batches', '/v1/v1/skills']) {
      const response = await fetch(`${service.url}${path}`, { method: 'POST', headers });
      const body = await response.json();
      expect(response.status).toBe(404);
      if (isMessages || path.includes('messages')) {
        expect(body).toMatchObject({
          type: 'error',
          error: { type: 'not_found_error' },
          request_id: expect.any(String),
        });
      } else expect(body).toMatchObject({ error: { code: 'not_found', param: null } });
      expect(Object(body).error.message).toContain('POST /messages');
    }
  });
});

test('an address of its own lists its own methods, not those of ids', async () => {
  const response = await service.get('/v1/responses/input_tokens', { method: 'OPTIONS' });
  expect(response.headers.get('allow')).toBe('POST, OPTIONS');
  expect((await service.get('/v1/responses/resp_1', { method: 'OPTIONS' })).headers.get('allow')).toContain('DELETE');
});
