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
import { createInFlightRequests } from './in-flight-requests.ts';
import { installOpenApi } from './openapi.ts';
import { addApiReference } from './operations/api-reference.ts';
import { addFrontPage } from './operations/front-page.ts';
import { addHealth, type Readiness } from './operations/health.ts';
import { addMetrics, type MetricsAccess } from './operations/metrics.ts';
import { toOwnUrl } from './own-url.ts';
import { installPlaygroundAccess, installPlaygroundLinks } from './playground-access.ts';
import { createRefusalLog, type Refusal } from './refusal-log.ts';
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
  readonly limits?: HttpLimits | undefined;
}

export interface HttpPlugin {
  readonly prefix: string;
  readonly plugin: FastifyPluginAsync;
  /** Log level of its routes; each request is logged at `info`. Default: the server's level. */
  readonly logLevel?: 'debug' | 'info' | 'warn' | undefined;
}

/** Limits of the server. Times are milliseconds. */
export interface HttpLimits {
  /** Maximum size of a request body, including images as base64. Default 20 MiB. */
  readonly bodyBytes?: number | undefined;
  /**
   * Maximum number of open requests of the generation API; more are answered with 503. One client, or one key, may have
   * half of them. Default 1000.
   */
  readonly openRequests?: number | undefined;
  /**
   * Maximum number of open requests of the management API; more are answered with 503. One client, or one key, may have
   * half of them. Default 50.
   */
  readonly openManagement?: number | undefined;
  /** Maximum number of open requests of consoles; more are answered with 503. One user may have 20. Default 200. */
  readonly openAccount?: number | undefined;
  /** Maximum number of requests of one key or session in a minute, to the management API or a user's own data. Default 300. */
  readonly managementRequestsPerMinute?: number | undefined;
  /**
   * Maximum number of open uploads; a fifth is reserved for requests with an API key. Default 400, which is less than
   * the storage allows.
   */
  readonly openUploads?: number | undefined;
  /** Maximum number of open uploads of one client; more are answered with 429. Default 20, as in the storage. */
  readonly uploadsPerClient?: number | undefined;
  /** Maximum number of open downloads. Default 1000. */
  readonly openDownloads?: number | undefined;
  /** Maximum number of open downloads of one client. Default 100. */
  readonly downloadsPerClient?: number | undefined;
  /** Maximum number of open requests for file pages, shared conversations and deletions. Default 500. */
  readonly openPages?: number | undefined;
  /** The same for one client. Default 50. */
  readonly pagesPerClient?: number | undefined;
  /** Maximum number of open connections; more are closed without a response. Default 10 000. */
  readonly connections?: number | undefined;
  /** Maximum number of open connections of one client, trusted proxies excepted. Default 1000. */
  readonly connectionsPerClient?: number | undefined;
  /** Timeout for the headers of a request. Default 15 s. */
  readonly headersTimeoutMs?: number | undefined;
  /** Timeout for the body of a request, uploads excepted. Default 5 min. */
  readonly requestTimeoutMs?: number | undefined;
  /**
   * Keep-alive time of idle connections. Default 72 s: longer than the usual 60 s of load balancers, so that they close
   * first.
   */
  readonly keepAliveTimeoutMs?: number | undefined;
  /** Silence after which an OpenAI stream sends `: ping`. Default 15 s. */
  readonly pingIntervalMs?: number | undefined;
  /** Maximum silence of an upload, and the period over which it must average 1 KiB a second. Default 60 s. */
  readonly uploadSilenceMs?: number | undefined;
  /** Time for which a client may leave a stream, an image or a download unread. Default 60 s. */
  readonly drainTimeoutMs?: number | undefined;
  /** Timeout for rendering a shared conversation, which is then shown as plain text. Default 20 s. */
  readonly pageTimeoutMs?: number | undefined;
  /** Time for which `close()` waits for responses before it aborts them with an error. Default 20 s. */
  readonly closeTimeoutMs?: number | undefined;
}

const DEFAULT_LIMITS = {
  bodyBytes: 20 * 1024 * 1024,
  openRequests: 1000,
  openManagement: 50,
  openAccount: 200,
  managementRequestsPerMinute: 300,
  openUploads: 400,
  uploadsPerClient: 20,
  openDownloads: 1000,
  downloadsPerClient: 100,
  openPages: 500,
  pagesPerClient: 50,
  connections: 10_000,
  connectionsPerClient: 1000,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 300_000,
  keepAliveTimeoutMs: 72_000,
  pingIntervalMs: 15_000,
  uploadSilenceMs: 60_000,
  drainTimeoutMs: 60_000,
  pageTimeoutMs: 20_000,
  closeTimeoutMs: 20_000,
} satisfies { [limit in keyof HttpLimits]-?: number };

type Limits = { readonly [limit in keyof typeof DEFAULT_LIMITS]: number };

/**
 * Creates the HTTP server, ready to `listen`. `close()` accepts no new connections, answers new requests with 503, lets
 * responses complete within `limits.closeTimeoutMs` and then aborts the remaining ones.
 */
export function createHttpServer(deps: HttpServerDeps): FastifyInstance {
  const limits = withDefaults(deps.limits);
  const server = createBareServer(deps, limits);
  const logRefusal = createRefusalLog(deps);
  const isTrustedProxy = createNetworkMatcher(deps.trustedProxies ?? []);
  limitConnections(server.server, { clock: deps.clock, isTrustedProxy, logRefusal }, limits);
  const inFlight = createInFlightCounters(logRefusal, limits);
  installRequestLog(server, deps);
  installClosing(server, deps.clock, limits.closeTimeoutMs, (reason) => {
    for (const each of Object.values(inFlight)) each.abortAll(reason);
  });
  installCrossOrigin(server, deps.corsOrigins ?? []);
  installUnknownRoute(server);
  installBodyReading(server, { clock: deps.clock, timeoutMs: limits.requestTimeoutMs });
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
      uploadSilenceMs: limits.uploadSilenceMs,
      cloudUrl,
      drainTimeoutMs: limits.drainTimeoutMs,
      requestsPerMinute: limits.managementRequestsPerMinute,
    });
    done();
  });
  const { setup } = deps;
  if (setup) {
    server.register((api, _options, done) => {
      const requestsPerMinute = limits.managementRequestsPerMinute;
      addSetupApi(api, { ...deps, setup, inFlight: inFlight.account, requestsPerMinute });
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
    addGenerationApi(api, { ...deps, inFlight: inFlight.generation, limits });
    done();
  });
  server.register((api, _options, done) => {
    addManagementApi(api, {
      ...deps,
      inFlight: inFlight.management,
      drainTimeoutMs: limits.drainTimeoutMs,
      requestsPerMinute: limits.managementRequestsPerMinute,
    });
    done();
  });
  const cloudDeps = {
    ...deps,
    ...inFlight,
    cloudUrl,
    hasBareFileNames: deps.hasBareFileNames ?? false,
    limits,
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
const ACCOUNT_REQUESTS_PER_CLIENT = 20;

/** Creates the limits of open requests, one for each kind of request. */
function createInFlightCounters(logRefusal: (refusal: Refusal) => void, limits: Limits) {
  return {
    generation: createInFlightRequests(
      { kind: 'generation', logRefusal },
      { maxOpen: limits.openRequests, maxPerClient: limits.openRequests },
    ),
    management: createInFlightRequests(
      { kind: 'management', logRefusal },
      { maxOpen: limits.openManagement, maxPerClient: limits.openManagement },
    ),
    account: createInFlightRequests(
      { kind: 'account', logRefusal },
      { maxOpen: limits.openAccount, maxPerClient: ACCOUNT_REQUESTS_PER_CLIENT },
    ),
    uploads: createInFlightRequests(
      { kind: 'upload', logRefusal },
      {
        maxOpen: limits.openUploads,
        maxPerClient: limits.uploadsPerClient,
        reservedForKeys: Math.floor(limits.openUploads / 5),
      },
    ),
    downloads: createInFlightRequests(
      { kind: 'download', logRefusal },
      { maxOpen: limits.openDownloads, maxPerClient: limits.downloadsPerClient },
    ),
    pages: createInFlightRequests(
      { kind: 'page', logRefusal },
      { maxOpen: limits.openPages, maxPerClient: limits.pagesPerClient },
    ),
  };
}

function createBareServer(deps: HttpServerDeps, limits: Limits): FastifyInstance {
  const loggerInstance: FastifyBaseLogger = deps.logger;
  const server = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: toRequestId,
    rewriteUrl: ({ url = '/', headers }) => toServedUrl(url, headers),
    bodyLimit: limits.bodyBytes,
    trustProxy: deps.trustedProxies && deps.trustedProxies.length > 0 ? [...deps.trustedProxies] : false,
    serverFactory: (handle) => createNodeServer(handle, limits),
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

function createNodeServer(handle: RequestListener, limits: Limits): Server {
  const server = createServer(
    {
      headersTimeout: limits.headersTimeoutMs,
      // Interval at which the timeout above is checked.
      connectionsCheckingInterval: Math.min(5000, Math.ceil(limits.headersTimeoutMs / 3)),
      // Node's own limit would apply to uploads as well.
      requestTimeout: 0,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      // Node's own answers have neither our error body nor an id.
      requireHostHeader: false,
    },
    handle,
  );
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket: Socket) => refuseTunnel(socket));
  return server;
}

function withDefaults(given: HttpLimits = {}): Limits {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(set) };
}
