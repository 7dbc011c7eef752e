import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAnthropicProvider } from '../../src/core/models/hosts/anthropic/anthropic-provider.ts';
import { createOpenAiCompatibleProvider } from '../../src/core/models/hosts/openai-compatible/openai-compatible-provider.ts';
import type { ChatRequest, Provider } from '../../src/core/models/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { isJsonObject, type JsonObject } from '../../src/lib/json/json.ts';
import { createLogger } from '../../src/lib/log/logger.ts';
import { toChatRequest } from '../../src/protocols/openai-chat/read-request.ts';
import { type HttpService, startHttpService } from '../support/harness/http.ts';
import { findMessagesFault } from '../support/hosts/anthropic-rules.ts';
import { CHAT_VENDORS, withRulesOf } from '../support/hosts/chat-rules.ts';
import { startFakeAnthropic } from '../support/hosts/fake-anthropic.ts';
import { answerHello, type FakeProvider, type FakeRequest, startFakeProvider } from '../support/hosts/fake-provider.ts';
import { drain, noAbort } from '../support/hosts/provider-under-test.ts';
import { CLIENTS, type Client, callsIn, DIALECTS, pairsIn } from '../support/samples/moved-conversations.ts';

/** Every dialect of clients before every protocol of hosts, with requests that vendors refuse by their public rules. */
interface Host {
  readonly name: string;
  readonly isAnthropic: boolean;
  readonly takesCacheControl: boolean;
  readonly fake: FakeProvider;
  readonly provider: Provider;
  readonly accepts: (request: FakeRequest) => boolean;
}

const hosts = new Map<string, Host>();
let service: HttpService;

beforeAll(async () => {
  const anthropic = await startFakeAnthropic();
  const models = (id: string) => [{ id, type: 'chat' as const }];
  const claude = {
    kind: 'anthropic',
    name: 'anthropic',
    apiKeys: ['sk-ant-secret'],
    models: models('anthropic'),
  } as const;
  hosts.set('Anthropic', {
    name: 'Anthropic',
    isAnthropic: true,
    takesCacheControl: true,
    fake: anthropic,
    provider: createAnthropicProvider({ clock: systemClock }, { ...claude, baseUrl: anthropic.baseUrl }),
    accepts: (request) => findMessagesFault(request) === undefined,
  });
  for (const vendor of CHAT_VENDORS) {
    const fake = await startFakeProvider();
    fake.behaveUsually(withRulesOf(vendor, answerHello()));
    const id = vendor.name.toLowerCase();
    const provider = createOpenAiCompatibleProvider(
      { clock: systemClock, logger: createLogger({ level: 'silent' }) },
      {
        kind: 'openai-compatible',
        name: id,
        baseUrl: fake.baseUrl,
        apiKeys: ['sk-secret'],
        models: models(id),
        takesCacheControl: vendor.takesCacheControl,
      },
    );
    const accepts = ({ body }: FakeRequest) => vendor.refuse(body) === undefined;
    hosts.set(vendor.name, { ...vendor, isAnthropic: false, fake, provider, accepts });
  }
  service = await startHttpService({ imageProviders: [...hosts.values()].map(({ provider }) => provider) });
});
afterAll(async () => {
  await service.close();
  for (const { fake, provider } of hosts.values()) {
    await provider.close();
    await fake.close();
  }
});

interface Rule {
  readonly name: string;
  /** Body of chat completions. Messages of assistants may have `blocks`, which replace theirs in Anthropic's dialect. */
  readonly body: JsonObject;
  /** Clients that can send it; default all. */
  readonly clients?: readonly Client[];
  /** False for a cell that does not exist: the client's own dialect refuses it. */
  readonly exists?: (client: Client, host: Host) => boolean;
  readonly check?: (body: JsonObject, host: Host) => void;
}

const HELLO = { role: 'user', content: 'Hello!' };
const LOOK = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } };
const call = (id: string, written = '{}', name = 'look') => ({
  id,
  type: 'function',
  function: { name, arguments: written },
});
const result = (id: string, content: string) => ({ role: 'tool', tool_call_id: id, content });
/** A turn with calls and their results, in order. */
const turnOf = (ids: readonly string[], note: string) => [
  { role: 'assistant', content: '', tool_calls: ids.map((id, at) => call(id, `{"at":"${note}${at}"}`)) },
  ...ids.map((id, at) => result(id, `result ${note}${at}`)),
];
const LONG_NAME = `mcp__${'server_'.repeat(10)}_look`;
const named = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: {} } },
});
const CACHED = { cache_control: { type: 'ephemeral' } };
const AS_CHAT: readonly Client[] = ['chat', 'native', 'bot'];
const TRANSLATED: readonly Client[] = ['chat', 'native', 'bot', 'responses'];

const RULES: readonly Rule[] = [
  {
    name: 'a tool without properties',
    body: {
      messages: [HELLO],
      tools: [{ type: 'function', function: { name: 'now', parameters: { type: 'object' } } }],
    },
  },
  {
    name: 'a tool with an empty schema',
    clients: TRANSLATED,
    body: { messages: [HELLO], tools: [{ type: 'function', function: { name: 'now', parameters: {} } }] },
  },
  {
    name: 'a long name of a tool',
    body: {
      messages: [
        HELLO,
        { role: 'assistant', content: '', tool_calls: [call('call_1', '{}', LONG_NAME)] },
        result('call_1', 'a fox'),
      ],
      tools: [LOOK, named(LONG_NAME)],
      tool_choice: { type: 'function', function: { name: LONG_NAME } },
    },
  },
  {
    name: 'a name of a tool with a dot',
    clients: TRANSLATED,
    body: {
      messages: [
        HELLO,
        { role: 'assistant', content: '', tool_calls: [call('call_1', '{}', 'files.look')] },
        result('call_1', 'a fox'),
      ],
      tools: [named('files.look')],
    },
  },
  {
    name: 'a long id of a call',
    body: { messages: [HELLO, ...turnOf(['x'.repeat(70), `${'x'.repeat(69)}y`], 'a'), HELLO], tools: [LOOK] },
  },
  {
    name: 'ids that start again in each answer',
    body: {
      messages: [HELLO, ...turnOf(['call_0', 'call_1'], 'a'), ...turnOf(['call_0', 'call_1'], 'b')],
      tools: [LOOK],
    },
  },
  {
    name: 'ids of names and numbers, and one that looks like the next',
    body: {
      messages: [
        HELLO,
        ...turnOf(['functions.look:0'], 'a'),
        ...turnOf(['functions_look_0'], 'b'),
        ...turnOf(['functions.look:0'], 'c'),
      ],
      tools: [LOOK],
    },
  },
  {
    name: 'one id for all calls of an answer',
    body: { messages: [HELLO, ...turnOf(['call_0', 'call_0', 'call_0'], 'a'), HELLO], tools: [LOOK] },
  },
  {
    name: 'calls without ids',
    clients: AS_CHAT,
    body: { messages: [HELLO, ...turnOf(['', ''], 'a'), ...turnOf([''], 'b')], tools: [LOOK] },
  },
  {
    name: 'calls without the field of the id',
    clients: AS_CHAT,
    body: {
      messages: [
        ...[HELLO, { role: 'assistant', content: '', tool_calls: [{ type: 'function', function: call('').function }] }],
        { role: 'tool', content: 'a fox' },
      ],
      tools: [LOOK],
    },
  },
  {
    name: 'arguments that are no object',
    clients: TRANSLATED,
    body: {
      messages: [
        HELLO,
        {
          role: 'assistant',
          content: '',
          tool_calls: ['{"at":', '[1]', 'null'].map((written, at) => call(`call_${at}`, written)),
        },
        ...[0, 1, 2].map((at) => result(`call_${at}`, 'not valid')),
      ],
      tools: [LOOK],
    },
    check: (body, { isAnthropic }) => {
      if (!isAnthropic) return;
      const written = ['{"at":', '[1]', 'null'].map((json) => JSON.stringify({ INVALID_JSON: json }));
      expect(callsIn(body).map((one) => one.arguments)).toEqual(written);
    },
  },
  {
    name: 'texts of white space',
    body: {
      messages: [
        { role: 'system', content: ' \n' },
        {
          role: 'user',
          content: [
            { type: 'text', text: ' \n' },
            { type: 'text', text: 'Hello!' },
          ],
        },
        { role: 'assistant', content: '\n\n', tool_calls: [call('call_1')] },
        result('call_1', ' '),
        HELLO,
      ],
      tools: [LOOK],
    },
  },
  {
    name: 'an answer of white space',
    body: { messages: [HELLO, { role: 'assistant', content: ' \n' }, HELLO] },
  },
  {
    name: 'a beginning of an answer with white space at its end',
    body: { messages: [HELLO, { role: 'assistant', content: 'The fox: \n' }] },
    // In other protocols, an answer can not be continued.
    exists: (client, { isAnthropic }) => isAnthropic || client !== 'messages',
  },
  {
    name: 'no message but that of the system',
    clients: TRANSLATED,
    body: { messages: [{ role: 'system', content: 'Say hello.' }] },
  },
  { name: 'a stop sequence of white space', body: { messages: [HELLO], stop: ['\n', 'END'] } },
  {
    name: 'thinking that the host did not write',
    clients: ['messages'],
    body: {
      messages: [
        HELLO,
        {
          role: 'assistant',
          content: 'Let me look.',
          tool_calls: [call('call_1')],
          blocks: [
            { type: 'thinking', thinking: 'Hm.', signature: 'switchboard.eyJtdXN0QmVTZW50QmFjayI6dHJ1ZX0' },
            { type: 'text', text: 'Let me look.' },
            { type: 'thinking', thinking: '', signature: '' },
            { type: 'tool_use', id: 'call_1', name: 'look', input: {} },
          ],
        },
        result('call_1', 'a fox'),
        { role: 'assistant', content: '', blocks: [{ type: 'thinking', thinking: 'So.', signature: '' }] },
        HELLO,
      ],
      tools: [LOOK],
    },
  },
  {
    name: 'thinking and a tool that must be called',
    body: { messages: [HELLO], tools: [LOOK], tool_choice: 'required', reasoning_effort: 'high', max_tokens: 4000 },
    exists: (client, { isAnthropic }) => !isAnthropic || client !== 'messages',
  },
  {
    name: 'thinking and a temperature',
    body: { messages: [HELLO], temperature: 0.3, top_p: 0.5, reasoning_effort: 'high', max_tokens: 4000 },
    exists: (client, { isAnthropic }) => !isAnthropic || client !== 'messages',
  },
  {
    name: 'thinking, and calls of another host',
    body: { messages: [HELLO, ...turnOf(['call_1'], 'a')], tools: [LOOK], reasoning_effort: 'high', max_tokens: 4000 },
  },
  {
    name: 'thinking, and a question beside the results',
    body: {
      messages: [HELLO, ...turnOf(['call_1'], 'a'), HELLO],
      tools: [LOOK],
      reasoning_effort: 'high',
      max_tokens: 4000,
    },
  },
  {
    name: 'reasoning and signatures of other hosts',
    clients: AS_CHAT,
    body: {
      messages: [
        HELLO,
        {
          role: 'assistant',
          content: '',
          reasoning_content: 'Hm.',
          tool_calls: [
            {
              ...call('call_1'),
              extra_content: {
                anthropic: { content: [{ type: 'redacted_thinking', data: 'x' }, { type: 'tool_use' }] },
              },
            },
          ],
        },
        result('call_1', 'a fox'),
        { role: 'assistant', content: 'A fox.', reasoning_content: 'So.' },
        HELLO,
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ ...call('call_2'), extra_content: { google: { thought_signature: 'c2ln' } } }],
        },
        result('call_2', 'a hen'),
      ],
      tools: [LOOK],
    },
  },
  {
    name: 'breakpoints of the cache',
    body: {
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Be short.', ...CACHED }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hello!', ...CACHED },
            { type: 'text', text: 'And hello.' },
          ],
        },
        { role: 'assistant', content: 'Let me look.', tool_calls: [call('call_1')] },
        { ...result('call_1', 'a fox'), ...CACHED },
      ],
      tools: [{ ...LOOK, ...CACHED }],
    },
    // The Responses API has no such field. Chat completions are forwarded as they are, and these hosts refuse it.
    clients: ['chat', 'native', 'messages', 'bot'],
    exists: (client, { takesCacheControl }) => takesCacheControl || !['chat', 'native'].includes(client),
    check: (body, { takesCacheControl }) => {
      const count = JSON.stringify(body).split('"cache_control":{"type":"ephemeral"}').length - 1;
      expect(count).toBe(takesCacheControl ? 4 : 0);
    },
  },
];

const NAMES = ['Anthropic', ...CHAT_VENDORS.map(({ name }) => name)];

describe.each(RULES)('$name', (rule) => {
  describe.each(NAMES)('at %s', (name) => {
    test.each(rule.clients ?? CLIENTS)('from a client of %s', async (client) => {
      const host = hosts.get(name);
      if (!host) throw new Error('there is no such host');
      if (rule.exists?.(client, host) === false) return;
      for (const stream of [false, true]) {
        const before = host.fake.chatRequests.length;
        expect(await ask(client, host, { ...rule.body, stream })).toMatchObject({ status: 200 });
        const sent = host.fake.chatRequests.slice(before).findLast(host.accepts)?.body ?? {};
        // Every call has the result that it had.
        expect(pairsIn(sent)).toEqual(pairsIn(rule.body));
        rule.check?.(sent, host);
      }
    });
  });
});

async function ask(client: Client, { provider }: Host, body: JsonObject): Promise<{ status: number; text: string }> {
  const model = provider.name;
  if (client === 'bot') return askAsBot(provider, body);
  const { path, toBody } = DIALECTS[client];
  const response = await service.post(path, toBody({ model, ...body }));
  const text = await response.text();
  return { status: text.includes('"error":{') && body.stream === true ? 500 : response.status, text };
}

/** The bot has no request of its own dialect. */
async function askAsBot({ chat, name }: Provider, body: JsonObject): Promise<{ status: number; text: string }> {
  const { native: _native, extraFields: _extra, ...request }: ChatRequest = toChatRequest(name, body);
  try {
    if (!chat) throw new Error('there is no chat model');
    const { failure, answer } = await drain(await chat.stream(request, noAbort()));
    if (failure) throw failure;
    return { status: 200, text: answer };
  } catch (error) {
    return { status: 500, text: isJsonObject(error) ? JSON.stringify(error) : String(error) };
  }
}
