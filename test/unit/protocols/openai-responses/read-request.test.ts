import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/lib/json/json.ts';
import { HttpError } from '../../../../src/protocols/http-error.ts';
import { readResponseRequest, toChatRequest } from '../../../../src/protocols/openai-responses/request/read-request.ts';
import { measureBestStep } from '../../../support/machine/measure.ts';

const translate = (fields: JsonObject) => toChatRequest(readResponseRequest({ model: 'm', input: 'Hi', ...fields }));
const findParam = (fields: JsonObject): string | undefined => {
  try {
    translate(fields);
  } catch (error) {
    if (error instanceof HttpError && error.facts.status === 400) return error.facts.param;
    throw error;
  }
  return 'accepted';
};

const user = (...content: readonly unknown[]) => ({ input: [{ role: 'user', content }] });
const image = (url: unknown) => user({ type: 'input_image', image_url: url });
const call = (callId: string) => ({ type: 'function_call', call_id: callId, name: 'f', arguments: '{}' });
const result = (callId: string) => ({ type: 'function_call_output', call_id: callId, output: 'x' });
const tool = (fields: JsonObject) => ({ tools: [{ type: 'function', name: 'f', ...fields }] });
const manyValues = `sb1.${Buffer.from(`{"a":[${'{},'.repeat(9000)}1]}`).toString('base64url')}`;
const question = { role: 'user', content: 'Hi' };

describe('a 400 names', () => {
  test.each<[what: string, fields: JsonObject, param: string | undefined]>([
    ['a missing model', { model: undefined }, 'model'],
    ['a missing input', { input: undefined }, 'input'],
    ['an input that is an object', { input: {} }, 'input'],
    ['an empty input', { input: [] }, 'input'],
    ['an item that is a string', { input: ['Hi'] }, 'input[0]'],
    ['an item without type', { input: [{}] }, 'input[0].type'],
    ['an unknown item', { input: [question, { type: 'computer_call' }] }, 'input[1].type'],
    ['a type named as a method', { input: [{ type: 'toString' }] }, 'input[0].type'],
    ['a stored item', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0].type'],
    ['an unknown role', { input: [{ role: 'robot', content: 'Hi' }] }, 'input[0].role'],
    ['a message without content', { input: [{ role: 'user' }] }, 'input[0].content'],
    ['a message without parts', user(), 'input[0].content'],
    ['an unknown part', user({ type: 'input_video' }), 'input[0].content[0].type'],
    ['a part that is null', user(null), 'input[0].content[0].type'],
    ['a part named as a method', user({ type: 'constructor' }), 'input[0].content[0].type'],
    ['a text that is a number', user({ type: 'input_text', text: 1 }), 'input[0].content[0].text'],
    [
      'an image in a system message',
      { input: [{ role: 'system', content: [{ type: 'input_image' }] }] },
      'input[0].content[0].type',
    ],
    ['an image without address', image(undefined), 'input[0].content[0].image_url'],
    ['a stored image', user({ type: 'input_image', file_id: 'file-1' }), 'input[0].content[0].image_url'],
    ['an image on the disk', image('file:///etc/passwd'), 'input[0].content[0].image_url'],
    ['an image that is not base64', image('data:image/png;base64,%%%'), 'input[0].content[0].image_url'],
    [
      'an image with a broken character',
      image(`data:image/png;base64,${'A'.repeat(40)}!AAA`),
      'input[0].content[0].image_url',
    ],
    ['an empty image', image('data:image/png;base64,'), 'input[0].content[0].image_url'],
    ['an image without encoding', image('data:image/png,AAAA'), 'input[0].content[0].image_url'],
    ['a stored file', user({ type: 'input_file', file_id: 'file-1' }), 'input[0].content[0]'],
    [
      'a file that is not base64',
      user({ type: 'input_file', file_data: 'data:a/b;base64,!' }),
      'input[0].content[0].file_data',
    ],
    [
      'too many images',
      user(...Array(501).fill({ type: 'input_image', image_url: 'https://a.example/a.png' })),
      'input',
    ],
    ['too many parts', user(...Array(20_001).fill({ type: 'input_text', text: 'x' })), 'input'],
    ['too many items', { input: Array(20_001).fill(question) }, 'input'],
    [
      'too many tools',
      { tools: Array.from({ length: 5001 }, (_, at) => ({ type: 'function', name: `f${at}` })) },
      'tools[5000]',
    ],
    [
      'too much reasoning',
      { input: [{ type: 'reasoning', encrypted_content: `sb1.${'A'.repeat(2 ** 21)}` }] },
      'input',
    ],
    [
      'too many metadata',
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [at, ''])) },
      'metadata',
    ],
    ['a call without id', { input: [{ type: 'function_call', name: 'f', arguments: '{}' }] }, 'input[0].call_id'],
    ['a call without name', { input: [{ type: 'function_call', call_id: 'c', arguments: '{}' }] }, 'input[0].name'],
    ['a call with an object', { input: [{ ...call('c'), arguments: {} }] }, 'input[0].arguments'],
    ['a call without result', { input: [question, call('c'), question] }, 'input[1]'],
    ['a result without call', { input: [question, result('c')] }, 'input[1].call_id'],
    ['a second result', { input: [call('c'), result('c'), result('c')] }, 'input[2].call_id'],
    ['a result without output', { input: [call('c'), { ...result('c'), output: null }] }, 'input[1].output'],
    [
      'reasoning that is a number',
      { input: [{ type: 'reasoning', content: [{ text: 1 }] }] },
      'input[0].content[0].text',
    ],
    ['tools that are an object', { tools: {} }, 'tools'],
    ['a tool that is a string', { tools: ['f'] }, 'tools[0]'],
    ['a tool that OpenAI runs', { tools: [{ type: 'file_search' }] }, 'tools[0].type'],
    ['a search by the provider', { tools: [{ type: 'tool_search' }] }, 'tools[0].type'],
    [
      'found tools that are an object',
      { input: [{ type: 'tool_search_output', call_id: 'c', tools: {} }] },
      'input[0].tools',
    ],
    ['web search', { tools: [{ type: 'web_search' }] }, 'tools[0].type'],
    [
      'a nested namespace',
      { tools: [{ type: 'namespace', name: 'a', tools: [{ type: 'namespace', name: 'b', tools: [] }] }] },
      'tools[0].tools[0].type',
    ],
    ['a tool without name', tool({ name: undefined }), 'tools[0].name'],
    ['a tool with a wrong name', tool({ name: 'a b' }), 'tools[0].name'],
    ['a tool with a long name', tool({ name: 'a'.repeat(129) }), 'tools[0].name'],
    ['parameters that are a list', tool({ parameters: [] }), 'tools[0].parameters'],
    ['a wrong tool in the input', { input: [{ type: 'additional_tools', tools: [1] }, question] }, 'input[0].tools[0]'],
    ['a choice of no tool', { tool_choice: 'required' }, 'tool_choice'],
    ['an unknown choice', { tool_choice: 'sometimes' }, 'tool_choice'],
    ['a choice of another tool', { ...tool({}), tool_choice: { type: 'function', name: 'g' } }, 'tool_choice.name'],
    ['a choice of a hosted tool', { ...tool({}), tool_choice: { type: 'web_search' } }, 'tool_choice.type'],
    [
      'a wrong allowed tool',
      { ...tool({}), tool_choice: { type: 'allowed_tools', tools: [{ type: 'mcp' }] } },
      'tool_choice.tools[0].type',
    ],
    ['an unknown format', { text: { format: { type: 'xml' } } }, 'text.format.type'],
    ['a format without schema', { text: { format: { type: 'json_schema', name: 'a' } } }, 'text.format.schema'],
    ['a negative length', { max_output_tokens: -1 }, 'max_output_tokens'],
    ['a fraction of a token', { max_output_tokens: 1.5 }, 'max_output_tokens'],
    ['too many alternatives', { top_logprobs: 21 }, 'top_logprobs'],
    ['metadata that is too long', { metadata: { a: 'x'.repeat(513) } }, 'metadata.a'],
    [
      'too much metadata',
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [at, 'x'])) },
      'metadata',
    ],
    ['a background stream', { background: true, stream: true }, 'stream'],
    ['a background response that is not stored', { background: true, store: false }, 'store'],
    ['a conversation', { conversation: 'conv_1' }, 'conversation'],
    ['a stored prompt', { prompt: { id: 'p' } }, 'prompt'],
    ['compaction', { context_management: [{ type: 'compaction' }] }, 'context_management'],
    ['another spelling', { Stream: true }, 'Stream'],
    ['several answers', { n: 2 }, 'n'],
    ['several answers in another spelling', { N: 2 }, 'N'],
    ['a field of chat completions', { max_tokens: 5 }, 'max_tokens'],
    ['a field of chat completions in another spelling', { maxCompletionTokens: 5 }, 'maxCompletionTokens'],
    ['messages', { messages: [question] }, 'messages'],
  ])('%s', (_what, fields, param) => {
    expect(findParam(fields)).toBe(param);
  });
});

test('harmless fields are accepted', () => {
  const fields = {
    background: false,
    conversation: null,
    store: true,
    truncation: 'auto',
    include: ['web_search_call.action.sources'],
    reasoning: { summary: 'auto', context: 'all_turns' },
    tools: [{ type: 'web_search', external_web_access: true }],
    tool_choice: 'auto',
    client_metadata: {},
  };
  expect(findParam(fields)).toBe('accepted');
});

describe('a conversation', () => {
  const messagesOf = (...input: readonly unknown[]) => translate({ input }).messages;

  test('joins a text of the model with the calls that follow', () => {
    expect(
      messagesOf(question, { role: 'assistant', content: 'Wait.' }, call('a'), call('b'), result('b'), result('a')),
    ).toEqual([
      question,
      {
        role: 'assistant',
        content: 'Wait.',
        toolCalls: [expect.objectContaining({ id: 'a' }), expect.objectContaining({ id: 'b' })],
      },
      { role: 'tool', toolCallId: 'a', content: 'x' },
      { role: 'tool', toolCallId: 'b', content: 'x' },
    ]);
  });

  test('moves a result behind its call', () => {
    expect(messagesOf(call('a'), question, result('a')).map(({ role }) => role)).toEqual(['assistant', 'tool', 'user']);
  });

  test('matches ids that repeat', () => {
    const results = [
      { ...result('a'), output: 'first' },
      { ...result('a'), output: 'second' },
    ];
    const messages = messagesOf(call('a'), results[0], question, call('a'), results[1]);
    expect(messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual(['first', 'second']);
  });

  test('keeps messages of the model apart, and leaves out empty ones', () => {
    const said = (content: string) => ({ role: 'assistant', content });
    expect(messagesOf(said('a'), said('b'), said(''), question)).toEqual([said('a'), said('b'), question]);
  });

  test('begins with the items of earlier responses', () => {
    const request = readResponseRequest({ model: 'm', instructions: 'Be brief.', input: [result('a')] }, [
      question,
      call('a'),
    ]);
    expect(toChatRequest(request).messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
  });

  test('answers all calls of earlier responses', () => {
    const read = () => toChatRequest(readResponseRequest({ model: 'm', input: [question] }, [call('a')]));
    expect(read).toThrow(
      expect.objectContaining({ facts: expect.objectContaining({ param: 'previous_response_id[0]' }) }),
    );
  });
});

test('names of tools that are too long for hosts are shortened, each to another name', () => {
  const [one, other] = ['a', 'b'].map((end) => `${'x'.repeat(60)}_${end}`);
  const tools = [{ type: 'namespace', name: 'space', tools: [one, other].map((name) => ({ type: 'function', name })) }];
  const names = translate({ tools }).tools?.map(({ name }) => name) ?? [];
  expect(new Set(names).size).toBe(2);
  for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
});

describe('large input is read quickly', () => {
  /** Reading in linear time needs 5 to 40 ms, twice as much beside other tests; quadratic time needs seconds. */
  const MAX_CPU_MS = 150;
  const words = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`field${at}`, { type: 'string' }]));
  test.each<[what: string, fields: JsonObject, param: string]>([
    ['a schema of 2 MB', tool({ parameters: { type: 'object', properties: words(60_000) } }), 'tools[0].parameters'],
    ['an image of 18 MB', image(`data:image/png;base64,${'A'.repeat(18 * 1024 * 1024)}`), 'accepted'],
    [
      'a broken image of 18 MB',
      image(`data:image/png;base64,${'A'.repeat(18 * 1024 * 1024)}!`),
      'input[0].content[0].image_url',
    ],
    [
      'metadata of 90 000 keys',
      { metadata: Object.fromEntries(Array.from({ length: 90_000 }, (_, at) => [at, ''])) },
      'metadata',
    ],
    [
      'reasoning of 500 000 values',
      { input: [...Array(50).fill({ type: 'reasoning', encrypted_content: manyValues }), question] },
      'accepted',
    ],
    ['20 000 items', { input: Array(20_000).fill(question) }, 'accepted'],
    [
      '10 000 calls with one id',
      { input: [...Array(9999).fill(call('a')), ...Array(9999).fill(result('a'))] },
      'accepted',
    ],
  ])('%s', (_what, fields, param) => {
    let found: string | undefined;
    const elapsedMs = measureBestStep(() => {
      found = findParam(fields);
    }, MAX_CPU_MS);
    expect(found).toBe(param);
    expect(elapsedMs).toBeLessThan(MAX_CPU_MS);
  });
});
