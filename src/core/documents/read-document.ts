import { answerParent } from '../../lib/process/answer-parent.ts';
import { DocumentUnreadableError } from './document-error.ts';
import type { DocumentKind } from './document-kind.ts';
import type { DocumentReader } from './readers/document-reader.ts';
import type { ReadingResult, ReadingTask } from './reading-task.ts';

/** Loaded on demand: the PDF reader is large. */
const READERS: Readonly<Record<DocumentKind, () => Promise<DocumentReader>>> = {
  pdf: async () => (await import('./readers/read-pdf.ts')).readPdf,
  docx: async () => (await import('./readers/read-docx.ts')).readDocx,
  xlsx: async () => (await import('./readers/read-xlsx.ts')).readXlsx,
  epub: async () => (await import('./readers/read-epub.ts')).readEpub,
  html: async () => (await import('./readers/read-html.ts')).readHtml,
  text: async () => (await import('./readers/read-plain.ts')).readPlain,
};

async function readDocument({ kind, bytes, limits }: ReadingTask): Promise<ReadingResult> {
  try {
    const read = await READERS[kind]();
    const { text, pageCount, readShare } = await read(Buffer.from(bytes), limits);
    if (text === '') return { problem: 'empty' };
    const kept = text.slice(0, limits.maxCharacters).toWellFormed();
    return { text: kept, pageCount, share: (readShare ?? 1) * (kept.length / text.length) };
  } catch (error) {
    if (error instanceof DocumentUnreadableError) return { problem: error.problem, pageCount: error.pageCount };
    return { problem: 'damaged', reason: String(error).slice(0, 500) };
  }
}

// The parent is this program, so the shape of its data is known.
await answerParent((task) => readDocument(task as ReadingTask));
