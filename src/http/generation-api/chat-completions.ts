import type { FastifyInstance } from 'fastify';
import type { ChatStream } from '../../core/models/index.ts';
import { toErrorBody, toErrorFacts } from '../error-response.ts';
import { readJsonBody } from '../json-body.ts';
import { ClientGoneError } from '../open-exchanges.ts';
import { getRecord, type RequestRecord } from '../request-log.ts';
import { toChatRequest } from './chat-request.ts';
import { type BeginResponse, type EventStream, keepAwake, PING, startEventStream } from './event-stream.ts';
import { type Exchange, getExchange } from './exchange.ts';
import type { GenerationApiDeps } from './generation-api-deps.ts';

export const CHAT_COMPLETIONS_PATH = '/ai/openai/chat/completions';

/** A chat request whose body has arrived. */
export interface ChatExchange extends Exchange {
  readonly body: unknown;
  readonly record: Pick<RequestRecord, 'noteAnswered'>;
  /** Sends status and headers, and gives the response for the rest. Until it is called failures are another's to tell. */
  readonly begin: BeginResponse;
  readonly log: { warn(facts: object, message: string): void };
}

/** `POST /ai/openai/chat/completions`: OpenAI's protocol; what providers say is forwarded byte for byte. */
export function addChatCompletions(server: FastifyInstance, deps: GenerationApiDeps): void {
  server.post(CHAT_COMPLETIONS_PATH, async (request, reply) => {
    await answerChat(deps, {
      ...getExchange(request),
      body: request.body,
      record: getRecord(request),
      begin: (status, headers) => reply.hijack().raw.writeHead(status, { ...headers }),
      log: request.log,
    });
    return reply;
  });
}

/** Answers a chat request. What it throws was not answered. */
export async function answerChat(deps: GenerationApiDeps, exchange: ChatExchange): Promise<void> {
  const { caller, signal, record } = exchange;
  const order = toChatRequest(readJsonBody(exchange.body));
  if (order.body['stream'] === true) {
    return forwardStream(deps.generation.stream(caller, order, signal), exchange, deps);
  }
  const completion = await deps.generation.complete(caller, order, signal);
  record.noteAnswered(completion);
  const { bytes } = completion;
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': String(bytes.length) };
  exchange.begin(200, headers).end(bytes);
}

/**
 * Sends the events of a stream. Its status waits for the first event, so that a failure before it has its own; but after
 * `pingIntervalMs` the answer begins with pings, because proxies cut a response that stays without headers for long.
 * @throws what `opening` throws before the answer has begun.
 */
async function forwardStream(
  opening: Promise<ChatStream>,
  { begin, log, record }: ChatExchange,
  { clock, limits: { drainTimeoutMs, pingIntervalMs } }: GenerationApiDeps,
): Promise<void> {
  let events: EventStream | undefined;
  let stopPings = () => {};
  const beginEvents = () => {
    events = startEventStream(begin, { clock, drainTimeoutMs });
    stopPings = keepAwake(events, clock, pingIntervalMs);
    return events;
  };
  const cancelBeginning = clock.setTimer(pingIntervalMs, () =>
    beginEvents()
      .write(PING)
      ?.catch(() => {}),
  );
  try {
    const stream = await opening;
    cancelBeginning();
    record.noteAnswered(stream);
    const answer = events ?? beginEvents();
    for await (const bytes of stream) await answer.write(bytes);
    answer.end('data: [DONE]\n\n');
  } catch (error) {
    cancelBeginning();
    if (error instanceof ClientGoneError) return;
    if (!events) throw error;
    log.warn({ err: error }, 'a stream broke off');
    events.end(`data: ${JSON.stringify(toErrorBody(toErrorFacts(error)))}\n\n`);
  } finally {
    stopPings();
  }
}
