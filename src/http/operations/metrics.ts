import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { errorSchema, invalidApiKey } from '../../protocols/http-error.ts';
import { describeResponse } from '../server/openapi.ts';

/** Metrics for Prometheus, and the required token. */
export interface MetricsAccess {
  readonly token: string;
  readonly contentType: string;
  readonly read: () => Promise<string>;
}

const SCHEMA = {
  tags: ['Service'],
  summary: 'Metrics for Prometheus',
  description: 'Exists only if `METRICS_TOKEN` is set.',
  security: [{ 'metrics-token': [] }],
  response: {
    200: describeResponse('All metrics.', { 'text/plain': "Prometheus's text format." }),
    401: describeResponse('The token is missing or wrong.', errorSchema),
  },
};

/**
 * Adds `GET /metrics`, protected by the token. Without a token the route does not exist: behind a proxy all requests
 * seem to come from this machine, so the client address can't be used for access control.
 */
export function addMetrics(server: FastifyInstance, metrics: MetricsAccess | undefined): void {
  if (!metrics) return;
  const expected = hash(`Bearer ${metrics.token}`);
  server.get('/metrics', { schema: SCHEMA }, async (request, reply) => {
    // `timingSafeEqual` needs inputs of equal length.
    if (!timingSafeEqual(hash(request.headers.authorization ?? ''), expected))
      throw invalidApiKey('Send the header "Authorization: Bearer <METRICS_TOKEN>".');
    return reply
      .header('cache-control', 'no-store')
      .type(metrics.contentType)
      .send(await metrics.read());
  });
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
