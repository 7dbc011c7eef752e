import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../../lib/clock.ts';
import { answerConnectionError } from '../connections/connection-error.ts';
import { readsBodyItself } from '../request-head.ts';

/** Timeout for the body of a request, uploads excepted. */
const BODY_TIMEOUT_MS = 300_000;

/**
 * Installs the handling of request bodies. `Expect: 100-continue` is answered only after the headers were checked, so
 * that a refused client has not sent its body. A body that is incomplete after `BODY_TIMEOUT_MS` is answered with 408.
 */
export function installBodyReading(server: FastifyInstance, clock: Clock): void {
  // Without this listener Node sends "100 Continue" before any header is checked.
  server.server.on('checkContinue', (request, response) => server.server.emit('request', request, response));
  server.addHook('onRequest', (request, _reply, done) => {
    if (hasBody(request) && !readsBodyItself(request)) limitBodyArrival(request, clock);
    done();
  });
  server.addHook('preParsing', (request, reply, _payload, done) => {
    if (!readsBodyItself(request)) sendContinue(request, reply);
    done();
  });
}

/** Sends "100 Continue" if the client expects it. Call once, before the body is read. */
export function sendContinue(request: FastifyRequest, reply: { readonly raw: { writeContinue(): void } }): void {
  const isWaiting = /(?:^|\W)100-continue(?:$|\W)/i.test(request.headers.expect ?? '');
  if (isWaiting && request.raw.httpVersion === '1.1') reply.raw.writeContinue();
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Ends the connection with 408 if the body does not arrive in time. */
function limitBodyArrival({ raw: request, id }: FastifyRequest, clock: Clock): void {
  if (request.complete) return;
  // Most bodies arrive together with the headers and need no timer.
  process.nextTick(() => {
    if (request.complete || request.destroyed) return;
    const cancelTimer = clock.setTimer(BODY_TIMEOUT_MS, () => {
      if (request.complete) return;
      const error = Object.assign(new Error('The request took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      answerConnectionError(error, request.socket, id);
    });
    request.once('close', cancelTimer);
  });
}
