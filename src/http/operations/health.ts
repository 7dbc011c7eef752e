import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { describeResponse } from '../server/openapi.ts';

/** Result of the readiness checks. */
export interface Readiness {
  readonly isReady: boolean;
  /** Results by component: `database`, `storage`. Public. */
  readonly checks: Readonly<Record<string, boolean>>;
  /** Reason why it is not ready; a fixed text. */
  readonly reason?: string | undefined;
  /** Version of the service. */
  readonly version?: string | undefined;
}

const aliveSchema = z.strictObject({ status: z.literal('ok') }).meta({ id: 'Alive' });
const readinessSchema = z
  .strictObject({
    status: z.enum(['ready', 'not ready']),
    checks: z
      .record(z.string(), z.boolean())
      .describe('Whether each part works: `database`, `updates` (they can be stored), `bot`, `storage`.'),
    reason: z.string().optional().describe('Why it is not ready.'),
    version: z.string().optional().describe('Version of the service, `0.3.0`; `0.3.1-dev+<commit>` between releases.'),
  })
  .meta({ id: 'Readiness' });

const HEALTH = {
  tags: ['Service'],
  summary: 'Liveness',
  response: { 200: describeResponse('The process is alive.', aliveSchema) },
};
const READINESS = {
  tags: ['Service'],
  summary: 'Readiness',
  response: {
    200: describeResponse('The service is ready.', readinessSchema),
    503: describeResponse('The service is not ready; `checks` say which part, `reason` why.', readinessSchema),
  },
};

/**
 * Adds `GET /healthz` (liveness) and `GET /readyz` (readiness, 503 if not ready). A check that fails or takes longer
 * than `timeoutMs` counts as not ready.
 */
export function addHealth(
  server: FastifyInstance,
  deps: { readonly isReady: () => Promise<Readiness>; readonly timeoutMs: number },
): void {
  server.get('/healthz', { schema: HEALTH }, (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok' }),
  );
  server.get('/readyz', { schema: READINESS }, async (request, reply) => {
    const readiness = await withTimeout(deps.isReady(), deps.timeoutMs).catch((error: unknown): Readiness => {
      request.log.warn({ err: error }, 'the readiness check failed');
      return { isReady: false, checks: {} };
    });
    const { isReady, ...facts } = readiness;
    return reply
      .code(isReady ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: isReady ? 'ready' : 'not ready', ...facts });
  });
}

function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
