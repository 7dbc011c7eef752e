import { useEffect, useState } from 'preact/hooks';
import { ApiError, toError, toUrl } from '../../../api/request.ts';
import { readToken } from '../../../api/session.ts';

/** A file on its way to the service. */
export interface Upload {
  readonly id: number;
  readonly name: string;
  readonly sizeBytes: number;
  readonly sentBytes: number;
  readonly state: 'waiting' | 'sending' | 'failed';
  readonly error?: ApiError | undefined;
}

interface Job {
  readonly file: File;
  readonly controller: AbortController;
}

// Uploads continue while another page is open.
let uploads: readonly Upload[] = [];
const jobs = new Map<number, Job>();
const listeners = new Set<() => void>();
let nextId = 1;
let doneCount = 0;

/** Sends files, a few at the same time. */
export function startUploads(files: Iterable<File>): void {
  for (const file of files) {
    const id = nextId++;
    jobs.set(id, { file, controller: new AbortController() });
    uploads = [...uploads, { id, name: file.name, sizeBytes: file.size, sentBytes: 0, state: 'waiting' }];
  }
  sendNext();
}

/** Cancels an upload, or removes a failed one from the list. */
export function cancelUpload(id: number): void {
  jobs.get(id)?.controller.abort();
  remove(id);
  sendNext();
}

/** Sends a failed file again. */
export function retryUpload(id: number): void {
  change(id, { state: 'waiting', sentBytes: 0, error: undefined });
  sendNext();
}

/** Returns the uploads that are not complete, and the number of complete ones. */
export function useUploads(): { readonly uploads: readonly Upload[]; readonly doneCount: number } {
  const [now, setNow] = useState({ uploads, doneCount });
  useEffect(() => {
    const onChange = () => setNow({ uploads, doneCount });
    listeners.add(onChange);
    onChange();
    return () => void listeners.delete(onChange);
  }, []);
  return now;
}

/** Files sent at the same time. */
const MAX_SENDING = 3;

function sendNext(): void {
  const free = MAX_SENDING - uploads.filter(({ state }) => state === 'sending').length;
  for (const { id } of uploads.filter(({ state }) => state === 'waiting').slice(0, Math.max(0, free))) void send(id);
  report();
}

async function send(id: number): Promise<void> {
  const job = jobs.get(id);
  if (!job) return;
  const { file, controller } = job;
  change(id, { state: 'sending' });
  try {
    await upload(`api/me/files?name=${encodeURIComponent(file.name)}`, file, {
      onProgress: (sentBytes) => change(id, { sentBytes }),
      signal: controller.signal,
    });
    doneCount += 1;
    remove(id);
  } catch (error) {
    if (error instanceof ApiError) change(id, { state: 'failed', error });
    else if (!controller.signal.aborted) throw error;
  } finally {
    sendNext();
  }
}

function change(id: number, changes: Partial<Upload>): void {
  uploads = uploads.map((each) => (each.id === id ? { ...each, ...changes } : each));
  report();
}

function remove(id: number): void {
  uploads = uploads.filter((each) => each.id !== id);
  jobs.delete(id);
  report();
}

function report(): void {
  const isRunning = uploads.some(({ state }) => state !== 'failed');
  // Browsers ask before they leave the page.
  window.onbeforeunload = isRunning ? (event) => event.preventDefault() : null;
  for (const listener of listeners) listener();
}

interface UploadParams {
  readonly onProgress: (sentBytes: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Sends a file as the body of a PUT request. `fetch` does not report progress.
 * @throws ApiError; the signal's reason.
 */
function upload(path: string, file: File, { onProgress, signal }: UploadParams): Promise<void> {
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
