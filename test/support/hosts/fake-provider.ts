import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isJsonObject, type JsonObject, parseJson } from '../../../src/lib/json/json.ts';

/** Request as received by the provider. */
export interface FakeRequest {
  readonly method: string;
  /** Path and query, `/v1` included. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Buffer;
  /** Parsed body; `{}` if there was none. */
  readonly body: JsonObject;
  /** Resolves when the client's side of the connection is closed, finished or not. */
  readonly closed: Promise<void>;
  /** Returns true if the whole response was sent before the connection closed. */
  readonly wasAnswered: () => boolean;
}

interface FakeExchange {
  readonly request: FakeRequest;
  readonly response: ServerResponse;
  /** Aborts when the client disconnects: behaviours stop writing then. */
  readonly gone: AbortSignal;
  /** Waits in real time, at most until the client disconnects. */
  wait(ms: number): Promise<void>;
}

/** Response of the provider to one request. */
export type Behaviour = (exchange: FakeExchange) => void | Promise<void>;

export interface FakeProvider {
  /** `http://127.0.0.1:<port>/v1` */
  readonly baseUrl: string;
  /** Requests for chat completions, oldest first. */
  readonly chatRequests: readonly FakeRequest[];
  /** All requests, oldest first. */
  readonly requests: readonly FakeRequest[];
  /** Returns the number of open connections. */
  readonly openSockets: () => number;
  /** Queues behaviours for the next chat requests, in order. */
  behave(...behaviours: readonly Behaviour[]): void;
  /** Sets the behaviour for chat requests when none is queued. Default `answerHello`. */
  behaveUsually(behaviour: Behaviour): void;
  /**
   * Sets the behaviour for `GET /v1/models` (any path ending in `/models`). Default: a list of one model, `fake-model`.
   */
  behaveAtModels(behaviour: Behaviour): void;
  /** Sets the behaviour for all other paths. Default 404. */
  behaveElsewhere(behaviour: Behaviour): void;
  /** Resolves with the chat request of the given number (from 0) as soon as it has arrived. */
  chatRequest(number: number): Promise<FakeRequest>;
  /** Destroys all connections and frees the port. */
  close(): Promise<void>;
}

export interface FakeProviderOptions {
  readonly port?: number;
  /** End of the path of chat requests. Default `/chat/completions`. */
  readonly chatPath?: string;
  /** Encoding of texts in responses. Default UTF-8. */
  readonly encoding?: BufferEncoding;
}

/**
 * Starts a loopback server that speaks the OpenAI protocol, with scriptable errors. Close it in `afterEach`/`afterAll`.
 */
export async function startFakeProvider(options: FakeProviderOptions = {}): Promise<FakeProvider> {
  const { chatPath = '/chat/completions', encoding } = options;
  const requests: FakeRequest[] = [];
  const chatRequests: FakeRequest[] = [];
  const sockets = new Set<Socket>();
  const queue: Behaviour[] = [];
  const waiting: { number: number; resolve: (request: FakeRequest) => void }[] = [];
  let usual: Behaviour = answerHello();
  let models: Behaviour = answerJson(200, { object: 'list', data: [{ id: 'fake-model', object: 'model' }] });
  let elsewhere: Behaviour = answerJson(404, openAiError('no such path', 'not_found'));

  const server = createServer((incoming, response) => {
    if (encoding) writeTextsIn(encoding, response);
    void readRequest(incoming, response).then(async (exchange) => {
      requests.push(exchange.request);
      const path = incoming.url?.split('?')[0] ?? '';
      const isChat = path.endsWith(chatPath);
      if (isChat) {
        chatRequests.push(exchange.request);
        for (const waiter of waiting) {
          const request = chatRequests[waiter.number];
          if (request) waiter.resolve(request);
        }
      }
      const behaviour = isChat ? (queue.shift() ?? usual) : path.endsWith('/models') ? models : elsewhere;
      await behaviour(exchange);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const port = (server.address() as AddressInfo).port;

  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    chatRequests,
    requests,
    openSockets: () => sockets.size,
    behave: (...behaviours) => void queue.push(...behaviours),
    behaveUsually: (behaviour) => {
      usual = behaviour;
    },
    behaveAtModels: (behaviour) => {
      models = behaviour;
    },
    behaveElsewhere: (behaviour) => {
      elsewhere = behaviour;
    },
    chatRequest(number) {
      const there = chatRequests[number];
      return there ? Promise.resolve(there) : new Promise((resolve) => waiting.push({ number, resolve }));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function writeTextsIn(encoding: BufferEncoding, response: ServerResponse): void {
  const write = response.write.bind(response) as (bytes: Buffer, callback?: () => void) => boolean;
  response.write = (text: string | Buffer, callback?: unknown) =>
    write(typeof text === 'string' ? Buffer.from(text, encoding) : text, callback as () => void);
}

async function readRequest(incoming: IncomingMessage, response: ServerResponse): Promise<FakeExchange> {
  const gone = new AbortController();
  const closed = new Promise<void>((resolve) => {
    response.once('close', () => {
      gone.abort();
      resolve();
    });
  });
  const pieces: Buffer[] = [];
  try {
    for await (const piece of incoming) pieces.push(piece);
  } catch {
    // The client disconnected while sending; the behaviour is notified by `gone`.
  }
  const rawBody = Buffer.concat(pieces);
  const parsed = parseJson(rawBody.toString('utf8'));
  const request: FakeRequest = {
    method: incoming.method ?? '',
    url: incoming.url ?? '',
    headers: incoming.headers,
    rawBody,
    body: isJsonObject(parsed) ? parsed : {},
    closed,
    wasAnswered: () => response.writableFinished,
  };
  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      if (gone.signal.aborted) return resolve();
      const timer = setTimeout(resolve, ms);
      gone.signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer);
          resolve();
        },
        { once: true },
      );
    });
  return { request, response, gone: gone.signal, wait };
}

// ---- Valid responses ----

export interface Saying {
  /** Text as the chunks of a stream. Default `['Hello', ', ', 'world', '!']`. */
  readonly pieces?: readonly string[];
  /** Default `stop`. */
  readonly finishReason?: string;
  /** Default: 5 prompt tokens, and one completion token per chunk. */
  readonly usage?: { readonly promptTokens: number; readonly completionTokens: number };
  /** Delay before each chunk of a stream. Default none. */
  readonly everyMs?: number;
  /** Default `chatcmpl-fake`. */
  readonly id?: string;
}

const HELLO = ['Hello', ', ', 'world', '!'];

/**
 * Responds like OpenAI: JSON, or a stream with `[DONE]` if the request sets `stream`; the usage chunk only if
 * requested.
 */
export function answerHello(saying: Saying = {}): Behaviour {
  return async (exchange) => {
    if (exchange.request.body.stream !== true) return answerJson(200, completionOf(exchange.request, saying))(exchange);
    const events = streamEventsOf(exchange.request, saying);
    startEventStream(exchange);
    for (const event of events) {
      if (saying.everyMs) await exchange.wait(saying.everyMs);
      if (exchange.gone.aborted) return;
      exchange.response.write(event);
    }
    exchange.response.end();
  };
}

/** Responds with a completion of this message. `fields` are further fields of its choice. */
export function answerWith(message: JsonObject, finishReason = 'stop', fields: JsonObject = {}): Behaviour {
  return (exchange) => {
    const choices = [{ index: 0, message, finish_reason: finishReason, ...fields }];
    return answerJson(200, { ...completionOf(exchange.request), choices })(exchange);
  };
}

/** Responds with a stream of these deltas. */
export function streamDeltas(deltas: readonly JsonObject[], finishReason = 'stop', fields: JsonObject = {}): Behaviour {
  const chunk = (delta: JsonObject, last: JsonObject = { finish_reason: null }) =>
    sseEvent({ id: 'c', model: 'm', choices: [{ index: 0, delta, ...last }] });
  const end = chunk({}, { finish_reason: finishReason, ...fields });
  return streamRaw([...deltas.map((delta) => chunk(delta)), end, 'data: [DONE]\n\n']);
}

/** Returns the `chat.completion` object. */
export function completionOf(request: FakeRequest, saying: Saying = {}): JsonObject {
  const pieces = saying.pieces ?? HELLO;
  return {
    id: saying.id ?? 'chatcmpl-fake',
    object: 'chat.completion',
    created: 1_767_225_600,
    model: request.body.model ?? 'fake-model',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: pieces.join('') },
        finish_reason: saying.finishReason ?? 'stop',
      },
    ],
    usage: usageOf(saying),
  };
}

/** Returns the events of the stream, each `data: {…}\n\n`; the last is `data: [DONE]\n\n`. */
export function streamEventsOf(request: FakeRequest, saying: Saying = {}): string[] {
  const pieces = saying.pieces ?? HELLO;
  const wantsUsage = isJsonObject(request.body.stream_options) && request.body.stream_options.include_usage === true;
  const chunk = (choices: readonly JsonObject[], usage: JsonObject | null = null) =>
    sseEvent({
      id: saying.id ?? 'chatcmpl-fake',
      object: 'chat.completion.chunk',
      created: 1_767_225_600,
      model: request.body.model ?? 'fake-model',
      choices,
      ...(wantsUsage ? { usage } : {}),
    });
  return [
    chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
    ...pieces.map((content) => chunk([{ index: 0, delta: { content }, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason: saying.finishReason ?? 'stop' }]),
    ...(wantsUsage ? [chunk([], usageOf(saying))] : []),
    'data: [DONE]\n\n',
  ];
}

function usageOf(saying: Saying): JsonObject {
  const { promptTokens, completionTokens } = saying.usage ?? {
    promptTokens: 5,
    completionTokens: (saying.pieces ?? HELLO).length,
  };
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** Formats a value as `data: {…}\n\n`. */
export function sseEvent(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** Returns an error body in OpenAI's format. */
export function openAiError(message: string, code: string | null = null, param: string | null = null): JsonObject {
  return { error: { message, type: 'invalid_request_error', param, code } };
}

// ---- Errors and invalid responses ----

/** Responds with any status and JSON. */
export function answerJson(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return ({ response }) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

/** Responds with any status, content type and bytes: HTML pages, truncated JSON, nothing. */
export function answerRaw(status: number, contentType: string, body: string | Buffer): Behaviour {
  return ({ response }) => {
    response.writeHead(status, { 'content-type': contentType });
    response.end(body);
  };
}

/**
 * Responds with an event stream of exactly these writes, `everyMs` apart (default: each in a separate network packet as
 * far as possible). `end` is `clean` (default), `cut` (the connection is destroyed) or `hang` (the connection stays
 * open).
 */
export function streamRaw(
  writes: readonly (string | Buffer)[],
  options: { readonly everyMs?: number; readonly end?: 'clean' | 'cut' | 'hang' } = {},
): Behaviour {
  return async (exchange) => {
    startEventStream(exchange);
    for (const write of writes) {
      if (exchange.gone.aborted) return;
      await new Promise<void>((resolve) => exchange.response.write(write, () => resolve()));
      await exchange.wait(options.everyMs ?? 2);
    }
    if (options.end === 'hang') return;
    if (options.end === 'cut') exchange.response.destroy();
    else exchange.response.end();
  };
}

/** Accepts the request and never responds. */
export function hang(): Behaviour {
  return () => {};
}

/** Sends the headers of a stream and nothing else. */
export function hangAfterHeaders(): Behaviour {
  return (exchange) => startEventStream(exchange);
}

/** Destroys the connection without a response. */
export function die(): Behaviour {
  return ({ response }) => void response.destroy();
}

/** Resets the connection without a response, as a host does whose idle connection has just ended. */
export function reset(): Behaviour {
  return ({ response }) => void response.socket?.resetAndDestroy();
}

function startEventStream({ response }: FakeExchange): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.flushHeaders();
}
