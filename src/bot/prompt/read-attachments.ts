import type { Attachment } from '../../core/conversations/index.ts';
import { DocumentUnreadableError } from '../../core/documents/index.ts';
import { describeError } from '../../lib/describe-error.ts';
import { AnswerFailedError, toFailure } from '../failures/failure.ts';
import type { BotDeps } from '../framework/bot-deps.ts';
import type { View } from '../framework/view.ts';
import { toRequester } from '../groups/to-requester.ts';
import type { LinkedPage } from '../inputs/links.ts';
import { loadFile } from '../inputs/load-file.ts';
import { MAX_FILE_MB } from '../inputs/photo.ts';
import { addContext } from './add-context.ts';
import type { AnswerRequest } from './answer-request.ts';

/** Dependencies for reading attachments. */
export type ReadingDeps = Pick<
  BotDeps,
  | 'client'
  | 'clock'
  | 'conversations'
  | 'documents'
  | 'groups'
  | 'limits'
  | 'logger'
  | 'openPage'
  | 'storage'
  | 'transcription'
>;

type TextFile = Extract<Attachment, { readonly telegramFileId: string; readonly name: string }>;
type StoredDocument = Extract<Attachment, { readonly kind: 'stored' }>;

/** Options for reading attachments. */
export interface ReadingOptions {
  /** Also opens links in the text, for models without a tool to do so. */
  readonly opensLinks: boolean;
  /** Called with the names of pages before they are loaded. */
  readonly onOpening: (names: readonly string[]) => void;
}

/** Result of reading the attachments of a question. */
export interface ReadOutcome {
  /** At least one attachment was read for the first time. */
  readonly isRead: boolean;
  /** Links that were not opened, because of a failure or the limit. */
  readonly unopened: readonly LinkedPage[];
}

/**
 * Reads the attachments of a question that are not read yet, and stores their text with it. A link that can't be opened
 * is reported, and the question continues without it.
 * @throws AnswerFailedError if a file, or the page that the question is about, can't be read; the signal's reason.
 */
export async function readAttachments(
  deps: ReadingDeps,
  request: AnswerRequest,
  { opensLinks, onOpening }: ReadingOptions,
  signal: AbortSignal,
): Promise<ReadOutcome> {
  const { question } = request;
  const isReadable = ({ kind }: Attachment) => kind !== 'photo' && (kind !== 'link' || opensLinks);
  if (!question.attachments.some(isReadable)) return { isRead: false, unopened: [] };
  const storedTexts = await deps.conversations.listTexts([question.id]);
  const unread = [...question.attachments.entries()].filter(
    ([position, file]) => isReadable(file) && !storedTexts.some((one) => one.position === position),
  );
  const [links, rest] = [
    unread.filter(([, { kind }]) => kind === 'link'),
    unread.filter(([, { kind }]) => kind !== 'link'),
  ];
  const opened = unread.flatMap(([, file]) => ('url' in file ? [file.name] : []));
  if (opened.length > 0) onOpening(opened.slice(0, MAX_LINKS_OPENED));
  for (const [position, file] of rest) {
    if (file.kind === 'photo') continue;
    const { text, share } = await readFile(deps, request, { file, position }, signal);
    await deps.conversations.keepText({ messageId: question.id, position, text, share });
    if (file.kind === 'recording') await addContext(deps, request, toTranscriptView(text));
  }
  const unopened = await openLinks(deps, request, links, signal);
  return { isRead: rest.length > 0 || links.length > unopened.length, unopened };
}

/** Opens links in parallel, up to `MAX_LINKS_OPENED`. */
async function openLinks(
  deps: ReadingDeps,
  request: AnswerRequest,
  links: readonly (readonly [position: number, file: Attachment])[],
  signal: AbortSignal,
): Promise<readonly LinkedPage[]> {
  const { inputs } = request.texts;
  const pages = links.flatMap(([position, file]) => ('url' in file ? [{ position, page: file }] : []));
  const [wanted, left] = [pages.slice(0, MAX_LINKS_OPENED), pages.slice(MAX_LINKS_OPENED)];
  const failures = await Promise.all(
    wanted.map(async ({ position, page }) => {
      try {
        const { text, share } = await readPage(deps, request, { file: page, position }, signal);
        await deps.conversations.keepText({ messageId: request.question.id, position, text, share });
        return [];
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof AnswerFailedError) || error.failure.kind !== 'unreadable') throw error;
        return [{ page, words: inputs.unreadable[error.failure.problem](page.name) }];
      }
    }),
  );
  const failed = failures.flat();
  const lines = new Set(failed.map(({ words }) => words));
  if (left.length > 0) lines.add(inputs.manyLinks(wanted.length, pages.length));
  const isAlone = failed.length > 0 && failed.length === pages.length;
  const end = isAlone ? [inputs.answeredWithout] : [];
  if (lines.size > 0) await addContext(deps, request, { text: [...lines, ...end].join('\n') });
  return [...failed, ...left].map(({ page }) => page);
}

/** File and its position in the question's attachments, from 0. */
interface Positioned<File> {
  readonly file: File;
  readonly position: number;
}

function readFile(
  deps: ReadingDeps,
  request: AnswerRequest,
  { file, position }: Positioned<Exclude<Attachment, { readonly kind: 'photo' }>>,
  signal: AbortSignal,
) {
  if ('url' in file) return readPage(deps, request, { file, position }, signal);
  if (file.kind === 'recording') return listen(deps, request, file, signal);
  const load = () => (file.kind === 'stored' ? loadStored(deps, file, signal) : loadDocument(deps, file, signal));
  return readNoted(deps, request, { file, position }, load, (loadNoted) =>
    deps.documents.read(file, { userId: request.userId, load: loadNoted, signal }),
  );
}

async function readPage(
  deps: ReadingDeps,
  request: AnswerRequest,
  { file, position }: Positioned<LinkedPage>,
  signal: AbortSignal,
) {
  const { url, name } = file;
  const bytes = await deps.openPage(url, signal, request.userId).catch((error: unknown) => {
    signal.throwIfAborted();
    deps.logger.info({ reason: describeError(error) }, 'a page could not be opened');
    deps.logger.debug({ err: error }, 'cause of a page that could not be opened');
    throw new AnswerFailedError({ kind: 'unreadable', problem: 'page', name }, { cause: error });
  });
  const load = async () => bytes;
  return readNoted(deps, request, { file, position }, load, (loadNoted) =>
    deps.documents.readPage({ userId: request.userId, load: loadNoted, signal }),
  );
}

function loadDocument(deps: ReadingDeps, file: TextFile, signal: AbortSignal) {
  const { name } = file;
  const limits = {
    limitMb: MAX_FILE_MB,
    tooLarge: { kind: 'documentTooLarge', name, limitMb: MAX_FILE_MB },
    unavailable: { kind: 'unreadable', problem: 'unavailable', name },
  } as const;
  return loadFile(deps, file.telegramFileId, limits, signal);
}

/** @throws AnswerFailedError; the signal's reason. */
async function loadStored({ storage }: ReadingDeps, { fileId, name }: StoredDocument, signal: AbortSignal) {
  const chunks: Buffer[] = [];
  try {
    const file = await storage.find(fileId);
    if (!file) throw new AnswerFailedError({ kind: 'unreadable', problem: 'lost', name });
    const { sizeBytes } = file;
    if (sizeBytes > MAX_FILE_MB * BYTES_PER_MB)
      throw new AnswerFailedError({ kind: 'documentTooLarge', name, limitMb: MAX_FILE_MB });
    if (sizeBytes === 0) return Buffer.alloc(0);
    for await (const chunk of await storage.read(fileId, { start: 0, end: sizeBytes - 1 }, signal)) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AnswerFailedError) throw error;
    throw new AnswerFailedError({ kind: 'unreadable', problem: 'lost', name }, { cause: error });
  }
}

/**
 * Reads a file and records the attempt in the database. A file whose reading ended with the process is not read again
 * for the same answer, because it may have caused a crash and would cause one after each restart. Retry creates a new
 * answer.
 * @throws AnswerFailedError; the signal's reason.
 */
async function readNoted<Text>(
  { conversations, logger }: ReadingDeps,
  { answerId }: AnswerRequest,
  { file: { name }, position }: Positioned<{ readonly name: string }>,
  load: () => Promise<Buffer>,
  read: (load: () => Promise<Buffer>) => Promise<Text>,
): Promise<Text> {
  let isBegun = false;
  const loadNoted = async () => {
    const bytes = await load();
    isBegun = await conversations.beginReading({ answerId, position });
    if (!isBegun) throw new DocumentUnreadableError('too-complex');
    return bytes;
  };
  try {
    return await read(loadNoted);
  } catch (error) {
    if (!(error instanceof DocumentUnreadableError)) throw error;
    const { problem } = error;
    logger.info({ problem }, 'a document could not be read');
    logger.debug({ err: error }, 'cause of a document that could not be read');
    throw new AnswerFailedError({ kind: 'unreadable', problem, name }, { cause: error });
  } finally {
    if (isBegun) await conversations.endReading({ answerId, position });
  }
}

async function listen(
  deps: ReadingDeps,
  { userId, chatTopic, group }: AnswerRequest,
  file: TextFile,
  signal: AbortSignal,
) {
  const limits = {
    limitMb: MAX_FILE_MB,
    tooLarge: { kind: 'noTranscript', problem: 'too-large' },
    unavailable: { kind: 'noTranscript', problem: 'unavailable' },
  } as const;
  const bytes = await loadFile(deps, file.telegramFileId, limits, signal);
  const requester = toRequester(deps, { userId, chatTopic }, group);
  const recording = { bytes, name: file.name, mediaType: file.mediaType };
  const text = await deps.transcription.transcribe(requester, recording, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    // Only limits are described in detail: the user has not chosen the transcription provider.
    if (toFailure(error).kind === 'limitReached') throw error;
    throw new AnswerFailedError({ kind: 'noTranscript', problem: 'failed' }, { cause: error });
  });
  if (text === '') throw new AnswerFailedError({ kind: 'noTranscript', problem: 'silent' });
  return { text, share: 1 };
}

/** Returns the transcript as a folded quote, so that users see what was understood. */
function toTranscriptView(transcript: string): View {
  const text = transcript.length > MAX_SHOWN ? `${transcript.slice(0, MAX_SHOWN).toWellFormed()}…` : transcript;
  return { text, entities: [{ type: 'expandable_blockquote', offset: 0, length: text.length }] };
}

/** Same as the maximum number of documents in a context. */
const MAX_LINKS_OPENED = 4;
const BYTES_PER_MB = 1024 * 1024;
/** Slightly below Telegram's limit for a message. */
const MAX_SHOWN = 4000;
