import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ChatChoice, ChatPart, ChatStream } from '../../../src/core/models/contract/chat-answer.ts';
import { createOutcome } from '../../../src/core/models/contract/chat-outcome.ts';
import type { Dialect } from '../../../src/core/models/contract/chat-request.ts';
import { BytesReader } from '../../../src/core/models/hosts/stream/bytes-reader.ts';
import { collectCompletion } from '../../../src/core/models/hosts/stream/collect-completion.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { readSmallJson } from '../../../src/lib/json/read-json.ts';
import { MessageReader } from '../../../src/protocols/anthropic-messages/answer/message-reader.ts';
import { createEventDialect } from '../../../src/protocols/anthropic-messages/answer/print-events.ts';
import { printMessage } from '../../../src/protocols/anthropic-messages/answer/print-message.ts';
import { readChoice } from '../../../src/protocols/anthropic-messages/answer/read-message.ts';
import { readMessagesRequest } from '../../../src/protocols/anthropic-messages/request/read-request.ts';
import { describeImage } from '../../../src/protocols/fields/describe-image.ts';
import { createChunkReader } from '../../../src/protocols/openai-chat/chunk-reader.ts';
import { printCompletion, printPart } from '../../../src/protocols/openai-chat/print-answer.ts';
import { readChoices, readParts } from '../../../src/protocols/openai-chat/read-answer.ts';
import type { EventReader } from '../../../src/protocols/stream/event-reader.ts';
import { printData } from '../../../src/protocols/stream/openai-events.ts';
import { cut, cutPlaces, neutralAnswer, text, toDeltas } from '../../support/samples/arbitrary-chats.ts';

const outcome = createOutcome('host', 'm');
const asJson = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value));
const { request } = readMessagesRequest({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'a' }] }, {});
const SHOWN = { request, showsThinking: true };

/** Returns a stream of these parts. */
function toStream(parts: readonly ChatPart[]): ChatStream {
  const finish = parts.find((part) => part.type === 'finish');
  return {
    outcome: { ...outcome, finishReason: finish?.reason },
    async *[Symbol.asyncIterator]() {
      for (const part of parts) yield { parts: [part] };
    },
  };
}

async function collect(parts: readonly ChatPart[]): Promise<ChatChoice> {
  const { choices } = await collectCompletion(toStream(parts));
  return choices[0] as ChatChoice;
}

/** Reads the bytes of a stream as they arrive from a host. */
function readBytes(pieces: readonly Buffer[], dialect: Dialect, reader: EventReader): readonly ChatPart[] {
  const options = { provider: 'host', dialect, outcome: createOutcome('host', 'm'), reader, secrets: [] };
  const bytesReader = new BytesReader({ ...options, signal: new AbortController().signal, toError: (error) => error });
  const parts: ChatPart[] = [];
  for (const piece of [...pieces, undefined])
    for (const sent of bytesReader.feed(piece))
      for (const event of bytesReader.take(sent, readSmallJson(sent.data))) parts.push(...event.parts);
  expect(bytesReader.failure).toBeUndefined();
  return parts;
}

/** What an answer means in a protocol. */
interface Meaning {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly calls: readonly unknown[];
  readonly images: readonly string[];
  readonly sources: readonly unknown[];
  readonly logprobs: readonly unknown[];
  readonly finishReason: string;
}

function toMeaning(answer: ChatChoice): Meaning {
  return {
    text: answer.text,
    reasoning: answer.reasoning ?? '',
    refusal: answer.refusal ?? '',
    calls: answer.toolCalls.map(({ id, name, arguments: written, native = {} }) => ({ id, name, written, native })),
    images: answer.images ?? [],
    sources: (answer.sources ?? []).map(({ url, title }) => ({ url, title })),
    logprobs: answer.logprobs ?? [],
    finishReason: answer.finishReason,
  };
}

interface Protocol {
  readonly name: string;
  readonly dialect: Dialect;
  /** Returns what the protocol can say of an answer. */
  readonly expected: (answer: ChatChoice) => Partial<Meaning>;
  readonly print: (answer: ChatChoice) => JsonObject;
  readonly read: (body: JsonObject) => ChatChoice | undefined;
  readonly printStream: (parts: readonly ChatPart[]) => string;
  readonly createReader: () => EventReader;
}

const CHAT: Protocol = {
  name: 'chat completions',
  dialect: 'chat-completions',
  expected: toMeaning,
  print: (answer) => printCompletion({ choices: [answer], outcome }, 0),
  read: (body) => readChoices(body)[0],
  printStream: (parts) => parts.map((part) => printData(printPart(part, { id: 'c', created: 1, model: 'm' }))).join(''),
  createReader: () =>
    createChunkReader({ provider: 'host', choiceCount: 1, readParts, secrets: [] }, createOutcome('host', 'm')),
};

const MESSAGES: Protocol = {
  name: 'messages',
  dialect: 'messages',
  expected(answer) {
    const { text, refusal, reasoning, calls } = toMeaning(answer);
    return {
      // The protocol has no images and no text of a refusal beside the answer, and sources only of its own host.
      text: [text + refusal, ...(answer.images ?? []).map(describeImage)].join(''),
      refusal,
      reasoning,
      sources: [],
      finishReason: refusal === '' ? answer.finishReason : 'content_filter',
      calls: calls.map(() => expect.anything()),
    };
  },
  print: (answer) => printMessage({ choices: [answer], outcome }, SHOWN),
  read: readChoice,
  printStream(parts) {
    const stream = toStream(parts);
    const printer = createEventDialect(SHOWN, { guessTokens: () => 1, requestId: 'req_1' }).createPrinter(stream);
    return [...parts.map((part) => printer.print({ parts: [part] })), printer.end()].join('');
  },
  createReader: () => new MessageReader(createOutcome('host', 'm')),
};

describe.each([CHAT, MESSAGES])(
  'an answer in $name',
  ({ dialect, expected, print, read, printStream, createReader }) => {
    test('is the same after it was printed and read', () => {
      fc.assert(
        fc.property(neutralAnswer, (answer) => {
          const found = read(asJson(print(answer)));
          expect(found && toMeaning(found)).toMatchObject(expected(answer));
          expect(found?.toolCalls.map(({ name, arguments: written }) => [name, written])).toEqual(
            answer.toolCalls.map(({ name, arguments: written }) => [name, written]),
          );
        }),
      );
    });

    test('is the same after it was streamed, wherever its texts and bytes are cut', async () => {
      await fc.assert(
        fc.asyncProperty(neutralAnswer, cutPlaces, cutPlaces, async (answer, deltas, places) => {
          const bytes = Buffer.from(printStream(toDeltas(answer, deltas)));
          const found = await collect(readBytes(cut(bytes, places), dialect, createReader()));
          expect(toMeaning(found)).toMatchObject(expected(answer));
          // However the bytes are cut, the parts are the same.
          expect(found).toEqual(await collect(readBytes([bytes], dialect, createReader())));
          expect(found.toolCalls.map(({ name, arguments: written }) => [name, written])).toEqual(
            answer.toolCalls.map(({ name, arguments: written }) => [name, written]),
          );
        }),
      );
    });
  },
);

/** Answers of hosts of chat completions, with the forms that their fields have at different hosts. */
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const callOfHost = fc.record(
  {
    index: fc.nat(3),
    id: fc.constantFrom('', 'call_0', null),
    type: fc.constant('function'),
    function: fc.record({ name: text, arguments: fc.oneof(text, fc.dictionary(text, text), fc.constant(null)) }),
    extra_content: fc.constant({ google: { thought_signature: 'c2ln' } }),
  },
  { requiredKeys: ['function'] },
);
const answerOfHost = fc.record({
  choices: fc.tuple(
    fc.record(
      {
        index: fc.constant(0),
        finish_reason: fc.constantFrom('stop', 'length', 'tool_calls', 'content_filter', 'eos', null),
        logprobs: fc.oneof(fc.constant(null), fc.record({ content: fc.constant([{ token: 'a', logprob: -1 }]) })),
        message: fc.record(
          {
            role: fc.constant('assistant'),
            content: fc.oneof(text, fc.constant(null), fc.array(text.map((words) => ({ type: 'text', text: words })))),
            reasoning: text,
            reasoning_content: fc.oneof(text, fc.constant(null)),
            refusal: fc.oneof(text, fc.constant(null)),
            tool_calls: fc.oneof(fc.constant(null), fc.array(callOfHost, { maxLength: 3 })),
            images: fc.array(
              fc.oneof(
                fc.webUrl(),
                fc.webUrl().map((url) => ({ image_url: { url } })),
              ),
              { maxLength: 2 },
            ),
            annotations: fc.array(
              fc.webUrl().map((url) => ({ type: 'url_citation', url_citation: { url } })),
              { maxLength: 2 },
            ),
          },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: ['message'] },
    ),
  ),
  citations: optional(fc.array(fc.webUrl(), { maxLength: 2 })),
});

test.each([CHAT, MESSAGES])(
  'whatever a host of chat completions has sent means the same in $name',
  ({ print, read, expected }) => {
    fc.assert(
      fc.property(answerOfHost, (body) => {
        const [sent] = readChoices(body as unknown as JsonObject);
        const found = sent && read(asJson(print(sent)));
        // Other ids and finish reasons than those of the protocol are not known in it.
        const { calls, finishReason, ...meaning } = expected(sent as ChatChoice);
        expect(found && toMeaning(found)).toMatchObject(meaning);
        expect(found?.toolCalls).toHaveLength(calls?.length ?? 0);
        if (print === CHAT.print) expect(found?.finishReason).toBe(finishReason);
      }),
    );
  },
);
