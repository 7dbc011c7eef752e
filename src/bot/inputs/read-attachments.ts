import type { Attachment } from '../../core/conversations/index.ts';
import { DocumentUnreadableError } from '../../core/documents/index.ts';
import type { AnswerOrder } from '../answers/answer-order.ts';
import type { BotDeps } from '../bot-deps.ts';
import { AnswerFailedError, toFailure } from '../failure.ts';
import { toCaller } from '../groups/to-caller.ts';
import type { View } from '../keyboards/view.ts';
import { loadFile } from './load-file.ts';
import { MAX_FILE_MB } from './photo.ts';
import { tellBeside } from './tell-beside.ts';

/** What reading the files of a question takes. */
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

/**
 * Reads the files of a question that nobody has read yet, and keeps their words with it.
 * @returns whether there were any.
 * @throws AnswerFailedError where one can't be read; the signal's reason.
 */
export async function readAttachments(deps: ReadingDeps, order: AnswerOrder, signal: AbortSignal): Promise<boolean> {
  const { question } = order;
  const files = [...question.attachments.entries()];
  if (files.every(([, { kind }]) => kind === 'photo')) return false;
  const known = await deps.conversations.listTexts([question.id]);
  let isRead = false;
  for (const [position, file] of files) {
    if (file.kind === 'photo' || known.some((one) => one.position === position)) continue;
    const { text, share } = await readFile(deps, order, file, signal);
    await deps.conversations.keepText({ messageId: question.id, position, text, share });
    if (file.kind === 'recording') await tellBeside(deps, order, toTranscriptView(text));
    isRead = true;
  }
  return isRead;
}

function readFile(
  deps: ReadingDeps,
  order: AnswerOrder,
  file: Exclude<Attachment, { readonly kind: 'photo' }>,
  signal: AbortSignal,
) {
  if (file.kind === 'page') return readPage(deps, file, signal);
  if (file.kind === 'stored') return readStored(deps, file, signal);
  return file.kind === 'document' ? readDocument(deps, file, signal) : listen(deps, order, file, signal);
}

async function readPage(deps: ReadingDeps, { url, name }: Extract<Attachment, { kind: 'page' }>, signal: AbortSignal) {
  const bytes = await deps.openPage(url, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    throw new AnswerFailedError({ kind: 'unreadable', problem: 'page', name }, { cause: error });
  });
  // The name of a host can look like that of a file.
  const document = { name: 'page', mediaType: toPageType(bytes) };
  return readText(deps, { name, document, load: async () => bytes }, signal);
}

/** By its first bytes: servers often say something else. Some pages begin with the mark of their encoding. */
function toPageType(bytes: Buffer): string {
  const head = bytes
    .toString('latin1', 0, 1024)
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
    .replaceAll('\0', '')
    .trimStart();
  if (head.startsWith('%PDF-')) return 'application/pdf';
  return head.startsWith('<') ? 'text/html' : 'text/plain';
}

function readDocument(deps: ReadingDeps, file: TextFile, signal: AbortSignal) {
  const { name } = file;
  const limits = {
    limitMb: MAX_FILE_MB,
    tooLarge: { kind: 'documentTooLarge', name, limitMb: MAX_FILE_MB },
    unavailable: { kind: 'unreadable', problem: 'unavailable', name },
  } as const;
  const load = () => loadFile(deps, file.telegramFileId, limits, signal);
  return readText(deps, { name, document: file, load }, signal);
}

function readStored(deps: ReadingDeps, file: StoredDocument, signal: AbortSignal) {
  const { name } = file;
  return readText(deps, { name, document: file, load: () => loadStored(deps, file, signal) }, signal);
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

interface Source {
  /** For people. */
  readonly name: string;
  readonly document: Parameters<BotDeps['documents']['read']>[0];
  readonly load: () => Promise<Buffer>;
}

async function readText(deps: ReadingDeps, { name, document, load }: Source, signal: AbortSignal) {
  try {
    return await deps.documents.read(document, load, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof DocumentUnreadableError)) throw error;
    const { problem } = error;
    deps.logger.info({ err: error, problem }, 'a document could not be read');
    throw new AnswerFailedError({ kind: 'unreadable', problem, name }, { cause: error });
  }
}

async function listen(deps: ReadingDeps, { personId, place, group }: AnswerOrder, file: TextFile, signal: AbortSignal) {
  const limits = {
    limitMb: MAX_FILE_MB,
    tooLarge: { kind: 'unheard', problem: 'too-large' },
    unavailable: { kind: 'unheard', problem: 'unavailable' },
  } as const;
  const bytes = await loadFile(deps, file.telegramFileId, limits, signal);
  const caller = toCaller(deps, { personId, place }, group);
  const recording = { bytes, name: file.name, mediaType: file.mediaType };
  const text = await deps.transcription.transcribe(caller, recording, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    // A limit is about the person; everything else is about whoever listens, and people have not chosen them.
    if (toFailure(error).kind === 'limitReached') throw error;
    throw new AnswerFailedError({ kind: 'unheard', problem: 'failed' }, { cause: error });
  });
  if (text === '') throw new AnswerFailedError({ kind: 'unheard', problem: 'silent' });
  return { text, share: 1 };
}

/** What was understood, folded: people see at a glance whether an answer is to what they said. */
function toTranscriptView(transcript: string): View {
  const text = transcript.length > MAX_SHOWN ? `${transcript.slice(0, MAX_SHOWN).toWellFormed()}…` : transcript;
  return { text, entities: [{ type: 'expandable_blockquote', offset: 0, length: text.length }] };
}

const BYTES_PER_MB = 1024 * 1024;
/** A message of Telegram's takes a few more. */
const MAX_SHOWN = 4000;
