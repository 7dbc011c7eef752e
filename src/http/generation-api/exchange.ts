import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../../core/generation/index.ts';
import type { LimitStanding } from '../../core/limits/index.ts';
import { type AuthenticateDeps, authenticate } from '../authenticate.ts';
import { toLimitHeaders } from '../limit-headers.ts';
import type { OpenExchanges } from '../open-exchanges.ts';

/** What the routes of the generation API know of a request beside its body. */
export interface Exchange {
  readonly caller: Caller;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

const EXCHANGE = 'exchange';

/** Lets nobody in without a valid key, and not too many at once; before any body is read. */
export function installExchanges(
  server: FastifyInstance,
  deps: AuthenticateDeps & { readonly exchanges: OpenExchanges },
): void {
  server.decorateRequest(EXCHANGE, null);
  server.addHook('onRequest', async (request, reply) => {
    const signal = deps.exchanges.open(reply.raw);
    const known = await authenticate(deps, request);
    const onAdmitted = (standing: LimitStanding) => {
      if (reply.raw.headersSent) return;
      // On the raw response, so that streams have them too.
      for (const [name, value] of Object.entries(toLimitHeaders(standing))) reply.raw.setHeader(name, value);
    };
    request.setDecorator<Exchange>(EXCHANGE, { caller: { ...known, onAdmitted }, signal });
  });
}

/** The exchange of a request that came through `installExchanges`. */
export function getExchange(request: FastifyRequest): Exchange {
  return request.getDecorator<Exchange>(EXCHANGE);
}
