import type { UsageRecorder } from '../../../core/accounts/index.ts';
import type { Management } from '../../../core/management/index.ts';
import type { Catalogue } from '../../../core/models/index.ts';
import type { FailureCounts } from '../../../lib/failure-count.ts';
import type { HeldBytes } from '../../../lib/held-bytes.ts';
import type { RecentLog } from '../../../lib/recent-log.ts';
import type { AuthenticateManagerDeps } from './authenticate-manager.ts';
import type { ServiceState } from './service-state.ts';

/** Dependencies of the routes under `/api`. */
export interface ManagementApiDeps extends AuthenticateManagerDeps {
  readonly management: Management;
  readonly catalogue: Catalogue;
  readonly heldBytes: HeldBytes;
  readonly usage: Pick<UsageRecorder, 'waitingCount'>;
  readonly readState: () => Promise<ServiceState>;
  /** Default: always empty. */
  readonly recentLog?: Pick<RecentLog, 'list'> | undefined;
  /** Default: always empty. */
  readonly failures?: FailureCounts | undefined;
  /** Returns true if only admins and allowed users may use the service. Default: public. */
  readonly isPrivate?: (() => boolean) | undefined;
}
