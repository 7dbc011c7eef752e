import { afterEach, describe, expect, test } from 'vitest';
import { COMPLIANCE_CASES, findFaults } from '../../clients/open-responses/cases.ts';
import {
  type OpenResponseEvent,
  openResponseEventSchema,
  openResponseSchema,
} from '../../clients/open-responses/schema.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { readResponseEvents } from '../support/clients/stream-events.ts';
import { MODEL, startHttpService } from '../support/harness/http.ts';
import { answerHello, type Behaviour, sseEvent, streamRaw } from '../support/hosts/fake-provider.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

/** The cases of the compliance suite of Open Responses (https://www.openresponses.org/compliance), and its rules. */

const service = startBeforeAll(() => startHttpService());
afterEach(() => service.provider.behaveUsually(answerHello()));

const post = (fields: JsonObject) => service.post('/v1/responses', { model: MODEL, ...fields });
const respond = async (fields: JsonObject) => {
  const response = await post(fields);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  return openResponseSchema.parse(await response.json());
};
const stream = async (fields: JsonObject): Promise<readonly OpenResponseEvent[]> => {
  const response = await post({ ...fields, stream: true });
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const events = readResponseEvents(await response.text());
  return events.map((event) => openResponseEventSchema.parse(event));
};

const say = (content: unknown, role = 'user') => ({ type: 'message', role, content });
const GET_WEATHER = {
  type: 'function',
  name: 'get_weather',
  description: 'Get the current weather for a location',
  parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
};

/** Answers with the deltas as a stream. */
function answerDeltas(finishReason: string, ...deltas: readonly JsonObject[]): Behaviour {
  const chunk = (delta: JsonObject, finish: string | null) =>
    sseEvent({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] });
  return streamRaw([...deltas.map((delta) => chunk(delta, null)), chunk({}, finishReason), 'data: [DONE]\n\n']);
}
const callWeather = (index: number) => ({
  tool_calls: [{ index, id: `call_${index}`, function: { name: 'get_weather', arguments: '{"location":"Oslo"}' } }],
});

describe('cases of the compliance suite', () => {
  describe.each([false, true])('(stream: %s)', (isStreamed) => {
    test.each(COMPLIANCE_CASES)('$id', async (one) => {
      if (one.callsTool) service.provider.behave(answerDeltas('tool_calls', callWeather(0)));
      expect(await findFaults({ ...one, isStreamed }, post)).toEqual([]);
    });
  });

  const answered: readonly [name: string, fields: JsonObject][] = [
    ['a string as input', { input: 'Say hello.' }],
    ['developer prompt', { input: [say('You are a pirate.', 'developer'), say('Say hello.')] }],
    [
      'file input',
      { input: [say([{ type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,SGk=' }])] },
    ],
    [
      'structured output',
      { input: 'A city', text: { format: { type: 'json_schema', name: 'city', schema: { type: 'object' } } } },
    ],
  ];
  test.each(answered)('%s', async (_name, fields) => {
    const { status, output } = await respond(fields);
    expect(status).toBe('completed');
    expect(output).not.toEqual([]);
    const last = (await stream(fields)).at(-1);
    expect(last).toMatchObject({ type: 'response.completed', response: { status: 'completed' } });
  });

  test('tool results', async () => {
    const call = { type: 'function_call', call_id: 'call_0', name: 'get_weather', arguments: '{}' };
    const result = { type: 'function_call_output', call_id: 'call_0', output: '64 degrees and clear' };
    const { output } = await respond({ input: [say('Weather?'), call, result], tools: [GET_WEATHER] });
    expect(output).toMatchObject([{ type: 'message' }]);
  });

  test.each([
    'none',
    'auto',
    'required',
    { type: 'function', name: 'get_weather' },
    { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'get_weather' }] },
  ])('tool_choice %j', async (choice) => {
    const response = await respond({ input: 'Hi', tools: [GET_WEATHER], tool_choice: choice });
    expect(response.tool_choice).toEqual(choice);
    expect(response.tools).toHaveLength(1);
  });
});

describe('rules of streams', () => {
  const EVERYTHING: readonly JsonObject[] = [
    { reasoning_content: 'Hm.' },
    { content: 'Hello' },
    { content: '', annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A' } }] },
    { refusal: 'No more.' },
    callWeather(0),
    callWeather(1),
  ];

  test.each<[string, Behaviour]>([
    ['a text', answerHello()],
    ['everything', answerDeltas('tool_calls', ...EVERYTHING)],
    ['a text that is too long', answerHello({ finishReason: 'length' })],
    ['a call that is too long', answerDeltas('length', callWeather(0))],
    ['nothing', answerDeltas('stop')],
  ])('items begin, grow and end in order: %s', async (_what, behaviour) => {
    service.provider.behave(behaviour);
    const events = await stream({ input: 'Hi', tools: [GET_WEATHER] });
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress']);
    const end = events.at(-1);
    if (end?.type !== 'response.completed' && end?.type !== 'response.incomplete') throw new Error('no end');
    expect(replay(events.slice(2, -1))).toEqual(end.response.output);
    for (const { status } of end.response.output.slice(0, -1)) expect(status).toBe('completed');
    expect(end.response.output.at(-1)?.status).toBe(end.response.status);
  });

  test('an error is followed by response.failed', async () => {
    const chunk = sseEvent({ id: 'c', choices: [{ index: 0, delta: { content: 'Hel' }, finish_reason: null }] });
    service.provider.behave(streamRaw([chunk], { end: 'cut' }));
    const types = (await stream({ input: 'Hi' })).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(['error', 'response.failed']);
  });
});

/** Builds the output from the events alone, as a client does. Throws if an event does not fit. */
function replay(events: readonly OpenResponseEvent[]): unknown {
  const items = new Map<number, { item: JsonObject; text: string; isDone: boolean }>();
  const open = (index: number) => {
    const found = items.get(index);
    if (!found || found.isDone) throw new Error(`item ${index} is not open`);
    return found;
  };
  for (const event of events) {
    switch (event.type) {
      case 'response.output_item.added':
        if (items.size !== event.output_index) throw new Error(`item ${event.output_index} is not the next one`);
        expect(event.item.status).toBe('in_progress');
        items.set(event.output_index, { item: event.item, text: '', isDone: false });
        break;
      case 'response.output_item.done': {
        const entry = open(event.output_index);
        expect(event.item).toMatchObject({ id: entry.item['id'], type: entry.item['type'] });
        items.set(event.output_index, { item: event.item, text: '', isDone: true });
        break;
      }
      case 'response.content_part.added':
      case 'response.reasoning_summary_part.added':
        open(event.output_index).text = '';
        break;
      case 'response.output_text.delta':
      case 'response.refusal.delta':
      case 'response.reasoning_summary_text.delta':
      case 'response.function_call_arguments.delta':
        expect(event.item_id).toBe(open(event.output_index).item['id']);
        open(event.output_index).text += event.delta;
        break;
      case 'response.output_text.done':
      case 'response.reasoning_summary_text.done':
        expect(open(event.output_index).text).toBe(event.text);
        break;
      case 'response.refusal.done':
        expect(open(event.output_index).text).toBe(event.refusal);
        break;
      case 'response.function_call_arguments.done':
        expect(open(event.output_index).text).toBe(event.arguments);
        break;
      default:
        expect(open('output_index' in event ? Number(event.output_index) : -1)).toBeDefined();
    }
  }
  for (const { isDone } of items.values()) expect(isDone).toBe(true);
  return [...items.values()].map(({ item }) => item);
}

describe('errors', () => {
  test('have type, code, param and message', async () => {
    const response = await service.post('/v1/responses', { model: 'fake-model-2', input: 'Hi' });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      error: {
        message: expect.any(String),
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_found',
      },
    });
  });
});
