import type { FastifyInstance } from 'fastify';
import { installJsonBytes } from '../resources/install-json-bytes.ts';
import { toClientAddress } from '../server/addresses.ts';
import { installHolds } from '../server/holds.ts';
import type { HttpServices } from '../services.ts';
import { addAccess } from './access.ts';
import { addAuditLog } from './audit-log.ts';
import { installManager } from './authenticate-manager.ts';
import { addBroadcasts } from './broadcasts.ts';
import { addBudgets } from './budgets.ts';
import { addFailures } from './failures.ts';
import { addKeys } from './keys.ts';
import { addLog } from './log.ts';
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
export function addManagementApi(server: FastifyInstance, services: HttpServices): void {
  installManager(server, services);
  installHolds(server, services, toClientAddress);
  installJsonBytes(server);
  addUsers(server, services);
  addAccess(server, services);
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
}
