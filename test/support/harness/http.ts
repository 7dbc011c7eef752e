import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Foundation } from '../../../src/app/open-resources.ts';
import type { Rules } from '../../../src/app/read-settings.ts';
import { createServices, type Services } from '../../../src/app/services.ts';
import { ensureUniversalKey } from '../../../src/core/accounts/index.ts';
import type { UploadAccess } from '../../../src/core/administration/index.ts';
import type { InstanceBudget, Plans } from '../../../src/core/limits/index.ts';
import { createCatalogue } from '../../../src/core/models/catalogue/create-catalogue.ts';
import type { ProviderTimeouts } from '../../../src/core/models/hosts/endpoint/endpoint.ts';
import { createOpenAiCompatibleProvider } from '../../../src/core/models/hosts/openai-compatible/openai-compatible-provider.ts';
import type { Models, Provider, ProviderModel } from '../../../src/core/models/index.ts';
import { createRouter } from '../../../src/core/models/routing/router.ts';
import { createTargetHealth } from '../../../src/core/models/routing/target-health.ts';
import { type BlobStore, createMemoryBlobStore, type StorageOptions } from '../../../src/core/storage/index.ts';
import {
  IN_FLIGHT_LIMITS,
  type InFlightLimitsByKind,
} from '../../../src/http/server/connections/in-flight-requests.ts';
import { createHttpServer } from '../../../src/http/server.ts';
import type { GivenHttpServices } from '../../../src/http/services.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { ReadDiskSpace } from '../../../src/lib/files/disk-space.ts';
import { HeldBytes } from '../../../src/lib/http/held-bytes.ts';
import type { Logger } from '../../../src/lib/log/logger.ts';
import { type FakeProvider, startFakeProvider } from '../hosts/fake-provider.ts';
import { NO_VOICES } from '../hosts/scripted-models.ts';
import { createTestDatabase, type TestDatabase } from '../stores/test-database.ts';
import { createFoundation, createRecordingLogger } from './foundation.ts';
import { createTestSettings } from './settings.ts';

export type HttpService = Awaited<ReturnType<typeof startHttpService>>;

/** Options of the HTTP server. `clock` affects only the server; everything else uses the system clock. */
type ServerOptions = Partial<Omit<GivenHttpServices, keyof Services | 'logger' | 'heldBytes'>>;

export interface HttpServiceOptions extends ServerOptions {
  /** Limits of open requests that differ from the usual ones. */
  readonly inFlight?: Partial<InFlightLimitsByKind>;
  /** Shared by several services and not closed by them. Default: a new one. */
  readonly database?: TestDatabase;
  /** Store for file contents. Default: in memory. */
  readonly store?: BlobStore;
  readonly storageOptions?: StorageOptions;
  /** Reports the space of the disk that uploads use. Default: unlimited. */
  readonly readSpace?: ReadDiskSpace;
  /** Quotas of users. Default: no limits. */
  readonly plans?: Plans;
  /** Budget of the instance. Default none. */
  readonly budget?: InstanceBudget;
  /** Telegram ids of the admins. Default none. Read at each request. */
  readonly adminIds?: readonly number[];
  /** Telegram ids of users of a private service. Default: public. */
  readonly allowedIds?: readonly number[];
  /** Whether names of Telegram are stored. Default false. */
  readonly storesNames?: boolean;
  /** Who may upload over HTTP. Default anyone. */
  readonly uploads?: UploadAccess;
  readonly timeouts?: Partial<ProviderTimeouts>;
  /** Models of the fake provider besides its chat models. Default none. */
  readonly otherModels?: readonly ProviderModel[];
  /** Fields of requests that cost nothing at any provider, by declaration of the operator. Default none. */
  readonly freeFields?: readonly string[];
  /** Further providers, such as image providers, in the order of preference; not closed here. Default none. */
  readonly imageProviders?: readonly Provider[];
  /** Maximum number of bytes that are held for requests. Default 256 MiB. */
  readonly maxHeldBytes?: number;
  /** Concurrent image requests per user. Default 2. */
  readonly imagesAtOnce?: number;
}

/** The chat model of every service in these tests. */
export const MODEL = 'fake-model';
const API_KEY = 'sk-sb-key-of-the-tests';
/** Path of a key file for given keys. It is never written. */
export const NO_KEY_FILE = join(tmpdir(), 'switchboard-unused', 'universal-api-key');
/** API key that the service sends to the provider. */
export const UPSTREAM_KEY = 'sk-upstream-secret';

const MODELS: readonly ProviderModel[] = [
  {
    id: MODEL,
    type: 'chat',
    displayName: 'Fake Model',
    contextLength: 8192,
    price: { input: 0.15, output: 0.6 },
    acceptsImages: true,
  },
  { id: 'vendor/deep/model:free', type: 'chat', acceptsPdf: true },
];

/**
 * Starts the complete stack: HTTP, accounts in a database, router, provider. Only the provider's host is a fake,
 * connected by a socket.
 */
export async function startHttpService(options: HttpServiceOptions = {}) {
  const provider = await startFakeProvider();
  const database = options.database ?? (await createTestDatabase());
  await ensureUniversalKey(database.db, API_KEY, NO_KEY_FILE);
  const { logger, lines } = createRecordingLogger('info');
  const heldBytes = new HeldBytes(options.maxHeldBytes);
  const foundation = { ...createFoundation({ db: database.db, clock: systemClock, logger }), heldBytes };
  const { plans = {}, budget, adminIds = [], allowedIds = [], storesNames, uploads } = options;
  const rules = { plans, budget, adminIds, allowedIds, storesNames, uploads };
  const services = await createHttpServices(foundation, provider, { ...options, rules });
  const settings = await createTestSettings(foundation, { ...services, adminIds });
  const server = createHttpServer(
    {
      ...services,
      settingsEditor: settings.editor,
      clock: systemClock,
      logger,
      heldBytes,
      cloudUrl: undefined,
      isReady: async () => ({ isReady: true, checks: { database: true } }),
      readState: async () => ({ version: '0.0.0', database: 'embedded', disk: undefined, bot: undefined }),
      ...options,
    },
    { ...IN_FLIGHT_LIMITS, ...options.inFlight },
  );
  await server.listen({ host: '127.0.0.1', port: 0 });
  const port = (server.server.address() as AddressInfo).port;
  const url = `http://127.0.0.1:${port}`;
  const authorization = `Bearer ${API_KEY}`;

  return {
    ...services,
    settings,
    /** May be changed, as a reload does. */
    rules,
    heldBytes,
    /** Returns the tree of routes, as Fastify prints it. */
    printRoutes: () => server.printRoutes({ commonPrefix: false }),
    /** `http://127.0.0.1:<port>`, without a trailing slash. */
    url,
    port,
    /** The server of Node, whose own limits tests may lower. */
    server: server.server,
    /** A valid API key. */
    apiKey: API_KEY,
    /** Fake provider of the chat models, on loopback. */
    provider,
    /** Returns the parsed log lines so far. */
    logLines: (): readonly Record<string, unknown>[] => lines.map((line) => JSON.parse(line)),
    /** Returns the raw log so far. */
    logText: () => lines.join(''),
    /** Sends a request with the key. `path` begins with a slash. */
    post: (path: string, body: unknown, init: RequestInit = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...init,
        headers: { authorization, 'content-type': 'application/json', ...init.headers },
      }),
    get: (path: string, init: RequestInit = {}) =>
      fetch(`${url}${path}`, { ...init, headers: { authorization, ...init.headers } }),
    /** Resolves when all usage so far is written to the database. */
    async writtenDown() {
      await services.limits.flush();
      await services.usage.flush();
    },
    /** Starts a graceful shutdown; resolves when the last connection is closed. */
    stop: () => server.close(),
    /** Frees all resources. */
    async close() {
      server.server.closeAllConnections();
      await server.close();
      await foundation.closers.closeAll();
      await provider.close();
      if (!options.database) await database.close();
    },
  };
}

/** Creates the real services on the fake provider. */
async function createHttpServices(
  foundation: Foundation,
  { baseUrl }: FakeProvider,
  {
    timeouts,
    otherModels = [],
    freeFields = [],
    imageProviders = [],
    store,
    readSpace,
    rules,
    storageOptions,
    imagesAtOnce,
    database,
  }: HttpServiceOptions & { readonly rules: Rules },
): Promise<Services> {
  const chatProvider = createOpenAiCompatibleProvider(foundation, {
    kind: 'openai-compatible',
    name: 'fake',
    baseUrl,
    apiKeys: [UPSTREAM_KEY],
    models: [...MODELS, ...otherModels],
    timeouts,
  });
  foundation.closers.add(() => chatProvider.close());
  const models = await gatherModels([chatProvider, ...imageProviders], foundation.logger, freeFields);
  return createServices(
    {
      ...foundation,
      models: { ...NO_VOICES, ...models },
      blobs: { store: store ?? createMemoryBlobStore(), encryptionKey: randomBytes(32), readSpace },
      rules,
    },
    { storage: storageOptions, imagesAtOnce, database: database?.config },
  );
}

/** Collects models as the service does on start, but also from providers that have no configuration. */
async function gatherModels(
  providers: readonly Provider[],
  logger: Logger,
  freeFields: readonly string[],
): Promise<Pick<Models, 'catalogue' | 'router' | 'providers' | 'circuits'>> {
  const sources = providers.map(async ({ name, acceptsAnyModel, listModels }) => ({
    provider: name,
    acceptsAnyModel,
    isListKnown: true,
    models: await listModels(AbortSignal.timeout(60_000)),
    isFreeField: (field: string) => freeFields.includes(field),
  }));
  const catalogue = createCatalogue(await Promise.all(sources), {
    aliases: {},
    defaultModel: undefined,
    defaultImageModel: undefined,
    fallbackCreated: Math.floor(Date.now() / 1000),
  });
  const health = createTargetHealth(systemClock);
  const router = createRouter({
    clock: systemClock,
    logger,
    random: () => 0,
    health,
    resolve: catalogue.resolve,
    findProvider: (wanted) => providers.find(({ name }) => name === wanted),
  });
  const statuses = (await Promise.all(sources)).map(({ provider: name, models }) => ({
    name,
    modelCount: models.length,
    source: 'host' as const,
    fetchedAt: Date.now(),
    lastError: undefined,
  }));
  return { catalogue, router, providers: () => statuses, circuits: () => health.list() };
}

/** Extracts methods and paths from the route tree that Fastify prints. */
export function listRoutes(tree: string): readonly (readonly [method: string, path: string])[] {
  const open: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', path = '', methods = ''] = /^([\s│]*)[├└]── (.*) \((.*)\)$/.exec(line) ?? [];
    const depth = indent.length / 4;
    open.length = depth;
    open[depth] = path;
    return methods === '' ? [] : methods.split(', ').map((method) => [method, open.join('')] as const);
  });
}
