import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAnthropicProvider } from '../../src/core/models/hosts/anthropic/anthropic-provider.ts';
import { createOpenAiCompatibleProvider } from '../../src/core/models/hosts/openai-compatible/openai-compatible-provider.ts';
import type { Provider } from '../../src/core/models/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json/json.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { joinBlocks, readMessagesEvents } from '../support/clients/stream-events.ts';
import { type HttpService, startHttpService } from '../support/harness/http.ts';
import { thinkingBlock } from '../support/hosts/anthropic-rules.ts';
import { type ChatVendor, DEEPSEEK, OPENAI, withRulesOf } from '../support/hosts/chat-rules.ts';
import { answerMessage, startFakeAnthropic } from '../support/hosts/fake-anthropic.ts';
import {
  answerHello,
  answerWith,
  type Behaviour,
  type FakeProvider,
  startFakeProvider,
  streamDeltas,
} from '../support/hosts/fake-provider.ts';
import { pairsIn } from '../support/samples/moved-conversations.ts';

/** Conversations that go on at another host. All hosts refuse what the vendors' public rules refuse. */
let claude: FakeProvider;
let deepseek: FakeProvider;
let openai: FakeProvider;
let service: HttpService;
const providers: Provider[] = [];

beforeAll(async () => {
  claude = await startFakeAnthropic();
  providers.push(
    createAnthropicProvider(
      { clock: systemClock },
      {
        kind: 'anthropic',
        name: 'claude',
        baseUrl: claude.baseUrl,
        apiKeys: ['k'],
        models: [{ id: 'claude', type: 'chat' }],
      },
    ),
  );
  deepseek = await startChatHost(DEEPSEEK);
  openai = await startChatHost(OPENAI);
  service = await startHttpService({ imageProviders: providers });
});
afterAll(async () => {
  await service.close();
  for (const provider of providers) await provider.close();
  for (const host of [claude, deepseek, openai]) await host.close();
});

async function startChatHost(vendor: ChatVendor): Promise<FakeProvider> {
  const host = await startFakeProvider();
  host.behaveUsually(withRulesOf(vendor, answerHello()));
  const name = vendor.name.toLowerCase();
  providers.push(
    createOpenAiCompatibleProvider(
      { clock: systemClock, logger: createLogger({ level: 'silent' }) },
      { kind: 'openai-compatible', name, baseUrl: host.baseUrl, apiKeys: ['k'], models: [{ id: name, type: 'chat' }] },
    ),
  );
  return host;
}

const TOOL_NAME = `mcp__${'plugin_of_a_long_name_'.repeat(3)}_read`;
const QUESTION = { role: 'user', content: 'What is in the files?' };

/** The host calls the first tool of the request, under the name that it got, with the same id in each answer. */
function callFirstTool(vendor: ChatVendor, message: JsonObject = {}): Behaviour {
  return withRulesOf(vendor, (exchange) => {
    const { tools, stream } = exchange.request.body;
    const [tool] = Array.isArray(tools) ? tools : [];
    const name = isJsonObject(tool) && isJsonObject(tool['function']) ? tool['function']['name'] : '';
    const call = { index: 0, id: 'call_0', type: 'function', function: { name, arguments: '{"path":"a.txt"}' } };
    const answer = { role: 'assistant', content: '', ...message, tool_calls: [call] };
    return (stream === true ? streamDeltas([answer], 'tool_calls') : answerWith(answer, 'tool_calls'))(exchange);
  });
}

describe.each([false, true])('a client of Messages (streamed: %s)', (stream) => {
  const tools = [{ name: TOOL_NAME, input_schema: { type: 'object' }, cache_control: { type: 'ephemeral' } }];
  const messages: JsonObject[] = [];

  async function ask(model: string): Promise<JsonObject[]> {
    const thinking = { type: 'enabled', budget_tokens: 2000 };
    const edits = [{ type: 'clear_thinking_20251015', keep: 'all' }];
    const body = { model, max_tokens: 4000, thinking, context_management: { edits }, tools, messages, stream };
    const response = await service.post('/v1/messages', body);
    const text = await response.text();
    expect([response.status, text.includes('"type":"error"')], text).toEqual([200, false]);
    const content = stream ? joinBlocks(readMessagesEvents(text)) : JSON.parse(text).content;
    messages.push({ role: 'assistant', content });
    return content;
  }
  const giveResults = (content: readonly JsonObject[], result: string) => {
    const calls = content.filter(({ type }) => type === 'tool_use');
    expect(calls.map(({ name }) => name)).toEqual([TOOL_NAME]);
    const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: result }));
    messages.push({ role: 'user', content: results });
  };

  test('goes from a host that reasons to Claude and back, in the middle of its tools', async () => {
    messages.push(QUESTION);
    for (const result of ['one', 'two']) {
      deepseek.behave(callFirstTool(DEEPSEEK, { reasoning_content: `Hm, ${result}.` }));
      giveResults(await ask('deepseek'), result);
    }
    // What the host reasoned comes back to it.
    deepseek.behave(callFirstTool(DEEPSEEK, { reasoning_content: 'Hm, three.' }));
    giveResults(await ask('deepseek'), 'three');
    expect(reasoningIn(deepseek)).toEqual(['Hm, one.', 'Hm, two.']);

    const own = [thinkingBlock('Now I think.'), { type: 'tool_use', id: 'toolu_1', name: TOOL_NAME, input: {} }];
    claude.behaveUsually(answerMessage({ content: own }));
    const answer = await ask('claude');
    claude.behaveUsually(answerMessage());
    const first = claude.chatRequests.at(-1)?.body ?? {};
    expect(JSON.stringify(first)).not.toContain('switchboard.');
    expect(JSON.stringify(first)).not.toContain('"thinking"');
    expect(pairsIn(first)).toEqual(['one', 'two', 'three']);
    giveResults(answer, 'four');

    // Its own thinking comes back byte for byte, and thinking is on again.
    await ask('claude');
    const { messages: sent, thinking, ...second } = claude.chatRequests.at(-1)?.body ?? {};
    expect(JSON.stringify(sent)).toContain(JSON.stringify(own));
    expect([thinking, second['context_management']]).toMatchObject([{ type: 'enabled' }, { edits: [{ keep: 'all' }] }]);
    expect(pairsIn({ messages: sent })).toEqual(['one', 'two', 'three', 'four']);

    messages.push(QUESTION);
    await ask('deepseek');
    expect(reasoningIn(deepseek)).toEqual(['Hm, one.', 'Hm, two.', 'Hm, three.', '', '']);
  });
});

function reasoningIn({ chatRequests }: FakeProvider): readonly unknown[] {
  const { messages } = chatRequests.at(-1)?.body ?? {};
  const answers = (Array.isArray(messages) ? messages : []).filter(({ role }) => role === 'assistant');
  return answers.map(({ reasoning_content: reasoning }) => reasoning);
}

describe.each([false, true])('a client of chat completions (streamed: %s)', (stream) => {
  const tools = [{ type: 'function', function: { name: TOOL_NAME, parameters: { type: 'object' } } }];
  const messages: JsonObject[] = [];

  async function ask(model: string): Promise<void> {
    const response = await service.post('/v1/chat/completions', { model, messages, tools, stream });
    const text = await response.text();
    expect([response.status, text.includes('"error"')], text).toEqual([200, false]);
    messages.push(stream ? readDeltas(text) : JSON.parse(text).choices[0].message);
  }
  const giveResult = (content: string) => {
    const calls = messages.at(-1)?.['tool_calls'] as { id: string; function: { name: string } }[] | undefined;
    const call = calls?.[0];
    expect(call?.function.name).toBe(TOOL_NAME);
    messages.push({ role: 'tool', tool_call_id: call?.id, content });
  };

  test('goes from a host that repeats its ids to Claude and back', async () => {
    messages.push(QUESTION);
    for (const result of ['one', 'two']) {
      openai.behave(callFirstTool(OPENAI));
      await ask('openai');
      giveResult(result);
    }
    expect(messages.flatMap(({ tool_call_id: id }) => id ?? [])).toEqual(['call_0', 'call_0']);

    const own = [thinkingBlock('Hm.'), { type: 'tool_use', id: 'toolu_1', name: TOOL_NAME, input: {} }];
    claude.behaveUsually(answerMessage({ content: own }));
    await ask('claude');
    claude.behaveUsually(answerMessage());
    expect(pairsIn(claude.chatRequests.at(-1)?.body ?? {})).toEqual(['one', 'two']);
    giveResult('three');
    await ask('claude');
    const sent = claude.chatRequests.at(-1)?.body ?? {};
    expect(JSON.stringify(sent['messages'])).toContain(JSON.stringify(own));
    expect(pairsIn(sent)).toEqual(['one', 'two', 'three']);

    messages.push(QUESTION);
    openai.behaveUsually(callFirstTool(OPENAI));
    await ask('openai');
    openai.behaveUsually(withRulesOf(OPENAI, answerHello()));
    giveResult('four');
    await ask('openai');
    expect(pairsIn(openai.chatRequests.at(-1)?.body ?? {})).toEqual(['one', 'two', 'three', 'four']);
    expect(JSON.stringify(openai.chatRequests.at(-1)?.body)).not.toContain('anthropic');
  });
});

/** Assembles the message of a stream as OpenAI's clients do. */
function readDeltas(text: string): JsonObject {
  const calls: JsonObject[] = [];
  let content = '';
  for (const line of text.split('\n')) {
    if (!line.startsWith('data: {')) continue;
    const [choice] = JSON.parse(line.slice('data: '.length)).choices;
    content += choice?.delta.content ?? '';
    for (const { index, function: called, ...fields } of choice?.delta.tool_calls ?? []) {
      const open = calls[index] ?? { function: { name: '', arguments: '' } };
      const { name, arguments: written } = open['function'] as { name: string; arguments: string };
      const joined = { name: name + (called.name ?? ''), arguments: written + (called.arguments ?? '') };
      calls[index] = { ...open, ...fields, function: joined };
    }
  }
  return { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
}
