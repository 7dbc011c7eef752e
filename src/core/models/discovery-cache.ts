import type { ProviderModel } from './provider.ts';

/** The last known models of a provider, so that a restart does not depend on every host's answer. */
export interface DiscoveryCache {
  read(provider: string): Promise<CachedModels | undefined>;
  write(provider: string, cached: CachedModels): Promise<void>;
}

interface CachedModels {
  readonly models: readonly ProviderModel[];
  /** Milliseconds since the epoch. */
  readonly fetchedAt: number;
}

/** A cache that lasts as long as the process. */
export function createMemoryDiscoveryCache(): DiscoveryCache {
  const entries = new Map<string, CachedModels>();
  return {
    read: async (provider) => entries.get(provider),
    write: async (provider, cached) => void entries.set(provider, cached),
  };
}
