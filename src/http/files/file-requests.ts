import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasApiKey } from '../server/authenticate.ts';
import { toClientAddress } from '../server/connections/addresses.ts';
import type { InFlightRequest, InFlightRequests } from '../server/connections/in-flight-requests.ts';

const CONTEXT = 'fileRequest';

/** Counts every request of the context in the counter chosen by `choose`, before its body is read. */
export function installFileRequests(
  server: FastifyInstance,
  choose: (request: FastifyRequest) => InFlightRequests,
): void {
  server.decorateRequest(CONTEXT, null);
  server.addHook('onRequest', (request, reply, done) => {
    request.setDecorator<InFlightRequest>(CONTEXT, open(request, reply, choose(request)));
    done();
  });
}

/** Moves a request to another counter. */
export function moveFileRequest(request: FastifyRequest, reply: FastifyReply, inFlight: InFlightRequests): void {
  const moved = open(request, reply, inFlight);
  getFileRequest(request).leave();
  request.setDecorator<InFlightRequest>(CONTEXT, moved);
}

function open(request: FastifyRequest, { raw: response }: FastifyReply, inFlight: InFlightRequests): InFlightRequest {
  const hasKey = hasApiKey(request.headers);
  return inFlight.open(response, { address: toClientAddress(request), hasKey });
}

/** Returns the data set by `installFileRequests`. */
export function getFileRequest(request: FastifyRequest): InFlightRequest {
  return request.getDecorator<InFlightRequest>(CONTEXT);
}
