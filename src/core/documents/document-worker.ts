import { parentPort, workerData } from 'node:worker_threads';
import { DocumentUnreadableError } from './document-error.ts';
import type { DocumentKind } from './document-kind.ts';
import type { WorkerOrder, WorkerResult } from './document-texts.ts';
import type { DocumentReader } from './readers/document-reader.ts';

/** Loaded when they are needed: what reads PDFs is large. */
const READERS: Readonly<Record<DocumentKind, () => Promise<DocumentReader>>> = {
  pdf: async () => (await import('./readers/read-pdf.ts')).readPdf,
  docx: async () => (await import('./readers/read-docx.ts')).readDocx,
  xlsx: async () => (await import('./readers/read-xlsx.ts')).readXlsx,
  epub: async () => (await import('./readers/read-epub.ts')).readEpub,
  html: async () => (await import('./readers/read-html.ts')).readHtml,
  text: async () => (await import('./readers/read-plain.ts')).readPlain,
};

/** Reads one document and ends. */
async function work({ kind, bytes, limits }: WorkerOrder): Promise<WorkerResult> {
  try {
    const read = await READERS[kind]();
    const { text, pageCount, readShare } = await read(Buffer.from(bytes), limits);
    if (text === '') return { problem: 'empty' };
    const kept = text.slice(0, limits.maxCharacters).toWellFormed();
    const keptShare = (readShare ?? 1) * (kept.length / text.length);
    return { text: kept, pageCount, readShare: keptShare };
  } catch (error) {
    if (error instanceof DocumentUnreadableError) return { problem: error.problem };
    return { problem: 'damaged', reason: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.postMessage(await work(workerData));
