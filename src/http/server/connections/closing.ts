import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../lib/clock.ts';
import { type HttpError, unavailable } from '../../../protocols/http-error.ts';

/** Time for aborted responses to send their error before their connections are closed. */
const CLOSE_TIMEOUT_MS = 1000;

/** Installs a graceful shutdown: responses may complete within `timeoutMs`, then the remaining ones are aborted. */
export function installClosing(
  server: FastifyInstance,
  clock: Clock,
  timeoutMs: number,
  abortAll: (reason: Error) => void,
): void {
  let isClosing = false;
  let cancelTimer = () => {};
  server.addHook('preClose', async () => {
    isClosing = true;
    cancelTimer = clock.setTimer(timeoutMs, () => {
      abortAll(restarting());
      cancelTimer = clock.setTimer(CLOSE_TIMEOUT_MS, () => server.server.closeAllConnections());
    });
  });
  server.addHook('onClose', async () => cancelTimer());
  server.addHook('onRequest', (request, { raw: response }: { readonly raw: ServerResponse }, done) => {
    response.once('close', () => {
      // A connection that was busy when closing began would be kept alive for the next request.
      if (isClosing) request.raw.socket.destroySoon();
    });
    done(isClosing ? restarting() : undefined);
  });
}

function restarting(): HttpError {
  return unavailable('The service is restarting.', 5, { connection: 'close' });
}
