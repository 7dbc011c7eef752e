import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../lib/clock.ts';
import { answerConnectionError } from './connection-error.ts';

/**
 * The `config` of a route that reads its body by itself, piece by piece: it decides when the client may begin
 * (`sayContinue`), and how long the body may take.
 */
export const READS_BODY_ITSELF = { readsBodyItself: true };

/**
 * How bodies arrive. A client that asks by `Expect: 100-continue` is told to go on after the checks of its headers, so that
 * whoever is refused has not sent anything. A body that has not arrived within `timeoutMs` is answered 408.
 */
export function installBodyReading(
  server: FastifyInstance,
  options: { readonly clock: Clock; readonly timeoutMs: number },
): void {
  // Without this listener Node itself says "go on" before anybody has looked at the headers.
  server.server.on('checkContinue', (request, response) => server.server.emit('request', request, response));
  server.addHook('onRequest', (request, _reply, done) => {
    if (hasBody(request) && !readsBodyItself(request)) limitArrival(request.raw, options);
    done();
  });
  server.addHook('preParsing', (request, reply, _payload, done) => {
    if (!readsBodyItself(request)) sayContinue(request, reply);
    done();
  });
}

/** Tells a client that waits for it to send its body. To be called once, before the body is read. */
export function sayContinue(request: FastifyRequest, reply: { readonly raw: { writeContinue(): void } }): void {
  const isWaiting = /(?:^|\W)100-continue(?:$|\W)/i.test(request.headers.expect ?? '');
  if (isWaiting && request.raw.httpVersion === '1.1') reply.raw.writeContinue();
}

function readsBodyItself(request: FastifyRequest): boolean {
  const { config } = request.routeOptions;
  return config !== undefined && Reflect.get(config, 'readsBodyItself') === true;
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Ends the connection with 408 where the body has not arrived in time. */
function limitArrival(request: IncomingMessage, options: { readonly clock: Clock; readonly timeoutMs: number }): void {
  if (request.complete) return;
  // Most bodies come in one piece with their headers: nothing is to be watched.
  process.nextTick(() => {
    if (request.complete || request.destroyed) return;
    const cancelTimer = options.clock.setTimer(options.timeoutMs, () => {
      if (request.complete) return;
      const error = Object.assign(new Error('The request took too long'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
      answerConnectionError(error, request.socket);
    });
    request.once('close', cancelTimer);
  });
}
