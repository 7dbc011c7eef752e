import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatMessage, ToolCall } from '../../../src/core/models/contract/chat-message.ts';
import type { TokenUsage } from '../../../src/core/models/contract/chat-outcome.ts';
import type { ChatRequest } from '../../../src/core/models/contract/chat-request.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { printUsage as printMessagesUsage } from '../../../src/protocols/anthropic-messages/answer/print-message.ts';
import { readUsage as readMessagesUsage } from '../../../src/protocols/anthropic-messages/answer/read-message.ts';
import { toMessagesRequest } from '../../../src/protocols/anthropic-messages/request/print-request.ts';
import { readMessagesRequest } from '../../../src/protocols/anthropic-messages/request/read-request.ts';
import { printUsage } from '../../../src/protocols/openai-chat/print-answer.ts';
import { toChatBody } from '../../../src/protocols/openai-chat/print-request.ts';
import { toChatRequest } from '../../../src/protocols/openai-chat/read-request.ts';
import { readUsage } from '../../../src/protocols/openai-chat/read-usage.ts';

/** A text that every host accepts at any place. */
const text = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }).map((inner) => `a${inner}z`);
const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,20}$/);
const parameters = fc.record({
  type: fc.constant('object'),
  properties: fc.dictionary(name, fc.constantFrom({ type: 'string' }, { type: 'number' }), { maxKeys: 3 }),
});

/** What one turn of the user leads to: an answer, or calls with their results and an answer. */
const turn = fc.record({
  question: text,
  calls: fc.array(fc.record({ name, input: fc.dictionary(name, text, { maxKeys: 3 }), result: text }), {
    maxLength: 3,
  }),
  answer: text,
});

const conversation = fc.array(turn, { minLength: 1, maxLength: 4 }).map((turns): readonly ChatMessage[] => {
  let count = 0;
  const messages = turns.flatMap(({ question, calls, answer }): ChatMessage[] => {
    const toolCalls = calls.map((call): ToolCall => {
      count += 1;
      return { id: `call_${count}`, name: call.name, arguments: JSON.stringify(call.input) };
    });
    const results = toolCalls.map(
      ({ id }, at): ChatMessage => ({ role: 'tool', toolCallId: id, content: calls[at]?.result ?? '' }),
    );
    const called: ChatMessage[] =
      toolCalls.length > 0 ? [{ role: 'assistant', content: '', toolCalls }, ...results] : [];
    return [{ role: 'user', content: question }, ...called, { role: 'assistant', content: answer }];
  });
  return [...messages, { role: 'user', content: 'And then?' }];
});

const request = fc
  .record({
    instructions: fc.option(text, { nil: undefined }),
    messages: conversation,
    tools: fc.uniqueArray(fc.record({ name, description: text, parameters }), {
      minLength: 1,
      maxLength: 3,
      selector: (tool) => tool.name,
    }),
    choice: fc.constantFrom('auto', 'none', 'required', 'first'),
    maxOutputTokens: fc.integer({ min: 1, max: 100_000 }),
    temperature: fc.double({ min: 0, max: 1, noNaN: true }),
    stop: fc.option(fc.array(text, { minLength: 1, maxLength: 3 }), { nil: undefined }),
  })
  .map(({ instructions, messages, choice, temperature, stop, ...fields }): ChatRequest => {
    const system: ChatMessage[] = instructions === undefined ? [] : [{ role: 'system', content: instructions }];
    const toolChoice =
      choice === 'first'
        ? { name: fields.tools[0]?.name ?? '' }
        : choice === 'none' || choice === 'required'
          ? choice
          : ('auto' as const);
    return {
      ...fields,
      model: 'm',
      messages: [...system, ...messages],
      toolChoice,
      sampling: { temperature: temperature + 0, stop },
    };
  });

/** Returns the meaning of a request: without its original, and without fields that say nothing. */
function meaning({ native: _native, optional: _optional, ...fields }: ChatRequest): JsonObject {
  const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return JSON.parse(JSON.stringify(fields, (key, value) => (key === 'native' && isEmpty(value) ? undefined : value)));
}

const throughChat = (neutral: ChatRequest): ChatRequest =>
  toChatRequest('m', { ...toChatBody(neutral), max_tokens: neutral.maxOutputTokens });

const throughMessages = (neutral: ChatRequest): ChatRequest =>
  readMessagesRequest(toMessagesRequest(neutral, undefined).body, {}).request;

describe('a neutral request keeps its meaning', () => {
  it.each([
    ['chat completions', throughChat],
    ['messages', throughMessages],
    ['chat completions and messages', (neutral: ChatRequest) => throughMessages(throughChat(neutral))],
    ['messages and chat completions', (neutral: ChatRequest) => throughChat(throughMessages(neutral))],
  ])('when it is printed and read as %s', (_, send) => {
    fc.assert(
      fc.property(request, (neutral) => {
        expect(meaning(send(neutral))).toEqual(meaning(neutral));
      }),
    );
  });
});

const tokens = fc.integer({ min: 0, max: 1_000_000 });

describe('token counts are the same after they were printed and read', () => {
  it('as chat completions', () => {
    const usage = fc.record({
      promptTokens: tokens,
      completionTokens: tokens,
      cachedTokens: tokens,
      reasoningTokens: tokens,
    });
    fc.assert(
      fc.property(usage, (counts: TokenUsage) => {
        expect(readUsage({ usage: printUsage({ usage: counts }) })).toEqual(counts);
      }),
    );
  });
  it('as messages, whose prompt tokens exclude cached ones', () => {
    const usage = fc
      .record({ fresh: tokens, completionTokens: tokens, cachedTokens: tokens, written: tokens, forHour: tokens })
      .map(
        ({ fresh, completionTokens, cachedTokens, written, forHour }): TokenUsage => ({
          promptTokens: fresh + cachedTokens + written,
          completionTokens,
          cachedTokens,
          cacheWriteTokens: written,
          cacheWriteHourTokens: Math.min(written, forHour),
        }),
      );
    fc.assert(
      fc.property(usage, (counts) => {
        expect(readMessagesUsage(printMessagesUsage({ usage: counts }))).toEqual(counts);
      }),
    );
  });
});
