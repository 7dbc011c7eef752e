import {
  BlobMissingError,
  BlobOutcomeUnknownError,
  BlobRefusedError,
  type BlobStore,
  createMemoryBlobStore,
} from '../../../src/core/storage/index.ts';

/** Failure of a call. */
export type StoreFault =
  /** Refused, without and with a time for the next attempt. */
  | 'refused'
  | 'refused-for-now'
  /** No response: the operation was not executed, or was executed. */
  | 'lost-undone'
  | 'lost-done'
  /** Error outside the contract of the store. */
  | 'broken'
  /** When opening: the content is missing, breaks off, ends too early, is corrupted or is replaced. */
  | 'missing'
  | 'break'
  | 'cut'
  | 'flip'
  | 'swap';

type StoreCall = 'put' | 'open' | 'delete' | 'deleteByName';

export interface ScriptedBlobStore extends BlobStore {
  /** Called before every call with its index (from 0) among calls of its kind. */
  script: (call: StoreCall, index: number) => StoreFault | undefined;
  readonly callCounts: Readonly<Record<StoreCall, number>>;
  /** Names of the stored blobs. */
  readonly names: ReadonlySet<string>;
  /** Names passed to `put`, in order. */
  readonly putNames: readonly string[];
}

/** Creates a store in memory with scripted failures. */
export function createScriptedBlobStore(
  options: {
    /** Default `scripted`. */
    readonly kind?: string;
    readonly maxBytes?: number;
    readonly beforePut?: (signal: AbortSignal) => Promise<void>;
    /** Whether the location of a blob is known only from the response to `put`. Default false. */
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
    kind: options.kind ?? 'scripted',
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
      const chatTopic = fault === 'swap' && others[0] ? { name: others[0] } : locator;
      return spoil(await memory.open(chatTopic, range, signal), range.length, fault);
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
