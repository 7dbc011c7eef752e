import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';
import type { StoredFile } from '../../../core/storage/index.ts';
import type { BotContext } from '../../kit/context.ts';
import type { BotServices } from '../../kit/services.ts';
import { listAllFiles, toExportDocuments } from './export-documents.ts';

/** A user's data in one ZIP archive. */
export interface ExportArchive {
  readonly bytes: Buffer;
  /** Number of files that are included as links only: too large, stored by Telegram only, or not readable now. */
  readonly linkedCount: number;
}

/** Keeps the archive with its documents below 50 MB, the limit for bots. */
const MAX_FILE_BYTES = 40 * 1024 * 1024;
/** Compressing that much takes up to 5 ms. */
const SLICE_BYTES = 64 * 1024;
const READ_TIMEOUT_MS = 5 * 60_000;

/** Returns all data of the user: documents, and the stored files, the newest first, as far as they fit. */
export async function toExportArchive(services: BotServices, ctx: BotContext): Promise<ExportArchive> {
  const files = await listAllFiles(services, ctx.user.id);
  const archive = createArchive();
  for (const { name, parts } of await toExportDocuments(services, ctx, files))
    await archive.add(name, parts, 'compressed');
  const signal = AbortSignal.timeout(READ_TIMEOUT_MS);
  let leftBytes = MAX_FILE_BYTES;
  let linkedCount = 0;
  for (const file of files) {
    const bytes =
      file.sha256 !== undefined && file.sizeBytes <= leftBytes ? await readWhole(services, file, signal) : undefined;
    if (bytes) await archive.add(`files/${file.id}/${file.name}`, [bytes], 'as-it-is');
    else linkedCount += 1;
    leftBytes -= bytes?.length ?? 0;
  }
  return { bytes: archive.end(), linkedCount };
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

/** Creates an archive. The event loop runs after each part of it. */
function createArchive() {
  const chunks: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk);
  });
  return {
    async add(name: string, parts: Iterable<string | Buffer>, form: 'compressed' | 'as-it-is') {
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
