import { Unzip, type UnzipFile, UnzipInflate } from 'fflate';
import { DocumentUnreadableError } from '../document-error.ts';

/** More than any book or workbook has. */
const MAX_ENTRIES = 10_000;
const STEP_BYTES = 64 * 1024;
/** How Office writes documents with a password: not as a ZIP at all. */
const COMPOUND_FILE = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);

/**
 * Unpacks the entries of a ZIP that are wanted, in steps: what it claims about sizes is not believed.
 * @throws DocumentUnreadableError: `too-large` beyond `maxBytes` in all, also of what is not wanted; `damaged`; `encrypted`.
 */
export function unpack(
  bytes: Buffer,
  maxBytes: number,
  isWanted: (name: string) => boolean = () => true,
): ReadonlyMap<string, Buffer> {
  if (bytes.subarray(0, 4).equals(COMPOUND_FILE)) throw new DocumentUnreadableError('encrypted');
  const entries = new Map<string, Buffer>();
  let unpackedBytes = 0;
  let entryCount = 0;
  let failure: unknown;
  const onFile = (file: UnzipFile) => {
    entryCount += 1;
    if (entryCount > MAX_ENTRIES) failure ??= new DocumentUnreadableError('too-large');
    const pieces: Uint8Array[] = [];
    file.ondata = (error, piece, isLast) => {
      // What is thrown in here comes back as another error of the same file.
      failure ??= error;
      unpackedBytes += piece?.length ?? 0;
      if (unpackedBytes > maxBytes) failure ??= new DocumentUnreadableError('too-large');
      if (failure) return;
      if (isWanted(file.name)) pieces.push(piece);
      if (isLast && isWanted(file.name)) entries.set(file.name, Buffer.concat(pieces));
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
