import DataLoader from 'dataloader';

/** Finds the values of keys. Keys without a value are missing in the result. */
type FindAll<Key, Value> = (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;

/** Several batches may be in flight so that lookups do not wait for a slow statement. */
const LOOKUP_BOUNDS = { maxBatchSize: 500, maxInFlight: 4, maxWaiting: 50_000 };

export interface BatchLoaderOptions {
  /** Maximum number of keys in one batch. */
  readonly maxBatchSize: number;
  /** Maximum number of concurrent batches. Keys that arrive in the meantime wait and share the next batch. */
  readonly maxInFlight: number;
  /** Maximum number of waiting keys. Default: unlimited. */
  readonly maxWaiting?: number;
}

/** Thrown when too many keys wait for a batch. Treated like an unreachable database. */
export class BatchQueueFullError extends Error {
  override readonly name = 'BatchQueueFullError';
  /** A code that `isDatabaseAway` recognizes. */
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('Too many operations are waiting for the database');
  }
}

/**
 * Bounded data loader without a cache. Keys that arrive in the same turn of the event loop, or while the maximum number
 * of batches is in flight, are loaded together. A value is never older than the `load` that requested it.
 */
export class BatchLoader<Key, Value> {
  readonly #loader: DataLoader<Key, Value>;
  readonly #options: BatchLoaderOptions;
  /** Start functions of the waiting batches. */
  readonly #ready: (() => void)[] = [];
  #inFlightCount = 0;
  #waitingCount = 0;

  /**
   * @param loadAll returns a value or an error for each key, in the order of the keys. If it throws, all keys of the
   * batch fail.
   */
  constructor(loadAll: (keys: readonly Key[]) => Promise<readonly (Value | Error)[]>, options: BatchLoaderOptions) {
    this.#options = options;
    this.#loader = new DataLoader((keys) => this.#runBatch(() => loadAll(keys), keys.length), {
      cache: false,
      maxBatchSize: options.maxBatchSize,
      batchScheduleFn: (start) => this.#schedule(start),
    });
  }

  /** @throws BatchQueueFullError; the errors of `loadAll`. */
  async load(key: Key): Promise<Value> {
    if (this.#waitingCount >= (this.#options.maxWaiting ?? Number.POSITIVE_INFINITY)) throw new BatchQueueFullError();
    this.#waitingCount += 1;
    return this.#loader.load(key);
  }

  #schedule(start: () => void): void {
    // Runs after all keys of this turn of the event loop have arrived.
    setImmediate(() => {
      this.#ready.push(start);
      this.#startReady();
    });
  }

  #startReady(): void {
    while (this.#ready.length > 0 && this.#inFlightCount < this.#options.maxInFlight) this.#ready.shift()?.();
  }

  async #runBatch<Result>(load: () => Promise<Result>, keyCount: number): Promise<Result> {
    this.#waitingCount -= keyCount;
    this.#inFlightCount += 1;
    try {
      return await load();
    } finally {
      this.#inFlightCount -= 1;
      // Keys that have arrived in the meantime share the next batch.
      if (this.#ready.length > 0) setImmediate(() => this.#startReady());
    }
  }
}

/**
 * Returns a function that writes concurrently added items in one call, one call at a time. If a call throws, all its
 * items fail.
 */
export function createBatchWriter<Item>(
  write: (items: readonly Item[]) => Promise<void>,
  maxBatchSize: number,
): (item: Item) => Promise<void> {
  const writeAll = async (items: readonly Item[]) => {
    await write(items);
    return items.map(() => undefined);
  };
  const loader = new BatchLoader<Item, undefined>(writeAll, { maxBatchSize, maxInFlight: 1 });
  return (item) => loader.load(item);
}

/** Combines concurrent lookups into one statement. */
export function createLookup<Key, Value>(findAll: FindAll<Key, Value>): (key: Key) => Promise<Value | undefined> {
  const loader = new BatchLoader<Key, Value | undefined>(async (keys) => {
    const found = await findAll([...new Set(keys)]);
    return keys.map((key) => found.get(key));
  }, LOOKUP_BOUNDS);
  return (key) => loader.load(key);
}
