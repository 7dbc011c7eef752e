import { describe, expect, test } from 'vitest';
import { toMessagesRequest } from '../../../src/protocols/anthropic-messages/request/print-request.ts';
import { CallIds } from '../../../src/protocols/call-ids.ts';
import {
  CALL_IDS,
  listMessageFallbacks,
  toAcceptedBody,
  toParameters,
} from '../../../src/protocols/openai-chat/vendor-rules.ts';

const call = (id: string, fields: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: '{}' },
  ...fields,
});

describe('the schema of arguments', () => {
  test.each([
    [{}, { type: 'object', properties: {} }],
    [{ type: 'object' }, { type: 'object', properties: {} }],
    [{ properties: { at: {} } }, { type: 'object', properties: { at: {} } }],
  ])('%j gets what OpenAI requires', (schema, expected) => {
    expect(toParameters(schema)).toEqual(expected);
  });

  test.each([
    { type: 'object', properties: { at: {} } },
    { type: 'string' },
    { $ref: '#/$defs/look' },
    { anyOf: [{ type: 'object' }] },
    { oneOf: [{ type: 'object' }] },
  ])('%j stays as it is', (schema) => {
    expect(toParameters(schema)).toBe(schema);
  });
});

describe('a body of chat completions', () => {
  test('without tools, or with valid ones, is the same object', () => {
    const hello = { role: 'user', content: 'Hello!' };
    for (const body of [
      { messages: [hello] },
      { messages: [hello, { role: 'assistant', content: 'Hello.' }] },
      {
        messages: [
          { role: 'assistant', tool_calls: [call('call_1')] },
          { role: 'tool', tool_call_id: 'call_1' },
        ],
      },
    ])
      expect(toAcceptedBody(body)).toBe(body);
  });

  test('keeps the fields of calls that another service may need', () => {
    const foreign = { extra_content: { anthropic: { content: [] } } };
    const body = { messages: [{ role: 'assistant', tool_calls: [call('call_1', foreign)] }] };
    expect(toAcceptedBody(body)).toBe(body);
  });

  test('has the value for Gemini in the first of parallel calls', () => {
    const body = { messages: [{ role: 'assistant', tool_calls: [call('call_1'), call('call_2')] }] };
    const fallbacks = listMessageFallbacks([{ role: 'assistant', content: '', toolCalls: [] }]);
    const way = fallbacks.find(({ name }) => name === 'extra content of calls')?.ways[1];
    const signed = { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } };
    expect(typeof way === 'function' && way(body)).toEqual({
      messages: [{ role: 'assistant', tool_calls: [call('call_1', signed), call('call_2')] }],
    });
  });
});

test('results find their calls where several answers with calls come before them', () => {
  const ids = new CallIds({ ...CALL_IDS, distinctIn: 'conversation' });
  expect([ids.addCalls(['call_0']), ids.addCalls(['call_0'])]).toEqual([['call_0'], ['call_0_2']]);
  expect([ids.takeResult('call_0'), ids.takeResult('call_0')]).toEqual(['call_0', 'call_0_2']);
  expect([ids.addCalls(['call_0']), ids.takeResult('call_0')]).toEqual([['call_0_3'], 'call_0_3']);
});

test('thinking in the fields of a client is off where Claude would refuse it', () => {
  const thinking = { type: 'enabled', budget_tokens: 2000 };
  const messages = [
    { role: 'user', content: 'What is it?' },
    { role: 'assistant', content: '', toolCalls: [{ id: 'call_1', name: 'look', arguments: '{}' }] },
    { role: 'tool', toolCallId: 'call_1', content: 'a fox' },
  ] as const;
  const request = { model: 'm', maxOutputTokens: 4000, extraFields: { thinking } };
  expect(toMessagesRequest({ ...request, messages }, undefined).body).not.toHaveProperty('thinking');
  expect(toMessagesRequest({ ...request, messages: messages.slice(0, 1) }, undefined).body).toMatchObject({ thinking });
});
