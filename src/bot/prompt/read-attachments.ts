import type { Attachment } from '../../core/conversations/index.ts';
import { DocumentUnreadableError } from '../../core/documents/index.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import { toRequester } from '../choices/groups.ts';
import { toRecordingName } from '../inputs/attachment.ts';
import type { LinkedPage } from '../inputs/links.ts';
import { loadFile, MAX_FILE_MB } from '../inputs/photo.ts';
import { AnswerFailedError, toFailure } from '../kit/failure.ts';
import type { BotServices } from '../kit/services.ts';
import type { View } from '../kit/views.ts';
import { type AnswerRequest, addContext } from './answer-request.ts';
import { loadDocument, type Positioned, readOnce, type TelegramFile } from './load-document.ts';

/** How the attachments of a question are read. */
export interface ReadingParams {
  /** PDF files may be sent as they are, or as images of their pages. Otherwise as text only. */
  readonly sendsPdfs: boolean;
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
  services: BotServices,
  request: AnswerRequest,
  { opensLinks, onOpening }: ReadingParams,
  signal: AbortSignal,
): Promise<ReadOutcome> {
  const { question } = request;
  const isReadable = ({ kind }: Attachment) => kind !== 'photo' && (kind !== 'link' || opensLinks);
  if (!question.attachments.some(isReadable)) return { isRead: false, unopened: [] };
  const storedTexts = await services.conversations.listTexts([question.id]);
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
    const { text, share, pageCount } = await readFile(services, request, { file, position }, signal);
    await services.conversations.storeText({ messageId: question.id, position, text, share, pageCount });
    if (file.kind === 'recording') await addContext(services, request, toTranscriptView(text));
  }
  const unopened = await openLinks(services, request, links, signal);
  return { isRead: rest.length > 0 || links.length > unopened.length, unopened };
}

/** Returns whether a model can read scanned pages, as a file or as images. */
export function seesPages({ acceptsPdf, acceptsImages }: AnswerRequest['model']): boolean {
  return acceptsPdf === true || acceptsImages !== false;
}

/** Opens links in parallel, up to `MAX_LINKS_OPENED`. */
async function openLinks(
  services: BotServices,
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
        const { text, share } = await readPage(services, request, { file: page, position }, signal);
        await services.conversations.storeText({ messageId: request.question.id, position, text, share });
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
  if (lines.size > 0) await addContext(services, request, { text: [...lines, ...end].join('\n') });
  return [...failed, ...left].map(({ page }) => page);
}

function readFile(
  services: BotServices,
  request: AnswerRequest,
  { file, position }: Positioned<Exclude<Attachment, { readonly kind: 'photo' }>>,
  signal: AbortSignal,
) {
  if ('url' in file) return readPage(services, request, { file, position }, signal);
  if (file.kind === 'recording') return listen(services, request, file, signal);
  const load = () => loadDocument(services, file, signal);
  return readOnce(services, request, { file, position }, load, (loadOnce) =>
    services.documents.read(file, { userId: request.userId, load: loadOnce, signal }).catch((error: unknown) => {
      // The pages themselves are read by the model.
      const pageCount = error instanceof DocumentUnreadableError ? error.pageCount : undefined;
      if (!pageCount || !seesPages(request.model)) throw error;
      return { text: '', pageCount, share: 1 };
    }),
  );
}

async function readPage(
  services: BotServices,
  request: AnswerRequest,
  { file, position }: Positioned<LinkedPage>,
  signal: AbortSignal,
) {
  const { url, name } = file;
  const bytes = await services.openPage(url, signal, request.userId).catch((error: unknown) => {
    signal.throwIfAborted();
    services.logger.info({ reason: describeError(error) }, 'a page could not be opened');
    services.logger.debug({ err: error }, 'cause of a page that could not be opened');
    throw new AnswerFailedError({ kind: 'unreadable', problem: 'page', name }, { cause: error });
  });
  const load = async () => bytes;
  return readOnce(services, request, { file, position }, load, (loadOnce) =>
    services.documents.readPage({ userId: request.userId, load: loadOnce, signal }),
  );
}

async function listen(
  services: BotServices,
  { userId, chatTopic, group }: AnswerRequest,
  file: TelegramFile,
  signal: AbortSignal,
) {
  const limits = {
    limitMb: MAX_FILE_MB,
    tooLarge: { kind: 'recordingTooLarge', limitMb: MAX_FILE_MB },
    unavailable: { kind: 'noTranscript', problem: 'unavailable' },
  } as const;
  const bytes = await loadFile(services, file.telegramFileId, limits, signal);
  const requester = toRequester(services, { userId, chatTopic }, group);
  const recording = { bytes, name: toRecordingName(file.name, file.mediaType), mediaType: file.mediaType };
  const text = await services.transcription.transcribe(requester, recording, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    // Only limits are described in detail: the user has not chosen the transcription provider.
    if (toFailure(error).kind === 'limitReached') throw error;
    throw new AnswerFailedError({ kind: 'noTranscript', problem: 'failed' }, { cause: error });
  });
  if (text === '') throw new AnswerFailedError({ kind: 'noTranscript', problem: 'silent' });
  return { text, share: 1, pageCount: undefined };
}

/** Returns the transcript as a folded quote, so that users see what was understood. */
function toTranscriptView(transcript: string): View {
  const text = transcript.length > MAX_SHOWN ? `${transcript.slice(0, MAX_SHOWN).toWellFormed()}…` : transcript;
  return { text, entities: [{ type: 'expandable_blockquote', offset: 0, length: text.length }] };
}

/** Same as the maximum number of documents in a context. */
const MAX_LINKS_OPENED = 4;
/** Slightly below Telegram's limit for a message. */
const MAX_SHOWN = 4000;
