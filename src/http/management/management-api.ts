import type { FastifyInstance } from 'fastify';
import { installJsonBytes } from '../resources/install-json-bytes.ts';
import { installHolds } from '../server/bodies/holds.ts';
import { toClientAddress } from '../server/connections/addresses.ts';
import type { HttpServices } from '../services.ts';
import { addAuditLog } from './audit-log.ts';
import { installManager } from './authenticate-manager.ts';
import { addBroadcasts } from './broadcasts.ts';
import { addFailures } from './service/failures.ts';
import { addLog } from './service/log.ts';
import { addModelPrices } from './service/models.ts';
import { addOverviews } from './service/overviews.ts';
import { addProviders } from './service/providers.ts';
import { addSettings } from './settings.ts';
import { addUsage } from './usage.ts';
import { addAccess } from './users/access.ts';
import { addAccessRequests } from './users/access-requests.ts';
import { addAdmittedGroups } from './users/admitted-groups.ts';
import { addBudgets } from './users/budgets.ts';
import { addInvitations } from './users/invitations.ts';
import { addKeys } from './users/keys.ts';
import { addPlans } from './users/plans.ts';
import { addUsers } from './users/users.ts';

/**
 * Adds all routes under `/api`, for operators. Must be registered in a context of its own, because its hooks and body
 * parser are for these routes only.
 */
export function addManagementApi(server: FastifyInstance, services: HttpServices): void {
  installManager(server, services);
  installHolds(server, services, toClientAddress);
  installJsonBytes(server);
  addUsers(server, services);
  addAccess(server, services);
  addAccessRequests(server, services);
  addInvitations(server, services);
  addAdmittedGroups(server, services);
  addPlans(server, services);
  addKeys(server, services);
  addBudgets(server, services);
  addBroadcasts(server, services);
  addAuditLog(server, services);
  addProviders(server, services);
  addModelPrices(server, services);
  addOverviews(server, services);
  addFailures(server, services);
  addLog(server, services);
  addUsage(server, services);
  addSettings(server, services);
}
