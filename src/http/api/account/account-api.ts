import type { FastifyInstance } from 'fastify';
import { installHolds } from '../../holds.ts';
import { installJsonBytes } from '../resources/install-json-bytes.ts';
import type { AccountApiDeps } from './account-api-deps.ts';
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
import { addOwnUsage } from './usage.ts';

/**
 * Adds sign-in, and all routes under `/api/me`: what the user of a session of the console owns. They are part of the
 * console and change with it. Must be registered in a context of its own, because its body parser is for these routes
 * only.
 */
export function addAccountApi(server: FastifyInstance, deps: AccountApiDeps): void {
  installJsonBytes(server);
  addSignIn(server, deps);
  server.register((own, _options, done) => {
    installSession(own, deps);
    installHolds(own, deps, (request) => getSession(request).userId);
    addProfile(own, deps);
    addOwnSessions(own, deps);
    addOwnUsage(own, deps);
    addOwnKeys(own, deps);
    addOwnFiles(own, deps);
    addOwnConversations(own, deps);
    addOwnMemories(own, deps);
    addOwnTasks(own, deps);
    addOwnSettings(own, deps);
    done();
  });
  server.register((uploads, _options, done) => {
    addOwnUploads(uploads, deps);
    done();
  });
}
