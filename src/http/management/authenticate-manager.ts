import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Manager, toManager } from '../../core/management/index.ts';
import { HttpError } from '../../protocols/http-error.ts';
import { findSession, readSessionToken } from '../account/authenticate-session.ts';
import { createRequestRate, OWN_REQUESTS_PER_MINUTE } from '../resources/request-rate.ts';
import { requireJsonBody } from '../resources/require-json-body.ts';
import { findKey } from '../server/authenticate.ts';
import { toClientAddress } from '../server/connections/addresses.ts';
import type { HttpServices } from '../services.ts';

const MANAGER = 'manager';

/**
 * Admits only requests of admins, with a key of scope `manage` or a session of the console, before their body is read.
 * Refuses others with 401, 403, 415, 429 and 503.
 */
export function installManager(server: FastifyInstance, services: HttpServices): void {
  const countRequest = createRequestRate(services.clock, OWN_REQUESTS_PER_MINUTE);
  server.decorateRequest(MANAGER, null);
  server.addHook('onRequest', async (request, reply) => {
    // On the raw response, so that streams have it too.
    reply.raw.setHeader('cache-control', 'no-store');
    const address = toClientAddress(request);
    const inFlight = services.inFlight.management.open(reply.raw, { address });
    const { headers } = request;
    const route = request.routeOptions.url ?? '';
    const identity = readSessionToken(headers)
      ? await findSession(services, headers)
      : await findKey(services, { headers, route, address });
    const holder = 'sessionId' in identity ? `session:${identity.sessionId}` : `key:${identity.keyId}`;
    inFlight.countFor(holder);
    countRequest(holder);
    const manager = toManager(identity);
    if (!manager) throw insufficientPermissions(NO_MANAGER);
    requireJsonBody(request);
    request.setDecorator<Manager>(MANAGER, manager);
  });
}

/** Returns the admin set by `installManager`. */
export function getManager(request: FastifyRequest): Manager {
  return request.getDecorator<Manager>(MANAGER);
}

const NO_MANAGER =
  'Only admins may manage the service, with a key for it from the chat with the bot or in the console.';

/** Creates a 403 for a key that may not do this. */
export function insufficientPermissions(message: string): HttpError {
  return new HttpError({
    status: 403,
    type: 'invalid_request_error',
    code: 'insufficient_permissions',
    message,
  });
}
