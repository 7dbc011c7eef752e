import type { FastifyInstance } from 'fastify';
import { HttpError } from '../../http-error.ts';
import { getSession, installSession } from '../account/authenticate-session.ts';
import { isFromThisMachine } from '../account/is-from-this-machine.ts';
import { installJsonBytes } from '../resources/install-json-bytes.ts';
import { addSetupChecks } from './checks.ts';
import type { SetupApiDeps } from './setup-api-deps.ts';
import { addSetupState } from './state.ts';

/**
 * Adds the routes under `/api/setup`, by which the start page of a playground helps to set up a bot. Only sessions of
 * admins on this machine may use them. Must be registered in a context of its own, and in playgrounds only.
 */
export function addSetupApi(server: FastifyInstance, deps: SetupApiDeps): void {
  installJsonBytes(server);
  installSession(server, deps);
  server.addHook('onRequest', async (request) => {
    if (getSession(request).isAdmin && isFromThisMachine(request)) return;
    throw new HttpError({
      status: 403,
      type: 'invalid_request_error',
      code: 'insufficient_permissions',
      message: 'Only admins may set up a bot, and only on the machine on which the service runs.',
    });
  });
  addSetupState(server, deps);
  addSetupChecks(server, deps);
}
