import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Caller } from '../../core/generation/index.ts';
import type { LimitStanding } from '../../core/limits/index.ts';
import { type AuthenticateDeps, authenticate } from '../authenticate.ts';
import { toClientAddress } from '../client-address.ts';
import { requireJsonHeaders } from '../json-body.ts';
import { toLimitHeaders } from '../limit-headers.ts';
import type { OpenExchanges } from '../open-exchanges.ts';

/** What the routes of the generation API know of a request beside its body. */
export interface Exchange {
  readonly caller: Caller;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

const EXCHANGE = 'exchange';

export interface ExchangeDeps extends AuthenticateDeps {
  readonly exchanges: OpenExchanges;
}

/** What is known of a request before its body. */
export interface ExchangeRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Adds to the headers of the answer, which streams have too. */
  readonly addHeaders: (headers: Readonly<Record<string, string>>) => void;
  readonly route: string;
  readonly address: string;
}

/**
 * Counts a request and checks its API key, before any body is read.
 * @throws HttpError 401, 415, 429, 503
 */
export async function openExchange(
  deps: ExchangeDeps,
  { request, response, addHeaders, route, address }: ExchangeRequest,
): Promise<Exchange> {
  const exchange = deps.exchanges.open(response, { address });
  const known = await authenticate(deps, { headers: request.headers, route, address });
  if (known.keyId !== undefined) exchange.countForKey(known.keyId);
  if (request.method === 'POST') requireJsonHeaders(request.headers);
  const onAdmitted = (standing: LimitStanding) => {
    if (!response.headersSent) addHeaders(toLimitHeaders(standing));
  };
  return { caller: { ...known, onAdmitted }, signal: exchange.signal };
}

/** Opens an exchange for every request of the context. */
export function installExchanges(server: FastifyInstance, deps: ExchangeDeps): void {
  server.decorateRequest(EXCHANGE, null);
  server.addHook('onRequest', async (request, { raw: response }) => {
    const route = request.routeOptions.url ?? '';
    const exchange = await openExchange(deps, {
      request: request.raw,
      response,
      addHeaders(headers) {
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      },
      route,
      address: toClientAddress(request),
    });
    request.setDecorator<Exchange>(EXCHANGE, exchange);
  });
}

/** The exchange of a request that came through `installExchanges`. */
export function getExchange(request: FastifyRequest): Exchange {
  return request.getDecorator<Exchange>(EXCHANGE);
}
