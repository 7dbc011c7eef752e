import { describe, expect, it } from 'vitest';
import type { ChatEvent, ChatPart, ChatRequest, ChatStream, ToolCallDelta } from '../../../../src/core/models/index.ts';
import { createEventDialect } from '../../../../src/protocols/anthropic-messages/answer/print-events.ts';
import { printMessage } from '../../../../src/protocols/anthropic-messages/answer/print-message.ts';
import { readSignature, toSignature } from '../../../../src/protocols/anthropic-messages/carried-fields.ts';
import { readMessagesEvents } from '../../../support/clients/stream-events.ts';

const REQUEST: ChatRequest = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const OUTCOME: ChatStream['outcome'] = {
  ...{ provider: 'p', model: 'm', id: undefined, reportedModel: undefined, createdAt: undefined },
  ...{ finishReason: 'tool_calls', usage: undefined, deltaBytes: 0, deltaCount: 0 },
};

function print(events: readonly ChatEvent[]) {
  const stream: ChatStream = {
    outcome: OUTCOME,
    async *[Symbol.asyncIterator]() {
      yield* events;
    },
  };
  const facts = { guessTokens: () => 1, requestId: 'req_1' };
  const printer = createEventDialect({ request: REQUEST, showsThinking: true }, facts).createPrinter(stream);
  return readMessagesEvents(events.map((event) => printer.print(event)).join('') + printer.end());
}
const printParts = (...parts: readonly ChatPart[]) => print(parts.map((part) => ({ parts: [part] })));
/** Returns `start 0 tool_use`, `delta 0 {"a"`, `stop 0`. */
const shorten = (events: ReturnType<typeof print>) =>
  events.flatMap(({ type, data }) => {
    const { index, content_block: block, delta } = data as Record<string, Record<string, unknown>>;
    const [, what] = /^content_block_(start|delta|stop)$/.exec(type) ?? [];
    if (!what) return [];
    const [, detail = ''] = Object.values(delta ?? {});
    return `${what} ${index} ${block?.['type'] ?? detail}`.trim();
  });
const call = (fields: Partial<ToolCallDelta>): ChatPart => ({
  ...{ type: 'tool-call-delta', choice: 0, index: undefined, id: undefined, name: undefined, arguments: '' },
  ...fields,
});
const text = (words: string, choice = 0): ChatPart => ({ type: 'text-delta', choice, text: words });

describe('a stream of a host', () => {
  it('that sends whole calls without index has one block for each', () => {
    const events = printParts(
      call({ id: 'a', name: 'f', arguments: '{"a":1}' }),
      call({ id: 'b', name: 'f', arguments: '{}' }),
    );
    expect(shorten(events)).toEqual([
      ...['start 0 tool_use', 'delta 0 {"a":1}', 'stop 0'],
      ...['start 1 tool_use', 'delta 1 {}', 'stop 1'],
    ]);
    expect(events.at(-2)?.data).toMatchObject({ delta: { stop_reason: 'tool_use' } });
  });

  it('that sends fragments of its calls in turns keeps their blocks open', () => {
    const events = printParts(
      call({ index: 0, id: 'a', name: 'f' }),
      call({ index: 1, id: 'b', name: 'g' }),
      call({ index: 0, arguments: '{"a":' }),
      call({ index: 1, arguments: '{}' }),
      call({ index: 0, arguments: '1}' }),
    );
    expect(shorten(events)).toEqual([
      ...['start 0 tool_use', 'start 1 tool_use', 'delta 0 {"a":', 'delta 1 {}', 'delta 0 1}', 'stop 0', 'stop 1'],
    ]);
  });

  it('that repeats names and sends them late has each call once', () => {
    const events = printParts(
      call({ index: 0, id: 'a', arguments: '{"a"' }),
      call({ index: 0, id: 'a', name: 'f', arguments: ':1}' }),
      call({ index: 0, id: 'a', name: 'f' }),
      text('Done.'),
      call({ index: 0, id: 'a', name: 'f' }),
    );
    expect(shorten(events)).toEqual([
      ...['start 0 tool_use', 'delta 0 {"a":1}', 'stop 0', 'start 1 text', 'delta 1 Done.', 'stop 1'],
    ]);
  });

  it('that gives calls no ids has calls with ids', () => {
    const [start] = printParts(call({ name: 'f', arguments: '{}' })).filter(({ type }) => type.endsWith('block_start'));
    expect(start?.data).toMatchObject({ content_block: { id: expect.stringMatching(/^toolu_[\w-]{22}$/) } });
  });

  it('that sends several choices has the first one', () => {
    expect(shorten(printParts(text('a'), text('b', 1), text('c')))).toEqual([
      ...['start 0 text', 'delta 0 a', 'delta 0 c', 'stop 0'],
    ]);
  });

  it('that sends nothing is a message without blocks', () => {
    expect(print([]).map(({ type }) => type)).toEqual(['message_start', 'ping', 'message_delta', 'message_stop']);
  });
});

describe('a message', () => {
  const inputOf = (written: string) => {
    const choice = { text: '', toolCalls: [{ id: 'a', name: 'f', arguments: written }], finishReason: 'stop' };
    const message = printMessage({ choices: [choice], outcome: OUTCOME }, { request: REQUEST, showsThinking: false });
    expect(message).toMatchObject({ stop_reason: 'tool_use', content: [{ type: 'tool_use' }] });
    return (message.content as readonly { readonly input?: unknown }[])[0]?.input;
  };

  it.each([
    ['{"a":1}', { a: 1 }],
    ['', {}],
    [' ', {}],
    ['{"a":', { INVALID_JSON: '{"a":' }],
    ['[1]', { INVALID_JSON: '[1]' }],
  ])('has for the arguments %j the input %j', (written, input) => {
    expect(inputOf(written)).toEqual(input);
  });
});

describe('a signature', () => {
  it('carries the fields of a host', () => {
    const fields = { toolCall: { extra_content: { google: { thought_signature: 'x' } } } };
    expect(readSignature(toSignature(fields))).toMatchObject(fields);
    expect(readSignature(toSignature({ mustBeSentBack: true }))).toEqual({ mustBeSentBack: true });
    expect(readSignature(toSignature({ reasoning: 'Hm.' }))).toMatchObject({ reasoning: 'Hm.' });
    const blocks = Array.from({ length: 60 }, (_, index) => ({ type: 'thinking', signature: `s${index}` }));
    expect(readSignature(toSignature({ toolCall: { blocks } }))).toMatchObject({ toolCall: { blocks } });
    expect(toSignature({})).toBe('');
  });

  it('is empty for more than 1 MiB', () => {
    expect(toSignature({ toolCall: { x: 'x'.repeat(1_100_000) } })).toBe('');
  });

  it.each([undefined, 5, '', 'ErUBCkYIBxgCIkD', 'switchboard.', 'switchboard.!!!', `switchboard.${btoa('[1]')}`])(
    'that is %s carries nothing',
    (signature) => {
      expect(readSignature(signature)).toEqual({});
    },
  );
});
