import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ByteRange, type Download, type StoredFile, UNLIMITED_DOWNLOAD } from '../../../core/storage/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { DRAIN_TIMEOUT_MS } from '../../server/connections/await-drain.ts';
import { ClientGoneError } from '../../server/connections/in-flight-requests.ts';
import { EXPOSED_HEADERS } from '../../server/cross-origin.ts';
import type { HttpServices } from '../../services.ts';
import { cloudError, fileNotFound } from '../cloud-error.ts';
import { isShownByBrowsers, toServedType } from '../media-types.ts';
import { findWantedBytes } from './byte-ranges.ts';
import { toBareDisposition, toContentDisposition } from './content-disposition.ts';
import { isRangeValid, judgePreconditions, type Validators } from './preconditions.ts';

/**
 * Sends a file, its requested range, or the result of the preconditions. Errors are thrown before the status line; a
 * later failure destroys the connection.
 * @throws HttpError 404, 412, 416; the storage's errors.
 */
export async function sendFile(
  file: StoredFile,
  request: FastifyRequest,
  reply: FastifyReply,
  services: HttpServices,
  options: { readonly signal: AbortSignal; readonly isInlineAllowed: boolean },
): Promise<FastifyReply> {
  const validators = toValidators(file);
  const headers = { ...toFileHeaders(file, validators), 'content-disposition': toDisposition(file, services, options) };
  const verdict = judgePreconditions(request.headers, validators);
  if (verdict === 'failed')
    throw cloudError(412, 'precondition_failed', 'The file does not match the preconditions of the request.');
  if (verdict === 'not-modified') {
    const { 'content-type': _type, 'content-disposition': _disposition, ...rest } = headers;
    reply.hijack().raw.writeHead(304, rest).end();
    return reply;
  }
  const { start, end, isPart } = findRange(file, request, validators);
  const sizeBytes = end - start + 1;
  const head = {
    ...headers,
    'content-length': sizeBytes,
    ...(isPart ? { 'content-range': `bytes ${start}-${end}/${file.sizeBytes}` } : undefined),
    ...(isPart || isLimited(file) ? undefined : { 'accept-ranges': 'bytes' }),
  };
  const status = isPart ? 206 : 200;
  if (request.method === 'HEAD') {
    reply.hijack().raw.writeHead(status, head).end();
    return reply;
  }
  const bytes =
    sizeBytes === 0
      ? undefined
      : await services.storage.read(file.id, { start, end }, options.signal, { areChunksBrief: true });
  const download = isLimited(file) ? await services.storage.beginDownload(file.id) : UNLIMITED_DOWNLOAD;
  if (typeof download !== 'object') {
    await bytes?.[Symbol.asyncIterator]().return?.();
    throw download === 'busy' ? downloadsInUse() : fileNotFound();
  }
  reply.hijack().raw.writeHead(status, head);
  await pump({ bytes, sizeBytes, download }, reply.raw, request, services, options.signal);
  return reply;
}

function downloadsInUse() {
  const message = 'All downloads that this file has left are running.';
  return cloudError(503, 'downloads_in_use', message, { 'retry-after': '10' });
}

/** Returns true if downloads are counted. Such a file is sent only whole and with `no-store`. */
export function isLimited(file: StoredFile): boolean {
  return file.downloadsLeft !== undefined;
}

function findRange(
  file: StoredFile,
  request: FastifyRequest,
  validators: Validators,
): ByteRange & { readonly isPart: boolean } {
  const whole = { start: 0, end: file.sizeBytes - 1, isPart: false };
  // Counting ranges would break players and resumed downloads; not counting them would defeat the limit.
  if (isLimited(file) || !isRangeValid(toSingle(request.headers['if-range']), validators)) return whole;
  const requestedRange = findWantedBytes(request.headers.range, file.sizeBytes);
  if (requestedRange.kind === 'whole') return whole;
  if (requestedRange.kind === 'part') return { ...requestedRange.range, isPart: true };
  throw cloudError(416, 'range_not_satisfiable', 'The file has no bytes in this range.', {
    'content-range': `bytes */${file.sizeBytes}`,
  });
}

function toSingle(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0];
}

function toValidators(file: StoredFile): Validators {
  return { etag: `"${file.sha256}"`, lastModifiedMs: Math.floor(file.createdAt.getTime() / 1000) * 1000 };
}

function toFileHeaders(file: StoredFile, { etag, lastModifiedMs }: Validators): OutgoingHttpHeaders {
  return {
    'content-type': toServedType(file.mediaType),
    etag,
    'last-modified': new Date(lastModifiedMs).toUTCString(),
    // Cached copies are revalidated each time, because a file can be deleted.
    'cache-control': isLimited(file) ? 'no-store' : 'private, no-cache',
    // Content of a file must not execute or load anything, in particular not with this origin.
    'content-security-policy':
      "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'",
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    vary: `accept, sec-fetch-dest, user-agent${file.hasPassword ? ', authorization, x-password' : ''}`,
    // The link alone gives access to the file, so other sites may embed it; not so with a password.
    'cross-origin-resource-policy': file.hasPassword ? 'same-origin' : 'cross-origin',
    ...(file.hasPassword
      ? undefined
      : {
          'access-control-allow-origin': '*',
          'access-control-expose-headers': EXPOSED_HEADERS,
        }),
  };
}

function toDisposition(
  file: StoredFile,
  { hasBareFileNames }: HttpServices,
  { isInlineAllowed }: { readonly isInlineAllowed: boolean },
): string {
  if (isInlineAllowed && isShownInline(file)) return toContentDisposition('inline', file.name);
  return hasBareFileNames ? toBareDisposition(file.name) : toContentDisposition('attachment', file.name);
}

/** Returns true if browsers display the file instead of saving it: the uploader chose so and its type is harmless. */
export function isShownInline(file: StoredFile): boolean {
  return file.isInline && isShownByBrowsers(file.mediaType);
}

interface Sending {
  readonly bytes: AsyncIterable<Buffer> | undefined;
  readonly sizeBytes: number;
  readonly download: Download;
}

/**
 * Sends the bytes, or destroys the connection. A download that the service breaks off is given back; one that the
 * reader breaks off counts as soon as bytes were sent.
 */
async function pump(
  { bytes, sizeBytes, download }: Sending,
  response: ServerResponse,
  request: FastifyRequest,
  { clock }: HttpServices,
  signal: AbortSignal,
): Promise<void> {
  let sentBytes = 0;
  try {
    for await (const chunk of bytes ?? []) {
      for (let at = 0; at < chunk.length; at += PART_BYTES) {
        const block = chunk.subarray(at, at + PART_BYTES);
        // Counted before the last bytes leave, so that no file is sent whole without being counted.
        if (sentBytes + block.length >= sizeBytes) await count(download, response);
        await handOver(response, block, clock);
        sentBytes += block.length;
      }
    }
    if (sentBytes !== sizeBytes) throw new Error('The storage gave more or less than it had promised');
    if (sizeBytes === 0) await count(download, response);
    response.end();
  } catch (error) {
    // An abort by the service is older than the end of the connection that it causes.
    const isReaderGone = error instanceof ClientGoneError && !isAbortedByService(signal);
    if (!isReaderGone) request.log.warn({ err: error }, 'a download was interrupted');
    await (isReaderGone && sentBytes > 0 ? download.complete().catch(() => {}) : download.release());
    response.destroy();
  }
}

function isAbortedByService({ aborted, reason }: AbortSignal): boolean {
  return aborted && !(reason instanceof ClientGoneError);
}

/** @throws ClientGoneError; an error if the download may no longer complete. */
async function count(download: Download, response: ServerResponse): Promise<void> {
  if (response.destroyed) throw new ClientGoneError();
  if (!(await download.complete())) throw new Error('The download is no longer held');
}

/**
 * Writes a chunk. Resolves when the socket no longer uses its memory.
 * @throws ClientGoneError if the client is gone, or has been disconnected because it did not read in time.
 */
function handOver(response: ServerResponse, block: Buffer, clock: Clock): Promise<void> {
  return new Promise((resolve, reject) => {
    if (response.destroyed) return reject(new ClientGoneError());
    const onClose = () => settle(false);
    const settle = (isTaken: boolean) => {
      cancelTimer();
      response.off('close', onClose);
      if (isTaken) resolve();
      else reject(new ClientGoneError());
    };
    const cancelTimer = clock.setTimer(DRAIN_TIMEOUT_MS, () => response.destroy());
    response.once('close', onClose);
    response.write(block, (error) => settle(!error));
  });
}

/** Bytes that must be read within `DRAIN_TIMEOUT_MS`; with larger chunks slow clients would be disconnected. */
const PART_BYTES = 64 * 1024;
