import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createAccounts,
  createKeyUses,
  createUsageRecorder,
  ensureUniversalKey,
} from '../../src/core/accounts/index.ts';
import { createFeedback } from '../../src/core/feedback/index.ts';
import { createChatGeneration, createImageGeneration } from '../../src/core/generation/index.ts';
import { createLimits, type Plans } from '../../src/core/limits/index.ts';
import { createCatalogue } from '../../src/core/models/create-catalogue.ts';
import type { Catalogue, Provider, ProviderModel, Router } from '../../src/core/models/index.ts';
import type { ProviderTimeouts } from '../../src/core/models/providers/openai-compatible/openai-compatible-config.ts';
import { createOpenAiCompatibleProvider } from '../../src/core/models/providers/openai-compatible/openai-compatible-provider.ts';
import { createRouter } from '../../src/core/models/router.ts';
import { createTargetHealth } from '../../src/core/models/target-health.ts';
import { createSharedConversations } from '../../src/core/shared-conversations/index.ts';
import {
  type BlobStore,
  createMemoryBlobStore,
  createStorage,
  type Storage,
  type StorageOptions,
} from '../../src/core/storage/index.ts';
import { createHttpServer, type HttpLimits, type HttpServerDeps } from '../../src/http/server.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import type { ReadDiskSpace } from '../../src/lib/disk-space.ts';
import { createLogger, type Logger } from '../../src/lib/logger.ts';
import { type FakeProvider, startFakeProvider } from './fake-provider.ts';
import { createEmbeddedTestDatabase, type TestDatabase } from './test-database.ts';

export interface HttpService {
  /** `http://127.0.0.1:<port>`, without a slash behind it. */
  readonly url: string;
  readonly port: number;
  /** A key that is let in. */
  readonly apiKey: string;
  /** Whoever runs the models that chat, on loopback. */
  readonly provider: FakeProvider;
  /** What the files lie in. */
  readonly storage: Storage;
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

export interface HttpServiceOptions {
  /** Shared by several services, and not closed by any; unset: a fresh one. */
  readonly database?: TestDatabase;
  readonly limits?: HttpLimits;
  /** The time of the HTTP server alone; everything behind it lives by the machine's. */
  readonly clock?: Clock;
  /** Where the bytes of files lie; unset: in memory. */
  readonly store?: BlobStore;
  readonly storageOptions?: StorageOptions;
  /** The time by which files expire; unset: the machine's. */
  readonly storageClock?: Clock;
  readonly cloudUrl?: string;
  readonly hasBareFileNames?: boolean;
  readonly plugins?: HttpServerDeps['plugins'];
  readonly isReady?: HttpServerDeps['isReady'];
  /** The space of the disk that uploads fill. Default: they fill none. */
  readonly readSpace?: ReadDiskSpace;
  readonly metrics?: HttpServerDeps['metrics'];
  readonly corsOrigins?: HttpServerDeps['corsOrigins'];
  readonly isPrivate?: HttpServerDeps['isPrivate'];
  readonly trustedProxies?: HttpServerDeps['trustedProxies'];
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
  let log = '';
  const logger = createLogger({
    destination: {
      write(line) {
        log += line;
      },
    },
  });
  const usage = createUsageRecorder({ db: database.db, clock: systemClock, logger });
  const chatProvider = createOpenAiCompatibleProvider(
    { clock: systemClock, logger },
    {
      kind: 'openai-compatible',
      name: 'fake',
      baseUrl: provider.baseUrl,
      apiKeys: [UPSTREAM_KEY],
      models: MODELS,
      timeouts: options.timeouts,
    },
  );
  const { catalogue, router } = await gatherModels([chatProvider, ...(options.imageProviders ?? [])], logger);
  const storage = createStorage(
    {
      db: database.db,
      clock: options.storageClock ?? systemClock,
      logger,
      store: options.store ?? createMemoryBlobStore(),
      encryptionKey: randomBytes(32),
      readSpace: options.readSpace,
    },
    options.storageOptions,
  );
  const accounts = createAccounts({ db: database.db, clock: systemClock, adminIds: [] });
  const limits = createLimits({
    db: database.db,
    clock: systemClock,
    logger,
    plans: options.plans ?? {},
    findPlan: accounts.findPlan,
  });
  const keyUses = createKeyUses({ db: database.db, clock: systemClock, logger });
  const server = createHttpServer({
    accounts,
    keyUses,
    generation: createChatGeneration({ chat: router.chat, usage, limits, clock: systemClock }),
    images: createImageGeneration(
      { image: router.image, usage, limits, clock: systemClock },
      { perPerson: options.imagesAtOnce },
    ),
    catalogue,
    feedback: createFeedback({ db: database.db, clock: systemClock, recorder: usage }),
    storage,
    sharedConversations: createSharedConversations({ storage }),
    cloudUrl: options.cloudUrl,
    hasBareFileNames: options.hasBareFileNames,
    clock: options.clock ?? systemClock,
    logger,
    metrics: options.metrics,
    corsOrigins: options.corsOrigins,
    trustedProxies: options.trustedProxies,
    isPrivate: options.isPrivate,
    isReady: options.isReady ?? (async () => ({ isReady: true, checks: { database: true } })),
    plugins: options.plugins,
    limits: options.limits,
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const port = (server.server.address() as AddressInfo).port;
  const url = `http://127.0.0.1:${port}`;
  const authorization = `Bearer ${API_KEY}`;

  return {
    url,
    port,
    apiKey: API_KEY,
    provider,
    storage,
    logLines: () =>
      log
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    logText: () => log,
    post: (path, body, init = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...init,
        headers: { authorization, 'content-type': 'application/json', ...init.headers },
      }),
    get: (path, init = {}) => fetch(`${url}${path}`, { ...init, headers: { authorization, ...init.headers } }),
    writtenDown: () => usage.flush(),
    stop: () => server.close(),
    async close() {
      server.server.closeAllConnections();
      await server.close();
      await storage.close();
      await chatProvider.close();
      await keyUses.close();
      await limits.close();
      await usage.close();
      await provider.close();
      if (!options.database) await database.close();
    },
  };
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
