import {
  BlobMissingError,
  BlobOutcomeUnknownError,
  BlobRefusedError,
  type BlobStore,
  createMemoryBlobStore,
} from '../../src/core/storage/index.ts';

/** What can go wrong with a call. */
export type StoreFault =
  /** Refused, with and without a time for another try. */
  | 'refused'
  | 'refused-for-now'
  /** No answer, whether it was done or not. */
  | 'lost-undone'
  | 'lost-done'
  /** An error that no contract names. */
  | 'broken'
  /** Of opening: the bytes are not there, break off, end too early, or are others. */
  | 'missing'
  | 'break'
  | 'cut'
  | 'flip'
  | 'swap';

type StoreCall = 'put' | 'open' | 'delete' | 'deleteByName';

export interface ScriptedBlobStore extends BlobStore {
  /** Asked before every call, with its number from 0 among its kind. */
  script: (call: StoreCall, index: number) => StoreFault | undefined;
  readonly callCounts: Readonly<Record<StoreCall, number>>;
  /** Names of the blobs that are really there. */
  readonly names: ReadonlySet<string>;
  /** Names that were asked to be stored, in their order. */
  readonly putNames: readonly string[];
}

/** A store in memory that fails as the test says. */
export function createScriptedBlobStore(
  options: {
    readonly maxBytes?: number;
    readonly beforePut?: (signal: AbortSignal) => Promise<void>;
    /** Whether only the answer to a `put` tells the place of a blob. Default false. */
    readonly hidesPlaces?: boolean;
  } = {},
): ScriptedBlobStore {
  const memory = createMemoryBlobStore(options.maxBytes ? { maxBytes: options.maxBytes } : {});
  const callCounts = { put: 0, open: 0, delete: 0, deleteByName: 0 };
  const names = new Set<string>();
  const putNames: string[] = [];

  const failBefore = (call: StoreCall): StoreFault | undefined => {
    const fault = store.script(call, callCounts[call]++);
    if (fault === 'refused') throw new BlobRefusedError('No');
    if (fault === 'refused-for-now') throw new BlobRefusedError('Not now', { retryAfterMs: 2000 });
    if (fault === 'lost-undone') throw new BlobOutcomeUnknownError('Reset before it was done');
    if (fault === 'broken') throw new TypeError('A mistake');
    if (fault === 'missing') throw new BlobMissingError('Gone');
    return fault;
  };

  const store: ScriptedBlobStore = {
    kind: 'scripted',
    maxBytes: memory.maxBytes,
    script: () => undefined,
    callCounts,
    names,
    putNames,
    async put(blob, signal) {
      putNames.push(blob.name);
      await options.beforePut?.(signal);
      const fault = failBefore('put');
      const locator = await memory.put(blob, signal);
      names.add(blob.name);
      if (fault === 'lost-done') throw new BlobOutcomeUnknownError('Reset after it was done');
      return locator;
    },
    async open(locator, range, signal) {
      const fault = failBefore('open');
      const others = [...names].filter((name) => name !== locator['name']);
      const place = fault === 'swap' && others[0] ? { name: others[0] } : locator;
      return spoil(await memory.open(place, range, signal), range.length, fault);
    },
    async delete(locator, signal) {
      const fault = failBefore('delete');
      await memory.delete(locator, signal);
      names.delete(String(locator['name']));
      if (fault === 'lost-done') throw new BlobRefusedError('Perhaps');
    },
    ...(!options.hidesPlaces && {
      async deleteByName(name: string, signal: AbortSignal) {
        failBefore('deleteByName');
        await memory.deleteByName?.(name, signal);
        names.delete(name);
      },
    }),
  };
  return store;
}

async function* spoil(
  chunks: AsyncIterable<Buffer>,
  length: number,
  fault: StoreFault | undefined,
): AsyncGenerator<Buffer> {
  const limit = fault === 'cut' || fault === 'break' ? Math.floor(length * 0.7) : length;
  let readBytes = 0;
  for await (const chunk of chunks) {
    const kept = Buffer.from(chunk.subarray(0, limit - readBytes));
    readBytes += kept.length;
    const middle = kept.length >> 1;
    if (fault === 'flip') kept.writeUInt8(kept.readUInt8(middle) ^ 0x10, middle);
    if (kept.length > 0) yield kept;
    if (readBytes >= limit && fault === 'break') throw new Error('ECONNRESET');
  }
}
