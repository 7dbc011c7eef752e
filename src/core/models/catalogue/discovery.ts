import { type Clock, endsWithin } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/log/logger.ts';
import type { Provider, ProviderModel } from '../contract/provider.ts';
import type { DiscoveryCache } from './discovery-cache.ts';

export interface DiscoveryDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: () => number;
  readonly cache: DiscoveryCache;
  /** Called after the models of a provider have changed. */
  readonly onChange: () => void;
}

/** Status of a provider's list of models. */
export interface ProviderStatus {
  readonly name: string;
  readonly modelCount: number;
  /** Origin of the list; undefined if there is none. */
  readonly source: 'host' | 'cache' | undefined;
  /** When the host returned the list, milliseconds since the epoch. */
  readonly fetchedAt: number | undefined;
  /** Why the last request failed; undefined after a success. */
  readonly lastError: string | undefined;
}

const START_DEADLINE_MS = 5000;
const ANSWER_PATIENCE_MS = 30_000;
const REFRESH_MS = 60 * 60_000;
const FIRST_RETRY_MS = 30_000;

interface State {
  readonly provider: Provider;
  models: readonly ProviderModel[];
  source: 'host' | 'cache' | undefined;
  fetchedAt: number | undefined;
  lastError: string | undefined;
  failures: number;
  cancelTimer: () => void;
}

/** Keeps the model lists of all providers up to date. */
export function createDiscovery(deps: DiscoveryDeps) {
  const states = new Map<string, State>();
  const closing = new AbortController();

  const take = (state: State, models: readonly ProviderModel[], source: 'host' | 'cache', fetchedAt: number) => {
    const hasChanged = state.source === undefined || JSON.stringify(models) !== JSON.stringify(state.models);
    Object.assign(state, { source, fetchedAt, ...(hasChanged ? { models } : {}) });
    if (hasChanged) deps.onChange();
  };

  const readCache = async (state: State) => {
    try {
      const cached = await deps.cache.read(state.provider.name);
      if (cached && state.source === undefined) take(state, cached.models, 'cache', cached.fetchedAt);
    } catch (error) {
      deps.logger.warn({ err: error, provider: state.provider.name }, 'the cache of models could not be read');
    }
  };

  const refresh = async (state: State): Promise<void> => {
    const { name } = state.provider;
    try {
      const models = await listWithin(deps.clock, state.provider, closing.signal);
      take(state, models, 'host', deps.clock.now());
      state.failures = 0;
      state.lastError = undefined;
      await deps.cache.write(name, { models, fetchedAt: deps.clock.now() }).catch((error: unknown) => {
        deps.logger.warn({ err: error, provider: name }, 'the cache of models could not be written');
      });
    } catch (error) {
      if (closing.signal.aborted) return;
      state.failures += 1;
      const message = error instanceof Error ? error.message : String(error);
      // It is shown beside the name.
      state.lastError = message.startsWith(name) ? message.slice(name.length).replace(/^:? /, '') : message;
      deps.logger.warn({ provider: name, reason: state.lastError }, 'a provider did not list its models');
    }
    if (closing.signal.aborted) return;
    state.cancelTimer = deps.clock.setTimer(nextDelayMs(state.failures, deps.random), () => void refresh(state));
  };

  return {
    /** Resolves when every provider has answered or failed, or after five seconds; then continues in the background. */
    async start(providers: readonly Provider[], signal: AbortSignal): Promise<void> {
      for (const provider of providers) states.set(provider.name, createState(provider));
      const all = [...states.values()];
      await Promise.all(all.map(readCache));
      signal.throwIfAborted();
      await endsWithin(deps.clock, Promise.all(all.map(refresh)), START_DEADLINE_MS, signal);
      signal.throwIfAborted();
    },
    modelsOf: (provider: string): readonly ProviderModel[] => states.get(provider)?.models ?? [],
    /** Returns false until the provider's list was read once, from its host or from the cache. */
    isListKnown: (provider: string): boolean => states.get(provider)?.source !== undefined,
    statuses: (): readonly ProviderStatus[] =>
      [...states.values()].map(({ provider, models, source, fetchedAt, lastError }) => ({
        name: provider.name,
        modelCount: models.length,
        source,
        fetchedAt,
        lastError,
      })),
    close(): void {
      closing.abort();
      for (const state of states.values()) state.cancelTimer();
    },
  };
}

function createState(provider: Provider): State {
  return {
    provider,
    models: [],
    source: undefined,
    fetchedAt: undefined,
    lastError: undefined,
    failures: 0,
    cancelTimer: () => {},
  };
}

async function listWithin(clock: Clock, provider: Provider, signal: AbortSignal): Promise<readonly ProviderModel[]> {
  const patience = new AbortController();
  const onAbort = () => patience.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const cancel = clock.setTimer(ANSWER_PATIENCE_MS, () =>
    patience.abort(new Error(`no list of models within ${ANSWER_PATIENCE_MS} ms`)),
  );
  try {
    return await provider.listModels(patience.signal);
  } finally {
    cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Returns the delay until the next request: an hour after a success, exponential backoff after failures, with 5 %
 * jitter so that processes spread.
 */
function nextDelayMs(failures: number, random: () => number): number {
  const delayMs = failures === 0 ? REFRESH_MS : Math.min(REFRESH_MS, FIRST_RETRY_MS * 2 ** Math.min(10, failures - 1));
  return Math.round(delayMs * (0.95 + random() * 0.1));
}
