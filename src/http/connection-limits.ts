import { type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../lib/clock.ts';
import { createClientShares } from './client-shares.ts';
import { refuseConnection } from './connection-error.ts';
import type { Refusal } from './refusal-log.ts';

export interface ConnectionLimits {
  /** Connections open at once; more are closed without an answer. */
  readonly connections: number;
  /** Connections of one client open at once; more are answered 429 and closed. Trusted proxies have no such limit. */
  readonly connectionsPerClient: number;
  /** How long a client may leave an answer unread, milliseconds. */
  readonly drainTimeoutMs: number;
}

/** From this share of all connections on, idle ones are closed before their time. */
const CROWDED = 0.8;
const RECLAIM_EVERY_MS = 1000;

/** Bounds the connections of all clients, of each client, and the time for which a client may not read. */
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
    const place = shares.enter(address);
    if (typeof place === 'string') {
      deps.logRefusal({ kind: 'connection', reason: place, address });
      refuseConnection(socket);
      return;
    }
    socket.once('close', place.leave);
    const now = deps.clock.now();
    if (shares.openCount < limits.connections * CROWDED || now < reclaimedAt + RECLAIM_EVERY_MS) return;
    reclaimedAt = now;
    server.closeIdleConnections();
  });
}

/**
 * Destroys connections whose client has not taken any byte of an answer for `timeoutMs`. Connections that wait for their answer
 * stay: that time has limits of its own.
 */
function closeStalled(server: Server, timeoutMs: number): void {
  server.timeout = timeoutMs;
  // Node destroys idle connections itself only where there is no listener.
  server.on('timeout', (socket) => {
    const isAwaitingAnswer =
      Reflect.get(socket, '_httpMessage') instanceof ServerResponse && socket.writableLength === 0;
    if (isAwaitingAnswer) socket.setTimeout(timeoutMs);
    else socket.destroy();
  });
}
