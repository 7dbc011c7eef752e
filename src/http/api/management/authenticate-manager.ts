import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Management, Manager } from '../../../core/management/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { type AuthenticateDeps, findKey } from '../../authenticate.ts';
import { toClientAddress } from '../../client-address.ts';
import { HttpError } from '../../http-error.ts';
import type { InFlightRequests } from '../../in-flight-requests.ts';
import { requireJsonHeaders } from '../../json-body.ts';
import { createRequestRate } from './request-rate.ts';

const MANAGER = 'manager';

export interface AuthenticateManagerDeps extends AuthenticateDeps {
  readonly management: Pick<Management, 'findManager'>;
  readonly inFlight: InFlightRequests;
  readonly clock: Clock;
  /** Maximum number of requests of one key in a minute. */
  readonly requestsPerMinute: number;
}

/**
 * Admits only requests with a key of scope `manage` whose owner is an admin, before their body is read. Refuses others
 * with 401, 403, 415, 429 and 503.
 */
export function installManager(server: FastifyInstance, deps: AuthenticateManagerDeps): void {
  const countRequest = createRequestRate(deps.clock, deps.requestsPerMinute);
  server.decorateRequest(MANAGER, null);
  server.addHook('onRequest', async (request, reply) => {
    // On the raw response, so that streams have it too.
    reply.raw.setHeader('cache-control', 'no-store');
    const address = toClientAddress(request);
    const inFlight = deps.inFlight.open(reply.raw, { address });
    const route = request.routeOptions.url ?? '';
    const identity = await findKey(deps, { headers: request.headers, route, address });
    inFlight.countForKey(identity.keyId);
    countRequest(identity.keyId);
    const manager = await deps.management.findManager(identity);
    if (!manager) throw insufficientPermissions(NO_MANAGER);
    if (hasBody(request)) requireJsonHeaders(request.headers);
    request.setDecorator<Manager>(MANAGER, manager);
  });
}

/** Returns the admin set by `installManager`. */
export function getManager(request: FastifyRequest): Manager {
  return request.getDecorator<Manager>(MANAGER);
}

function hasBody({ method }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && method !== 'DELETE';
}

const NO_MANAGER = 'This key may not manage the service. An admin gets a key for it in the chat with the bot.';

/** Creates a 403 for a key that may not do this. */
export function insufficientPermissions(message: string): HttpError {
  return new HttpError({
    status: 403,
    type: 'invalid_request_error',
    code: 'insufficient_permissions',
    message,
  });
}
