import type { ContentPart } from '../../core/models/index.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import { AnswerFailedError } from '../kit/failure.ts';
import type { BotServices } from '../kit/services.ts';
import { type AnswerRequest, addContext } from './answer-request.ts';
import type { ChosenPdf } from './choose-pdfs.ts';
import { loadDocument, readOnce } from './load-document.ts';
import type { PromptMessage } from './prompt-message.ts';

/** A PDF as the model gets it. */
export interface LoadedPdf extends ChosenPdf {
  readonly parts: readonly ContentPart[];
  /** Its text is not sent. */
  readonly replacesText: boolean;
}

/** All files of a request together; hosts accept from 20 MB in base64. */
const MAX_BYTES = 12 * 1024 * 1024;

/**
 * Loads the chosen PDF files and renders the pages of those that are sent as images. Leaves out files that are too large
 * together, and earlier ones that can't be loaded any more: the model gets their text.
 * @throws AnswerFailedError if a PDF of the question can't be loaded or rendered; the signal's reason.
 */
export async function loadPdfs(
  services: BotServices,
  request: AnswerRequest,
  chosen: readonly ChosenPdf[],
  signal: AbortSignal,
): Promise<readonly LoadedPdf[]> {
  const loaded: LoadedPdf[] = [];
  let bytesLeft = MAX_BYTES;
  for (const pdf of chosen) {
    try {
      const load = () => loadDocument(services, pdf.file, signal);
      const file = pdf.form === 'file' ? await load() : undefined;
      if (file && file.length <= bytesLeft) {
        bytesLeft -= file.length;
        loaded.push({ ...pdf, parts: [toFilePart(pdf, file)], replacesText: true });
      } else if (!file || (pdf.isScanned && request.model.acceptsImages !== false)) {
        const images = await renderPages(services, request, pdf, file ? async () => file : load, signal);
        const sent = { sentPages: images.length, replacesText: !pdf.hasText };
        loaded.push({ ...pdf, ...sent, parts: toImageParts(pdf, images) });
      }
    } catch (error) {
      signal.throwIfAborted();
      if (pdf.messageId === request.question.id || !(error instanceof AnswerFailedError)) throw error;
      services.logger.info({ reason: describeError(error) }, 'an earlier document could not be loaded again');
    }
  }
  return loaded;
}

async function renderPages(
  services: BotServices,
  request: AnswerRequest,
  pdf: ChosenPdf,
  load: () => Promise<Buffer>,
  signal: AbortSignal,
): Promise<readonly Uint8Array[]> {
  const { images } = await readOnce(services, request, pdf, load, (loadOnce) =>
    services.documents.renderPages({ userId: request.userId, load: loadOnce, maxPages: pdf.sentPages, signal }),
  );
  return images;
}

function toFilePart({ file: { name } }: ChosenPdf, bytes: Buffer): ContentPart {
  return { type: 'file', url: `data:application/pdf;base64,${bytes.toString('base64')}`, name };
}

function toImageParts({ file, pageCount }: ChosenPdf, images: readonly Uint8Array[]): readonly ContentPart[] {
  const pages = images.length < pageCount ? `the first ${images.length} of ${pageCount} pages` : 'all pages';
  return [
    { type: 'text', text: `[${pages} of ${file.name.replaceAll(/\s+/g, ' ')}]` },
    ...images.map((image): ContentPart => {
      return { type: 'image', url: `data:image/jpeg;base64,${Buffer.from(image).toString('base64')}` };
    }),
  ];
}

/** Reports once, with its question, a scanned document of which the model does not get all pages. */
export async function reportUnseenPages(
  services: BotServices,
  request: AnswerRequest,
  { stored, fileTexts, pdfs }: PromptMessage,
): Promise<void> {
  const lines = fileTexts.flatMap(({ position, text, pageCount }) => {
    const file = stored.attachments[position];
    const sentPages = pdfs.find((pdf) => pdf.position === position)?.sentPages;
    if (pageCount === undefined || !file || !('name' in file) || (sentPages === undefined && text !== '')) return [];
    if (sentPages === undefined || sentPages < pageCount)
      return [request.texts.inputs.unseenPages(file.name, sentPages ?? 0, pageCount)];
    return [];
  });
  if (lines.length > 0) await addContext(services, request, { text: lines.join('\n') });
}
