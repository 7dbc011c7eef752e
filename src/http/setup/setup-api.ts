import type { FastifyInstance } from 'fastify';
import { HttpError } from '../../protocols/http-error.ts';
import { getSession, installSession } from '../account/authenticate-session.ts';
import { installJsonBytes } from '../resources/install-json-bytes.ts';
import { isFromOwnPage } from '../server/playground-access.ts';
import type { HttpServices } from '../services.ts';
import { addBotStart } from './bot-start.ts';
import { addSetupChecks } from './checks.ts';
import type { SetupChecks } from './setup-checks.ts';
import { addSetupState } from './state.ts';

/**
 * Adds the routes under `/api/setup`, by which the start page of a playground helps to set up a bot. Only sessions of
 * admins on the page itself may use them. Must be registered in a context of its own, and in playgrounds only.
 */
export function addSetupApi(server: FastifyInstance, services: HttpServices, setup: SetupChecks): void {
  installJsonBytes(server);
  installSession(server, services);
  server.addHook('onRequest', async (request) => {
    if (getSession(request).isAdmin && isFromOwnPage(request)) return;
    throw new HttpError({
      status: 403,
      type: 'invalid_request_error',
      code: 'insufficient_permissions',
      message: 'Only admins may set up a bot, on its own page and without a proxy in between.',
    });
  });
  addSetupState(server, services, setup);
  addSetupChecks(server, services, setup);
  addBotStart(server, services, setup);
}
