import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createChatGeneration,
  createToolAnswers,
  createToolGuard,
} from '../../../../../../src/core/generation/index.ts';
import type { ChatMessage, ToolCall } from '../../../../../../src/core/models/index.ts';
import { DEFAULT_TOOL_LIMITS } from '../../../../../../src/core/tools/index.ts';
import { systemClock } from '../../../../../../src/lib/clock.ts';
import type { JsonObject } from '../../../../../../src/lib/json/json.ts';
import { createLogger } from '../../../../../../src/lib/log/logger.ts';
import { keepBlocks, toKeptBlock } from '../../../../../../src/protocols/anthropic-messages/kept-blocks.ts';
import { toTurns } from '../../../../../../src/protocols/anthropic-messages/request/print-messages.ts';
import { thinkingBlock } from '../../../../../support/hosts/anthropic-rules.ts';
import { answerMessage } from '../../../../../support/hosts/fake-anthropic.ts';
import { answerJson } from '../../../../../support/hosts/fake-provider.ts';
import {
  noAbort,
  type ProviderUnderTest,
  startAnthropicUnderTest,
} from '../../../../../support/hosts/provider-under-test.ts';

const use = (id: string, input: JsonObject = {}) => ({ type: 'tool_use', id, name: 'look', input });
const CONTENT = [
  { type: 'redacted_thinking', data: 'EmwKAhgB+/==' },
  { type: 'text', text: 'One. ' },
  thinkingBlock('Hm — "quoted" \u2028 é.'),
  use('c1', { at: 'a fox' }),
  thinkingBlock(''),
  { type: 'text', text: 'Two.' },
  use('c2'),
];
const TEXT = 'One. Two.';

const toCalls = (content: readonly JsonObject[] = CONTENT): ToolCall[] => {
  const kept = keepBlocks(content.map(toKeptBlock).filter((block) => block !== undefined));
  return content.flatMap((block) =>
    block['type'] === 'tool_use'
      ? [{ id: String(block['id']), name: 'look', arguments: JSON.stringify(block['input']), native: { ...kept } }]
      : [],
  );
};
const RESULTS: ChatMessage[] = ['c1', 'c2'].map((toolCallId) => ({ role: 'tool', toolCallId, content: 'ok' }));
const QUESTION: ChatMessage = { role: 'user', content: 'What is it?' };
const answerBlocks = (...messages: readonly ChatMessage[]) =>
  toTurns(messages).messages.find(({ role }) => role === 'assistant')?.content;

describe('the thinking before tool calls', () => {
  it('is sent back in its place, byte for byte', () => {
    const answer: ChatMessage = { role: 'assistant', content: TEXT, toolCalls: toCalls() };
    expect(JSON.stringify(answerBlocks(QUESTION, answer, ...RESULTS))).toBe(JSON.stringify(CONTENT));
  });

  it('survives JSON, as clients and the database keep it', () => {
    const answer = JSON.parse(JSON.stringify({ role: 'assistant', content: TEXT, toolCalls: toCalls() }));
    expect(answerBlocks(QUESTION, answer, ...RESULTS)).toEqual(CONTENT);
  });

  it('is sent back while the results are the newest, also if a question follows them', () => {
    const answer: ChatMessage = { role: 'assistant', content: TEXT, toolCalls: toCalls() };
    expect(answerBlocks(QUESTION, answer, ...RESULTS, QUESTION, QUESTION)).toEqual(CONTENT);
  });

  const plain = [{ type: 'text', text: TEXT }, use('c1', { at: 'a fox' }), use('c2')];
  it.each<[string, ChatMessage[]]>([
    [
      'the next question was asked',
      [
        ...[QUESTION, { role: 'assistant', content: TEXT, toolCalls: toCalls() } as const, ...RESULTS],
        ...[{ role: 'assistant', content: 'A fox.' } as const, QUESTION],
      ],
    ],
    [
      'another host gave the calls fields of its own',
      [
        QUESTION,
        {
          role: 'assistant',
          content: TEXT,
          toolCalls: toCalls().map((call) => ({ ...call, native: { extra_content: { google: { signature: 's' } } } })),
        },
        ...RESULTS,
      ],
    ],
    [
      'the fields are broken',
      [
        QUESTION,
        {
          role: 'assistant',
          content: TEXT,
          toolCalls: toCalls().map((call) => ({ ...call, native: { extra_content: { anthropic: { content: [1] } } } })),
        },
        ...RESULTS,
      ],
    ],
  ])('is left out after %s', (_, messages) => {
    expect(answerBlocks(...messages)).toEqual(plain);
  });

  it('is left out if the answer was changed since', () => {
    const [first] = toCalls();
    const answer: ChatMessage = { role: 'assistant', content: TEXT, toolCalls: first && [first] };
    expect(answerBlocks(QUESTION, answer, ...RESULTS)).toEqual([
      { type: 'text', text: TEXT },
      use('c1', { at: 'a fox' }),
    ]);
    const edited: ChatMessage = { role: 'assistant', content: 'One.', toolCalls: toCalls() };
    expect(answerBlocks(QUESTION, edited, ...RESULTS)).toEqual([{ type: 'text', text: 'One.' }, ...plain.slice(1)]);
  });

  it('has no length of a text that has not begun', () => {
    expect(toKeptBlock({ type: 'text' })).toEqual({ type: 'text', length: 0 });
  });

  it('is nothing that answers without thinking carry', () => {
    expect(keepBlocks([{ type: 'text', length: 1 }, { type: 'tool_use' }])).toBeUndefined();
  });
});

describe('thinking without a signature', () => {
  let under: ProviderUnderTest;
  beforeEach(async () => {
    under = await startAnthropicUnderTest();
  });
  afterEach(() => under.close());

  const thinking = { type: 'enabled', budget_tokens: 2000 };
  const answer = [{ type: 'thinking', thinking: 'Hm.', signature: '' }, use('c1')];
  const messages = [
    { role: 'user', content: 'What is it?' },
    { role: 'assistant', content: answer },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'ok' }] },
  ];
  const body = { model: 'fake-model', max_tokens: 4000, thinking, messages };
  const ask = () => {
    const request = { model: 'fake-model', messages: [QUESTION], native: { dialect: 'messages', body } } as const;
    return under.provider.chat.complete(request, noAbort());
  };
  const message = { content: [{ type: 'text', text: 'A fox.' }], stop_reason: 'end_turn' };

  it('goes to hosts of the same protocol as it is', async () => {
    under.host.behave(answerJson(200, message), answerJson(200, message));
    await ask();
    await ask();
    expect(under.host.chatRequests.map((sent) => sent.body)).toEqual([body, body]);
  });

  it('is left out once such a host has refused it', async () => {
    await ask();
    await ask();
    const { thinking: _thinking, ...plain } = body;
    const changed = { ...plain, messages: messages.with(1, { role: 'assistant', content: [use('c1')] }) };
    expect(under.host.chatRequests.map((sent) => sent.body)).toEqual([body, changed, changed]);
  });

  it('never goes to Anthropic, also in the fields of calls', () => {
    const [foreign] = toCalls(answer);
    const turn: ChatMessage = { role: 'assistant', content: '', toolCalls: foreign && [foreign] };
    expect(answerBlocks(QUESTION, turn, ...RESULTS.slice(0, 1))).toEqual([use('c1')]);
    expect(toTurns([QUESTION, turn, ...RESULTS.slice(0, 1)], true).messages[1]?.content).toEqual(answer);
  });
});

describe('a tool loop of the bot', () => {
  let under: ProviderUnderTest;
  beforeEach(async () => {
    under = await startAnthropicUnderTest();
  });
  afterEach(() => under.close());

  it('sends all thinking of the answer back, step by step', async () => {
    const second = [thinkingBlock('Once more.'), use('c3')];
    under.host.behave(
      answerMessage({ content: CONTENT }),
      answerMessage({ content: second }),
      answerMessage({ content: [{ type: 'text', text: 'A fox.' }] }),
    );
    const usage = { record: () => {}, waitingCount: () => 0, flush: async () => {}, close: async () => {} };
    const answers = createToolAnswers({
      generation: createChatGeneration({ chat: under.provider.chat, usage, clock: systemClock }),
      clock: systemClock,
      logger: createLogger({ level: 'silent' }),
    });
    const tools = [{ name: 'look', description: 'Looks', parameters: { type: 'object' }, run: async () => 'seen' }];
    const options = { model: 'fake-model', messages: async () => [QUESTION], tools, limits: DEFAULT_TOOL_LIMITS };
    const guard = createToolGuard({ canAsk: false, isPermitted: async () => false });
    const texts: string[] = [];
    const stream = answers.stream({ userId: 1, keyId: undefined }, { ...options, guard }, noAbort());
    for await (const event of stream)
      if (event.kind === 'part' && event.part.type === 'text-delta') texts.push(event.part.text);
    expect(texts.join('')).toBe(`${TEXT}A fox.`);
    const result = (id: string) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: [{ type: 'text', text: 'seen' }],
    });
    expect(under.host.chatRequests.at(-1)?.body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'What is it?' }] },
      { role: 'assistant', content: CONTENT },
      { role: 'user', content: [result('c1'), result('c2')] },
      { role: 'assistant', content: second },
      { role: 'user', content: [result('c3')] },
    ]);
  });
});
