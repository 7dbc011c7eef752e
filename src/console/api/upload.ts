import { ApiError, toError, toUrl } from './request.ts';
import { readToken } from './session.ts';

interface UploadOptions {
  readonly onProgress: (sentBytes: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Sends a file as the body of a PUT request. `fetch` does not report progress.
 * @throws ApiError; the signal's reason.
 */
export function upload(path: string, file: File, { onProgress, signal }: UploadOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const sending = new XMLHttpRequest();
  sending.open('PUT', toUrl(path));
  sending.setRequestHeader('authorization', `Bearer ${readToken() ?? ''}`);
  sending.setRequestHeader('content-type', file.type || 'application/octet-stream');
  sending.upload.onprogress = ({ loaded }) => onProgress(loaded);
  sending.onload = () => {
    if (sending.status < 300) resolve();
    else reject(toError(sending.status, sending.responseText));
  };
  sending.onerror = () => reject(new ApiError(0, 'offline', ''));
  sending.onabort = () => reject(signal.reason);
  signal.addEventListener('abort', () => sending.abort());
  sending.send(file);
  return promise;
}
