import { Unzip, type UnzipFile, UnzipInflate } from 'fflate';
import { DocumentUnreadableError } from '../document-error.ts';

/** More than any real book or workbook has. */
const MAX_ENTRIES = 10_000;
const STEP_BYTES = 64 * 1024;
/**
 * Signature of Office documents with a password, which are not ZIP archives. Documents of the formats before 2007 (.doc,
 * .xls) begin with it too: under a new extension they are reported as encrypted.
 */
const COMPOUND_FILE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);

/**
 * Unpacks the wanted entries of a ZIP archive in steps, because the sizes it declares can't be trusted.
 * @throws DocumentUnreadableError
 * - `too-large`: more than `maxBytes` in total, unwanted entries included, or more entries than any real document has.
 * - `encrypted`: an Office document with a password.
 * - `damaged`: not a ZIP archive, an empty one, or one with an error.
 */
export function unpack(
  bytes: Buffer,
  maxBytes: number,
  isWanted: (name: string) => boolean,
): ReadonlyMap<string, Buffer> {
  if (bytes.subarray(0, 4).equals(COMPOUND_FILE)) throw new DocumentUnreadableError('encrypted');
  const entries = new Map<string, Buffer>();
  let unpackedBytes = 0;
  let entryCount = 0;
  let failure: unknown;
  const onFile = (file: UnzipFile) => {
    entryCount += 1;
    if (entryCount > MAX_ENTRIES) failure ??= new DocumentUnreadableError('too-large');
    const chunks: Uint8Array[] = [];
    file.ondata = (error, chunk, isLast) => {
      // Errors are stored, not thrown: the library would pass a thrown error to this callback as another error of the
      // file.
      failure ??= error;
      unpackedBytes += chunk?.length ?? 0;
      if (unpackedBytes > maxBytes) failure ??= new DocumentUnreadableError('too-large');
      if (failure) return;
      if (isWanted(file.name)) chunks.push(chunk);
      if (isLast && isWanted(file.name)) entries.set(file.name, Buffer.concat(chunks));
    };
    if (!failure) file.start();
  };
  const unzip = new Unzip(onFile);
  unzip.register(UnzipInflate);
  for (let at = 0; at < bytes.length && !failure; at += STEP_BYTES) {
    const end = Math.min(at + STEP_BYTES, bytes.length);
    unzip.push(bytes.subarray(at, end), end === bytes.length);
  }
  if (failure instanceof DocumentUnreadableError) throw failure;
  if (failure) throw new DocumentUnreadableError('damaged', { cause: failure });
  if (entryCount === 0) throw new DocumentUnreadableError('damaged');
  return entries;
}

/** Unpacks an archive without keeping anything, for libraries that unpack without a limit. @throws like `unpack`. */
export function checkUnpackedSize(bytes: Buffer, maxBytes: number): void {
  unpack(bytes, maxBytes, () => false);
}
