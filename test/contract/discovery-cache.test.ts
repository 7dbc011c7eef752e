import { describe, expect, it } from 'vitest';
import {
  createDatabaseDiscoveryCache,
  createMemoryDiscoveryCache,
  type DiscoveryCache,
} from '../../src/core/models/index.ts';
import { describeOnEveryDatabase } from '../support/stores/test-database.ts';

function itBehavesAsDiscoveryCache(createCache: () => Promise<{ cache: DiscoveryCache; close(): Promise<void> }>) {
  it('returns the newest entry of each provider', async () => {
    const { cache, close } = await createCache();
    expect(await cache.read('groq')).toBeUndefined();
    const model = {
      id: 'llama "3"',
      type: 'chat' as const,
      contextLength: 131_072,
      price: { input: 0.05, output: 0.08 },
    };
    await cache.write('groq', { models: [], fetchedAt: 1_700_000_000_000 });
    await cache.write('groq', { models: [model], fetchedAt: 1_700_000_000_123 });
    await cache.write('xai', { models: [], fetchedAt: 1 });
    expect(await cache.read('groq')).toEqual({ models: [model], fetchedAt: 1_700_000_000_123 });
    expect(await cache.read('xai')).toEqual({ models: [], fetchedAt: 1 });
    await close();
  });
}

describe('discovery cache (memory)', () =>
  itBehavesAsDiscoveryCache(async () => ({ cache: createMemoryDiscoveryCache(), close: async () => {} })));

describeOnEveryDatabase('discovery cache', (createDatabase) =>
  itBehavesAsDiscoveryCache(async () => {
    const database = await createDatabase();
    return { cache: createDatabaseDiscoveryCache({ db: database.db }), close: () => database.close() };
  }),
);
