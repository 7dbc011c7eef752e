import { estimateTokens, type StoredMessage } from '../../core/conversations/index.ts';
import { sumTokens, toPromptTokens } from './fit-messages.ts';
import type { PromptMessage } from './prompt-message.ts';

/** Number of newest documents included; of earlier ones only the names are. */
const MAX_DOCUMENTS = 4;
/** Share of the prompt tokens; the rest is for the conversation. */
const DOCUMENTS_SHARE = 0.7;
/** Shorter excerpts are useless. */
const MIN_TOKENS = 100;
const MAX_TOKEN_CHARACTERS = 16;

/**
 * Includes the texts of files in their messages, newest first, as long as they fit. Texts that are too long are cut at
 * the end; of most PDF files that are sent as files or as images, only the names are included.
 * @param path with the texts of at least the newest four documents, as far as they could be read.
 * @param contextLength context length of the model in tokens; undefined if unknown.
 */
export function includeTexts(
  path: readonly PromptMessage[],
  contextLength: number | undefined,
): readonly PromptMessage[] {
  const pdfTokens = sumTokens(path.flatMap(({ pdfs }) => pdfs));
  let tokensLeft = Math.max(0, toPromptTokens(contextLength) * DOCUMENTS_SHARE - pdfTokens);
  let documentsLeft = MAX_DOCUMENTS;
  const known = new Set<string>();

  const include = (message: PromptMessage): PromptMessage => {
    const { stored, fileTexts, pdfs } = message;
    const isReplaced = (at: number) => pdfs.some(({ position, replacesText }) => position === at && replacesText);
    const findText = (at: number) => (isReplaced(at) ? undefined : fileTexts.find(({ position }) => position === at));
    const waitingCount = stored.attachments.filter(
      ({ kind }, position) => kind !== 'recording' && findText(position),
    ).length;
    let fairParts = Math.max(1, Math.min(waitingCount, documentsLeft));
    const cuts: { name: string; share: number }[] = [];
    const chunks = stored.attachments.flatMap((file, position) => {
      if (file.kind === 'photo') return [];
      const read = findText(position);
      if (file.kind === 'recording') return [read ? toTranscript(stored, file, read.text) : toMark(file.name)];
      if (file.kind === 'link' && !read) return toLinkMark(stored, file);
      // A document that is attached again is included only below the newest question.
      const source = toSource(file);
      if (isReplaced(position)) known.add(source);
      if (!read || documentsLeft === 0 || known.has(source)) return [toMark(file.name)];
      const cut = cutToTokens(read.text, tokensLeft / fairParts);
      if (cut.text === '') return [toMark(file.name)];
      known.add(source);
      tokensLeft -= cut.tokens;
      documentsLeft -= 1;
      fairParts = Math.max(1, fairParts - 1);
      const share = read.share * (cut.text.length / read.text.length);
      if (share < 1) cuts.push({ name: file.name, share });
      return [toBlock(file.name, cut.text, share)];
    });
    if (chunks.length === 0) return message;
    return { ...message, text: [...chunks, message.text].filter(Boolean).join('\n\n'), cuts };
  };

  return path.toReversed().map(include).toReversed();
}

/** Returns the ids of messages whose texts `includeTexts` needs. */
export function listMessagesWithTexts(path: readonly PromptMessage[]): readonly number[] {
  const stored = path.map((message) => message.stored);
  const hasRecording = stored.filter(({ attachments }) => attachments.some(({ kind }) => kind === 'recording'));
  const hasDocument = stored.filter(({ attachments }) => attachments.some(isDocument)).slice(-MAX_DOCUMENTS);
  // Selected separately: most links are not opened and must not displace documents.
  const hasLink = stored.filter(({ attachments }) => attachments.some(({ kind }) => kind === 'link'));
  const candidates = [...hasRecording, ...hasDocument, ...hasLink.slice(-MAX_DOCUMENTS)];
  return [...new Set(candidates.map(({ id }) => id))];
}

/** Returns an identity of a document, equal wherever it is attached. */
function toSource(file: Exclude<StoredMessage['attachments'][number], { readonly kind: 'photo' }>): string {
  if ('url' in file) return file.url;
  return file.kind === 'stored' ? file.fileId : file.telegramFileId;
}

function isDocument({ kind }: StoredMessage['attachments'][number]): boolean {
  return kind === 'document' || kind === 'stored' || kind === 'page';
}

/** Returns the URL of a text link, whose URL is not part of the visible text. */
function toLinkMark({ content }: StoredMessage, { url }: { readonly url: string }): readonly string[] {
  return content.includes(url.replace(/^https?:\/\//, '').replace(/\/$/, '')) ? [] : [`[link] ${url}`];
}

function toMark(name: string): string {
  return `[${toOneLine(name)}]`;
}

/** Returns the words of the user, or marks those of another recording off from the question about it. */
function toTranscript(
  { content }: StoredMessage,
  { name, isOwnVoice }: Extract<StoredMessage['attachments'][number], { readonly kind: 'document' | 'recording' }>,
  text: string,
): string {
  if (isOwnVoice || content.trim() === '') return text;
  return `<transcript name="${toOneLine(name)}">\n${text}\n</transcript>`;
}

function toBlock(name: string, text: string, share: number): string {
  const part = share < 1 ? ` shown="the first ${Math.max(1, Math.round(share * 100))}%"` : '';
  return `<document name="${toOneLine(name)}"${part}>\n${text}\n</document>`;
}

function toOneLine(name: string): string {
  return name.replaceAll(/[\s\p{Cc}"<>]+/gu, ' ').trim();
}

/** Returns the beginning of a text that has at most `maxTokens` tokens, cut at a word boundary. */
function cutToTokens(text: string, maxTokens: number): { text: string; tokens: number } {
  // Counting is slow: cut first to the length that `maxTokens` tokens can have at most.
  let kept = text.slice(0, Math.floor(maxTokens * MAX_TOKEN_CHARACTERS));
  for (;;) {
    const tokens = estimateTokens(kept);
    if (tokens <= maxTokens) return { text: kept, tokens };
    if (maxTokens < MIN_TOKENS) return { text: '', tokens: 0 };
    const length = Math.floor(kept.length * (maxTokens / tokens) * 0.98);
    const lastGap = kept.slice(0, length).search(/\s\S*$/);
    kept = kept.slice(0, lastGap > length / 2 ? lastGap : length).replace(/[\ud800-\udbff]$/, '');
  }
}
