import type { FastifyInstance } from 'fastify';
import { sendUsageGroups, sendUsageRows } from '../management/usage.ts';
import type { AccountApiDeps } from './account-api-deps.ts';
import { getSession } from './authenticate-session.ts';

/** Adds the user's own part of the usage ledger, with the parameters of `/api/usage`. */
export function addOwnUsage(server: FastifyInstance, deps: AccountApiDeps): void {
  server.get('/api/me/usage', (request, reply) => sendUsageRows(deps, request, reply, getSession(request).userId));
  server.get('/api/me/usage/summary', (request, reply) =>
    sendUsageGroups(deps, request, reply, getSession(request).userId),
  );
}
