import type { AttachmentText } from './attachment-texts.ts';
import { toPromptTokens } from './context-window.ts';
import { estimateTokens } from './estimate-tokens.ts';
import type { StoredMessage } from './stored-message.ts';

/** Messages as a model is to read them, with the words of their documents and recordings. */
export interface IncludedTexts {
  readonly path: readonly StoredMessage[];
  /** Documents of which not everything is shown, newest message first. */
  readonly cuts: readonly { readonly messageId: number; readonly name: string; readonly share: number }[];
}

/** The newest documents go along; of those before them only the names do. */
const MAX_DOCUMENTS = 4;
/** Of the room for messages: what is left belongs to the conversation about them. */
const DOCUMENTS_SHARE = 0.7;
/** A shorter piece tells nothing. */
const MIN_TOKENS = 100;
const MAX_TOKEN_CHARACTERS = 16;

/**
 * Puts the words of files into the messages that they stand in, the newest first, as long as there is room; what is too long is
 * cut at its end.
 * @param texts at least of the newest four documents of the path, as far as they could be read.
 * @param contextLength tokens of prompt and answer together; undefined where that is not known.
 */
export function includeTexts(
  path: readonly StoredMessage[],
  texts: readonly AttachmentText[],
  contextLength: number | undefined,
): IncludedTexts {
  let tokensLeft = toPromptTokens(contextLength) * DOCUMENTS_SHARE;
  let documentsLeft = MAX_DOCUMENTS;
  const known = new Set<string>();
  const cuts: { messageId: number; name: string; share: number }[] = [];

  const include = (message: StoredMessage): StoredMessage => {
    const textOf = (position: number) => texts.find((one) => one.messageId === message.id && one.position === position);
    const waitingCount = message.attachments.filter(
      ({ kind }, position) => kind !== 'recording' && textOf(position),
    ).length;
    let fairParts = Math.max(1, Math.min(waitingCount, documentsLeft));
    const pieces = message.attachments.flatMap((file, position) => {
      if (file.kind === 'photo') return [];
      const read = textOf(position);
      if (file.kind === 'recording') return [read?.text ?? toMark(file.name)];
      if (file.kind === 'link' && !read) return toLinkMark(message, file);
      // Who asks about the same document again finds it below the newest question.
      const source = toSource(file);
      if (!read || documentsLeft === 0 || known.has(source)) return [toMark(file.name)];
      const cut = cutToTokens(read.text, tokensLeft / fairParts);
      if (cut.text === '') return [toMark(file.name)];
      known.add(source);
      tokensLeft -= cut.tokens;
      documentsLeft -= 1;
      fairParts = Math.max(1, fairParts - 1);
      const share = read.share * (cut.text.length / read.text.length);
      if (share < 1) cuts.push({ messageId: message.id, name: file.name, share });
      return [toBlock(file.name, cut.text, share)];
    });
    return pieces.length === 0
      ? message
      : { ...message, content: [...pieces, message.content].filter(Boolean).join('\n\n') };
  };

  return { path: path.toReversed().map(include).toReversed(), cuts };
}

/** The messages of a path whose texts `includeTexts` wants to have. */
export function listMessagesWithTexts(path: readonly StoredMessage[]): readonly number[] {
  const hasRecording = path.filter(({ attachments }) => attachments.some(({ kind }) => kind === 'recording'));
  const hasDocument = path.filter(({ attachments }) => attachments.some(isDocument)).slice(-MAX_DOCUMENTS);
  // Most of them nobody has opened: they are not to keep documents out.
  const hasLink = path.filter(({ attachments }) => attachments.some(({ kind }) => kind === 'link'));
  const wanted = [...hasRecording, ...hasDocument, ...hasLink.slice(-MAX_DOCUMENTS)];
  return [...new Set(wanted.map(({ id }) => id))];
}

/** The same for the same document, wherever it stands. */
function toSource(file: Exclude<StoredMessage['attachments'][number], { readonly kind: 'photo' }>): string {
  if ('url' in file) return file.url;
  return file.kind === 'stored' ? file.fileId : file.telegramFileId;
}

function isDocument({ kind }: StoredMessage['attachments'][number]): boolean {
  return kind === 'document' || kind === 'stored' || kind === 'page';
}

/** An address that stands behind words, where the model would not see it. */
function toLinkMark({ content }: StoredMessage, { url }: { readonly url: string }): readonly string[] {
  return content.includes(url.replace(/^https?:\/\//, '').replace(/\/$/, '')) ? [] : [`[link] ${url}`];
}

function toMark(name: string): string {
  return `[${toOneLine(name)}]`;
}

function toBlock(name: string, text: string, share: number): string {
  const part = share < 1 ? ` shown="the first ${Math.max(1, Math.round(share * 100))}%"` : '';
  return `<document name="${toOneLine(name)}"${part}>\n${text}\n</document>`;
}

function toOneLine(name: string): string {
  return name.replaceAll(/[\s\p{Cc}"<>]+/gu, ' ').trim();
}

/** As much of a text's beginning as has so many tokens, up to the end of a word. */
function cutToTokens(text: string, maxTokens: number): { text: string; tokens: number } {
  // Counting is slow, and no token has more characters.
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
