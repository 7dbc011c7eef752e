import { QueueFullError, WorkQueue } from '../../lib/async/work-queue.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { toChildModule } from '../../lib/layout.ts';
import { ProcessError, type ProcessLimits, type ProcessTask, runInProcess } from '../../lib/process/run-in-process.ts';
import { DocumentUnreadableError } from './document-error.ts';
import { type DocumentName, findDocumentKind, findPageKind } from './document-kind.ts';
import type { ReadingLimits } from './readers/document-reader.ts';
import { type ReadingResult, type ReadingTask, readingResult } from './reading-task.ts';
import { type RenderingLimits, type RenderingTask, renderingResult } from './rendering-task.ts';

/** The text of a document. */
export interface DocumentText {
  /** Not empty. */
  readonly text: string;
  /** Number of all its pages, if it has pages. */
  readonly pageCount: number | undefined;
  /** Part of the document that the text holds: above 0, 1 is all of it. */
  readonly share: number;
}

/** The first pages of a PDF as images. */
export interface DocumentPages {
  /** JPEG files, at least one. */
  readonly images: readonly Uint8Array[];
  /** Number of all its pages. */
  readonly pageCount: number;
}

/** A user's request to read a document. */
export interface ReadingRequest {
  /** Only one document of a user is read at a time. */
  readonly userId: number;
  /** Loads the bytes. Called when reading is about to begin, so documents that wait take no memory. */
  readonly load: () => Promise<Buffer>;
  readonly signal: AbortSignal;
}

/** A user's request to render the pages of a PDF. */
export interface RenderingRequest extends ReadingRequest {
  /** Default 10, which is the maximum. */
  readonly maxPages?: number | undefined;
}

/** Text of untrusted documents, and pages of PDF files as images. */
export type DocumentTexts = ReturnType<typeof createDocumentTexts>;

interface DocumentTextsOptions extends Partial<ReadingLimits> {
  /** Limits of rendered pages. */
  readonly rendering?: Partial<RenderingLimits>;
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
/** One page may exceed the limit of all images: noise at full size has about 2 MiB. */
const MAX_PAGE_BYTES = 4 * MIB;
const TIMEOUT_MS = 30_000;
const MAX_MEMORY_BYTES = 512 * MIB;
/** Vision models scale images down to about this length of the longer side. */
const RENDERING: RenderingLimits = { maxPages: 10, maxPixels: 1568, maxBytes: 8 * MIB };
const LIMITS: ReadingLimits = { maxCharacters: 400_000, maxPages: 2000, maxUnpackedBytes: 256 * MIB };
/** Each document may use a core for seconds. */
const MAX_AT_ONCE = 3;
const MAX_WAITING = 50;
/** Two albums of documents (ten files each). */
const MAX_WAITING_OF_ONE = 20;
const READER = toChildModule('core/documents/read-document');
const RENDERER = toChildModule('core/documents/render-pages');

/**
 * Extracts text and renders pages, each document in a child process with limits, so that none can crash or block the
 * service.
 */
export function createDocumentTexts(options: DocumentTextsOptions = {}) {
  const {
    timeoutMs = TIMEOUT_MS,
    maxMemoryBytes = MAX_MEMORY_BYTES,
    atOnce = MAX_AT_ONCE,
    maxWaiting = MAX_WAITING,
    maxWaitingOfOne = MAX_WAITING_OF_ONE,
    clock = systemClock,
    rendering,
    ...limits
  } = options;
  const processLimits = { timeoutMs, maxMemoryBytes, clock };
  const over = new AbortController();
  const queue = new WorkQueue<number>({
    perOwner: 1,
    total: atOnce,
    maxWaitingPerOwner: maxWaitingOfOne,
    maxWaiting,
  });

  const queueWork = <Result>(
    { userId, load, signal }: ReadingRequest,
    work: (bytes: Buffer, signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const ending = AbortSignal.any([signal, over.signal]);
    const loadAndWork = async () => work(await load(), ending);
    return queue.run(loadAndWork, { owner: userId, signal: ending }).catch((error: unknown) => {
      throw error instanceof QueueFullError ? new DocumentUnreadableError('busy') : error;
    });
  };
  const toRenderingLimits = ({ maxPages }: RenderingRequest): RenderingLimits => {
    const most = { ...RENDERING, ...rendering };
    return { ...most, maxPages: Math.min(most.maxPages, maxPages ?? most.maxPages) };
  };
  const queueReading = (request: ReadingRequest, findKind: (bytes: Buffer) => ReadingTask['kind']) =>
    queueWork(request, (bytes, signal) => {
      const task = { kind: findKind(bytes), bytes, limits: { ...LIMITS, ...limits } };
      return readInChild(task, processLimits, signal);
    });

  return {
    /** Returns whether such a file can be read, judged by its name and type. */
    canRead: (document: DocumentName): boolean => findDocumentKind(document) !== undefined,
    /** @throws DocumentUnreadableError; the errors of `load`; the signal's reason. */
    async read(document: DocumentName, request: ReadingRequest): Promise<DocumentText> {
      const kind = findDocumentKind(document);
      if (!kind) throw new DocumentUnreadableError('damaged');
      return queueReading(request, () => kind);
    },
    /**
     * Reads a web page: HTML, plain text or a PDF, whatever type its server states.
     * @throws DocumentUnreadableError; the errors of `load`; the signal's reason.
     */
    readPage: (request: ReadingRequest): Promise<DocumentText> => queueReading(request, findPageKind),
    /**
     * Renders the first pages of a PDF, for models that see images.
     * @throws DocumentUnreadableError; the errors of `load`; the signal's reason.
     */
    renderPages: (request: RenderingRequest): Promise<DocumentPages> =>
      queueWork(request, (bytes, signal) =>
        renderInChild({ bytes, limits: toRenderingLimits(request) }, processLimits, signal),
      ),
    /** Aborts all reading. */
    async close(): Promise<void> {
      over.abort(new DocumentUnreadableError('busy'));
    },
  };
}

async function readInChild(task: ReadingTask, limits: ProcessLimits, signal: AbortSignal): Promise<DocumentText> {
  const answer = await runInChild({ module: READER, data: task }, limits, signal);
  const result = parseResult(answer, task.limits);
  if ('problem' in result) {
    const { problem, reason, pageCount } = result;
    throw new DocumentUnreadableError(problem, { cause: reason, pageCount });
  }
  return { text: result.text, pageCount: result.pageCount, share: result.share };
}

async function renderInChild(task: RenderingTask, limits: ProcessLimits, signal: AbortSignal): Promise<DocumentPages> {
  const renderer = { module: RENDERER, hasAddons: true, data: task };
  const maxResultBytes = task.limits.maxBytes + MAX_PAGE_BYTES;
  const { data: result, error } = renderingResult.safeParse(
    await runInChild(renderer, { ...limits, maxResultBytes }, signal),
  );
  if (!result) throw new DocumentUnreadableError('damaged', { cause: error });
  if ('problem' in result) throw new DocumentUnreadableError(result.problem, { cause: result.reason });
  return result;
}

/** @throws DocumentUnreadableError if the child gives no result; the signal's reason. */
async function runInChild(task: ProcessTask, limits: ProcessLimits, signal: AbortSignal): Promise<unknown> {
  return runInProcess(task, limits, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw toUnreadable(error);
  });
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
