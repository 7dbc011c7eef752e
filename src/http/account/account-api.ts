import type { FastifyInstance } from 'fastify';
import { sendUsageGroups, sendUsageRows } from '../management/usage.ts';
import { installJsonBytes } from '../resources/install-json-bytes.ts';
import { installHolds } from '../server/bodies/holds.ts';
import type { HttpServices } from '../services.ts';
import { getSession, installSession } from './authenticate-session.ts';
import { addOwnConversations } from './conversations.ts';
import { addOwnUploads } from './file-uploads.ts';
import { addOwnFiles } from './files.ts';
import { addOwnKeys } from './keys.ts';
import { addOwnMemories } from './memories.ts';
import { addProfile } from './profile.ts';
import { addOwnSessions } from './sessions.ts';
import { addOwnSettings } from './settings.ts';
import { addSignIn } from './sign-in.ts';
import { addOwnTasks } from './tasks.ts';

/**
 * Adds sign-in, and all routes under `/api/me`: what the user of a session of the console owns. They are part of the
 * console and change with it. Must be registered in a context of its own, because its body parser is for these routes
 * only.
 */
export function addAccountApi(server: FastifyInstance, services: HttpServices): void {
  installJsonBytes(server);
  addSignIn(server, services);
  server.register((own, _options, done) => {
    installSession(own, services);
    installHolds(own, services, (request) => getSession(request).userId);
    addProfile(own, services);
    addOwnSessions(own, services);
    addOwnUsage(own, services);
    addOwnKeys(own, services);
    addOwnFiles(own, services);
    addOwnConversations(own, services);
    addOwnMemories(own, services);
    addOwnTasks(own, services);
    addOwnSettings(own, services);
    done();
  });
  server.register((uploads, _options, done) => {
    addOwnUploads(uploads, services);
    done();
  });
}

/** Adds the user's own part of the usage ledger, with the parameters of `/api/usage`. */
function addOwnUsage(server: FastifyInstance, services: HttpServices): void {
  server.get('/api/me/usage', (request, reply) => sendUsageRows(services, request, reply, getSession(request).userId));
  server.get('/api/me/usage/summary', (request, reply) =>
    sendUsageGroups(services, request, reply, getSession(request).userId),
  );
}
