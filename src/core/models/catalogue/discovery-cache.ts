import type { ProviderModel } from '../contract/provider.ts';

/** Cache of each provider's models, so that a restart does not depend on every host's response. */
export interface DiscoveryCache {
  read(provider: string): Promise<CachedModels | undefined>;
  write(provider: string, cached: CachedModels): Promise<void>;
}

interface CachedModels {
  readonly models: readonly ProviderModel[];
  /** Milliseconds since the epoch. */
  readonly fetchedAt: number;
}

/** Creates a cache for the life of the process. */
export function createMemoryDiscoveryCache(): DiscoveryCache {
  const entries = new Map<string, CachedModels>();
  return {
    read: async (provider) => entries.get(provider),
    write: async (provider, cached) => void entries.set(provider, cached),
  };
}
