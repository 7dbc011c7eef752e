import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SESSION_PREFIX, type SessionIdentity } from '../../core/sessions/index.ts';
import { HttpError } from '../../protocols/http-error.ts';
import { createRequestRate, OWN_REQUESTS_PER_MINUTE } from '../resources/request-rate.ts';
import { requireJsonBody } from '../resources/require-json-body.ts';
import { toClientAddress } from '../server/connections/addresses.ts';
import type { InFlightRequests } from '../server/connections/in-flight-requests.ts';
import { readsBodyItself } from '../server/request-head.ts';
import type { HttpServices } from '../services.ts';

const SESSION = 'session';
const SIGNAL = 'sessionSignal';

/**
 * Admits only requests with the token of a session. Refuses others with 401, 415, 429 and 503.
 * @param openRequests counts the requests. Default: those of the account.
 */
export function installSession(
  server: FastifyInstance,
  services: HttpServices,
  openRequests: InFlightRequests = services.inFlight.account,
): void {
  const countRequest = createRequestRate(services.clock, OWN_REQUESTS_PER_MINUTE);
  server.decorateRequest(SESSION, null);
  server.decorateRequest(SIGNAL, null);
  server.addHook('onRequest', async (request, reply) => {
    reply.raw.setHeader('cache-control', 'no-store');
    const inFlight = openRequests.open(reply.raw, { address: toClientAddress(request) });
    const session = await findSession(services, request.headers);
    const holder = `session:${session.sessionId}`;
    inFlight.countFor(holder);
    countRequest(holder);
    if (!readsBodyItself(request)) requireJsonBody(request);
    request.setDecorator<SessionIdentity>(SESSION, session);
    request.setDecorator<AbortSignal>(SIGNAL, inFlight.signal);
  });
}

/** Returns the session set by `installSession`. */
export function getSession(request: FastifyRequest): SessionIdentity {
  return request.getDecorator<SessionIdentity>(SESSION);
}

/** Returns the signal that aborts when the client of a request in a session disconnects. */
export function getSignal(request: FastifyRequest): AbortSignal {
  return request.getDecorator<AbortSignal>(SIGNAL);
}

const BEARER = /^bearer +(\S{1,512}) *$/i;

/** Returns the token of a session that a request sends; undefined if it sends none. */
export function readSessionToken({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  const token = BEARER.exec(authorization)?.[1];
  return token?.startsWith(SESSION_PREFIX) ? token : undefined;
}

/** Returns the user of the session of a request. @throws HttpError 401 */
export async function findSession(services: HttpServices, headers: IncomingHttpHeaders): Promise<SessionIdentity> {
  const token = readSessionToken(headers);
  const session = token === undefined ? undefined : await services.sessions.find(token, headers['user-agent'] ?? '');
  if (session) return session;
  throw new HttpError({
    status: 401,
    type: 'invalid_request_error',
    code: 'session_ended',
    message: 'Your session has ended. Sign in again: send /console to the bot.',
    headers: { 'www-authenticate': 'Bearer' },
  });
}
