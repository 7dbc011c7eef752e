import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureUniversalKey } from '../../src/core/accounts/index.ts';
import type { Plans } from '../../src/core/limits/index.ts';
import { createCatalogue } from '../../src/core/models/create-catalogue.ts';
import type { Catalogue, Provider, ProviderModel, Router } from '../../src/core/models/index.ts';
import type { ProviderTimeouts } from '../../src/core/models/providers/openai-compatible/openai-compatible-config.ts';
import { createOpenAiCompatibleProvider } from '../../src/core/models/providers/openai-compatible/openai-compatible-provider.ts';
import { createRouter } from '../../src/core/models/router.ts';
import { createTargetHealth } from '../../src/core/models/target-health.ts';
import { type BlobStore, createMemoryBlobStore, type StorageOptions } from '../../src/core/storage/index.ts';
import { createServices, type Services } from '../../src/create-services.ts';
import { createHttpServer, type HttpLimits, type HttpServerDeps } from '../../src/http/server.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { ReadDiskSpace } from '../../src/lib/disk-space.ts';
import type { Logger } from '../../src/lib/logger.ts';
import type { Foundation } from '../../src/open-resources.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';
import { createFoundation } from './foundation.ts';
import { createRecordingLogger } from './recording-logger.ts';
import { NO_VOICES } from './scripted-models.ts';
import { createEmbeddedTestDatabase, type TestDatabase } from './test-database.ts';

export interface HttpService extends Pick<Services, 'storage' | 'accounts' | 'apiKeys'> {
  /** `http://127.0.0.1:<port>`, without a slash behind it. */
  readonly url: string;
  readonly port: number;
  /** The tree of routes, as Fastify prints it. */
  readonly printRoutes: () => string;
  /** A key that is let in. */
  readonly apiKey: string;
  /** Whoever runs the models that chat, on loopback. */
  readonly provider: FakeProvider;
  /** Lines of the log so far, parsed. */
  readonly logLines: () => readonly Record<string, unknown>[];
  /** Every byte of the log so far. */
  readonly logText: () => string;
  /** Asks with the key. `path` begins with a slash. */
  post(path: string, body: unknown, init?: RequestInit): Promise<Response>;
  get(path: string, init?: RequestInit): Promise<Response>;
  /** Resolves when the books hold everything that is known by now. */
  writtenDown(): Promise<void>;
  /** Begins to go down as the process does; resolves when the last connection is gone. */
  stop(): Promise<void>;
  /** Frees everything. */
  close(): Promise<void>;
}

/** Options of the HTTP server, whose `clock` is its own alone; everything behind it lives by the machine's. */
type ServerOptions = Partial<Omit<HttpServerDeps, keyof Services | 'logger'>> & { readonly limits?: HttpLimits };

export interface HttpServiceOptions extends ServerOptions {
  /** Shared by several services, and not closed by any; unset: a fresh one. */
  readonly database?: TestDatabase;
  /** Where the bytes of files lie; unset: in memory. */
  readonly store?: BlobStore;
  readonly storageOptions?: StorageOptions;
  /** The space of the disk that uploads fill. Default: they fill none. */
  readonly readSpace?: ReadDiskSpace;
  /** What people may use. Default: there are no limits. */
  readonly plans?: Plans;
  readonly timeouts?: Partial<ProviderTimeouts>;
  /** Beside the one that chats, in the order of preference; not closed here. Default none. */
  readonly imageProviders?: readonly Provider[];
  /** Orders for pictures of one person at work at a time. Default 2. */
  readonly imagesAtOnce?: number;
}

/** The model that every service of these tests has. */
export const MODEL = 'fake-model';
const API_KEY = 'sk-sb-key-of-the-tests';
/** The path of a key file for keys that are given: nothing is written there. */
export const NO_KEY_FILE = join(tmpdir(), 'switchboard-unused', 'universal-api-key');
/** What the provider knows the service by. */
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
  { id: 'vendor/deep/model:free', type: 'chat' },
];

/** The whole chain as people meet it: HTTP, accounts in a database, router, provider; only what runs the models is a fake, at the far end of a socket. */
export async function startHttpService(options: HttpServiceOptions = {}): Promise<HttpService> {
  const provider = await startFakeProvider();
  const database = options.database ?? (await createEmbeddedTestDatabase());
  await ensureUniversalKey(database.db, API_KEY, NO_KEY_FILE);
  const { logger, lines } = createRecordingLogger('info');
  const foundation = createFoundation({ db: database.db, clock: systemClock, logger });
  const services = await createHttpServices(foundation, provider, options);
  const server = createHttpServer({
    ...services,
    clock: systemClock,
    logger,
    cloudUrl: undefined,
    isReady: async () => ({ isReady: true, checks: { database: true } }),
    limits: undefined,
    ...options,
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const port = (server.server.address() as AddressInfo).port;
  const url = `http://127.0.0.1:${port}`;
  const authorization = `Bearer ${API_KEY}`;

  return {
    ...services,
    printRoutes: () => server.printRoutes({ commonPrefix: false }),
    url,
    port,
    apiKey: API_KEY,
    provider,
    logLines: () => lines.map((line) => JSON.parse(line)),
    logText: () => lines.join(''),
    post: (path, body, init = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...init,
        headers: { authorization, 'content-type': 'application/json', ...init.headers },
      }),
    get: (path, init = {}) => fetch(`${url}${path}`, { ...init, headers: { authorization, ...init.headers } }),
    writtenDown: () => services.usage.flush(),
    stop: () => server.close(),
    async close() {
      server.server.closeAllConnections();
      await server.close();
      await foundation.closers.closeAll();
      await provider.close();
      if (!options.database) await database.close();
    },
  };
}

/** The services of the product on the fake provider. */
async function createHttpServices(
  foundation: Foundation,
  { baseUrl }: FakeProvider,
  { timeouts, imageProviders = [], store, readSpace, plans = {}, storageOptions, imagesAtOnce }: HttpServiceOptions,
): Promise<Services> {
  const chatProvider = createOpenAiCompatibleProvider(foundation, {
    kind: 'openai-compatible',
    name: 'fake',
    baseUrl,
    apiKeys: [UPSTREAM_KEY],
    models: MODELS,
    timeouts,
  });
  foundation.closers.add(() => chatProvider.close());
  const models = await gatherModels([chatProvider, ...imageProviders], foundation.logger);
  return createServices(
    {
      ...foundation,
      models: { ...NO_VOICES, ...models },
      blobs: { store: store ?? createMemoryBlobStore(), encryptionKey: randomBytes(32), readSpace },
      rules: { plans, adminIds: [], allowedIds: [] },
    },
    { storage: storageOptions, imagesAtOnce },
  );
}

/** As the service puts them together at its start, but with providers that no setting describes among them. */
async function gatherModels(
  providers: readonly Provider[],
  logger: Logger,
): Promise<{ readonly catalogue: Catalogue; readonly router: Router }> {
  const sources = providers.map(async ({ name, acceptsAnyModel, listModels }) => ({
    provider: name,
    acceptsAnyModel,
    isListKnown: true,
    models: await listModels(AbortSignal.timeout(10_000)),
  }));
  const catalogue = createCatalogue(await Promise.all(sources), {
    aliases: {},
    defaultModel: undefined,
    defaultImageModel: undefined,
    fallbackCreated: Math.floor(Date.now() / 1000),
  });
  const router = createRouter({
    clock: systemClock,
    logger,
    random: () => 0,
    health: createTargetHealth(systemClock),
    resolve: catalogue.resolve,
    findProvider: (wanted) => providers.find(({ name }) => name === wanted),
  });
  return { catalogue, router };
}
