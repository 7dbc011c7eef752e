import { expect, test } from 'vitest';
import type { ChatPart, ToolCallDelta } from '../../../../src/core/models/index.ts';
import { createOutputBuilder } from '../../../../src/protocols/openai-responses/answer/build-output.ts';
import type { ResponseEvent } from '../../../../src/protocols/openai-responses/answer/output-item.ts';

const text = (words: string): ChatPart => ({ type: 'text-delta', choice: 0, text: words });
const source = (url: string | undefined): ChatPart => ({ type: 'source', choice: 0, source: { url } });
const call = (fields: Partial<ToolCallDelta>): ChatPart => ({
  type: 'tool-call-delta',
  choice: 0,
  index: undefined,
  id: undefined,
  name: undefined,
  arguments: '',
  ...fields,
});

function build(parts: readonly ChatPart[], status: 'completed' | 'incomplete' = 'completed') {
  const events: ResponseEvent[] = [];
  const tools = { byName: new Map(), echo: [] };
  const output = createOutputBuilder({ tools, wantsEncryptedReasoning: false }, (event) => events.push({ ...event }));
  for (const part of parts) output.add(part);
  output.close(status);
  return { items: output.print(), types: events.map(({ type }) => type) };
}

/** Hosts may repeat their ids in each answer, so clients get others. */
const OWN_ID = expect.stringMatching(/^call_/);

test('a call begins when its name is known, with the arguments so far', () => {
  const { items, types } = build([
    call({ index: 0, id: 'a', arguments: '{"x"' }),
    call({ index: 0, name: 'f', arguments: ':' }),
    call({ index: 0, name: 'f', arguments: '1}' }),
  ]);
  expect(items).toMatchObject([{ type: 'function_call', call_id: OWN_ID, name: 'f', arguments: '{"x":1}' }]);
  expect(types.filter((type) => type.endsWith('arguments.delta'))).toHaveLength(2);
});

test('calls of hosts that give all of them the same index, or none, are told apart by their ids', () => {
  for (const index of [0, undefined]) {
    const { items } = build([
      call({ index, id: 'a', name: 'f', arguments: '1' }),
      call({ index, id: 'b', name: 'f', arguments: '2' }),
    ]);
    expect(items).toMatchObject([
      { call_id: OWN_ID, arguments: '1' },
      { call_id: OWN_ID, arguments: '2' },
    ]);
    expect(items[0]?.['call_id']).not.toBe(items[1]?.['call_id']);
  }
});

test('a call without id gets one, and one without name is left out', () => {
  const { items } = build([call({ index: 0, name: 'f' }), call({ index: 1, arguments: '{}' })]);
  expect(items).toMatchObject([{ type: 'function_call', call_id: OWN_ID }]);
});

test('text after a call is a message of its own', () => {
  const { items } = build([text('one'), call({ index: 0, id: 'a', name: 'f' }), text('two')]);
  expect(items.map(({ type }) => type)).toEqual(['message', 'function_call', 'message']);
});

test('only the last item of an incomplete answer is incomplete', () => {
  const { items } = build([text('one'), call({ index: 0, id: 'a', name: 'f' })], 'incomplete');
  expect(items.map(({ status }) => status)).toEqual(['completed', 'incomplete']);
});

test('sources are cited once, and those without address not at all', () => {
  const { items } = build([source('https://a.example'), source(undefined), text('one'), source('https://a.example')]);
  expect(items).toMatchObject([{ content: [{ annotations: [{ url: 'https://a.example', end_index: 3 }] }] }]);
});
