import type { Download } from '../../../lib/http/public-fetch.ts';
import { UntranslatableError } from '../contract/model-errors.ts';

/** Images and files of one request, which are counted together. */
export type FileDownloads = ReturnType<typeof createFileDownloads>;

/** Limits of one downloaded file, and of all files of a request. */
const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_FILES_BYTES = 20 * 1024 * 1024;
const DOWNLOAD_MS = 30_000;

/** Starts counting for one request. */
export function createFileDownloads(download: Download, signal: AbortSignal) {
  let leftBytes = MAX_FILES_BYTES;
  /** Counts a file that the request contains. @throws UntranslatableError if all files are too large together. */
  const count = (sizeBytes: number): void => {
    leftBytes -= sizeBytes;
    if (leftBytes < 0) throw new UntranslatableError('messages', 'must have at most 20 megabytes of images and files');
  };
  return {
    count,
    /** Downloads a file from a public address. @throws UntranslatableError; the signal's reason. */
    async fetch(url: string): Promise<Buffer> {
      const maxBytes = Math.min(MAX_FILE_BYTES, leftBytes);
      const bytes = await download(url, { maxBytes, timeoutMs: DOWNLOAD_MS, signal, accept: '*/*' }).catch(
        (error: unknown) => {
          signal.throwIfAborted();
          const reason = error instanceof Error ? error.message : String(error);
          throw new UntranslatableError('messages', `has an image or file that could not be downloaded: ${reason}`);
        },
      );
      count(bytes.length);
      return bytes;
    },
  };
}
