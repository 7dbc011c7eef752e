import { BatchLoader } from './batch-loader.ts';

/** Finds the values of keys. Keys without a value are missing in the result. */
export type FindAll<Key, Value> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;

/** Several batches may be in flight so that lookups do not wait for a slow statement. */
const BOUNDS = { maxBatchSize: 500, maxInFlight: 4, maxWaiting: 50_000 };

/** Combines concurrent lookups into one statement. */
export function createLookup<Key, Value>(findAll: FindAll<Key, Value>): (key: Key) => Promise<Value | undefined> {
  const loader = new BatchLoader<Key, Value | undefined>(async (keys) => {
    const found = await findAll([...new Set(keys)]);
    return keys.map((key) => found.get(key));
  }, BOUNDS);
  return (key) => loader.load(key);
}
