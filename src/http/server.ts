import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type FastifyBaseLogger, type FastifyInstance, type FastifyPluginAsync, fastify, LogController } from 'fastify';
import type { Accounts, ApiKeys, KeyUses, UsageRecorder } from '../core/accounts/index.ts';
import type { Administration } from '../core/administration/index.ts';
import type { Conversations } from '../core/conversations/index.ts';
import type { Feedback } from '../core/feedback/index.ts';
import type {
  AudioGeneration,
  ChatGeneration,
  EmbeddingGeneration,
  ImageGeneration,
  ModerationGeneration,
  TextCompletionGeneration,
  TextToSpeech,
} from '../core/generation/index.ts';
import type { Idempotency } from '../core/idempotency/index.ts';
import type { Library } from '../core/library/index.ts';
import type { Limits as QuotaLimits } from '../core/limits/index.ts';
import type { Management } from '../core/management/index.ts';
import type { Memories } from '../core/memory/index.ts';
import type { Catalogue } from '../core/models/index.ts';
import type { StoredResponses } from '../core/responses/index.ts';
import type { Sessions } from '../core/sessions/index.ts';
import type { SharedConversations } from '../core/shared-conversations/index.ts';
import type { Storage } from '../core/storage/index.ts';
import type { TaskLedger, Tasks } from '../core/tasks/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { FailureCounts } from '../lib/failure-count.ts';
import type { HeldBytes } from '../lib/held-bytes.ts';
import type { LogContext } from '../lib/log-context.ts';
import type { Logger } from '../lib/logger.ts';
import { createNetworkMatcher } from '../lib/network.ts';
import type { Observer } from '../lib/observer.ts';
import type { RecentLog } from '../lib/recent-log.ts';
import type { TelegramAddress } from '../lib/start-link.ts';
import { addAccountApi } from './api/account/account-api.ts';
import type { SignInDeps } from './api/account/sign-in.ts';
import { toServedUrl } from './api/base-address.ts';
import { addGenerationApi } from './api/generation-api.ts';
import { addManagementApi } from './api/management/management-api.ts';
import type { ServiceState } from './api/management/service-state.ts';
import { addSetupApi } from './api/setup/setup-api.ts';
import type { SetupChecks } from './api/setup/setup-api-deps.ts';
import { installBodyReading } from './body-reading.ts';
import { installClosing } from './closing.ts';
import { addCloudApi } from './cloud-api/cloud-api.ts';
import { MAX_NAME_LENGTH } from './cloud-api/cloud-error.ts';
import { setCommonHeaders, toRequestId } from './common-headers.ts';
import { answerConnectionError, refuseTunnel } from './connection-error.ts';
import { limitConnections } from './connection-limits.ts';
import { addConsolePages } from './console/console-pages.ts';
import { installCrossOrigin } from './cross-origin.ts';
import { sendError } from './error-response.ts';
import { createInFlightCounters, IN_FLIGHT_LIMITS } from './in-flight-requests.ts';
import { installOpenApi } from './openapi.ts';
import { addApiReference } from './operations/api-reference.ts';
import { addFrontPage } from './operations/front-page.ts';
import { addHealth, type Readiness } from './operations/health.ts';
import { addMetrics, type MetricsAccess } from './operations/metrics.ts';
import { toOwnUrl } from './own-url.ts';
import { installPlaygroundAccess, installPlaygroundLinks } from './playground-access.ts';
import { createRefusalLog } from './refusal-log.ts';
import { requireValidHead } from './request-head.ts';
import { installRequestLog } from './request-log.ts';
import { addSharedPages } from './shared-conversations/shared-pages.ts';
import { installUnknownRoute } from './unknown-route.ts';

export interface HttpServerDeps extends TelegramAddress, Pick<SignInDeps, 'checkInitData' | 'playground'> {
  readonly accounts: Accounts;
  /** Records the last use of keys. Default: none. */
  readonly keyUses?: KeyUses | undefined;
  /** Returns true if the service is private; then uploads need an API key as well. Default: public. */
  readonly isPrivate?: (() => boolean) | undefined;
  readonly generation: ChatGeneration;
  readonly completions: TextCompletionGeneration;
  readonly embeddings: EmbeddingGeneration;
  readonly moderations: ModerationGeneration;
  readonly images: ImageGeneration;
  readonly audio: AudioGeneration;
  readonly catalogue: Catalogue;
  readonly responses: StoredResponses;
  readonly feedback: Pick<Feedback, 'rateReply'>;
  readonly idempotency: Idempotency;
  readonly storage: Storage;
  readonly management: Management;
  readonly sessions: Sessions;
  readonly conversations: Conversations;
  readonly library: Library;
  readonly speech: Pick<TextToSpeech, 'isAvailable'>;
  readonly tasks: Tasks;
  readonly taskLedger: Pick<TaskLedger, 'endSettledRuns'>;
  readonly memories: Memories;
  readonly apiKeys: ApiKeys;
  readonly administration: Pick<Administration, 'admit'>;
  /** For the rest of the users' quotas and budgets. */
  readonly quotas: Pick<QuotaLimits, 'readQuotas' | 'readBudgets'>;
  readonly usage: Pick<UsageRecorder, 'waitingCount'>;
  readonly sharedConversations: Pick<SharedConversations, 'find'>;
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
  /** For `/readyz`. */
  readonly isReady: () => Promise<Readiness>;
  /** For `/api/system`. */
  readonly readState: () => Promise<ServiceState>;
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

export interface HttpPlugin {
  readonly prefix: string;
  readonly plugin: FastifyPluginAsync;
  /** Log level of its routes; each request is logged at `info`. Default: the server's level. */
  readonly logLevel?: 'debug' | 'info' | 'warn' | undefined;
}

/**
 * Creates the HTTP server, ready to `listen`. `close()` accepts no new connections, answers new requests with 503, lets
 * responses complete within `closeTimeoutMs` and then aborts the remaining ones.
 */
export function createHttpServer(deps: HttpServerDeps, inFlightLimits = IN_FLIGHT_LIMITS): FastifyInstance {
  const server = createBareServer(deps);
  const logRefusal = createRefusalLog(deps);
  const isTrustedProxy = createNetworkMatcher(deps.trustedProxies ?? []);
  limitConnections(server.server, { clock: deps.clock, isTrustedProxy, logRefusal });
  const inFlight = createInFlightCounters(logRefusal, inFlightLimits);
  installRequestLog(server, deps);
  installClosing(server, deps.clock, deps.closeTimeoutMs ?? CLOSE_TIMEOUT_MS, (reason) => {
    for (const each of Object.values(inFlight)) each.abortAll(reason);
  });
  installCrossOrigin(server, deps.corsOrigins ?? []);
  installUnknownRoute(server);
  installBodyReading(server, deps.clock);
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply));

  const plugins = deps.plugins ?? [];
  const { playground } = deps;
  if (playground?.secret !== undefined) installPlaygroundLinks(server, playground.secret);
  for (const { prefix, plugin, logLevel } of plugins) {
    server.register((context, _options, done) => {
      if (playground && prefix === PLAYGROUND_PREFIX) installPlaygroundAccess(context, playground);
      context.register(plugin, { prefix, ...(logLevel ? { logLevel } : {}) });
      done();
    });
  }
  const cloudUrl = () => deps.cloudUrl ?? toOwnUrl(server.server.address() as AddressInfo);
  server.register((api, _options, done) => {
    addAccountApi(api, {
      ...deps,
      limits: deps.quotas,
      inFlight: inFlight.account,
      uploads: inFlight.uploads,
      cloudUrl,
    });
    done();
  });
  const { setup } = deps;
  if (setup) {
    server.register((api, _options, done) => {
      addSetupApi(api, { ...deps, setup, inFlight: inFlight.account });
      done();
    });
  }
  const hasPlayground = plugins.some(({ prefix }) => prefix === PLAYGROUND_PREFIX);
  // After the plugins and the routes of the console, which are not part of the OpenAPI document.
  installOpenApi(server);
  server.register((api, _options, done) => {
    addHealth(api, { isReady: deps.isReady, timeoutMs: READINESS_TIMEOUT_MS });
    addMetrics(api, deps.metrics);
    addApiReference(api);
    addConsolePages(api, { hasPlayground, cloudUrl });
    addFrontPage(api, { hasPlayground });
    done();
  });
  server.register((api, _options, done) => {
    addGenerationApi(api, { ...deps, inFlight: inFlight.generation });
    done();
  });
  server.register((api, _options, done) => {
    addManagementApi(api, { ...deps, inFlight: inFlight.management });
    done();
  });
  const cloudDeps = {
    ...deps,
    ...inFlight,
    cloudUrl,
    hasBareFileNames: deps.hasBareFileNames ?? false,
  };
  server.register((api, _options, done) => {
    addCloudApi(api, cloudDeps);
    done();
  });
  server.register((api, _options, done) => {
    addSharedPages(api, cloudDeps);
    done();
  });
  return server;
}

const PLAYGROUND_PREFIX = '/playground';
const READINESS_TIMEOUT_MS = 5000;
/** Maximum size of a request body, including images as base64. */
const MAX_BODY_BYTES = 20 * 1024 * 1024;
const CLOSE_TIMEOUT_MS = 20_000;
/** Timeout for the headers of a request. */
const HEADERS_TIMEOUT_MS = 15_000;
/** Interval at which the timeout of headers is checked. */
const HEADERS_CHECK_INTERVAL_MS = 1000;
/** Longer than the usual 60 s of load balancers, so that they close idle connections first. */
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

function createBareServer(deps: HttpServerDeps): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = deps.logger;
  const server = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: toRequestId,
    rewriteUrl: ({ url = '/', headers }) => toServedUrl(url, headers),
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: deps.trustedProxies && deps.trustedProxies.length > 0 ? [...deps.trustedProxies] : false,
    serverFactory: createNodeServer,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: MAX_NAME_LENGTH },
    // Fastify's own 503 has neither our error body nor Retry-After.
    return503OnClosing: false,
    clientErrorHandler: answerConnectionError,
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(reply.raw, request);
      sendError(error, request, reply);
    },
  });
  server.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(reply.raw, request);
    requireValidHead(request.raw);
    done();
  });
  return server;
}

function createNodeServer(handle: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: HEADERS_CHECK_INTERVAL_MS,
      // Node's own limit would apply to uploads as well.
      requestTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      // Node's own answers have neither our error body nor an id.
      requireHostHeader: false,
    },
    handle,
  );
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket: Socket) => refuseTunnel(socket));
  return server;
}
