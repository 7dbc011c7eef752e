import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type FastifyBaseLogger, type FastifyInstance, type FastifyPluginAsync, fastify, LogController } from 'fastify';
import type { Accounts, KeyUses } from '../core/accounts/index.ts';
import type { Feedback } from '../core/feedback/index.ts';
import type { ChatGeneration, ImageGeneration } from '../core/generation/index.ts';
import type { Catalogue } from '../core/models/index.ts';
import type { SharedConversations } from '../core/shared-conversations/index.ts';
import type { Storage } from '../core/storage/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { LogContext } from '../lib/log-context.ts';
import type { Logger } from '../lib/logger.ts';
import { createNetworkMatcher } from '../lib/network.ts';
import type { Observer } from '../lib/observer.ts';
import type { TelegramAddress } from '../lib/start-link.ts';
import { installBodyReading } from './body-reading.ts';
import { installClosing } from './closing.ts';
import { addCloudApi } from './cloud-api/cloud-api.ts';
import { MAX_NAME_LENGTH } from './cloud-api/cloud-error.ts';
import { setCommonHeaders, toRequestId } from './common-headers.ts';
import { answerConnectionError } from './connection-error.ts';
import { limitConnections } from './connection-limits.ts';
import { installCrossOrigin } from './cross-origin.ts';
import { sendError } from './error-response.ts';
import { toServedUrl } from './generation-api/base-address.ts';
import { addGenerationApi } from './generation-api/generation-api.ts';
import { createOpenExchanges } from './open-exchanges.ts';
import { installOpenApi } from './openapi.ts';
import { addApiReference } from './operations/api-reference.ts';
import { addFrontPage } from './operations/front-page.ts';
import { addHealth, type Readiness } from './operations/health.ts';
import { addMetrics, type MetricsAccess } from './operations/metrics.ts';
import { toOwnUrl } from './own-url.ts';
import { createRefusalLog, type Refusal } from './refusal-log.ts';
import { installRequestLog } from './request-log.ts';
import { addSharedPages } from './shared-conversations/shared-pages.ts';
import { installUnknownRoute } from './unknown-route.ts';

export interface HttpServerDeps extends TelegramAddress {
  readonly accounts: Accounts;
  /** Remembers the use of keys. Default nobody does. */
  readonly keyUses?: KeyUses | undefined;
  /** Whether the service is for few people: then uploads need an API key, too. Default it is for all. */
  readonly isPrivate?: (() => boolean) | undefined;
  readonly generation: ChatGeneration;
  readonly images: ImageGeneration;
  readonly catalogue: Catalogue;
  readonly feedback: Pick<Feedback, 'rateReply'>;
  readonly storage: Storage;
  readonly sharedConversations: Pick<SharedConversations, 'find'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How others reach the files: what download links begin with, without a slash behind it. Unset: the server's own address. */
  readonly cloudUrl: string | undefined;
  /** `Content-Disposition` is the bare name of the file, for clients that take its whole value as the name. Default false. */
  readonly hasBareFileNames?: boolean | undefined;
  /** For `/readyz`. */
  readonly isReady: () => Promise<Readiness>;
  /** For `/metrics`. Default: there is no such address. */
  readonly metrics?: MetricsAccess | undefined;
  /** Learns on behalf of which request something is done. Default nobody does. */
  readonly logContext?: LogContext | undefined;
  /** Sees each `http request`. Default nobody. */
  readonly observer?: Observer | undefined;
  /** Origins whose pages may call the API in people's browsers; `*` are all. Default none. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is believed. Default none. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Other faces to mount, each under its prefix (`/playground`). Default none. */
  readonly plugins?: readonly HttpPlugin[] | undefined;
  readonly limits?: HttpLimits | undefined;
}

export interface HttpPlugin {
  readonly prefix: string;
  readonly plugin: FastifyPluginAsync;
  /** From which level on its requests are logged; each is a line at `info`. Default: as everything else. */
  readonly logLevel?: 'debug' | 'info' | 'warn' | undefined;
}

/** How much the server bears. Times are milliseconds. */
export interface HttpLimits {
  /** Size of a request body; images stand in it as base64. Default 20 MiB. */
  readonly bodyBytes?: number | undefined;
  /** Requests of the generation API open at once; more are answered 503. One client, or one key, may have half of them. Default 1000. */
  readonly openRequests?: number | undefined;
  /** Uploads open at once; a fifth is for those with an API key. Default 400, fewer than the storage takes. */
  readonly openUploads?: number | undefined;
  /** Uploads of one client open at once; more are answered 429. Default 20, as many as the storage takes. */
  readonly uploadsPerClient?: number | undefined;
  /** Downloads open at once. Default 1000. */
  readonly openDownloads?: number | undefined;
  /** Downloads of one client open at once. Default 100. */
  readonly downloadsPerClient?: number | undefined;
  /** Requests for pages about files and for shared conversations, and deletions, open at once. Default 500. */
  readonly openPages?: number | undefined;
  /** The same of one client. Default 50. */
  readonly pagesPerClient?: number | undefined;
  /** Connections open at once; more are closed without an answer. Default 10 000. */
  readonly connections?: number | undefined;
  /** Connections of one client open at once, unless it is a trusted proxy. Default 1000. */
  readonly connectionsPerClient?: number | undefined;
  /** For all headers of a request to arrive. Default 15 s. */
  readonly headersTimeoutMs?: number | undefined;
  /** For the body of a request to arrive, uploads excepted; answers may take longer. Default 5 min. */
  readonly requestTimeoutMs?: number | undefined;
  /** How long an idle connection is kept. Default 72 s: longer than the 60 s of usual load balancers, so that they close first. */
  readonly keepAliveTimeoutMs?: number | undefined;
  /** Silence after which an OpenAI stream says `: ping`. Default 15 s. */
  readonly pingIntervalMs?: number | undefined;
  /** How long an upload may be silent, and in which 1 KiB a second must come. Default 60 s. */
  readonly uploadSilenceMs?: number | undefined;
  /** How long a client may leave a stream, a picture or a download unread. Default 60 s. */
  readonly drainTimeoutMs?: number | undefined;
  /** Pictures on their way to clients, in all; while there are more, requests for others are answered 503. Default 512 MiB. */
  readonly pictureBytes?: number | undefined;
  /** Time to render the page of a shared conversation; then it is shown as plain text. Default 20 s. */
  readonly pageTimeoutMs?: number | undefined;
  /** How long `close()` lets answers end by themselves before it breaks them off, with an error that says so. Default 20 s. */
  readonly closeTimeoutMs?: number | undefined;
}

const DEFAULT_LIMITS = {
  bodyBytes: 20 * 1024 * 1024,
  openRequests: 1000,
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
  pictureBytes: 512 * 1024 * 1024,
  pageTimeoutMs: 20_000,
  closeTimeoutMs: 20_000,
} satisfies { [limit in keyof HttpLimits]-?: number };

type Limits = { readonly [limit in keyof typeof DEFAULT_LIMITS]: number };

/**
 * The HTTP faces, ready to `listen`. `close()` takes no new connections, answers new requests with 503, lets
 * answers end within `limits.closeTimeoutMs` and then breaks off what is left.
 */
export function createHttpServer(deps: HttpServerDeps): FastifyInstance {
  const limits = withDefaults(deps.limits);
  const server = createBareServer(deps, limits);
  const logRefusal = createRefusalLog(deps);
  const isTrustedProxy = createNetworkMatcher(deps.trustedProxies ?? []);
  limitConnections(server.server, { clock: deps.clock, isTrustedProxy, logRefusal }, limits);
  const exchanges = createExchanges(logRefusal, limits);
  installRequestLog(server, deps);
  installClosing(server, deps.clock, limits.closeTimeoutMs, (reason) => {
    for (const each of Object.values(exchanges)) each.abortAll(reason);
  });
  installCrossOrigin(server, deps.corsOrigins ?? []);
  installUnknownRoute(server);
  installBodyReading(server, { clock: deps.clock, timeoutMs: limits.requestTimeoutMs });
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply));

  const plugins = deps.plugins ?? [];
  for (const { prefix, plugin, logLevel } of plugins) {
    server.register(plugin, { prefix, ...(logLevel ? { logLevel } : {}) });
  }
  // After the other faces: they are not part of the document.
  installOpenApi(server);
  server.register((api, _options, done) => {
    addHealth(api, { isReady: deps.isReady, timeoutMs: READINESS_TIMEOUT_MS });
    addMetrics(api, deps.metrics);
    addApiReference(api);
    addFrontPage(api, { hasPlayground: plugins.some(({ prefix }) => prefix === '/playground') });
    done();
  });
  server.register((api, _options, done) => {
    addGenerationApi(api, { ...deps, exchanges: exchanges.generation, limits });
    done();
  });
  const cloudDeps = {
    ...deps,
    ...exchanges,
    cloudUrl: () => deps.cloudUrl ?? toOwnUrl(server.server.address() as AddressInfo),
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

const READINESS_TIMEOUT_MS = 5000;

/** Budgets of requests that are open at once. Each is used up by its own kind alone. */
function createExchanges(logRefusal: (refusal: Refusal) => void, limits: Limits) {
  return {
    generation: createOpenExchanges(
      { kind: 'generation', logRefusal },
      { maxOpen: limits.openRequests, maxPerClient: limits.openRequests },
    ),
    uploads: createOpenExchanges(
      { kind: 'upload', logRefusal },
      {
        maxOpen: limits.openUploads,
        maxPerClient: limits.uploadsPerClient,
        reservedForKeys: Math.floor(limits.openUploads / 5),
      },
    ),
    downloads: createOpenExchanges(
      { kind: 'download', logRefusal },
      { maxOpen: limits.openDownloads, maxPerClient: limits.downloadsPerClient },
    ),
    pages: createOpenExchanges(
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
    rewriteUrl: ({ url = '/' }) => toServedUrl(url),
    bodyLimit: limits.bodyBytes,
    trustProxy: deps.trustedProxies && deps.trustedProxies.length > 0 ? [...deps.trustedProxies] : false,
    serverFactory: (handle) =>
      createServer(
        {
          headersTimeout: limits.headersTimeoutMs,
          // How often the timeout above is looked at.
          connectionsCheckingInterval: Math.min(5000, Math.ceil(limits.headersTimeoutMs / 3)),
          // Node's own limit knows no exception for uploads.
          requestTimeout: 0,
          keepAliveTimeout: limits.keepAliveTimeoutMs,
        },
        handle,
      ),
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: MAX_NAME_LENGTH },
    // Fastify's own 503 has neither our shape nor Retry-After.
    return503OnClosing: false,
    clientErrorHandler: answerConnectionError,
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(reply.raw, request.id);
      sendError(error, request, reply);
    },
  });
  server.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(reply.raw, request.id);
    done();
  });
  return server;
}

function withDefaults(given: HttpLimits = {}): Limits {
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_LIMITS, ...Object.fromEntries(set) };
}
