/** Requests in each dialect for the answers of the loopback provider, and checks of the answers. */
import { isJsonObject, type JsonObject, parseJson } from '../../src/lib/json/json.ts';
import { type AnswerKind, createRequestBody, toAnswerText, toQuestion, toWrittenText, USAGE } from './fixed-answers.ts';

export const dialectNames = ['chat completions', 'responses', 'stored responses', 'messages'] as const;
export type DialectName = (typeof dialectNames)[number];

interface BenchmarkedDialect {
  /** Path of its route in Switchboard. */
  readonly path: string;
  toHeaders(apiKey: string): Readonly<Record<string, string>>;
  /** Returns a request for this kind of answer, with a text of about `textBytes`. */
  toBody(kind: AnswerKind, textBytes: number, modelNumber: number): string;
  /** Returns a function that returns whether an answer is complete and right. */
  createCheck(kind: AnswerKind): (body: Buffer) => boolean;
}

export const dialects: Readonly<Record<DialectName, BenchmarkedDialect>> = {
  'chat completions': {
    path: '/ai/openai/chat/completions',
    toHeaders: toBearer,
    toBody: createRequestBody,
    createCheck: (kind) => {
      const answer = Buffer.from(toAnswerText(kind));
      return (body) => body.equals(answer);
    },
  },
  responses: toResponses({ store: false }),
  'stored responses': toResponses({ store: true }),
  messages: {
    path: '/ai/anthropic/messages',
    toHeaders: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
    toBody: (kind, textBytes) =>
      JSON.stringify({
        model: kind,
        max_tokens: 1024,
        stream: kind !== 'whole',
        messages: [{ role: 'user', content: toQuestion(textBytes) }],
      }),
    createCheck: (kind) => (kind === 'whole' ? isRightMessage : (body) => isRightMessageStream(readEvents(body), kind)),
  },
};

function toBearer(apiKey: string) {
  return { authorization: `Bearer ${apiKey}` };
}

function toResponses({ store }: { readonly store: boolean }): BenchmarkedDialect {
  return {
    path: '/ai/openai/responses',
    toHeaders: toBearer,
    toBody: (kind, textBytes) =>
      JSON.stringify({ model: kind, stream: kind !== 'whole', store, input: toQuestion(textBytes) }),
    createCheck: (kind) =>
      kind === 'whole'
        ? (body) => isRightResponse(parseJson(body.toString()), { kind, store })
        : (body) => isRightResponseStream(readEvents(body), { kind, store }),
  };
}

function isRightResponse(
  response: unknown,
  { kind, store }: { readonly kind: AnswerKind; readonly store: boolean },
): boolean {
  return (
    isJsonObject(response) &&
    response['status'] === 'completed' &&
    response['store'] === store &&
    read(response, 'usage', 'output_tokens') === USAGE.completion_tokens &&
    read(response, 'output', 0, 'content', 0, 'text') === toWrittenText(kind)
  );
}

/** The events are numbered, and the last one repeats the answer. */
function isRightResponseStream(
  events: readonly JsonObject[],
  expected: { readonly kind: AnswerKind; readonly store: boolean },
): boolean {
  const last = events.at(-1);
  return (
    events.every((event, index) => event['sequence_number'] === index) &&
    joinDeltas(events, 'response.output_text.delta', ['delta']) === toWrittenText(expected.kind) &&
    last?.['type'] === 'response.completed' &&
    isRightResponse(last['response'], expected)
  );
}

function isRightMessage(body: Buffer): boolean {
  const message = parseJson(body.toString());
  return (
    read(message, 'stop_reason') === 'end_turn' &&
    read(message, 'usage', 'output_tokens') === USAGE.completion_tokens &&
    read(message, 'content', 0, 'text') === toWrittenText('whole')
  );
}

function isRightMessageStream(events: readonly JsonObject[], kind: AnswerKind): boolean {
  const end = events.at(-2);
  return (
    events[0]?.['type'] === 'message_start' &&
    joinDeltas(events, 'content_block_delta', ['delta', 'text']) === toWrittenText(kind) &&
    read(end, 'delta', 'stop_reason') === 'end_turn' &&
    read(end, 'usage', 'output_tokens') === USAGE.completion_tokens &&
    events.at(-1)?.['type'] === 'message_stop'
  );
}

function readEvents(body: Buffer): readonly JsonObject[] {
  return [...body.toString().matchAll(/^data: (\{.*\})$/gm)]
    .map(([, data = '']) => parseJson(data))
    .filter(isJsonObject);
}

function joinDeltas(events: readonly JsonObject[], type: string, path: readonly string[]): string {
  return events
    .filter((event) => event['type'] === type)
    .map((event) => read(event, ...path))
    .join('');
}

/** Returns the value at a path; undefined if there is none. */
function read(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    value,
  );
}
