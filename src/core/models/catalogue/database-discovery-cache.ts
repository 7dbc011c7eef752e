import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../../database/connect.ts';
import { modelDiscoveries } from '../../../database/schema/index.ts';
import { toStorableJson } from '../../../database/storable.ts';
import type { ProviderModel } from '../contract/provider.ts';
import type { DiscoveryCache } from './discovery-cache.ts';

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
