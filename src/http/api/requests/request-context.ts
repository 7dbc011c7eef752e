import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Requester } from '../../../core/generation/index.ts';
import type { Quotas } from '../../../core/limits/index.ts';
import { type Catalogue, restrictCatalogue } from '../../../core/models/index.ts';
import { authenticate } from '../../server/authenticate.ts';
import { isMessagesUrl } from '../../server/base-address.ts';
import { toClientAddress } from '../../server/connections/addresses.ts';
import { toLimitHeaders } from '../../server/errors/limit-headers.ts';
import type { HttpServices } from '../../services.ts';
import { toMessagesLimitHeaders } from '../messages/messages-headers.ts';
import { requireBodyHeaders } from './form-limits.ts';

/** Data of an authenticated request for the routes of the generation API. */
export interface RequestContext {
  readonly requester: Requester;
  /** The models that the API key may use. */
  readonly catalogue: Catalogue;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

const CONTEXT = 'requestContext';

/**
 * Counts every request of the context and authenticates it before its body is read. Refuses requests with 401, 415, 429
 * and 503.
 */
export function installRequestContext(server: FastifyInstance, services: HttpServices): void {
  server.decorateRequest(CONTEXT, null);
  server.addHook('onRequest', async (request, { raw: response }) => {
    const address = toClientAddress(request);
    const inFlight = services.inFlight.generation.open(response, { address });
    const route = request.routeOptions.url ?? '';
    const requester = await authenticate(services, { headers: request.headers, route, address });
    if (requester.keyId !== undefined) inFlight.countFor(`key:${requester.keyId}`);
    if (request.method === 'POST') requireBodyHeaders(request);
    const onAdmitted = (quotas: Quotas) => {
      if (response.headersSent) return;
      const limits = isMessagesUrl(request.url)
        ? toMessagesLimitHeaders(quotas, services.clock.now())
        : toLimitHeaders(quotas);
      // On the raw response, so that streams have them too.
      response.setHeaders(new Map(Object.entries(limits)));
    };
    request.setDecorator<RequestContext>(CONTEXT, {
      requester: { ...requester, onAdmitted },
      catalogue: restrictCatalogue(services.catalogue, requester.allowedModels),
      signal: inFlight.signal,
    });
  });
}

/** Returns the data set by `installRequestContext`. */
export function getRequestContext(request: FastifyRequest): RequestContext {
  return request.getDecorator<RequestContext>(CONTEXT);
}
