import type { FastifyInstance } from 'fastify';
import { toClientAddress } from '../../client-address.ts';
import { installHolds } from '../../holds.ts';
import { installJsonBytes } from '../resources/install-json-bytes.ts';
import { addAccess } from './access.ts';
import { addAuditLog } from './audit-log.ts';
import { installManager } from './authenticate-manager.ts';
import { addBroadcasts } from './broadcasts.ts';
import { addBudgets } from './budgets.ts';
import { addFailures } from './failures.ts';
import { addKeys } from './keys.ts';
import { addLog } from './log.ts';
import type { ManagementApiDeps } from './management-api-deps.ts';
import { addModelPrices } from './models.ts';
import { addOverviews } from './overviews.ts';
import { addPlans } from './plans.ts';
import { addProviders } from './providers.ts';
import { addUsage } from './usage.ts';
import { addUsers } from './users.ts';

/**
 * Adds all routes under `/api`, for operators. Must be registered in a context of its own, because its hooks and body
 * parser are for these routes only.
 */
export function addManagementApi(server: FastifyInstance, deps: ManagementApiDeps): void {
  installManager(server, deps);
  installHolds(server, deps, toClientAddress);
  installJsonBytes(server);
  addUsers(server, deps);
  addAccess(server, deps);
  addPlans(server, deps);
  addKeys(server, deps);
  addBudgets(server, deps);
  addBroadcasts(server, deps);
  addAuditLog(server, deps);
  addProviders(server, deps);
  addModelPrices(server, deps);
  addOverviews(server, deps);
  addFailures(server, deps);
  addLog(server, deps);
  addUsage(server, deps);
}
