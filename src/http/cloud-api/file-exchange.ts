import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasApiKey } from '../authenticate.ts';
import { toClientAddress } from '../client-address.ts';
import type { OpenExchange, OpenExchanges } from '../open-exchanges.ts';

const EXCHANGE = 'fileExchange';

/** Counts every request of the context in the counter chosen by `choose`, before its body is read. */
export function installFileExchanges(
  server: FastifyInstance,
  choose: (request: FastifyRequest) => OpenExchanges,
): void {
  server.decorateRequest(EXCHANGE, null);
  server.addHook('onRequest', (request, reply, done) => {
    request.setDecorator<OpenExchange>(EXCHANGE, open(request, reply, choose(request)));
    done();
  });
}

/** Moves a request to another counter. */
export function moveFileExchange(request: FastifyRequest, reply: FastifyReply, exchanges: OpenExchanges): void {
  const moved = open(request, reply, exchanges);
  getFileExchange(request).leave();
  request.setDecorator<OpenExchange>(EXCHANGE, moved);
}

function open(request: FastifyRequest, { raw: response }: FastifyReply, exchanges: OpenExchanges): OpenExchange {
  const hasKey = hasApiKey(request.headers);
  return exchanges.open(response, { address: toClientAddress(request), hasKey });
}

/** Returns the data set by `installFileExchanges`. */
export function getFileExchange(request: FastifyRequest): OpenExchange {
  return request.getDecorator<OpenExchange>(EXCHANGE);
}
