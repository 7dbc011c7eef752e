import { type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../lib/clock.ts';
import { createClientShares } from './client-shares.ts';
import { refuseConnection } from './connection-error.ts';
import type { Refusal } from './refusal-log.ts';

export interface ConnectionLimits {
  /** Maximum number of open connections; more are closed without a response. */
  readonly connections: number;
  /**
   * Maximum number of open connections of one client; more are answered with 429 and closed. Trusted proxies are
   * exempt.
   */
  readonly connectionsPerClient: number;
  /** Time in milliseconds for which a client may leave a response unread. */
  readonly drainTimeoutMs: number;
}

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
  limits: ConnectionLimits,
): void {
  server.maxConnections = limits.connections;
  closeStalled(server, limits.drainTimeoutMs);
  const shares = createClientShares({ maxOpen: limits.connections, maxPerClient: limits.connectionsPerClient });
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
    if (shares.openCount < limits.connections * CROWDED || now < reclaimedAt + RECLAIM_EVERY_MS) return;
    reclaimedAt = now;
    server.closeIdleConnections();
  });
}

/**
 * Destroys connections whose client has not read any byte of a response for `timeoutMs`. Connections that wait for
 * their response are kept: other limits apply to that time.
 */
function closeStalled(server: Server, timeoutMs: number): void {
  server.timeout = timeoutMs;
  // Node destroys idle connections itself only if there is no listener.
  server.on('timeout', (socket) => {
    const isAwaitingAnswer =
      Reflect.get(socket, '_httpMessage') instanceof ServerResponse && socket.writableLength === 0;
    if (isAwaitingAnswer) socket.setTimeout(timeoutMs);
    else socket.destroy();
  });
}
