import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import type { PersonalExport } from '../../../core/personal-data/index.ts';
import { hasStoredBytes, type StoredFile } from '../../../core/storage/index.ts';
import { type CsvRow, toCsvHeader, toCsvLines } from '../../../lib/formats/csv.ts';
import type { BotContext } from '../../kit/context.ts';
import type { BotServices } from '../../kit/services.ts';
import { toMarkdown } from '../conversations/to-markdown.ts';
import { toFileLink } from '../files/views.ts';

/** A user's data in one ZIP archive. */
interface ExportArchive {
  readonly bytes: Buffer;
  /** Number of files that are included as links only: too large, stored by Telegram only, or not readable now. */
  readonly linkedCount: number;
}

/** Size of all files in an archive: with its documents it stays below 50 MB, the limit for bots. */
const MAX_INCLUDED_BYTES = 40 * 1024 * 1024;
const READ_TIMEOUT_MS = 5 * 60_000;

/** Creates an archive of all data of the user: documents, and the stored files, the newest first, as far as they fit. */
export async function createExportArchive(services: BotServices, ctx: BotContext): Promise<ExportArchive> {
  const files = await listAllFiles(services, ctx.user.id);
  const zip = createZip();
  for (const { name, parts } of await toExportDocuments(services, ctx, files)) await zip.add(name, parts, 'compressed');
  const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
  let leftBytes = MAX_INCLUDED_BYTES;
  let linkedCount = 0;
  for (const file of files) {
    const bytes =
      hasStoredBytes(file) && file.sizeBytes <= leftBytes ? await readWhole(services, file, signal) : undefined;
    if (bytes) await zip.add(`files/${file.id}/${file.name}`, [bytes], 'stored');
    else linkedCount += 1;
    leftBytes -= bytes?.length ?? 0;
  }
  return { bytes: zip.end(), linkedCount };
}

/** Reads a file; undefined if it can't be read now. The list in the archive has its link. */
async function readWhole(
  { storage, logger }: BotServices,
  { id, sizeBytes }: StoredFile,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  if (sizeBytes === 0) return Buffer.alloc(0);
  try {
    return Buffer.concat(await Array.fromAsync(await storage.read(id, { start: 0, end: sizeBytes - 1 }, signal)));
  } catch (error) {
    logger.warn({ err: error }, 'a stored file is missing from an export');
    return undefined;
  }
}

/** Creates a ZIP file in memory. The event loop runs after each slice of an entry. */
function createZip() {
  const chunks: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk);
  });
  return {
    async add(name: string, parts: Iterable<string | Buffer>, form: 'compressed' | 'stored') {
      const entry = form === 'compressed' ? new ZipDeflate(name, { level: 6 }) : new ZipPassThrough(name);
      zip.add(entry);
      for (const slice of toSlices(parts)) {
        entry.push(slice);
        await yieldToEventLoop();
      }
      entry.push(Buffer.alloc(0), true);
    },
    end(): Buffer {
      zip.end();
      return Buffer.concat(chunks);
    },
  };
}

/** Compressing that much takes up to 5 ms. */
const SLICE_BYTES = 64 * 1024;

/** Joins small parts and cuts large ones. */
function* toSlices(parts: Iterable<string | Buffer>): Generator<Buffer, void, undefined> {
  let small: Buffer[] = [];
  let smallBytes = 0;
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part.toWellFormed()) : part;
    small.push(bytes);
    smallBytes += bytes.length;
    if (smallBytes < SLICE_BYTES) continue;
    const joined = small.length === 1 ? bytes : Buffer.concat(small);
    for (let at = 0; at < joined.length; at += SLICE_BYTES) yield joined.subarray(at, at + SLICE_BYTES);
    [small, smallBytes] = [[], 0];
  }
  yield Buffer.concat(small);
}

/** Document of an export. */
interface ExportDocument {
  readonly name: string;
  /** Its text in parts, each of which is made when it is needed. */
  readonly parts: Iterable<string>;
}

const ROWS_AT_ONCE = 500;

/** Returns the user's data in the database as Markdown, JSON and CSV, and a list of the stored files as CSV. */
async function toExportDocuments(
  services: BotServices,
  ctx: BotContext,
  files: readonly StoredFile[],
): Promise<readonly ExportDocument[]> {
  const stored = await services.personalData.export(ctx.user.id);
  return [
    { name: 'conversations.md', parts: toMarkdown(stored) },
    { name: 'conversations.json', parts: toJson(stored) },
    { name: 'usage.csv', parts: toUsageTable(stored.usage) },
    { name: 'files.csv', parts: toFileTable(services, ctx, files) },
  ];
}

function* toJson({ account, isComplete, conversations }: PersonalExport): Generator<string, void, undefined> {
  yield `{\n"account": ${JSON.stringify(account, undefined, 2)},\n"isComplete": ${isComplete},\n"conversations": [`;
  for (const [at, { messages, ...conversation }] of conversations.entries()) {
    const fields = JSON.stringify(conversation, undefined, 2).slice(0, -'\n}'.length);
    yield `${at === 0 ? '' : ','}\n${fields},\n  "messages": [`;
    for (const [messageAt, message] of messages.entries())
      yield `${messageAt === 0 ? '' : ','}\n${JSON.stringify(message, undefined, 2)}`;
    yield '\n  ]\n}';
  }
  yield '\n]\n}\n';
}

function* toTable<Row>(
  header: readonly string[],
  rows: readonly Row[],
  toCells: (row: Row) => CsvRow,
): Generator<string, void, undefined> {
  yield toCsvHeader(header);
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
    yield toCsvLines(rows.slice(at, at + ROWS_AT_ONCE).map(toCells));
}

function toUsageTable(rows: PersonalExport['usage']): Iterable<string> {
  const header = [
    'time',
    'kind',
    'model',
    'provider',
    'prompt_tokens',
    'completion_tokens',
    'pictures',
    'cost_usd',
    'finish_reason',
    'duration_ms',
  ];
  return toTable(header, rows, (row) => [
    row.createdAt.toISOString(),
    row.kind,
    row.model,
    row.provider,
    row.promptTokens,
    row.completionTokens,
    row.imageCount,
    row.costUsd ?? undefined,
    row.finishReason ?? undefined,
    row.durationMs,
  ]);
}

function toFileTable(services: BotServices, ctx: BotContext, files: readonly StoredFile[]): Iterable<string> {
  return toTable(['name', 'bytes', 'media_type', 'stored', 'expires', 'sha256', 'link'], files, (file) => [
    file.name,
    file.sizeBytes,
    file.mediaType,
    file.createdAt.toISOString(),
    file.expiresAt?.toISOString(),
    file.sha256,
    toFileLink(services, ctx.me, file),
  ]);
}

const FILES_AT_ONCE = 100;
const MAX_FILES = 10_000;

/** Returns the user's files, newest first. */
async function listAllFiles({ storage }: BotServices, userId: number): Promise<StoredFile[]> {
  const all: StoredFile[] = [];
  while (all.length < MAX_FILES) {
    const { files } = await storage.list(userId, { offset: all.length, limit: FILES_AT_ONCE });
    all.push(...files);
    if (files.length < FILES_AT_ONCE) break;
  }
  return all;
}
