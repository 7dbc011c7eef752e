import { BatchLoader } from './batch-loader.ts';

/** Finds the values of these keys. Keys without a value are missing in the answer. */
export type FindAll<Key, Value> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;

/** With more than one batch in flight, lookups do not wait for a statement that hangs. */
const BOUNDS = { maxBatchSize: 500, maxInFlight: 4, maxWaiting: 50_000 };

/** Turns single lookups that arrive together into one statement. */
export function createLookup<Key, Value>(findAll: FindAll<Key, Value>): (key: Key) => Promise<Value | undefined> {
  const loader = new BatchLoader<Key, Value | undefined>(async (keys) => {
    const found = await findAll([...new Set(keys)]);
    return keys.map((key) => found.get(key));
  }, BOUNDS);
  return (key) => loader.load(key);
}
