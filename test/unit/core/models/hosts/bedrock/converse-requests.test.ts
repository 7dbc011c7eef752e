import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BedrockConfig } from '../../../../../../src/core/models/hosts/bedrock/bedrock-config.ts';
import type { ChatMessage, ChatRequest } from '../../../../../../src/core/models/index.ts';
import { ProviderRejectedError } from '../../../../../../src/core/models/index.ts';
import type { Download } from '../../../../../../src/lib/http/public-fetch.ts';
import { ForbiddenAddressError } from '../../../../../../src/lib/http/public-fetch.ts';
import {
  AWS,
  answerEvents,
  CLAUDE,
  findSignatureFault,
  NOVA,
  textEvents,
} from '../../../../../support/hosts/fake-bedrock.ts';
import { answerJson } from '../../../../../support/hosts/fake-provider.ts';
import {
  failureOf,
  helloRequest,
  noAbort,
  type ProviderUnderTest,
  startBedrockUnderTest,
} from '../../../../../support/hosts/provider-under-test.ts';
import { drawPng } from '../../../../../support/samples/media.ts';

let bedrock: ProviderUnderTest;
afterEach(() => bedrock.close());

async function start(config?: Partial<BedrockConfig>, download?: Download) {
  bedrock = await startBedrockUnderTest(config, undefined, download);
}
const ask = (request: Partial<ChatRequest> = {}) =>
  bedrock.provider.chat.complete({ model: CLAUDE, messages: [{ role: 'user', content: 'hi' }], ...request }, noAbort());
const bodyOf = async (request: Partial<ChatRequest>) => {
  await ask(request);
  return bedrock.host.chatRequests.at(-1)?.body;
};

describe('a request to Bedrock', () => {
  it('is signed with the credentials, and has the model in its path', async () => {
    await start();
    await ask();
    const [request] = bedrock.host.chatRequests;
    expect(request?.url).toBe('/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream');
    expect(request && findSignatureFault(request)).toBeUndefined();
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'switchboard' });
    expect(request?.headers['x-amz-security-token']).toBeUndefined();
  });

  it('has the token of temporary credentials', async () => {
    await start({ credentials: { ...AWS.credentials, sessionToken: 'token-of-a-session' } });
    await ask({ model: 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc' });
    const [request] = bedrock.host.chatRequests;
    expect(request?.headers['x-amz-security-token']).toBe('token-of-a-session');
    expect(request && findSignatureFault(request)).toBeUndefined();
  });

  it('has an API key instead of a signature, and the next one if it is refused', async () => {
    await start({ apiKeys: ['ABSK-first', 'ABSK-second'] });
    const refuse = answerJson(403, { Message: 'Invalid API Key format' });
    bedrock.host.behaveUsually((exchange) =>
      (exchange.request.headers.authorization === 'Bearer ABSK-first' ? refuse : answerEvents(textEvents()))(exchange),
    );
    await ask();
    expect(bedrock.host.chatRequests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer ABSK-first',
      'Bearer ABSK-second',
    ]);
    expect(bedrock.host.chatRequests[0]?.headers['x-amz-date']).toBeUndefined();
  });

  it('does not take credentials of the environment instead of its own', async () => {
    process.env['AWS_BEARER_TOKEN_BEDROCK'] = 'ABSK-of-the-environment';
    try {
      await start();
      await ask();
      expect(bedrock.host.chatRequests[0]?.headers.authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLEOFTESTS/,
      );
    } finally {
      delete process.env['AWS_BEARER_TOKEN_BEDROCK'];
    }
  });
});

describe('messages to Bedrock', () => {
  beforeEach(() => start());

  it('have the system messages in front, and no empty texts', async () => {
    const messages: ChatMessage[] = [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: '' },
      { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: '' },
          { type: 'text', text: 'more' },
        ],
      },
    ];
    expect(await bodyOf({ messages })).toMatchObject({
      system: [{ text: 'Be short.' }, { text: 'Be kind.' }],
      messages: [{ role: 'user', content: [{ text: 'hi' }, { text: 'more' }] }],
    });
  });

  it('contain images and documents', async () => {
    const png = drawPng(2, 2).toString('base64');
    const content = [
      { type: 'text', text: 'compare' },
      { type: 'image', url: `data:image/jpg;base64,${png}` },
      { type: 'file', url: 'data:application/pdf;base64,JVBERi0=', name: 'Überblick 2026.pdf' },
      { type: 'file', url: 'data:application/json;base64,e30=' },
    ] as const;
    const body = await bodyOf({ messages: [{ role: 'user', content }] });
    expect(body?.messages).toEqual([
      {
        role: 'user',
        content: [
          { text: 'compare' },
          { image: { format: 'jpeg', source: { bytes: png } } },
          { document: { format: 'pdf', name: expect.stringMatching(/^[\w ()[\]-]+$/), source: { bytes: 'JVBERi0=' } } },
          { document: { format: 'txt', name: expect.any(String), source: { bytes: 'e30=' } } },
        ],
      },
    ]);
  });

  it('contain tool calls and their results, also images', async () => {
    const tools = [{ name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} } }];
    const messages: ChatMessage[] = [
      { role: 'user', content: 'what is there?' },
      {
        role: 'assistant',
        content: 'I look.',
        toolCalls: [
          { id: 'call_1', name: 'look', arguments: '{"at":"sky"}' },
          { id: 'call_2', name: 'look', arguments: '' },
        ],
      },
      { role: 'tool', toolCallId: 'call_1', content: 'blue' },
      { role: 'tool', toolCallId: 'call_2', content: [{ type: 'image', url: 'data:image/png;base64,AAAA' }] },
    ];
    const body = await bodyOf({ messages, tools });
    expect(body).toMatchObject({
      messages: [
        { role: 'user', content: [{ text: 'what is there?' }] },
        {
          role: 'assistant',
          content: [
            { text: 'I look.' },
            { toolUse: { toolUseId: 'call_1', name: 'look', input: { at: 'sky' } } },
            { toolUse: { toolUseId: 'call_2', name: 'look', input: {} } },
          ],
        },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: 'call_1', content: [{ text: 'blue' }] } },
            { toolResult: { toolUseId: 'call_2', content: [{ image: { format: 'png' } }] } },
          ],
        },
      ],
      toolConfig: {
        tools: [{ toolSpec: { name: 'look', description: 'Looks', inputSchema: { json: tools[0]?.parameters } } }],
        toolChoice: { auto: {} },
      },
    });
  });

  it('describe tool calls in words if tools may not be called', async () => {
    const messages: ChatMessage[] = [
      { role: 'user', content: 'weather?' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'weather', arguments: '{"in":"Oslo"}' }] },
      { role: 'tool', toolCallId: 'c', content: 'rain' },
    ];
    const described = [
      { role: 'user', content: [{ text: 'weather?' }] },
      { role: 'assistant', content: [{ text: '[Called the tool weather with {"in":"Oslo"}]' }] },
      { role: 'user', content: [{ text: '[Result of the tool weather]' }, { text: 'rain' }] },
    ];
    const without = await bodyOf({ messages });
    expect(without?.messages).toEqual(described);
    const forbidden = await bodyOf({ messages, tools: [{ name: 'weather' }], toolChoice: 'none' });
    expect(forbidden?.messages).toEqual(described);
    expect(forbidden).not.toHaveProperty('toolConfig');
  });
});

describe('settings of a request to Bedrock', () => {
  beforeEach(() => start());

  it('are translated', async () => {
    const body = await bodyOf({
      sampling: { temperature: 0.5, topP: 0.9, stop: ['END'] },
      maxOutputTokens: 100,
      tools: [{ name: 'f', parameters: { type: 'object', properties: { a: { type: 'string' } } } }],
      toolChoice: { name: 'f' },
      extraFields: { user: 'someone', frequency_penalty: 0, top_k: 40, service_tier: 'auto' },
    });
    expect(body).toMatchObject({
      inferenceConfig: { temperature: 0.5, topP: 0.9, stopSequences: ['END'], maxTokens: 100, topK: 40 },
      toolConfig: { toolChoice: { tool: { name: 'f' } } },
    });
  });

  it('request one tool call at a time from Claude', async () => {
    const body = await bodyOf({ tools: [{ name: 'f' }], allowsParallelToolCalls: false });
    expect(body).toMatchObject({
      additionalModelRequestFields: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    });
  });

  it('request reasoning as the model expects it', async () => {
    const thinking = await bodyOf({ reasoningEffort: 'low', maxOutputTokens: 1000 });
    expect(thinking).toMatchObject({ additionalModelRequestFields: { thinking: { type: 'enabled' } } });
    const effort = await bodyOf({ model: 'openai.gpt-oss-120b-1:0', reasoningEffort: 'high' });
    expect(effort).toMatchObject({ additionalModelRequestFields: { reasoning_effort: 'high' } });
  });

  it('request JSON by a schema', async () => {
    const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
    const body = await bodyOf({ model: NOVA, responseFormat: { type: 'json', schema, name: 'answer' } });
    expect(body).toMatchObject({
      toolConfig: { tools: [{ toolSpec: { name: 'json', inputSchema: { json: schema } } }], toolChoice: { any: {} } },
    });
  });

  it.each<[param: string, request: Partial<ChatRequest>]>([
    ['n', { choiceCount: 2 }],
    ['seed', { sampling: { seed: 1 } }],
    ['temperature', { sampling: { temperature: 1.5 } }],
    ['frequency_penalty', { extraFields: { frequency_penalty: 0.5 } }],
    ['logprobs', { extraFields: { logprobs: true } }],
    ['web_search_options', { extraFields: { web_search_options: {} } }],
    ['response_format', { responseFormat: { type: 'json' } }],
    ['reasoning_effort', { reasoningEffort: 'enormous' }],
    ['reasoning_effort', { model: NOVA, reasoningEffort: 'high' }],
    ['parallel_tool_calls', { model: NOVA, tools: [{ name: 'f' }], allowsParallelToolCalls: false }],
    ['tools', { tools: [{ name: 'json' }], responseFormat: { type: 'json', schema: { type: 'object' } } }],
    [
      'messages',
      { messages: [{ role: 'user', content: [{ type: 'other', native: { type: 'input_audio', input_audio: {} } }] }] },
    ],
    ['messages', { messages: [{ role: 'user', content: [{ type: 'image', url: 'data:image/tiff;base64,AAAA' }] }] }],
    ['messages', { messages: [{ role: 'user', content: [{ type: 'image', url: 'ftp://host/a.png' }] }] }],
    ['messages', { messages: [{ role: 'system', content: [{ type: 'image', url: 'data:image/png;base64,AA' }] }] }],
  ])('that have no equivalent are refused by name: %s', async (param, request) => {
    const error = await failureOf(ask(request));
    expect(error).toBeInstanceOf(ProviderRejectedError);
    expect(error).toMatchObject({ status: 400, details: { param, message: expect.stringMatching(/./) } });
  });

  it('have arguments that are not JSON in the form that tools report', async () => {
    const body = await bodyOf({
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'f', arguments: '{"half' }] },
        { role: 'tool', toolCallId: 'c', content: 'x' },
      ],
      tools: [{ name: 'f' }],
    });
    expect(JSON.stringify(body)).toContain('"input":{"INVALID_JSON":"{\\"half"}');
  });

  it('that are optional are left out if the model does not have them, or AWS refuses them', async () => {
    const optional = { sampling: { temperature: 1.5 }, reasoningEffort: 'high', maxOutputTokens: 7 };
    await ask({ ...optional, model: NOVA, optional: ['temperature', 'reasoningEffort', 'maxOutputTokens'] });
    bedrock.host.behaveUsually((exchange) => {
      const { inferenceConfig } = exchange.request.body as { inferenceConfig?: { maxTokens?: number } };
      const refusal = answerJson(400, { message: 'maxTokens: the value exceeds the limit of the model' });
      return (inferenceConfig?.maxTokens ? refusal : answerEvents(textEvents()))(exchange);
    });
    await ask({ maxOutputTokens: 7, optional: ['maxOutputTokens'] });
    await ask({ maxOutputTokens: 7, optional: ['maxOutputTokens'] });
    expect(bedrock.host.chatRequests).toHaveLength(4);
  });

  it('of a client of chat completions arrive as well', async () => {
    const { native: _native, ...request } = helloRequest({
      model: CLAUDE,
      max_completion_tokens: 9,
      tools: [{ type: 'function', function: { name: 'f', strict: true, parameters: { type: 'object' } } }],
      tool_choice: 'required',
    });
    expect(await bodyOf(request)).toMatchObject({
      inferenceConfig: { maxTokens: 9 },
      toolConfig: { tools: [{ toolSpec: { name: 'f' } }], toolChoice: { any: {} } },
    });
  });
});

describe('images and files at addresses', () => {
  const png = drawPng(2, 2);
  const image = (url: string): ChatMessage => ({ role: 'user', content: [{ type: 'image', url }] });

  it('are downloaded, because AWS does not fetch them', async () => {
    await start({}, async (url) => (url.endsWith('.pdf') ? Buffer.from('%PDF-1.7') : png));
    const body = await bodyOf({
      messages: [
        image('https://example.com/a'),
        { role: 'user', content: [{ type: 'file', url: 'https://example.com/b.pdf' }] },
      ],
    });
    expect(body?.messages).toMatchObject([
      {
        content: [
          { image: { format: 'png', source: { bytes: png.toString('base64') } } },
          { document: { format: 'pdf' } },
        ],
      },
    ]);
  });

  it('are refused if they are not on the public internet', async () => {
    await start();
    const error = await failureOf(ask({ messages: [image('http://127.0.0.1:9/a.png')] }));
    expect(error).toMatchObject({ status: 400, details: { param: 'messages' } });
    expect(String(error)).toContain(new ForbiddenAddressError().message);
    expect(bedrock.host.chatRequests).toEqual([]);
  });

  it('are refused if their format is unknown', async () => {
    await start({}, async () => Buffer.from([80, 75, 3, 4, 0, 0]));
    const messages: ChatMessage[] = [
      { role: 'user', content: [{ type: 'file', url: 'https://example.com/report.docx' }] },
    ];
    expect(await failureOf(ask({ messages }))).toMatchObject({ status: 400, details: { param: 'messages' } });
    expect(await failureOf(ask({ messages: [image('https://example.com/a')] }))).toMatchObject({ status: 400 });
  });

  it('may have 20 megabytes together', async () => {
    const limits: number[] = [];
    await start({}, async (_url, { maxBytes }) => {
      limits.push(maxBytes / 1024 / 1024);
      return Buffer.concat([png, Buffer.alloc(8 * 1024 * 1024 - png.length)]);
    });
    const inline = image(`data:image/png;base64,${'A'.repeat(8 * 1024 * 1024)}`);
    const messages = [image('https://example.com/a'), inline, image('https://example.com/b')];
    expect(await failureOf(ask({ messages }))).toMatchObject({ status: 400, details: { param: 'messages' } });
    expect(limits).toEqual([10, 6]);
    expect(bedrock.host.chatRequests).toEqual([]);
  });
});
