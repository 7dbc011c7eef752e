import type { Attachment } from '../../core/conversations/index.ts';
import { isPdf, isScanned } from '../../core/documents/index.ts';
import { toPromptTokens } from './fit-messages.ts';
import type { PromptMessage } from './prompt-message.ts';

/** A PDF that goes to the model as a file, or as images of its first pages, instead of its text. */
export interface ChosenPdf {
  readonly messageId: number;
  /** Index in the message's attachments. */
  readonly position: number;
  readonly file: PdfAttachment;
  readonly form: 'file' | 'pages';
  readonly pageCount: number;
  /** Number of its first pages that are sent. */
  readonly sentPages: number;
  /** Its pages are images, judged by how little text they have. */
  readonly isScanned: boolean;
  /** It has a text, if only the name of a scanner's app on each page. */
  readonly hasText: boolean;
  /** Estimated tokens of a prompt. */
  readonly tokens: number;
}

interface Pages {
  readonly scanned: boolean;
  readonly hasText: boolean;
}

type ChosenForm = Pick<ChosenPdf, 'form' | 'sentPages' | 'tokens'>;

export type PdfAttachment = Extract<Attachment, { readonly kind: 'document' | 'recording' | 'stored' }>;

/** Kinds of input that a model reads. */
export interface PdfReader {
  readonly acceptsPdf?: boolean | undefined;
  readonly acceptsImages?: boolean | undefined;
  readonly contextLength?: number | undefined;
}

/** Number of newest documents that are sent as files or as images. */
const MAX_DOCUMENTS = 4;
/** Questions after which a document is sent as text, which costs less. Scanned documents have none. */
const MAX_LATER_QUESTIONS = 3;
/** Limit of Anthropic for most models, the lowest of the large hosts. */
const MAX_FILE_PAGES = 100;
/** Pages of all documents that are sent as images. */
const MAX_IMAGES = 10;
/** Minimum of the models that read PDF files; OpenAI's list of models has no context lengths. */
const LEAST_CONTEXT_TOKENS = 128_000;
/** Hosts count the text of a page and its image. */
const TOKENS_PER_FILE_PAGE = 3000;
const TOKENS_PER_PAGE_IMAGE = 1600;
/** Share of the prompt tokens, as for texts of documents. */
const DOCUMENTS_SHARE = 0.7;

/** Returns the context length of a model, or the least that it has; undefined if that is unknown too. */
export function findContextLength({ contextLength, acceptsPdf }: PdfReader): number | undefined {
  return contextLength ?? (acceptsPdf ? LEAST_CONTEXT_TOKENS : undefined);
}

/**
 * Chooses the PDF files of a conversation that the model gets as they are, newest first: as files by models that read
 * them, scanned ones as images by models that see. All others are sent as text, and so are those that were not read.
 */
export function choosePdfs(path: readonly PromptMessage[], model: PdfReader): readonly ChosenPdf[] {
  let tokensLeft = toPromptTokens(findContextLength(model)) * DOCUMENTS_SHARE;
  let filePagesLeft = MAX_FILE_PAGES;
  let imagesLeft = MAX_IMAGES;
  let laterQuestions = 0;
  const known = new Set<string>();
  const chosen: ChosenPdf[] = [];

  const chooseForm = (pageCount: number, { scanned, hasText }: Pages): ChosenForm | undefined => {
    const fileTokens = pageCount * TOKENS_PER_FILE_PAGE;
    const isFileWanted = model.acceptsPdf === true && (scanned || laterQuestions <= MAX_LATER_QUESTIONS);
    if (isFileWanted && pageCount <= filePagesLeft && fileTokens <= tokensLeft)
      return { form: 'file', sentPages: pageCount, tokens: fileTokens };
    // Without any text, images are tried with models of which nothing is known.
    const areImagesWanted = hasText ? scanned && model.acceptsImages === true : model.acceptsImages !== false;
    if (!areImagesWanted) return undefined;
    const sentPages = Math.min(pageCount, imagesLeft, Math.floor(tokensLeft / TOKENS_PER_PAGE_IMAGE));
    return sentPages > 0 ? { form: 'pages', sentPages, tokens: sentPages * TOKENS_PER_PAGE_IMAGE } : undefined;
  };

  for (const { stored, fileTexts } of path.toReversed()) {
    for (const [position, file] of stored.attachments.entries()) {
      if ((file.kind !== 'document' && file.kind !== 'stored') || !isPdf(file) || chosen.length === MAX_DOCUMENTS)
        continue;
      const read = fileTexts.find((one) => one.position === position);
      const source = file.kind === 'stored' ? file.fileId : file.telegramFileId;
      if (read?.pageCount === undefined || known.has(source)) continue;
      const { pageCount } = read;
      const scanned = isScanned(read.text, pageCount);
      const hasText = read.text !== '';
      const form = chooseForm(pageCount, { scanned, hasText });
      if (!form) continue;
      known.add(source);
      tokensLeft -= form.tokens;
      if (form.form === 'file') filePagesLeft -= pageCount;
      else imagesLeft -= form.sentPages;
      chosen.push({ messageId: stored.id, position, file, pageCount, isScanned: scanned, hasText, ...form });
    }
    if (stored.role === 'user') laterQuestions += 1;
  }
  return chosen;
}
