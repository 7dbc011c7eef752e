import type { Dispatcher } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import type { HeldBytes } from '../../lib/http/held-bytes.ts';
import type { Logger } from '../../lib/log/logger.ts';
import type { Observer } from '../../lib/log/observer.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import { createCatalogue, type RoutingCatalogue } from './catalogue/create-catalogue.ts';
import { createDiscovery, type ProviderStatus } from './catalogue/discovery.ts';
import type { DiscoveryCache } from './catalogue/discovery-cache.ts';
import { FREE, findListedPdf, findListPrice, toPriceSource } from './catalogue/prices/find-list-price.ts';
import type { Provider } from './contract/provider.ts';
import { createAnthropicProvider } from './hosts/anthropic/anthropic-provider.ts';
import { createBedrockProvider } from './hosts/bedrock/bedrock-provider.ts';
import { findOllama } from './hosts/find-ollama.ts';
import { createOpenAiCompatibleProvider } from './hosts/openai-compatible/openai-compatible-provider.ts';
import { type DemoConfig, type ModelsConfig, mayChat, type ProviderConfig } from './hosts/settings/models-config.ts';
import { createStableDiffusionWebUiProvider } from './hosts/stable-diffusion-webui/stable-diffusion-webui-provider.ts';
import {
  createSpeechRouter,
  createTranscriptionRouter,
  type SpeechRouter,
  type TranscriptionRouter,
} from './routing/audio-routers.ts';
import { createRouter, type Router } from './routing/router.ts';
import { type CircuitState, createTargetHealth } from './routing/target-health.ts';

export interface ModelsDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly discoveryCache: DiscoveryCache;
  /** Creates the demonstration, which is used if it is configured, and if there is no other chat provider. */
  readonly createDemo: (deps: Pick<ModelsDeps, 'clock' | 'random'>, config?: DemoConfig) => Provider;
  /** Returns a number from 0 to 1, 1 excluded. Default `Math.random`. */
  readonly random?: () => number;
  /** Observes each attempt at a provider. Default none. */
  readonly observer?: Observer | undefined;
  /** Counts the answers that are read whole. Default: they are not counted. */
  readonly heldBytes?: HeldBytes | undefined;
  /** Used for all requests instead of one pool for each provider; not closed here. */
  readonly dispatcher?: Dispatcher;
}

/** Catalogue and routers over all configured providers. */
export interface Models {
  readonly catalogue: Catalogue;
  readonly router: Router;
  /** Speech to text for the bot. */
  readonly transcription: TranscriptionRouter;
  /** Text to speech for the bot. */
  readonly speech: SpeechRouter;
  /**
   * Loads the models of every provider, for about five seconds at most. Slower providers continue in the background,
   * and all lists are reloaded every hour. If no chat provider is configured, uses a running Ollama, else the
   * demonstration. Call it once.
   * @throws the signal's reason.
   */
  start(signal: AbortSignal): Promise<void>;
  /** Status of the providers, in the order of preference. */
  providers(): readonly ProviderStatus[];
  /** States of the circuit breakers with failures. */
  circuits(): readonly CircuitState[];
  /** Aborts requests in flight. */
  close(): Promise<void>;
}

export function createModels(deps: ModelsDeps, config: ModelsConfig): Models {
  const random = deps.random ?? Math.random;
  const providers = new Map<string, Provider>();
  const priceLists = new Map<string, string | undefined>();
  const add = (provider: Provider, priceList: string | undefined) => {
    providers.set(provider.name, provider);
    priceLists.set(provider.name, priceList);
  };
  for (const provider of config.providers) add(createProvider(deps, provider), toPriceList(provider));

  const configured = new Set(config.providers.filter(hasOwnModels).map(({ name }) => name));
  const freeFields = new Map(
    config.providers.map((provider) => [provider.name, provider.kind === 'demo' ? [] : (provider.freeFields ?? [])]),
  );
  const fallbackCreated = Math.floor(deps.clock.now() / 1000);
  const build = (): RoutingCatalogue =>
    createCatalogue(
      [...providers.values()].map(({ name, acceptsAnyModel }) => ({
        provider: name,
        acceptsAnyModel,
        isListKnown: discovery.isListKnown(name),
        models: discovery.modelsOf(name),
        isConfigured: configured.has(name),
        // Hosts of the operator's own charge for nothing.
        isFreeField: (field) => priceLists.get(name) === FREE || (freeFields.get(name)?.includes(field) ?? false),
        findListPrice: (model) => findListPrice(priceLists.get(name), model),
        findListedPdf: (model) => findListedPdf(priceLists.get(name), model),
        readListSource: () => {
          const list = priceLists.get(name);
          return list === undefined ? undefined : toPriceSource(list);
        },
      })),
      {
        aliases: config.aliases,
        defaultModel: config.defaultModel,
        defaultImageModel: config.defaultImageModel,
        libraryEmbeddingModel: config.libraryEmbeddingModel,
        fallbackCreated,
      },
    );
  const discovery = createDiscovery({
    clock: deps.clock,
    logger: deps.logger,
    random,
    cache: deps.discoveryCache,
    onChange: () => {
      catalogue = build();
    },
  });
  let catalogue = build();
  const health = createTargetHealth(deps.clock);

  return {
    catalogue: {
      list: () => catalogue.list(),
      find: (id) => catalogue.find(id),
      findPrice: (target) => catalogue.findPrice(target),
      findPriceSource: (target) => catalogue.findPriceSource(target),
      findPrices: (id) => catalogue.findPrices(id),
      isFreeField: (id, field) => catalogue.isFreeField(id, field),
      defaultChatModel: () => catalogue.defaultChatModel(),
      defaultImageModel: () => catalogue.defaultImageModel(),
      libraryEmbeddingModel: () => catalogue.libraryEmbeddingModel(),
    },
    router: createRouter({
      clock: deps.clock,
      logger: deps.logger,
      random,
      health,
      resolve: (model, type) => catalogue.resolve(model, type),
      findProvider: (name) => providers.get(name),
      observer: deps.observer,
    }),
    transcription: createTranscriptionRouter({ logger: deps.logger, listProviders: () => [...providers.values()] }),
    speech: createSpeechRouter({ logger: deps.logger, listProviders: () => [...providers.values()] }),
    async start(signal) {
      let hasChat = config.providers.some(mayChat);
      if (config.ollamaBaseUrl !== undefined && !providers.has('ollama')) {
        const ollama = await findOllama(deps, config.ollamaBaseUrl, signal);
        if (ollama) {
          add(ollama, FREE);
          hasChat = true;
        }
      }
      signal.throwIfAborted();
      // Added last: configured image models go before those of the demonstration.
      if (!hasChat && !providers.has('demo')) add(deps.createDemo(deps), FREE);
      await discovery.start([...providers.values()], signal);
    },
    providers: () => discovery.statuses(),
    circuits: () => health.list(),
    async close() {
      discovery.close();
      await Promise.all([...providers.values()].map((provider) => provider.close()));
    },
  };
}

function hasOwnModels(config: ProviderConfig): boolean {
  return 'models' in config && config.models !== undefined;
}

function toPriceList(config: ProviderConfig): string | undefined {
  return config.kind === 'demo' || config.kind === 'stable-diffusion-webui' ? FREE : config.priceList;
}

function createProvider(deps: ModelsDeps, config: ProviderConfig): Provider {
  switch (config.kind) {
    case 'demo':
      return deps.createDemo(deps, config);
    case 'openai-compatible':
      return createOpenAiCompatibleProvider(deps, config);
    case 'anthropic':
      return createAnthropicProvider(deps, config);
    case 'bedrock':
      return createBedrockProvider(deps, config);
    case 'stable-diffusion-webui':
      return createStableDiffusionWebUiProvider(deps, config);
  }
}
