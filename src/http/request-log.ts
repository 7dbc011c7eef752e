import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ChatOutcome } from '../core/models/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { LogContext } from '../lib/log-context.ts';
import { noObserver, type Observer, type Work } from '../lib/observer.ts';

/**
 * One line for each request when its answer is complete or broken off.
 * Lines name the route, never the path: paths may hold the ids of files. No bodies, no headers. The observer sees the same
 * as an `http request`.
 */
export function installRequestLog(
  server: FastifyInstance,
  deps: {
    readonly clock: Clock;
    readonly observer?: Observer | undefined;
    readonly logContext?: LogContext | undefined;
  },
): void {
  const { observer = noObserver, logContext } = deps;
  const within = (request: FastifyRequest, work: Work, done: () => void) =>
    work.run(() => (logContext ? logContext.run({ requestId: request.id }, done) : done()));
  server.decorateRequest(ANSWERED, null);
  server.decorateRequest(WORK, null);
  server.addHook('onRequest', (request, reply, done) => {
    const startedAt = deps.clock.now();
    const { method } = request;
    const work = observer.begin('http request', { method, requestId: request.id });
    request.setDecorator<Work>(WORK, work);
    reply.raw.once('close', () => {
      const outcome = request.getDecorator<Answered | null>(ANSWERED)?.outcome;
      const route = request.routeOptions.url;
      const status = reply.raw.statusCode;
      work.note({ route, status });
      work.end();
      request.log.info(
        {
          method,
          route,
          status,
          ms: deps.clock.now() - startedAt,
          ...(reply.raw.writableFinished ? {} : { isBrokenOff: true }),
          ...(outcome
            ? { provider: outcome.provider, model: outcome.model, finishReason: outcome.finishReason }
            : undefined),
        },
        'request answered',
      );
    });
    within(request, work, done);
  });
  // The reading of a body goes on where the socket is, which is a part of nothing.
  server.addHook('preValidation', (request, _reply, done) => within(request, request.getDecorator<Work>(WORK), done));
}

/** Lets the request's line in the log name the provider and the model that answered. */
export function noteAnswered(request: FastifyRequest, answered: Answered): void {
  request.setDecorator(ANSWERED, answered);
}

/** A completion, a stream whose outcome grows, or pictures. */
interface Answered {
  readonly outcome: Pick<ChatOutcome, 'provider' | 'model' | 'finishReason'>;
}

const ANSWERED = 'answered';
const WORK = 'work';
