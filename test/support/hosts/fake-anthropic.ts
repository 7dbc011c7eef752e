import { isJsonObject, type JsonObject } from '../../../src/lib/json/json.ts';
import { findMessagesFault } from './anthropic-rules.ts';
import { answerJson, type Behaviour, type FakeProvider, type FakeRequest, startFakeProvider } from './fake-provider.ts';

/** A message of the fake host. */
export interface Message {
  /** Blocks with their whole content. Default: one text, `Hello, world!`. */
  readonly content?: readonly JsonObject[];
  /** Default `end_turn`, or `tool_use` if there is a tool call. */
  readonly stopReason?: string;
  /** Further fields of the end of the message, such as `stop_details`. */
  readonly end?: JsonObject;
  /** Default: 5 input tokens, and one output token for each delta; nothing cached. */
  readonly usage?: JsonObject;
  /** Delay before each event of a stream. Default none. */
  readonly everyMs?: number;
}

const HELLO: readonly JsonObject[] = [{ type: 'text', text: 'Hello, world!' }];
const DELTA_CHARACTERS = 5;

/** Starts a loopback server that behaves as Anthropic documents its API, with scriptable errors. */
export async function startFakeAnthropic(): Promise<FakeProvider> {
  const host = await startFakeProvider({ chatPath: '/v1/messages' });
  host.behaveUsually(answerMessage());
  host.behaveAtModels(answerModels([{ id: 'fake-model', display_name: 'Fake Model' }]));
  host.behaveElsewhere(answerJson(404, anthropicError('not_found_error', 'Not Found')));
  return host;
}

/** Answers with a message, as JSON or as a stream. Refuses requests that the API refuses. */
export function answerMessage(message: Message = {}): Behaviour {
  return async (exchange) => {
    const { request } = exchange;
    const fault = findMessagesFault(request);
    if (fault) return answerJson(fault.status, anthropicError(fault.type, fault.message))(exchange);
    if (request.body.stream !== true) return answerJson(200, messageOf(request, message))(exchange);
    exchange.response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const event of messageEvents(request, message)) {
      if (message.everyMs) await exchange.wait(message.everyMs);
      if (exchange.gone.aborted) return;
      exchange.response.write(event);
    }
    exchange.response.end();
  };
}

/** Answers requests for the list of models with pages of the requested size, at most two. */
export function answerModels(models: readonly JsonObject[]): Behaviour {
  return (exchange) => {
    const query = new URL(exchange.request.url, 'http://host').searchParams;
    const start = models.findIndex(({ id }) => id === query.get('after_id')) + 1;
    const data = models.slice(start, start + Math.min(2, Number(query.get('limit')))).map(toModelInfo);
    const lastId = data.at(-1)?.id ?? null;
    const hasMore = start + data.length < models.length;
    return answerJson(200, { data, has_more: hasMore, first_id: data[0]?.id ?? null, last_id: lastId })(exchange);
  };
}

function toModelInfo(model: JsonObject): JsonObject {
  return { type: 'model', created_at: '2026-09-28T00:00:00Z', ...model };
}

/** Returns an error body in Anthropic's format. */
export function anthropicError(type: string, message: string): JsonObject {
  return { type: 'error', error: { type, message }, request_id: 'req_fake' };
}

/** Formats an event as the API does: `event: <type>`, `data: <JSON>`. */
export function messagesEvent(event: JsonObject): string {
  return `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Returns a whole message. */
export function messageOf(request: FakeRequest, message: Message = {}): JsonObject {
  const { content = HELLO } = message;
  return {
    id: 'msg_fake',
    type: 'message',
    role: 'assistant',
    model: request.body.model,
    content,
    stop_reason: stopReasonOf(message),
    stop_sequence: null,
    usage: usageOf(message),
    ...message.end,
  };
}

/** Returns the events of a streamed message. */
export function messageEvents(request: FakeRequest, message: Message = {}): string[] {
  const { content = HELLO } = message;
  const usage = usageOf(message);
  const start = { ...messageOf(request, message), content: [], stop_reason: null };
  return [
    messagesEvent({ type: 'message_start', message: { ...start, usage: { ...usage, output_tokens: 1 } } }),
    messagesEvent({ type: 'ping' }),
    ...content.flatMap(blockEvents),
    messagesEvent({
      type: 'message_delta',
      delta: { stop_reason: stopReasonOf(message), stop_sequence: null, ...message.end },
      usage,
    }),
    messagesEvent({ type: 'message_stop' }),
  ];
}

function blockEvents(block: JsonObject, index: number): readonly string[] {
  const [start, deltas] = splitBlock(block);
  return [
    messagesEvent({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => messagesEvent({ type: 'content_block_delta', index, delta })),
    messagesEvent({ type: 'content_block_stop', index }),
  ];
}

/** Splits a block into its empty form and its deltas. */
function splitBlock(block: JsonObject): readonly [JsonObject, readonly JsonObject[]] {
  switch (block.type) {
    case 'text':
      return [{ ...block, text: '' }, slice(block.text).map((text) => ({ type: 'text_delta', text }))];
    case 'thinking': {
      const deltas = slice(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking }));
      return [
        { type: 'thinking', thinking: '', signature: '' },
        [...deltas, { type: 'signature_delta', signature: block.signature }],
      ];
    }
    case 'tool_use': {
      const input = isJsonObject(block.input) && Object.keys(block.input).length > 0 ? JSON.stringify(block.input) : '';
      const deltas = ['', ...slice(input)].map((partial) => ({ type: 'input_json_delta', partial_json: partial }));
      return [{ ...block, input: {} }, deltas];
    }
    default:
      return [block, []];
  }
}

function slice(text: unknown): readonly string[] {
  return Array.from({ length: Math.ceil(String(text).length / DELTA_CHARACTERS) }, (_, index) =>
    String(text).slice(index * DELTA_CHARACTERS, (index + 1) * DELTA_CHARACTERS),
  );
}

function stopReasonOf({ content = HELLO, stopReason }: Message): string {
  return stopReason ?? (content.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn');
}

function usageOf({ content = HELLO, usage }: Message): JsonObject {
  const deltas = content.flatMap((block) => splitBlock(block)[1]);
  return {
    input_tokens: 5,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: Math.max(1, deltas.length),
    ...usage,
  };
}
