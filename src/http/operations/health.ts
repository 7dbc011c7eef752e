import type { FastifyInstance } from 'fastify';

/** Whether the service can do its work now, and which part of it can't. */
export interface Readiness {
  readonly isReady: boolean;
  /** By the name of the part: `database`, `models`. Shown to anybody who asks. */
  readonly checks: Readonly<Record<string, boolean>>;
  /** Why it is not ready, in fixed words. */
  readonly reason?: string | undefined;
}

/**
 * `GET /healthz`: the process lives. `GET /readyz`: it may be sent work; 503 where not. A check that fails or takes
 * longer than `timeoutMs` counts as not ready.
 */
export function addHealth(
  server: FastifyInstance,
  deps: { readonly isReady: () => Promise<Readiness>; readonly timeoutMs: number },
): void {
  server.get('/healthz', (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'ok' }));
  server.get('/readyz', async (request, reply) => {
    const readiness = await withTimeout(deps.isReady(), deps.timeoutMs).catch((error: unknown): Readiness => {
      request.log.warn({ err: error }, 'the readiness check failed');
      return { isReady: false, checks: {} };
    });
    return reply
      .code(readiness.isReady ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: readiness.isReady ? 'ready' : 'not ready', checks: readiness.checks, reason: readiness.reason });
  });
}

function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const { promise, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
