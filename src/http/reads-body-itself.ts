import type { FastifyRequest } from 'fastify';

/** `config` of a route that reads its body as a stream: the route itself calls `sendContinue` and enforces timeouts. */
export const READS_BODY_ITSELF = { readsBodyItself: true };

/** Returns whether the route of a request has `READS_BODY_ITSELF`. */
export function readsBodyItself({ routeOptions }: FastifyRequest): boolean {
  const { config } = routeOptions;
  return config !== undefined && Reflect.get(config, 'readsBodyItself') === true;
}
