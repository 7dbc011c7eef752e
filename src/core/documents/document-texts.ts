import { type Clock, systemClock } from '../../lib/clock.ts';
import { ProcessError, type ProcessLimits, runInProcess } from '../../lib/run-in-process.ts';
import { QueueFullError, WorkQueue } from '../../lib/work-queue.ts';
import { DocumentUnreadableError } from './document-error.ts';
import { type DocumentName, findDocumentKind, findPageKind } from './document-kind.ts';
import type { ReadingLimits } from './readers/document-reader.ts';
import { type ReadingResult, type ReadingTask, readingResult } from './reading-task.ts';

/** The text of a document. */
export interface DocumentText {
  /** Not empty. */
  readonly text: string;
  /** Number of all its pages, if it has pages. */
  readonly pageCount: number | undefined;
  /** Part of the document that the text holds: above 0, 1 is all of it. */
  readonly share: number;
}

/** A user's request to read a document. */
export interface ReadingRequest {
  /** Only one document of a user is read at a time. */
  readonly userId: number;
  /** Loads the bytes. Called when reading is about to begin, so documents that wait take no memory. */
  readonly load: () => Promise<Buffer>;
  readonly signal: AbortSignal;
}

/**
 * Extracts text from untrusted documents, each in a child process with limits, so none can crash or block the service.
 */
export interface DocumentTexts {
  /** Returns whether such a file can be read, judged by its name and type. */
  canRead(document: DocumentName): boolean;
  /** @throws DocumentUnreadableError; the errors of `load`; the signal's reason. */
  read(document: DocumentName, request: ReadingRequest): Promise<DocumentText>;
  /**
   * Reads a web page: HTML, plain text or a PDF, whatever type its server states.
   * @throws DocumentUnreadableError; the errors of `load`; the signal's reason.
   */
  readPage(request: ReadingRequest): Promise<DocumentText>;
  /** Aborts all reading. */
  close(): Promise<void>;
}

interface DocumentTextsOptions extends Partial<ReadingLimits> {
  /** Time for one document. Default 30 s. */
  readonly timeoutMs?: number;
  /** Memory for one document. Default 512 MiB. */
  readonly maxMemoryBytes?: number;
  /** Documents that are read concurrently. Default 3. */
  readonly atOnce?: number;
  /** Maximum number of waiting documents. Default 50. */
  readonly maxWaiting?: number;
  /** Maximum number of waiting documents of one user. Default 20. */
  readonly maxWaitingOfOne?: number;
  /** Measures `timeoutMs`. Default real time, because it limits CPU work. */
  readonly clock?: Clock;
}

const MIB = 1024 * 1024;
const TIMEOUT_MS = 30_000;
const MAX_MEMORY_BYTES = 512 * MIB;
const LIMITS: ReadingLimits = { maxCharacters: 400_000, maxPages: 2000, maxUnpackedBytes: 256 * MIB };
/** Each document may use a core for seconds. */
const MAX_AT_ONCE = 3;
const MAX_WAITING = 50;
/** Two albums of documents (ten files each). */
const MAX_WAITING_OF_ONE = 20;
const READER = new URL('./read-document.ts', import.meta.url);

export function createDocumentTexts(options: DocumentTextsOptions = {}): DocumentTexts {
  const {
    timeoutMs = TIMEOUT_MS,
    maxMemoryBytes = MAX_MEMORY_BYTES,
    atOnce = MAX_AT_ONCE,
    maxWaiting = MAX_WAITING,
    maxWaitingOfOne = MAX_WAITING_OF_ONE,
    clock = systemClock,
    ...limits
  } = options;
  const over = new AbortController();
  const queue = new WorkQueue<number>({
    perOwner: 1,
    total: atOnce,
    maxWaitingPerOwner: maxWaitingOfOne,
    maxWaiting,
  });

  const queueReading = ({ userId, load, signal }: ReadingRequest, findKind: (bytes: Buffer) => ReadingTask['kind']) => {
    const ending = AbortSignal.any([signal, over.signal]);
    const work = async () => {
      const bytes = await load();
      const task = { kind: findKind(bytes), bytes, limits: { ...LIMITS, ...limits } };
      return readInChild(task, { timeoutMs, maxMemoryBytes, clock }, ending);
    };
    return queue.run(work, { owner: userId, signal: ending }).catch((error: unknown) => {
      throw error instanceof QueueFullError ? new DocumentUnreadableError('busy') : error;
    });
  };

  return {
    canRead: (document) => findDocumentKind(document) !== undefined,
    async read(document, request) {
      const kind = findDocumentKind(document);
      if (!kind) throw new DocumentUnreadableError('damaged');
      return queueReading(request, () => kind);
    },
    readPage: (request) => queueReading(request, findPageKind),
    async close() {
      over.abort(new DocumentUnreadableError('busy'));
    },
  };
}

async function readInChild(task: ReadingTask, limits: ProcessLimits, signal: AbortSignal): Promise<DocumentText> {
  const answer = await runInProcess({ module: READER, data: task }, limits, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw toUnreadable(error);
  });
  const result = parseResult(answer, task.limits);
  if ('problem' in result) throw new DocumentUnreadableError(result.problem, { cause: result.reason });
  return { text: result.text, pageCount: result.pageCount, share: result.share };
}

function toUnreadable(error: unknown): DocumentUnreadableError {
  // The process could not be started: the machine is short of a resource, the document is not the cause.
  if (!(error instanceof ProcessError)) return new DocumentUnreadableError('busy', { cause: error });
  return new DocumentUnreadableError(error.problem === 'too-slow' ? 'too-slow' : 'too-complex', { cause: error });
}

function parseResult(answer: unknown, { maxCharacters }: ReadingLimits): ReadingResult {
  const { data: result, error } = readingResult.safeParse(answer);
  if (!result) throw new DocumentUnreadableError('damaged', { cause: error });
  if ('text' in result && result.text.length > maxCharacters) throw new DocumentUnreadableError('damaged');
  return result;
}
