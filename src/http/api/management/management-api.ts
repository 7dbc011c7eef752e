import type { FastifyInstance } from 'fastify';
import type { UsageRecorder } from '../../../core/accounts/index.ts';
import type { Management } from '../../../core/management/index.ts';
import type { Catalogue } from '../../../core/models/index.ts';
import type { DrainDeps } from '../../await-drain.ts';
import { addAccess } from './access.ts';
import { addAuditLog } from './audit-log.ts';
import { type AuthenticateManagerDeps, installManager } from './authenticate-manager.ts';
import { addBudgets } from './budgets.ts';
import { addKeys } from './keys.ts';
import { addModelPrices } from './models.ts';
import { addOverviews } from './overviews.ts';
import { addPlans } from './plans.ts';
import { addProviders } from './providers.ts';
import { addUsage } from './usage.ts';
import { addUsers } from './users.ts';

/** Dependencies of the routes under `/api`. */
export interface ManagementApiDeps extends AuthenticateManagerDeps, DrainDeps {
  readonly management: Management;
  readonly catalogue: Catalogue;
  readonly usage: Pick<UsageRecorder, 'waitingCount'>;
  /** Returns true if only admins and allowed users may use the service. Default: public. */
  readonly isPrivate?: (() => boolean) | undefined;
}

const MAX_BODY_BYTES = 64 * 1024;

/**
 * Adds all routes under `/api`, for operators. Must be registered in a context of its own, because its hooks and body
 * parser are for these routes only.
 */
export function addManagementApi(server: FastifyInstance, deps: ManagementApiDeps): void {
  installManager(server, deps);
  server.removeAllContentTypeParsers();
  const bytes = { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES } as const;
  server.addContentTypeParser('*', bytes, (_request, body, done) => done(null, body));
  addUsers(server, deps);
  addAccess(server, deps);
  addPlans(server, deps);
  addKeys(server, deps);
  addBudgets(server, deps);
  addAuditLog(server, deps);
  addProviders(server, deps);
  addModelPrices(server, deps);
  addOverviews(server, deps);
  addUsage(server, deps);
}
