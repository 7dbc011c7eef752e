import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ChatOutcome } from '../core/models/index.ts';
import type { Clock } from '../lib/clock.ts';

/**
 * One line for each request when its answer is complete or broken off.
 * Lines name the route, never the path: paths may hold the ids of files. No bodies, no headers.
 */
export function installRequestLog(server: FastifyInstance, deps: { readonly clock: Clock }): void {
  server.decorateRequest(ANSWERED, null);
  server.addHook('onRequest', (request, reply, done) => {
    const startedAt = deps.clock.now();
    reply.raw.once('close', () => {
      const outcome = request.getDecorator<Answered | null>(ANSWERED)?.outcome;
      request.log.info(
        {
          method: request.method,
          route: request.routeOptions.url,
          status: reply.raw.statusCode,
          ms: deps.clock.now() - startedAt,
          ...(reply.raw.writableFinished ? {} : { isBrokenOff: true }),
          ...(outcome
            ? { provider: outcome.provider, model: outcome.model, finishReason: outcome.finishReason }
            : undefined),
        },
        'request answered',
      );
    });
    done();
  });
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
