import { describe, expect, it } from 'vitest';
import { choosePdfs as choosePdfsOf } from '../../src/bot/prompt/choose-pdfs.ts';
import { toPromptMessage } from '../../src/bot/prompt/prompt-message.ts';
import type { Attachment, AttachmentText, StoredMessage } from '../../src/core/conversations/index.ts';

const PLENTY = 'The rent is 700 euros, due on the third of each month. '.repeat(100);
const READER = { acceptsPdf: true, acceptsImages: true, contextLength: 400_000 };
const SEEING = { acceptsPdf: false, acceptsImages: true, contextLength: 400_000 };

const pdf = (name: string): Attachment => ({ kind: 'document', telegramFileId: `file of ${name}`, name });
function say(id: number, ...attachments: readonly Attachment[]): StoredMessage {
  const role = id % 2 === 1 ? 'user' : 'assistant';
  const absent = { parentId: undefined, model: undefined, finishReason: undefined, replacesId: undefined };
  return { id, role, content: '…', attachments, conversationId: 1, extras: {}, userId: undefined, ...absent };
}
const read = (messageId: number, pageCount: number | undefined, text = PLENTY, position = 0) => ({
  ...{ messageId, position, text, share: 1 },
  ...(pageCount !== undefined && { pageCount }),
});
type Model = Parameters<typeof choosePdfsOf>[1];
const choosePdfs = (path: readonly StoredMessage[], texts: readonly AttachmentText[], model: Model) => {
  const textsOf = ({ id }: StoredMessage) => texts.filter(({ messageId }) => messageId === id);
  return choosePdfsOf(
    path.map((stored) => toPromptMessage(stored, { fileTexts: textsOf(stored) })),
    model,
  );
};
const formsOf = (chosen: ReturnType<typeof choosePdfs>) =>
  chosen.map(({ messageId, position, form }) => `${messageId}.${position} ${form}`);
/** A question with one document of so many pages, and later questions. */
const choose = (pageCount: number, text: string, model: Model, laterQuestions = 0) => {
  const later = Array.from({ length: laterQuestions * 2 }, (_, index) => say(index + 2));
  return formsOf(choosePdfs([say(1, pdf('a.pdf')), ...later], [read(1, pageCount, text)], model));
};

describe('a PDF with text', () => {
  it('is sent as a file to models that read PDF files, else as text', () => {
    expect(choose(2, PLENTY, READER)).toEqual(['1.0 file']);
    expect(choose(2, PLENTY, SEEING)).toEqual([]);
    expect(choose(2, PLENTY, {})).toEqual([]);
  });

  it('is sent with its question and three later ones, then as text, which costs less', () => {
    expect([0, 3, 4].map((later) => choose(2, PLENTY, READER, later))).toEqual([['1.0 file'], ['1.0 file'], []]);
  });

  it('is assumed to have room in models that read PDF files, if their context is unknown', () => {
    const unknown = { acceptsPdf: true };
    expect([25, 26].map((pages) => choose(pages, PLENTY, unknown))).toEqual([['1.0 file'], []]);
  });

  it('is sent as text if it has too many pages for the hosts or for the context', () => {
    expect([100, 101].map((pages) => choose(pages, PLENTY, READER))).toEqual([[], []]);
    const large = { ...READER, contextLength: 1_000_000 };
    expect([100, 101].map((pages) => choose(pages, PLENTY, large))).toEqual([['1.0 file'], []]);
    expect([2, 20].map((pages) => choose(pages, PLENTY, { ...READER, contextLength: 32_000 }))).toEqual([
      ...[['1.0 file'], []],
    ]);
  });
});

describe('a scanned PDF', () => {
  it('is sent as a file, as images to models that see, or not at all', () => {
    expect(choose(2, '', READER)).toEqual(['1.0 file']);
    expect(choose(2, '', SEEING)).toEqual(['1.0 pages']);
    expect(choose(2, '', { acceptsImages: false })).toEqual([]);
  });

  it('with the words of a scanner is sent as images only to models that certainly see', () => {
    const words = '[page 1]\nCamScanner\n\n[page 2]\nCamScanner';
    expect([READER, SEEING, {}].map((model) => choose(2, words, model))).toEqual([['1.0 file'], ['1.0 pages'], []]);
  });

  it('has no text that could replace it, so it stays for the whole conversation', () => {
    expect(choose(2, '', READER, 9)).toEqual(['1.0 file']);
    expect(choose(2, '', SEEING, 9)).toEqual(['1.0 pages']);
  });

  it('becomes images of its first pages if it has too many for a file', () => {
    expect(choose(500, '', READER)).toEqual(['1.0 pages']);
  });

  it('counts with its pages: ten images in all', () => {
    const path = [say(1, pdf('a.pdf'), pdf('b.pdf')), say(2), say(3, pdf('c.pdf'))];
    const texts = [read(1, 4, ''), read(1, 4, '', 1), read(3, 6, '')];
    const chosen = choosePdfs(path, texts, SEEING);
    expect(formsOf(chosen)).toEqual(['3.0 pages', '1.0 pages']);
    expect(chosen.map(({ tokens, sentPages }) => ({ tokens, sentPages }))).toEqual([
      { tokens: 6 * 1600, sentPages: 6 },
      { tokens: 4 * 1600, sentPages: 4 },
    ]);
  });

  it('is sent as far as it fits into the context', () => {
    const pages = (contextLength: number | undefined) =>
      choosePdfs([say(1, pdf('a.pdf'))], [read(1, 12, '')], { acceptsImages: true, contextLength })[0]?.sentPages;
    expect([2000, 8000, undefined, 128_000].map(pages)).toEqual([undefined, 2, 9, 10]);
  });
});

describe('of several documents', () => {
  it('the newest four are chosen, each once', () => {
    const path = Array.from({ length: 6 }, (_, index) =>
      say(index * 2 + 1, pdf(index === 4 ? '5.pdf' : `${index}.pdf`)),
    );
    const texts = path.map(({ id }) => read(id, 1, ''));
    expect(formsOf(choosePdfs(path, texts, READER))).toEqual(['11.0 file', '7.0 file', '5.0 file', '3.0 file']);
  });

  it('only PDF files that were read are chosen', () => {
    const path = [say(1, pdf('a.txt'), pdf('old.pdf'), pdf('unread.pdf'), pdf('new.pdf'))];
    const texts = [read(1, undefined), read(1, undefined, PLENTY, 1), read(1, 1, PLENTY, 3)];
    expect(formsOf(choosePdfs(path, texts, READER))).toEqual(['1.3 file']);
  });
});
