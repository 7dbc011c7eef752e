import type { FastifyInstance } from 'fastify';
import type { HttpServices } from '../../services.ts';
import { sendUsageGroups, sendUsageRows } from '../management/usage.ts';
import { getSession } from './authenticate-session.ts';

/** Adds the user's own part of the usage ledger, with the parameters of `/api/usage`. */
export function addOwnUsage(server: FastifyInstance, services: HttpServices): void {
  server.get('/api/me/usage', (request, reply) => sendUsageRows(services, request, reply, getSession(request).userId));
  server.get('/api/me/usage/summary', (request, reply) =>
    sendUsageGroups(services, request, reply, getSession(request).userId),
  );
}
