import type { IncomingMessage, ServerResponse } from 'node:http';
import { releaseLargeBody } from '../../lib/large-body.ts';
import type { Logger } from '../../lib/logger.ts';
import { createTurnBatch } from '../../lib/turn-batch.ts';
import { limitArrival, readBody } from '../body-reading.ts';
import type { Closing } from '../closing.ts';
import { toCommonHeaders, toRequestId } from '../common-headers.ts';
import { allowOrigin } from '../cross-origin.ts';
import { writeError } from '../error-response.ts';
import { beginRecord, type RequestLogDeps, type RequestRecord } from '../request-log.ts';
import { answerChat, CHAT_COMPLETIONS_PATH } from './chat-completions.ts';
import { openExchange } from './exchange.ts';
import type { GenerationApiDeps } from './generation-api-deps.ts';

export interface ChatDoorDeps extends GenerationApiDeps, RequestLogDeps {
  readonly logger: Logger;
  readonly closing: Closing;
  readonly corsOrigins: readonly string[];
  /** Whether somebody's `X-Forwarded-For` is believed. */
  readonly hasTrustedProxies: boolean;
  readonly bodyBytes: number;
  /** For a body to arrive, milliseconds. */
  readonly requestTimeoutMs: number;
}

const LONG_BODY_BYTES = 16 * 1024;

/**
 * The short way for the plain form of a chat request, which nearly all have. It does what Fastify's hooks do, by the same
 * functions and in the same order, without what a router, its requests and its replies cost.
 * @returns false for every other request: then it is Fastify's.
 */
export function createChatDoor(deps: ChatDoorDeps): (request: IncomingMessage, response: ServerResponse) => boolean {
  const beginInTurn = createTurnBatch();
  const endInTurn = createTurnBatch();

  const begin = (request: IncomingMessage, response: ServerResponse) => {
    const id = toRequestId(request);
    const record = beginRecord(deps, {
      id,
      method: 'POST',
      route: () => CHAT_COMPLETIONS_PATH,
      response,
      log: { info: (facts, message) => deps.logger.info({ requestId: id, ...facts }, message) },
    });
    // All at once: each that is set on the response by itself is checked and looked up twice.
    const headers = toCommonHeaders(id);
    response.on('close', () => {
      endInTurn(record.end);
      deps.closing.leave(request);
    });
    record.run(() => {
      const findLog = () => deps.logger.child({ requestId: id });
      answer(deps, request, response, { record, headers, findLog }).catch((error: unknown) =>
        writeError(error, request, response, { headers, record, findLog }),
      );
    });
  };

  return (request, response) => {
    if (!isPlain(request, deps)) return false;
    // A long body is read as it comes: its sender would be told to wait until the end of the turn.
    if (Number(request.headers['content-length']) > LONG_BODY_BYTES) begin(request, response);
    else
      beginInTurn(() => {
        if (!response.closed) begin(request, response);
      });
    return true;
  };
}

function isPlain(request: IncomingMessage, { hasTrustedProxies, bodyBytes }: ChatDoorDeps): boolean {
  if (request.url !== CHAT_COMPLETIONS_PATH || request.method !== 'POST') return false;
  const { headers } = request;
  return (
    Number(headers['content-length']) <= bodyBytes &&
    headers['content-type'] !== undefined &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined &&
    !(hasTrustedProxies && headers['x-forwarded-for'] !== undefined)
  );
}

interface Passage {
  readonly record: RequestRecord;
  /** Those of the answer, as far as they are known. */
  readonly headers: Record<string, string>;
  readonly findLog: () => Logger;
}

async function answer(
  deps: ChatDoorDeps,
  request: IncomingMessage,
  response: ServerResponse,
  { record, headers, findLog }: Passage,
): Promise<void> {
  deps.closing.admit();
  allowOrigin(deps.corsOrigins, request.headers, (name, value) => {
    headers[name] = value;
  });
  limitArrival(request, { clock: deps.clock, timeoutMs: deps.requestTimeoutMs });
  const address = request.socket.remoteAddress ?? '';
  const exchange = await openExchange(deps, {
    request,
    response,
    addHeaders: (more) => void Object.assign(headers, more),
    route: CHAT_COMPLETIONS_PATH,
    address,
  });
  const body = await readBody(request);
  try {
    await answerChat(deps, {
      ...exchange,
      body,
      record,
      begin: (status, more) => response.writeHead(status, Object.assign(headers, more)),
      log: { warn: (facts, message) => findLog().warn(facts, message) },
    });
  } finally {
    if (body) releaseLargeBody(body);
  }
}
