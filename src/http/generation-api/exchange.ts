import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Accounts } from '../../core/accounts/index.ts';
import type { Caller } from '../../core/generation/index.ts';
import { authenticate } from '../authenticate.ts';
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
  deps: { readonly accounts: Accounts; readonly exchanges: OpenExchanges },
): void {
  server.decorateRequest(EXCHANGE, null);
  server.addHook('onRequest', async (request, reply) => {
    const signal = deps.exchanges.open(reply.raw);
    const caller = await authenticate(deps.accounts, request.headers.authorization);
    request.setDecorator<Exchange>(EXCHANGE, { caller, signal });
  });
}

/** The exchange of a request that came through `installExchanges`. */
export function getExchange(request: FastifyRequest): Exchange {
  return request.getDecorator<Exchange>(EXCHANGE);
}
