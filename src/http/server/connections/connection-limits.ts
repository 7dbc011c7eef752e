import { type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../../lib/clock.ts';
import { DRAIN_TIMEOUT_MS } from './await-drain.ts';
import { createClientShares } from './client-shares.ts';
import { refuseConnection } from './connection-error.ts';
import type { Refusal } from './in-flight-requests.ts';

/** Maximum number of open connections; more are closed without a response. */
const MAX_CONNECTIONS = 10_000;
/** Maximum number of open connections of one client; more are answered with 429 and closed. Trusted proxies are exempt. */
const MAX_CONNECTIONS_PER_CLIENT = 1000;
/** Share of all connections above which idle ones are closed early. */
const CROWDED = 0.8;
const RECLAIM_EVERY_MS = 1000;

/** Limits the connections of all clients and of each client, and the time for which a client may not read. */
export function limitConnections(
  server: Server,
  deps: {
    readonly clock: Clock;
    readonly isTrustedProxy: (address: string) => boolean;
    readonly logRefusal: (refusal: Refusal) => void;
  },
): void {
  server.maxConnections = MAX_CONNECTIONS;
  closeStalled(server);
  const shares = createClientShares({ maxOpen: MAX_CONNECTIONS, maxPerClient: MAX_CONNECTIONS_PER_CLIENT });
  let reclaimedAt = 0;
  server.on('connection', (socket: Socket) => {
    const { remoteAddress: address = '' } = socket;
    if (deps.isTrustedProxy(address)) return;
    const slot = shares.enter(address);
    if (typeof slot === 'string') {
      deps.logRefusal({ kind: 'connection', reason: slot, address });
      refuseConnection(socket);
      return;
    }
    socket.once('close', slot.leave);
    const now = deps.clock.now();
    if (shares.openCount < server.maxConnections * CROWDED || now < reclaimedAt + RECLAIM_EVERY_MS) return;
    reclaimedAt = now;
    server.closeIdleConnections();
  });
}

/**
 * Destroys connections whose client has not read any byte of a response for `server.timeout`. Connections that wait for
 * their response are kept: other limits apply to that time.
 */
function closeStalled(server: Server): void {
  server.timeout = DRAIN_TIMEOUT_MS;
  // Node destroys idle connections itself only if there is no listener.
  server.on('timeout', (socket) => {
    const isAwaitingAnswer =
      Reflect.get(socket, '_httpMessage') instanceof ServerResponse && socket.writableLength === 0;
    if (isAwaitingAnswer) socket.setTimeout(server.timeout);
    else socket.destroy();
  });
}
