import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { modelDiscoveries } from '../../../database/schema/index.ts';
import { toStorableJson } from '../../../database/storable.ts';
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

/** Creates a cache that survives restarts. */
export function createDatabaseDiscoveryCache(deps: { readonly db: Database }): DiscoveryCache {
  const { db } = deps;
  return {
    async read(provider) {
      const [row] = await db.select().from(modelDiscoveries).where(eq(modelDiscoveries.provider, provider));
      // Rows are written only by `write` below.
      return row && { models: row.models as readonly ProviderModel[], fetchedAt: row.fetchedAt.getTime() };
    },
    async write(provider, cached) {
      const set = { models: sql`${toStorableJson(cached.models)}::jsonb`, fetchedAt: new Date(cached.fetchedAt) };
      await db
        .insert(modelDiscoveries)
        .values({ provider, ...set })
        .onConflictDoUpdate({ target: modelDiscoveries.provider, set });
    },
  };
}
