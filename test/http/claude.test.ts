import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createAnthropicProvider } from '../../src/core/models/hosts/anthropic/anthropic-provider.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json/json.ts';
import { type HttpService, startHttpService } from '../support/harness/http.ts';
import { thinkingBlock } from '../support/hosts/anthropic-rules.ts';
import { answerMessage, anthropicError, messageEvents, startFakeAnthropic } from '../support/hosts/fake-anthropic.ts';
import { answerJson, type FakeProvider, hang, streamRaw } from '../support/hosts/fake-provider.ts';
import { startStopwatch } from '../support/machine/measure.ts';

/** An OpenAI client in front of a host that speaks only Anthropic's protocol. */
let host: FakeProvider;
let service: HttpService;
beforeAll(async () => {
  host = await startFakeAnthropic();
  const provider = createAnthropicProvider(
    { clock: systemClock },
    {
      kind: 'anthropic',
      name: 'claude',
      baseUrl: host.baseUrl,
      apiKeys: ['sk-ant-secret'],
      models: [{ id: 'claude', type: 'chat' }],
    },
  );
  service = await startHttpService({ imageProviders: [provider] });
});
afterEach(() => host.behaveUsually(answerMessage()));
afterAll(async () => {
  await service.close();
  await host.close();
});

const QUESTION = { role: 'user', content: 'What is it?' };
const CONTENT = [
  thinkingBlock('Hm — \u2028 é "x".'),
  { type: 'text', text: 'Let me look.' },
  { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'a fox' } },
  thinkingBlock('And there.'),
  { type: 'tool_use', id: 'toolu_2', name: 'look', input: {} },
];
const TOOLS = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }];
const ask = (fields: JsonObject, init?: RequestInit) =>
  service.post('/v1/chat/completions', { model: 'claude', messages: [QUESTION], tools: TOOLS, ...fields }, init);

async function readWhole(response: Response): Promise<JsonObject> {
  return JSON.parse(await response.text()).choices[0].message;
}

/** Assembles the message of a stream as OpenAI's clients do: all fields of a tool call with the same index are joined. */
async function readStreamed(response: Response): Promise<JsonObject> {
  const calls: JsonObject[] = [];
  let content = '';
  for (const line of (await response.text()).split('\n\n')) {
    if (!line.startsWith('data: {')) continue;
    const [choice] = JSON.parse(line.slice('data: '.length)).choices;
    content += choice?.delta.content ?? '';
    for (const { index, function: called, ...fields } of choice?.delta.tool_calls ?? []) {
      const call = calls[index] ?? { function: { name: '', arguments: '' } };
      const { name, arguments: written } = call['function'] as { name: string; arguments: string };
      calls[index] = {
        ...call,
        ...fields,
        function: { name: name + (called.name ?? ''), arguments: written + called.arguments },
      };
    }
  }
  return { role: 'assistant', content, tool_calls: calls };
}

describe('an OpenAI client of Claude', () => {
  test.each([
    ['whole', readWhole],
    ['streamed', readStreamed],
  ])('keeps thinking and signatures when it sends back the %s answer', async (kind, read) => {
    host.behave(answerMessage({ content: CONTENT }));
    const stream = kind === 'streamed';
    const answer = await read(await ask({ stream }));
    expect(answer.content).toBe('Let me look.');
    expect(answer.tool_calls).toMatchObject([
      { id: 'toolu_1', type: 'function' },
      { id: 'toolu_2', type: 'function' },
    ]);
    const results = ['toolu_1', 'toolu_2'].map((id) => ({ role: 'tool', tool_call_id: id, content: 'a fox' }));
    const response = await ask({ messages: [QUESTION, answer, ...results], stream });
    expect(response.status).toBe(200);
    await response.text();
    const { messages } = host.chatRequests.at(-1)?.body ?? {};
    expect(JSON.stringify((messages as JsonObject[])[1]?.['content'])).toBe(JSON.stringify(CONTENT));
  });

  test('that rebuilds the message without it gets an answer all the same', async () => {
    const openai = new OpenAI({ apiKey: service.apiKey, baseURL: `${service.url}/v1`, maxRetries: 0 });
    host.behaveUsually((exchange) => {
      const { thinking, messages } = exchange.request.body;
      const isAdaptive = isJsonObject(thinking) && thinking['type'] === 'adaptive';
      const isFirst = Array.isArray(messages) && messages.length === 1;
      if (!isAdaptive) return answerMessage(isFirst ? { content: CONTENT } : {})(exchange);
      return answerJson(400, anthropicError('invalid_request_error', 'adaptive thinking is not supported'))(exchange);
    });
    const look = { name: 'look', description: 'Looks', function: () => 'a fox', parameters: {} };
    const runner = openai.chat.completions.runTools({
      model: 'claude',
      messages: [{ role: 'user', content: 'What is it?' }],
      tools: [{ type: 'function', function: look }],
      reasoning_effort: 'low',
      stream: true,
    });
    expect(await runner.finalContent()).toBe('Hello, world!');
    const { messages, thinking } = host.chatRequests.at(-1)?.body ?? {};
    expect(messages).toMatchObject([{ role: 'user' }, { role: 'assistant' }, { role: 'user' }]);
    expect(thinking).toBeUndefined();
  });

  test('keeps them in the items of a response', async () => {
    const tools = [{ type: 'function', name: 'look', parameters: { type: 'object' } }];
    const respond = (input: readonly JsonObject[]) => service.post('/v1/responses', { model: 'claude', input, tools });
    host.behave(answerMessage({ content: CONTENT }));
    const { output } = JSON.parse(await (await respond([QUESTION])).text());
    const results = (output as readonly JsonObject[]).flatMap(({ call_id: id }) =>
      id === undefined ? [] : [{ type: 'function_call_output', call_id: id, output: 'a fox' }],
    );
    const response = await respond([QUESTION, ...output, ...results]);
    expect(response.status).toBe(200);
    await response.text();
    const { messages } = host.chatRequests.at(-1)?.body ?? {};
    const [one, other] = results.map(({ call_id: id }) => id);
    const sent = CONTENT.map((block) =>
      'id' in block ? { ...block, id: block.id === 'toolu_1' ? one : other } : block,
    );
    expect(messages).toMatchObject([{ role: 'user' }, { content: sent }, { role: 'user' }]);
  });

  test('gets the reasoning, the finish reason and all token counts', async () => {
    const usage = { input_tokens: 5, cache_read_input_tokens: 300, cache_creation_input_tokens: 20, output_tokens: 40 };
    host.behave(answerMessage({ content: CONTENT, usage }));
    expect(await (await ask({})).json()).toMatchObject({
      id: 'msg_fake',
      object: 'chat.completion',
      choices: [{ message: { reasoning_content: 'Hm — \u2028 é "x".And there.' }, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 325, completion_tokens: 40, prompt_tokens_details: { cached_tokens: 300 } },
    });
  });

  test.each([
    ['n', { n: 2 }],
    ['seed', { seed: 1 }],
    ['logprobs', { logprobs: true }],
    ['response_format', { response_format: { type: 'json_object' } }],
    ['messages[0].content[0]', { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] }],
    ['tools[1]', { tools: [...TOOLS, { type: 'custom', custom: { name: 'write' } }] }],
    ['tool_choice', { tool_choice: { type: 'allowed_tools', allowed_tools: { tools: [] } } }],
    ['response_format', { response_format: { type: 'grammar' } }],
    ['stop', { stop: [5] }],
    ['messages[0].function_call', { messages: [{ role: 'assistant', function_call: { name: 'f' } }, QUESTION] }],
    [
      'messages[0].tool_calls[0]',
      { messages: [{ role: 'assistant', tool_calls: [{ type: 'custom', id: 'c', custom: {} }] }, QUESTION] },
    ],
  ])('learns that %s is not possible', async (param, fields) => {
    const response = await ask(fields);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param, message: expect.stringMatching(/model/) } });
  });

  test('gets 400 for a tool result without its call, and roles out of order', async () => {
    const response = await ask({ messages: [{ role: 'tool', tool_call_id: 'x', content: 'a' }, QUESTION] });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('tool_use_id') } });
  });

  test.each([[false], [true]])('that leaves aborts the request within 100 ms (streamed: %s)', async (stream) => {
    host.behave(
      stream ? (exchange) => streamRaw([messageEvents(exchange.request)[0] ?? ''], { end: 'hang' })(exchange) : hang(),
    );
    const leaving = new AbortController();
    const number = host.chatRequests.length;
    const answer = ask({ stream }, { signal: leaving.signal })
      .then((response) => response.text())
      .catch(() => undefined);
    const upstream = await host.chatRequest(number);
    const elapsedMs = startStopwatch();
    leaving.abort();
    await upstream.closed;
    expect(elapsedMs()).toBeLessThan(100);
    await answer;
  });

  test('never sees the key of the host', async () => {
    host.behave(({ response }) => void response.writeHead(500).end('{"error":{"message":"key sk-ant-secret"}}'));
    expect(await (await ask({})).text()).not.toContain('sk-ant-secret');
    expect(service.logText()).not.toContain('sk-ant-secret');
  });
});
