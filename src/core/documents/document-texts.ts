import { Worker } from 'node:worker_threads';
import { type DocumentProblem, DocumentUnreadableError } from './document-error.ts';
import { type DocumentKind, type DocumentName, findDocumentKind } from './document-kind.ts';
import type { ReadingLimits } from './readers/document-reader.ts';

/** The text of a document. */
export interface DocumentText {
  /** Not empty. */
  readonly text: string;
  /** Pages it has in all, where it has such. */
  readonly pageCount: number | undefined;
  /** How much of the document the text holds: 1 is all of it. */
  readonly share: number;
}

/** Finds the text in people's documents, beside the process: whatever is in them, they hold up nobody. */
export interface DocumentTexts {
  /** Whether such a file can be read, as far as its name tells. */
  canRead(document: DocumentName): boolean;
  /**
   * @param load brings the bytes: called when it is the document's turn, so those that wait take no memory.
   * @throws DocumentUnreadableError; what `load` throws; the signal's reason.
   */
  read(document: DocumentName, load: () => Promise<Buffer>, signal: AbortSignal): Promise<DocumentText>;
  /** Ends what is being read. */
  close(): Promise<void>;
}

interface DocumentTextsOptions extends Partial<ReadingLimits> {
  /** Default 30 s. */
  readonly timeoutMs?: number;
  /** What a document may take in memory while it is read; from then on it is given up. Default 512 MiB. */
  readonly maxMemoryBytes?: number;
}

/** What the thread is given. */
export interface WorkerOrder {
  readonly kind: DocumentKind;
  readonly bytes: Uint8Array;
  readonly limits: ReadingLimits;
}

/** What the thread says in the end. */
export type WorkerResult =
  | { readonly text: string; readonly pageCount: number | undefined; readonly readShare: number }
  | { readonly problem: DocumentProblem; readonly reason?: string };

const MIB = 1024 * 1024;
const TIMEOUT_MS = 30_000;
const MAX_MEMORY_BYTES = 512 * MIB;
const LIMITS: ReadingLimits = { maxCharacters: 400_000, maxPages: 2000, maxUnpackedBytes: 256 * MIB };
/** Each may take a core for seconds, and holds its document in memory. */
const MAX_AT_ONCE = 3;
const MAX_WAITING = 50;
/** How often a thread's memory is looked at: buffers are not in what the engine bounds by itself. */
const LOOK_EVERY_MS = 100;
const WORKER = new URL('./document-worker.ts', import.meta.url);

export function createDocumentTexts(options: DocumentTextsOptions = {}): DocumentTexts {
  const { timeoutMs = TIMEOUT_MS, maxMemoryBytes = MAX_MEMORY_BYTES, ...limits } = options;
  const over = new AbortController();
  const waiting: (() => void)[] = [];
  let atWork = 0;

  const enter = async (signal: AbortSignal) => {
    if (atWork < MAX_AT_ONCE) {
      atWork += 1;
      return;
    }
    if (waiting.length >= MAX_WAITING) throw new DocumentUnreadableError('busy');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      waiting.splice(waiting.indexOf(resolve), 1);
      reject(signal.reason);
    };
    waiting.push(resolve);
    signal.addEventListener('abort', leave, { once: true });
    await promise;
    signal.removeEventListener('abort', leave);
  };
  const leave = () => {
    const next = waiting.shift();
    // Whoever waits takes the place over.
    if (next) next();
    else atWork -= 1;
  };

  return {
    canRead: (document) => findDocumentKind(document) !== undefined,
    async read(document, load, signal) {
      const kind = findDocumentKind(document);
      if (!kind) throw new DocumentUnreadableError('damaged');
      const ending = AbortSignal.any([signal, over.signal]);
      ending.throwIfAborted();
      await enter(ending);
      try {
        const order = { kind, bytes: new Uint8Array(await load()), limits: { ...LIMITS, ...limits } };
        return await readInThread({ timeoutMs, maxMemoryBytes }, order, ending);
      } finally {
        leave();
      }
    },
    async close() {
      over.abort(new DocumentUnreadableError('busy'));
    },
  };
}

interface Bounds {
  readonly timeoutMs: number;
  readonly maxMemoryBytes: number;
}

async function readInThread(
  { timeoutMs, maxMemoryBytes }: Bounds,
  order: WorkerOrder,
  signal: AbortSignal,
): Promise<DocumentText> {
  signal.throwIfAborted();
  const worker = new Worker(WORKER, {
    workerData: order,
    transferList: [order.bytes.buffer as ArrayBuffer],
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil(maxMemoryBytes / MIB) },
    // Nothing that the operator keeps in the environment is anybody's business in there.
    env: {},
    stdout: true,
    stderr: true,
  });
  const { promise, resolve, reject } = Promise.withResolvers<WorkerResult>();
  const giveUp = (problem: DocumentProblem) => reject(new DocumentUnreadableError(problem));
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  // Real time: it is the processor's that is bounded.
  const timer = setTimeout(() => giveUp('too-slow'), timeoutMs);
  const stopWatching = watchMemory(worker, maxMemoryBytes, () => giveUp('too-large'));
  worker.once('message', resolve);
  worker.once('error', (error) => {
    const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    reject(new DocumentUnreadableError(isMemory ? 'too-large' : 'damaged', { cause: error }));
  });
  worker.once('exit', () => giveUp('damaged'));
  try {
    const result = await promise;
    if ('problem' in result) throw new DocumentUnreadableError(result.problem, { cause: result.reason });
    return { text: result.text, pageCount: result.pageCount, share: result.readShare };
  } finally {
    signal.removeEventListener('abort', onAbort);
    clearTimeout(timer);
    stopWatching();
    await worker.terminate();
  }
}

function watchMemory(worker: Worker, maxBytes: number, onTooMuch: () => void): () => void {
  const timer = setInterval(async () => {
    try {
      const { external_memory: bufferBytes } = await worker.getHeapStatistics();
      if (bufferBytes > maxBytes) onTooMuch();
    } catch {
      // It has ended meanwhile.
    }
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}
