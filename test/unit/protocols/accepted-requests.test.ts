import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { toMessagesRequest } from '../../../src/protocols/anthropic-messages/request/print-request.ts';
import { readMessagesRequest } from '../../../src/protocols/anthropic-messages/request/read-request.ts';
import { toChatBody, toFallbackParameters } from '../../../src/protocols/openai-chat/print-request.ts';
import { toChatRequest } from '../../../src/protocols/openai-chat/read-request.ts';
import {
  readResponseRequest,
  toChatRequest as toChatRequestOfResponse,
} from '../../../src/protocols/openai-responses/request/read-request.ts';
import { findMessagesFault, thinkingBlock } from '../../support/hosts/anthropic-rules.ts';
import { CHAT_VENDORS } from '../../support/hosts/chat-rules.ts';
import type { FakeRequest } from '../../support/hosts/fake-provider.ts';
import { DIALECTS, pairsIn } from '../../support/samples/moved-conversations.ts';
import { countInputs } from '../../support/vitest/tiers.ts';

/** Any conversation that hosts have written is accepted by those with the strictest rules, and each call has its result. */

const white = fc.constantFrom('', ' ', '\n', 'Hm.', 'A fox. \n', '\n A fox.');
const id = fc.constantFrom(
  '',
  'call_0',
  'call_0',
  'call_1',
  'look:0',
  'look_0',
  'a.b',
  'x'.repeat(70),
  `${'x'.repeat(69)}y`,
  'ж',
);
const written = fc.constantFrom('{}', '{"at":1}', '', ' ', '{"at":', '[1]', 'null', '"a"');
const extra = fc.option(
  fc.constantFrom<JsonObject>(
    { google: { thought_signature: 'c2ln' } },
    { anthropic: { content: [thinkingBlock('Hm.'), { type: 'tool_use' }] } },
    { anthropic: { content: [{ type: 'thinking', thinking: 'Hm.', signature: '' }, { type: 'tool_use' }] } },
    { anthropic: { content: 'broken' } },
  ),
  { nil: undefined },
);
const call = fc.record({ id, written, extra });

/** The user asks; the model answers, or calls tools once or several times; results come in any order of the calls. */
const turn = fc.record({
  question: white,
  steps: fc.array(
    fc.record({
      text: white,
      reasoning: fc.option(white, { nil: undefined }),
      calls: fc.array(call, { minLength: 1, maxLength: 3 }),
    }),
    {
      maxLength: 2,
    },
  ),
  answer: fc.option(white, { nil: undefined }),
});

interface Wild {
  readonly body: JsonObject;
  readonly results: readonly string[];
}

const conversation = fc
  .record({
    system: fc.option(white, { nil: undefined }),
    turns: fc.array(turn, { maxLength: 4 }),
    stop: fc.option(fc.array(white, { minLength: 1, maxLength: 3 }), { nil: undefined }),
    choice: fc.option(fc.constantFrom('auto', 'none', 'required'), { nil: undefined }),
    effort: fc.option(fc.constantFrom('none', 'low', 'high'), { nil: undefined }),
    temperature: fc.option(fc.constantFrom(0, 0.5, 1), { nil: undefined }),
    endsWithResults: fc.boolean(),
  })
  .map(({ system, turns, stop, choice, effort, temperature, endsWithResults }): Wild => {
    const results: string[] = [];
    const messages: JsonObject[] = system === undefined ? [] : [{ role: 'system', content: system }];
    for (const { question, steps, answer } of turns) {
      messages.push({ role: 'user', content: question });
      for (const { text, reasoning, calls } of steps) {
        const toolCalls = calls.map((one) => ({
          id: one.id,
          type: 'function',
          function: { name: 'look', arguments: one.written },
          ...(one.extra && { extra_content: one.extra }),
        }));
        messages.push({
          role: 'assistant',
          content: text,
          ...(reasoning && { reasoning_content: reasoning }),
          tool_calls: toolCalls,
        });
        for (const one of calls) {
          results.push(`result ${results.length}`);
          messages.push({ role: 'tool', tool_call_id: one.id, content: results.at(-1) });
        }
      }
      if (answer !== undefined) messages.push({ role: 'assistant', content: answer });
    }
    if (!endsWithResults || messages.at(-1)?.['role'] !== 'tool') messages.push({ role: 'user', content: 'And then?' });
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
    const settings = { tools, stop, tool_choice: choice, reasoning_effort: effort, temperature, max_tokens: 9000 };
    return { body: JSON.parse(JSON.stringify({ model: 'm', messages, ...settings })), results };
  });

/** Gives answers the thinking that clients of Messages have of Anthropic, of this service and of other hosts. */
function withThinking(body: JsonObject): JsonObject {
  const messages = (body['messages'] as JsonObject[]).map((message, at) => {
    const { reasoning_content: thinking } = message;
    if (typeof thinking !== 'string') return message;
    const foreign = { type: 'thinking', thinking, signature: at % 3 === 0 ? '' : 'switchboard.e30' };
    const { messages: turns } = DIALECTS.messages.toBody({ ...body, messages: [message] });
    const [turnOfModel] = turns as { content: JsonObject[] }[];
    const own = at % 3 === 1 ? thinkingBlock(thinking) : foreign;
    return { ...message, blocks: [own, ...(turnOfModel?.content ?? [])] };
  });
  return { ...body, messages };
}

const READERS = {
  'chat completions': (body: JsonObject) => toChatRequest('m', body),
  bot: (body: JsonObject) => ({ ...toChatRequest('m', body), native: undefined, extraFields: undefined }),
  responses: (body: JsonObject) => toChatRequestOfResponse(readResponseRequest(DIALECTS.responses.toBody(body))),
  messages: (body: JsonObject) => readMessagesRequest(DIALECTS.messages.toBody(withThinking(body)), {}).request,
};
type ClientName = keyof typeof READERS;
/** Returns whether a client of the dialect can write the conversation. */
const isWritable = (client: ClientName, { body }: Wild) => {
  const json = JSON.stringify(body.messages);
  // Anthropic's clients get its own refusals.
  if (
    client === 'messages' &&
    body.reasoning_effort &&
    (body.tool_choice === 'required' || body.temperature !== undefined)
  )
    return false;
  if (client === 'messages')
    return !/"(?:tool_call_)?id":""|"arguments":"(?!\{\}|\{\\"at\\":1\})|"content":""/.test(json);
  return client !== 'responses' || !/"(?:tool_call_)?id":""/.test(json);
};

describe.each(Object.keys(READERS) as ClientName[])('a conversation from a client of %s', (client) => {
  const wild = conversation.filter((made) => isWritable(client, made));

  test("is accepted by Anthropic's rules", () => {
    fc.assert(
      fc.property(wild, ({ body, results }) => {
        const facts = {
          maxOutputTokens: 32_000,
          thinkingTypes: new Set(['enabled', 'disabled']),
          acceptsEffort: false,
        };
        const printed = toMessagesRequest(READERS[client](body), facts);
        const sent = Object.assign({ ...printed.body }, ...printed.parameters.map(({ ways: [first] }) => first));
        const request = {
          headers: { 'x-api-key': 'k', 'anthropic-version': 'v' },
          body: JSON.parse(JSON.stringify(sent)),
        };
        expect(findMessagesFault(request as unknown as FakeRequest)).toBeUndefined();
        expect(pairsIn(request.body)).toEqual(results);
      }),
      { numRuns: countInputs(200) },
    );
  });

  test("is accepted by OpenAI's rules", () => {
    fc.assert(
      fc.property(wild, ({ body, results }) => {
        const request = READERS[client](body);
        const sent = Object.assign(
          toChatBody(request),
          ...toFallbackParameters(request).map(({ ways: [first] }) => first),
        );
        const [, openRouter] = CHAT_VENDORS;
        const received = JSON.parse(JSON.stringify(sent));
        expect(openRouter?.refuse(received)).toBeUndefined();
        expect(pairsIn(received)).toEqual(results);
      }),
      { numRuns: countInputs(200) },
    );
  });
});
