import DataLoader from 'dataloader';

export interface BatchLoaderOptions {
  /** Keys in one batch. */
  readonly maxBatchSize: number;
  /** Batches under way at the same time; what comes meanwhile waits and shares the next one. */
  readonly maxInFlight: number;
  /** Keys that wait for a batch. Default as many as are loaded. */
  readonly maxWaiting?: number;
}

/** Thrown when too many keys wait for a batch. To clients it is a database that is away for now. */
export class BatchQueueFullError extends Error {
  override readonly name = 'BatchQueueFullError';
  /** One of those by which `isDatabaseAway` knows it. */
  readonly code = 'ETIMEDOUT';
  constructor() {
    super('Too much waits for the database');
  }
}

/**
 * A data loader with bounds and without a cache: keys that arrive in the same turn of the event loop, or while all batches are under way,
 * are loaded together. No value is older than the `load` that asked for it.
 */
export class BatchLoader<Key, Value> {
  readonly #loader: DataLoader<Key, Value>;
  readonly #options: BatchLoaderOptions;
  /** Starts of batches that wait. */
  readonly #ready: (() => void)[] = [];
  #inFlightCount = 0;
  #waitingCount = 0;

  /** @param loadAll has a value or an error for each key, in the order of the keys. What it throws is the error of all of them. */
  constructor(loadAll: (keys: readonly Key[]) => Promise<readonly (Value | Error)[]>, options: BatchLoaderOptions) {
    this.#options = options;
    this.#loader = new DataLoader((keys) => this.#runBatch(() => loadAll(keys), keys.length), {
      cache: false,
      maxBatchSize: options.maxBatchSize,
      batchScheduleFn: (start) => this.#schedule(start),
    });
  }

  /** @throws BatchQueueFullError; what `loadAll` throws. */
  async load(key: Key): Promise<Value> {
    if (this.#waitingCount >= (this.#options.maxWaiting ?? Number.POSITIVE_INFINITY)) throw new BatchQueueFullError();
    this.#waitingCount += 1;
    return this.#loader.load(key);
  }

  #schedule(start: () => void): void {
    // After everything that arrives in this turn of the event loop.
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
      // What has arrived meanwhile shares the next batch.
      if (this.#ready.length > 0) setImmediate(() => this.#startReady());
    }
  }
}

/** Writes items that arrive together in one call, one call at a time. What a call throws is the error of all its items. */
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
