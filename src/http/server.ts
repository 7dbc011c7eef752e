import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type FastifyBaseLogger, type FastifyInstance, type FastifyPluginAsync, fastify, LogController } from 'fastify';
import { createNetworkMatcher } from '../lib/http/network.ts';
import { addAccountApi } from './account/account-api.ts';
import { addGenerationApi } from './api/generation-api.ts';
import { addCloudApi } from './files/cloud-api.ts';
import { MAX_NAME_LENGTH } from './files/cloud-error.ts';
import { addManagementApi } from './management/management-api.ts';
import { addHealth } from './operations/health.ts';
import { addMetrics } from './operations/metrics.ts';
import { addApiReference } from './pages/api-reference.ts';
import { addConsolePages } from './pages/console-pages.ts';
import { addFrontPage } from './pages/front-page.ts';
import { toServedUrl } from './server/base-address.ts';
import { installBodyReading } from './server/bodies/body-reading.ts';
import { toOwnUrl } from './server/connections/addresses.ts';
import { installClosing } from './server/connections/closing.ts';
import { answerConnectionError, refuseTunnel } from './server/connections/connection-error.ts';
import { limitConnections } from './server/connections/connection-limits.ts';
import { createInFlightCounters, createRefusalLog, IN_FLIGHT_LIMITS } from './server/connections/in-flight-requests.ts';
import { installCrossOrigin } from './server/cross-origin.ts';
import { sendError } from './server/errors/error-response.ts';
import { installUnknownRoute } from './server/errors/unknown-route.ts';
import { installOpenApi } from './server/openapi.ts';
import { installPlaygroundAccess, installPlaygroundLinks } from './server/playground-access.ts';
import { requireValidHead, setCommonHeaders, toRequestId } from './server/request-head.ts';
import { installRequestLog } from './server/request-log.ts';
import type { GivenHttpServices, HttpServices } from './services.ts';
import { addSetupApi } from './setup/setup-api.ts';
import { addSharedPages } from './shared-conversations/shared-pages.ts';

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
export function createHttpServer(given: GivenHttpServices, inFlightLimits = IN_FLIGHT_LIMITS): FastifyInstance {
  const server = createBareServer(given);
  const logRefusal = createRefusalLog(given);
  const isTrustedProxy = createNetworkMatcher(given.trustedProxies ?? []);
  limitConnections(server.server, { clock: given.clock, isTrustedProxy, logRefusal });
  const inFlight = createInFlightCounters(logRefusal, inFlightLimits);
  installRequestLog(server, given);
  installClosing(server, given.clock, given.closeTimeoutMs ?? CLOSE_TIMEOUT_MS, (reason) => {
    for (const each of Object.values(inFlight)) each.abortAll(reason);
  });
  installCrossOrigin(server, given.corsOrigins ?? []);
  installUnknownRoute(server);
  installBodyReading(server, given.clock);
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply));

  const plugins = given.plugins ?? [];
  const { playground } = given;
  if (playground?.secret !== undefined) installPlaygroundLinks(server, playground.secret);
  for (const { prefix, plugin, logLevel } of plugins) {
    server.register((context, _options, done) => {
      if (playground && prefix === PLAYGROUND_PREFIX) installPlaygroundAccess(context, playground);
      context.register(plugin, { prefix, ...(logLevel ? { logLevel } : {}) });
      done();
    });
  }
  const cloudUrl = () => given.cloudUrl ?? toOwnUrl(server.server.address() as AddressInfo);
  const services: HttpServices = { ...given, inFlight, cloudUrl };
  server.register((api, _options, done) => {
    addAccountApi(api, services);
    done();
  });
  const { setup } = given;
  if (setup) {
    server.register((api, _options, done) => {
      addSetupApi(api, services, setup);
      done();
    });
  }
  const hasPlayground = plugins.some(({ prefix }) => prefix === PLAYGROUND_PREFIX);
  // After the plugins and the routes of the console, which are not part of the OpenAPI document.
  installOpenApi(server);
  server.register((api, _options, done) => {
    addHealth(api, { isReady: given.isReady, timeoutMs: READINESS_TIMEOUT_MS });
    addMetrics(api, given.metrics);
    addApiReference(api);
    addConsolePages(api, { hasPlayground, cloudUrl, findBotUsername: given.findBotUsername });
    addFrontPage(api, services.administration, { hasPlayground });
    done();
  });
  server.register((api, _options, done) => {
    addGenerationApi(api, services);
    done();
  });
  server.register((api, _options, done) => {
    addManagementApi(api, services);
    done();
  });
  server.register((api, _options, done) => {
    addCloudApi(api, services);
    done();
  });
  server.register((api, _options, done) => {
    addSharedPages(api, services);
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

function createBareServer(deps: GivenHttpServices): FastifyInstance {
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
