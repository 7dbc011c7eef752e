import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../../core/generation/index.ts';
import type { Budgets } from '../../core/limits/index.ts';
import { type AuthenticateDeps, authenticate } from '../authenticate.ts';
import { toClientAddress } from '../client-address.ts';
import { requireJsonHeaders } from '../json-body.ts';
import { toLimitHeaders } from '../limit-headers.ts';
import type { OpenExchanges } from '../open-exchanges.ts';

/** Data of an authenticated request for the routes of the generation API. */
export interface Exchange {
  readonly caller: Caller;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

const EXCHANGE = 'exchange';

export interface ExchangeDeps extends AuthenticateDeps {
  readonly exchanges: OpenExchanges;
}

/**
 * Counts every request of the context and authenticates it before its body is read. Refuses requests with 401, 415, 429
 * and 503.
 */
export function installExchanges(server: FastifyInstance, deps: ExchangeDeps): void {
  server.decorateRequest(EXCHANGE, null);
  server.addHook('onRequest', async (request, { raw: response }) => {
    const address = toClientAddress(request);
    const exchange = deps.exchanges.open(response, { address });
    const route = request.routeOptions.url ?? '';
    const caller = await authenticate(deps, { headers: request.headers, route, address });
    if (caller.keyId !== undefined) exchange.countForKey(caller.keyId);
    if (request.method === 'POST') requireJsonHeaders(request.headers);
    const onAdmitted = (budgets: Budgets) => {
      // On the raw response, so that streams have them too.
      if (!response.headersSent) response.setHeaders(new Map(Object.entries(toLimitHeaders(budgets))));
    };
    request.setDecorator<Exchange>(EXCHANGE, { caller: { ...caller, onAdmitted }, signal: exchange.signal });
  });
}

/** Returns the data set by `installExchanges`. */
export function getExchange(request: FastifyRequest): Exchange {
  return request.getDecorator<Exchange>(EXCHANGE);
}
