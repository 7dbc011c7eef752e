import { type OpenResponse, type OpenResponseEvent, openResponseEventSchema, openResponseSchema } from './schema.ts';

/**
 * A case of the compliance suite of Open Responses. The suite is not published as a package: the cases are those of
 * https://github.com/openresponses/openresponses, `src/lib/compliance-tests.ts`. Left out are its cases of WebSockets
 * and of `/responses/compact`, which this service does not have.
 */
export interface ComplianceCase {
  /** As in the suite. */
  readonly id: string;
  /** Fields of the request, without `model`. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly isStreamed?: boolean;
  /** Whether the answer must call the tool. */
  readonly callsTool?: boolean;
}

const say = (content: unknown, role = 'user', fields: object = {}) => ({ type: 'message', role, content, ...fields });

/** An image of one red dot. */
const RED_DOT =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const ABOUT_WEATHER = {
  input: [say("What's the weather like in San Francisco?")],
  tools: [
    {
      type: 'function',
      name: 'get_weather',
      description: 'Get the current weather for a location',
      parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
    },
  ],
};

export const COMPLIANCE_CASES: readonly ComplianceCase[] = [
  { id: 'basic-response', request: { input: [say('Say hello in exactly 3 words.')] } },
  {
    id: 'assistant-phase',
    request: {
      input: [
        say('I should answer with the saved number.', 'assistant', { phase: 'commentary' }),
        say('The number is four.', 'assistant', { phase: 'final_answer' }),
        say('Repeat only the number.'),
      ],
    },
  },
  { id: 'streaming-response', isStreamed: true, request: { input: [say('Count from 1 to 5.')] } },
  { id: 'system-prompt', request: { input: [say('You are a pirate.', 'system'), say('Say hello.')] } },
  { id: 'tool-calling', callsTool: true, request: ABOUT_WEATHER },
  { id: 'tool-calling-streaming', callsTool: true, isStreamed: true, request: ABOUT_WEATHER },
  {
    id: 'image-input',
    request: {
      input: [
        say([
          { type: 'input_text', text: 'What do you see in this image? Answer in one sentence.' },
          { type: 'input_image', image_url: RED_DOT },
        ]),
      ],
    },
  },
  {
    id: 'multi-turn',
    request: { input: [say('My name is Alice.'), say('Hello Alice!', 'assistant'), say('What is my name?')] },
  },
];

/**
 * Sends the request of a case and checks its answer.
 * @param send posts a body without `model` to `/responses`.
 * @returns what is wrong; empty if the case has passed.
 */
export async function findFaults(
  { request, isStreamed = false, callsTool = false }: ComplianceCase,
  send: (body: Readonly<Record<string, unknown>>) => Promise<Response>,
): Promise<readonly string[]> {
  const answer = await send({ ...request, stream: isStreamed });
  const text = await answer.text();
  if (!answer.ok) return [`HTTP ${answer.status}: ${text}`];
  try {
    const events = isStreamed ? readEvents(text) : [];
    const response = isStreamed ? findResponse(events) : openResponseSchema.parse(JSON.parse(text));
    return [
      ...(response.status === 'completed' ? [] : [`the status is ${response.status}`]),
      ...(response.output.length > 0 ? [] : ['there is no output']),
      ...(callsTool ? findCallFaults(response, isStreamed ? events : undefined) : []),
    ];
  } catch (error) {
    return [String(error)];
  }
}

function readEvents(text: string): readonly OpenResponseEvent[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: ') && line !== 'data: [DONE]');
  return lines.map((line) => openResponseEventSchema.parse(JSON.parse(line.slice('data: '.length))));
}

function findResponse(events: readonly OpenResponseEvent[]): OpenResponse {
  const last = events.at(-1);
  if (last && 'response' in last) return last.response as OpenResponse;
  throw new Error(`the last event is ${last?.type}`);
}

function findCallFaults({ output }: OpenResponse, events: readonly OpenResponseEvent[] | undefined): readonly string[] {
  const calls = output.filter(({ type }) => type === 'function_call');
  if (calls.length === 0) return ['there is no function_call'];
  const seen = new Set<string>(events?.filter(isOfCall).map(({ type }) => type));
  return events ? CALL_EVENTS.filter((type) => !seen.has(type)).map((type) => `there is no ${type}`) : [];
}

const CALL_EVENTS = [
  'response.output_item.added',
  'response.function_call_arguments.delta',
  'response.function_call_arguments.done',
  'response.output_item.done',
];

function isOfCall(event: OpenResponseEvent): boolean {
  const isOfItem = event.type === 'response.output_item.added' || event.type === 'response.output_item.done';
  return !isOfItem || event.item.type === 'function_call';
}
