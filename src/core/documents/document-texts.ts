import { type Clock, systemClock } from '../../lib/clock.ts';
import { runInThread, ThreadError } from '../../lib/run-in-thread.ts';
import { createSlots, SlotsFullError } from '../../lib/slots.ts';
import { type DocumentProblem, DocumentUnreadableError } from './document-error.ts';
import { type DocumentKind, type DocumentName, findDocumentKind, findPageKind } from './document-kind.ts';
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
  /**
   * Reads what the web has given: HTML, plain text or a PDF, whatever its server calls it.
   * @throws DocumentUnreadableError; the signal's reason.
   */
  readPage(bytes: Buffer, signal: AbortSignal): Promise<DocumentText>;
  /** Ends what is being read. */
  close(): Promise<void>;
}

interface DocumentTextsOptions extends Partial<ReadingLimits> {
  /** Default 30 s. */
  readonly timeoutMs?: number;
  /** What a document may take in memory while it is read; from then on it is given up. Default 512 MiB. */
  readonly maxMemoryBytes?: number;
  /** Documents that are read at once. Default 3. */
  readonly atOnce?: number;
  /** Documents that may wait for that. Default 50. */
  readonly maxWaiting?: number;
  /** Default real time: it is the processor's that is bounded. */
  readonly clock?: Clock;
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
const WORKER = new URL('./document-worker.ts', import.meta.url);

export function createDocumentTexts(options: DocumentTextsOptions = {}): DocumentTexts {
  const {
    timeoutMs = TIMEOUT_MS,
    maxMemoryBytes = MAX_MEMORY_BYTES,
    atOnce = MAX_AT_ONCE,
    maxWaiting = MAX_WAITING,
    clock = systemClock,
    ...limits
  } = options;
  const over = new AbortController();
  const slots = createSlots({ atOnce, maxWaiting });

  const readInTurn = (kind: DocumentKind, load: () => Promise<Buffer>, signal: AbortSignal) => {
    const ending = AbortSignal.any([signal, over.signal]);
    const work = async () => {
      const order = { kind, bytes: new Uint8Array(await load()), limits: { ...LIMITS, ...limits } };
      return readInThread({ timeoutMs, maxMemoryBytes, clock }, order, ending);
    };
    return slots.run(work, ending).catch((error: unknown) => {
      throw error instanceof SlotsFullError ? new DocumentUnreadableError('busy') : error;
    });
  };

  return {
    canRead: (document) => findDocumentKind(document) !== undefined,
    async read(document, load, signal) {
      const kind = findDocumentKind(document);
      if (!kind) throw new DocumentUnreadableError('damaged');
      return readInTurn(kind, load, signal);
    },
    readPage: (bytes, signal) => readInTurn(findPageKind(bytes), async () => bytes, signal),
    async close() {
      over.abort(new DocumentUnreadableError('busy'));
    },
  };
}

interface Bounds {
  readonly timeoutMs: number;
  readonly maxMemoryBytes: number;
  readonly clock: Clock;
}

async function readInThread(bounds: Bounds, order: WorkerOrder, signal: AbortSignal): Promise<DocumentText> {
  const thread = { worker: WORKER, data: order, transfer: [order.bytes.buffer as ArrayBuffer] };
  const result = await runInThread(thread, bounds, signal).catch((error: unknown) => {
    if (!(error instanceof ThreadError)) throw error;
    throw new DocumentUnreadableError(error.problem === 'broken' ? 'damaged' : error.problem, { cause: error.cause });
  });
  // What the thread posts is what `document-worker.ts` makes.
  const found = result as WorkerResult;
  if ('problem' in found) throw new DocumentUnreadableError(found.problem, { cause: found.reason });
  return { text: found.text, pageCount: found.pageCount, share: found.readShare };
}
