import type { Services } from '../app/services.ts';
import type { SettingsEditor } from '../core/stored-settings/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { HeldBytes } from '../lib/http/held-bytes.ts';
import type { FailureCounts } from '../lib/log/failure-count.ts';
import type { LogContext } from '../lib/log/log-context.ts';
import type { Logger } from '../lib/log/logger.ts';
import type { Observer } from '../lib/log/observer.ts';
import type { RecentLog } from '../lib/log/recent-log.ts';
import type { TelegramAddress } from '../lib/start-link.ts';
import type { ServiceState } from './management/service/service-state.ts';
import type { Readiness } from './operations/health.ts';
import type { MetricsAccess } from './operations/metrics.ts';
import type { InFlightCounters } from './server/connections/in-flight-requests.ts';
import type { PlaygroundOwner } from './server/playground-access.ts';
import type { HttpPlugin } from './server.ts';
import type { SetupChecks } from './setup/setup-checks.ts';

/** Services that the HTTP server gets: those of the product and a few for HTTP alone. */
export interface GivenHttpServices extends Services, TelegramAddress {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The budget of memory for requests. Requests above it are answered with 503. */
  readonly heldBytes: HeldBytes;
  /** Public base URL of download links, without a trailing slash. Default: the server's own URL. */
  readonly cloudUrl: string | undefined;
  /**
   * Sends only the file name as `Content-Disposition`, for clients that take the whole value as the name. Default
   * false.
   */
  readonly hasBareFileNames?: boolean | undefined;
  /**
   * Returns the Telegram id of the user of a Mini App. Default: Mini Apps can't sign in.
   * @throws InvalidInitDataError
   */
  readonly checkInitData?: ((initData: string) => number) | undefined;
  /** The playground, whose page signs in as its user. Default: no playground. */
  readonly playground?: PlaygroundOwner | undefined;
  /** For `/readyz`. */
  readonly isReady: () => Promise<Readiness>;
  /** For `/api/system`. */
  readonly readState: () => Promise<ServiceState>;
  /** Returns the username of the bot; undefined while it is not connected. Default: there is no bot. */
  readonly findBotUsername?: (() => Promise<string | undefined>) | undefined;
  /** For `/api/settings`. Default: no such routes. */
  readonly settingsEditor?: SettingsEditor | undefined;
  /** For `/api/log`. Default: always empty. */
  readonly recentLog?: Pick<RecentLog, 'list'> | undefined;
  /** For `/api/failures`. Default: always empty. */
  readonly failures?: FailureCounts | undefined;
  /** For `/metrics`. Default: no such route. */
  readonly metrics?: MetricsAccess | undefined;
  /** Attributes log lines to requests. Default: none. */
  readonly logContext?: LogContext | undefined;
  /** Receives an `http request` span for each request. Default: none. */
  readonly observer?: Observer | undefined;
  /** Origins whose pages may call the API from browsers (CORS); `*` allows all. Default none. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. Default none. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Plugins to mount under their prefix (`/playground`). Default none. */
  readonly plugins?: readonly HttpPlugin[] | undefined;
  /** Checks of the start page of the playground. Default: no such routes. */
  readonly setup?: SetupChecks | undefined;
  /** Time for which `close()` waits for responses before it aborts them with an error, in milliseconds. Default 20 s. */
  readonly closeTimeoutMs?: number | undefined;
}

/** Everything that routes may use: what the server was given, and its own parts. */
export interface HttpServices extends Omit<GivenHttpServices, 'cloudUrl'> {
  /** Counts the open requests of each kind. */
  readonly inFlight: InFlightCounters;
  /** Returns the base URL of download links, without a trailing slash. */
  readonly cloudUrl: () => string;
}
