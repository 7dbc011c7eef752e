import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ChatChoice,
  type ChatPart,
  type ChatStream,
  listParts,
} from '../../../src/core/models/contract/chat-answer.ts';
import { createOutcome } from '../../../src/core/models/contract/chat-outcome.ts';
import { type ChatMessage, listTexts } from '../../../src/core/models/contract/chat-request.ts';
import { collectCompletion } from '../../../src/core/models/hosts/stream/collect-completion.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { MessageReader } from '../../../src/protocols/anthropic-messages/answer/message-reader.ts';
import { createEventDialect } from '../../../src/protocols/anthropic-messages/answer/print-events.ts';
import { printMessage } from '../../../src/protocols/anthropic-messages/answer/print-message.ts';
import { readChoice } from '../../../src/protocols/anthropic-messages/answer/read-message.ts';
import { toMessagesRequest } from '../../../src/protocols/anthropic-messages/request/print-request.ts';
import { readMessagesRequest } from '../../../src/protocols/anthropic-messages/request/read-request.ts';
import { printCompletion } from '../../../src/protocols/openai-chat/print-answer.ts';
import { toChatRequest } from '../../../src/protocols/openai-chat/read-request.ts';
import { createOutputBuilder } from '../../../src/protocols/openai-responses/answer/build-output.ts';
import {
  readResponseRequest,
  toChatRequest as toChatRequestOfResponse,
} from '../../../src/protocols/openai-responses/request/read-request.ts';
import { joinBlocks, readMessagesEvents } from '../../support/clients/stream-events.ts';
import { thinkingBlock } from '../../support/hosts/anthropic-rules.ts';
import { messageEvents } from '../../support/hosts/fake-anthropic.ts';
import type { FakeRequest } from '../../support/hosts/fake-provider.ts';
import { cutPlaces, neutralAnswer, text, toDeltas } from '../../support/samples/arbitrary-chats.ts';

/** An answer as its client gets it, and as the model gets it back with the results of its calls and a new question. */
interface Client {
  readonly name: string;
  readonly sendBack: (answer: ChatChoice, parts: readonly ChatPart[] | undefined) => readonly ChatMessage[];
  /** Whether the client gets reasoning that belongs to no call, and so can send it back. */
  readonly seesReasoning: boolean;
}

const outcome = createOutcome('host', 'm');
const QUESTION = 'What do you see?';
const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));

const CHAT: Client = {
  name: 'chat completions',
  seesReasoning: true,
  sendBack(answer) {
    const { choices } = asJson(printCompletion({ choices: [answer], outcome }, 0)) as {
      choices: { message: JsonObject }[];
    };
    const message = choices[0]?.message ?? {};
    const results = ((message['tool_calls'] ?? []) as JsonObject[]).map(({ id }, at) => ({
      role: 'tool',
      tool_call_id: id,
      content: `result ${at}`,
    }));
    const question = { role: 'user', content: QUESTION };
    return toChatRequest('m', { messages: [question, message, ...results, question] }).messages;
  },
};

const messagesClient = (name: string, thinking?: JsonObject): Client => ({
  name,
  seesReasoning: thinking !== undefined,
  sendBack(answer, parts) {
    const body = { model: 'm', max_tokens: 9000, thinking };
    const question = { role: 'user', content: QUESTION };
    const options = readMessagesRequest({ ...body, messages: [question] }, {});
    const content = parts
      ? joinBlocks(readMessagesEvents(printMessagesEvents(parts, answer, options)))
      : (asJson(printMessage({ choices: [answer], outcome }, options))['content'] as JsonObject[]);
    const results = content
      .filter(({ type }) => type === 'tool_use')
      .map(({ id }, at) => ({ type: 'tool_result', tool_use_id: id, content: `result ${at}` }));
    const turn = content.length > 0 ? [{ role: 'assistant', content }] : [];
    const after = { role: 'user', content: [...results, { type: 'text', text: QUESTION }] };
    return readMessagesRequest({ ...body, messages: [question, ...turn, after] }, {}).request.messages;
  },
});

function printMessagesEvents(
  parts: readonly ChatPart[],
  { finishReason }: ChatChoice,
  options: ReturnType<typeof readMessagesRequest>,
): string {
  const stream: ChatStream = {
    outcome: { ...outcome, finishReason },
    async *[Symbol.asyncIterator]() {},
  };
  const printer = createEventDialect(options, { guessTokens: () => 1, requestId: 'req_1' }).createPrinter(stream);
  return [...parts.map((part) => printer.print({ parts: [part] })), printer.end()].join('');
}

/** @param keep what the client keeps of an item. */
const responsesClient = (name: string, keep: (item: JsonObject) => JsonObject): Client => ({
  name,
  seesReasoning: true,
  sendBack(answer, parts = listParts(answer, 0)) {
    const question = { role: 'user', content: QUESTION };
    const tools = { byName: new Map(), echo: [] };
    const builder = createOutputBuilder({ tools, wantsEncryptedReasoning: true });
    for (const part of parts) builder.add(part);
    builder.close('completed');
    const output = asJson(builder.print()).map(keep);
    const results = output
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id: id }, at) => ({ type: 'function_call_output', call_id: id, output: `result ${at}` }));
    const params = readResponseRequest({ model: 'm', input: [question, ...output, ...results, question] });
    return toChatRequestOfResponse(params).messages;
  },
});

const CLIENTS: readonly Client[] = [
  CHAT,
  messagesClient('messages that shows thinking', { type: 'enabled', budget_tokens: 2000 }),
  messagesClient('messages without thinking'),
  responsesClient('responses', (item) => item),
  responsesClient('responses that keeps only the fields of the API', ({ content, extra_content: _extra, ...item }) =>
    item['type'] === 'reasoning' ? item : { ...item, ...(content !== undefined && { content }) },
  ),
];

describe.each(CLIENTS)('a client of $name sends back what the model has answered', ({ sendBack, seesReasoning }) => {
  test.each(['whole', 'streamed'])('%s', (way) => {
    fc.assert(
      fc.property(neutralAnswer, cutPlaces, (answer, cuts) => {
        const messages = sendBack(answer, way === 'streamed' ? toDeltas(answer, cuts) : undefined);
        const answers = messages.filter((message) => message.role === 'assistant');
        const calls = answers.flatMap(({ toolCalls = [] }) => toolCalls);
        expect(calls.map(({ name, arguments: written, native = {} }) => [name, written, native])).toEqual(
          answer.toolCalls.map(({ name, arguments: written, native = {} }) => [name, written, native]),
        );
        const results = messages.filter((message) => message.role === 'tool');
        expect(results.map(({ toolCallId, content }) => [toolCallId, content])).toEqual(
          calls.map(({ id }, at) => [id, `result ${at}`]),
        );
        const said = answers.flatMap(({ content }) => listTexts(content)).join('\n');
        for (const words of [answer.text, answer.refusal ?? '']) expect(said).toContain(words);
        for (const _ of answer.images ?? []) expect(said).toMatch(/image/i);
        if (answer.reasoningMustBeSentBack && (calls.length > 0 || (seesReasoning && said !== '')))
          expect(answers.map(({ reasoning = '' }) => reasoning).join('')).toBe(answer.reasoning);
      }),
    );
  });
});

/** An answer of Anthropic's models: thinking and texts in any order, then calls, between which they think again. */
const spoken = fc.oneof(
  text.map((words) => ({ type: 'text', text: words })),
  text.map(thinkingBlock),
  text.map((data) => ({ type: 'redacted_thinking', data })),
);
const called = fc.record({
  type: fc.constant('tool_use'),
  id: fc.stringMatching(/^toolu_[a-z]{6}$/),
  name: fc.constant('look'),
  input: fc.dictionary(fc.constantFrom('a', 'b'), text),
});
const blocks = fc
  .tuple(
    fc.array(spoken, { maxLength: 4 }),
    fc.uniqueArray(called, { minLength: 1, maxLength: 3, selector: ({ id }) => id }),
  )
  .map(([before, calls]): readonly JsonObject[] => [...before, ...calls]);

/** Reads the events of a host of Anthropic's protocol. */
function readParts(content: readonly JsonObject[]): readonly ChatPart[] {
  const reader = new MessageReader(createOutcome('host', 'm'));
  const events = messageEvents({ body: { model: 'm' } } as unknown as FakeRequest, { content });
  return events.flatMap((event) => {
    const read = reader.read(JSON.parse(event.slice(event.indexOf('data: ') + 'data: '.length)));
    return typeof read === 'object' && 'parts' in read ? read.parts : [];
  });
}

const TRANSLATED = CLIENTS.filter(({ name }) => !name.startsWith('messages'));
describe.each(TRANSLATED)('Anthropic gets its blocks back from a client of $name', ({ sendBack }) => {
  test.each(['whole', 'streamed'])('%s', async (way) => {
    await fc.assert(
      fc.asyncProperty(blocks, async (content) => {
        const message = { content, stop_reason: 'tool_use' };
        const parts = readParts(content);
        const stream = {
          outcome,
          async *[Symbol.asyncIterator]() {
            yield { parts };
          },
        };
        const { choices } = await collectCompletion(stream);
        const streamed = choices[0] as ChatChoice;
        const messages = way === 'whole' ? sendBack(readChoice(message), undefined) : sendBack(streamed, parts);
        const { body } = toMessagesRequest({ model: 'm', messages }, undefined);
        const sent = body['messages'] as { content: JsonObject[] }[];
        const withoutIds = (list: readonly JsonObject[] = []) =>
          list.map((block) => (block['type'] === 'tool_use' ? { ...block, id: '' } : block));
        const isThinking = content.some(({ type }) => String(type).endsWith('thinking'));
        if (isThinking) expect(withoutIds(sent[1]?.content)).toEqual(withoutIds(content));
      }),
    );
  });
});
