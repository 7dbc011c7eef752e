import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ByteRange, StoredFile } from '../../core/storage/index.ts';
import { EXPOSED_HEADERS } from '../cross-origin.ts';
import { ClientGoneError } from '../open-exchanges.ts';
import { findWantedBytes } from './byte-ranges.ts';
import type { CloudApiDeps } from './cloud-api-deps.ts';
import { cloudError, fileNotFound } from './cloud-error.ts';
import { toBareDisposition, toContentDisposition } from './content-disposition.ts';
import { isShownByBrowsers, toServedType } from './media-types.ts';
import { isRangeValid, judgePreconditions, type Validators } from './preconditions.ts';

/**
 * Answers with the bytes of a file, with those of them that `Range` names, or with what the conditions of the request make of
 * it. Whatever can fail has failed before the status line; what breaks later destroys the connection.
 * @throws HttpError 404, 412, 416; whatever the storage throws.
 */
export async function sendFile(
  file: StoredFile,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: CloudApiDeps,
  options: { readonly signal: AbortSignal; readonly isInlineAllowed: boolean },
): Promise<FastifyReply> {
  const validators = toValidators(file);
  const headers = { ...toFileHeaders(file, validators), 'content-disposition': toDisposition(file, deps, options) };
  const verdict = judgePreconditions(request.headers, validators);
  if (verdict === 'failed')
    throw cloudError(412, 'precondition_failed', 'The file is not in the state that was asked for.');
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
      : await deps.storage.read(file.id, { start, end }, options.signal, { areChunksBrief: true });
  if (isLimited(file) && !(await deps.storage.countDownload(file.id))) {
    await bytes?.[Symbol.asyncIterator]().return?.();
    throw fileNotFound();
  }
  const response = reply.hijack().raw;
  response.writeHead(status, head);
  await pump(bytes, sizeBytes, response, request, deps.clock, deps.limits.drainTimeoutMs);
  return reply;
}

/** Whether each download counts. Such a file is given whole and never kept by anybody on the way. */
function isLimited(file: StoredFile): boolean {
  return file.downloadsLeft !== undefined;
}

function findRange(
  file: StoredFile,
  request: FastifyRequest,
  validators: Validators,
): ByteRange & { readonly isPart: boolean } {
  const whole = { start: 0, end: file.sizeBytes - 1, isPart: false };
  // Parts that count would break players and resumed downloads; parts that don't would make the limit pointless.
  if (isLimited(file) || !isRangeValid(toSingle(request.headers['if-range']), validators)) return whole;
  const wanted = findWantedBytes(request.headers.range, file.sizeBytes);
  if (wanted.kind === 'whole') return whole;
  if (wanted.kind === 'part') return { ...wanted.range, isPart: true };
  throw cloudError(416, 'range_not_satisfiable', 'The file has no such bytes.', {
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
    // Kept copies are asked for again each time, because a file can be deleted.
    'cache-control': isLimited(file) ? 'no-store' : 'private, no-cache',
    // Nothing in a file may run or load anything, as a page of this address least of all.
    'content-security-policy':
      "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'",
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    vary: `accept, sec-fetch-dest${file.hasPassword ? ', authorization, x-password' : ''}`,
    // Whoever knows the link has the file: pages of others may use it. With a password they may not.
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
  { hasBareFileNames }: CloudApiDeps,
  { isInlineAllowed }: { readonly isInlineAllowed: boolean },
): string {
  if (isInlineAllowed && isShownInline(file)) return toContentDisposition('inline', file.name);
  return hasBareFileNames ? toBareDisposition(file.name) : toContentDisposition('attachment', file.name);
}

/** Whether a browser shows the file instead of saving it: its sender wanted that, and its type is harmless. */
export function isShownInline(file: StoredFile): boolean {
  return file.isInline && isShownByBrowsers(file.mediaType);
}

async function pump(
  bytes: AsyncIterable<Buffer> | undefined,
  sizeBytes: number,
  response: ServerResponse,
  request: FastifyRequest,
  clock: CloudApiDeps['clock'],
  drainTimeoutMs: number,
): Promise<void> {
  let sentBytes = 0;
  try {
    for await (const chunk of bytes ?? []) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        await handOver(response, chunk.subarray(at, at + PIECE_BYTES), { clock, drainTimeoutMs });
      }
      sentBytes += chunk.length;
    }
    if (sentBytes !== sizeBytes) throw new Error('The storage gave more or less than it had promised');
    response.end();
  } catch (error) {
    if (!(error instanceof ClientGoneError)) request.log.warn({ err: error }, 'a download broke off');
    response.destroy();
  }
}

/**
 * Resolves when the socket has taken the piece, and no longer looks at its memory.
 * @throws ClientGoneError when the client is gone, or reads nothing in time and is cut off.
 */
function handOver(
  response: ServerResponse,
  piece: Buffer,
  deps: { readonly clock: CloudApiDeps['clock']; readonly drainTimeoutMs: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (response.destroyed) return reject(new ClientGoneError());
    const onClose = () => settle(false);
    const settle = (isTaken: boolean) => {
      cancelTimer();
      response.off('close', onClose);
      if (isTaken) resolve();
      else reject(new ClientGoneError());
    };
    const cancelTimer = deps.clock.setTimer(deps.drainTimeoutMs, () => response.destroy());
    response.once('close', onClose);
    response.write(piece, (error) => settle(!error));
  });
}

/** So much has to be read within the time for reading; more at once would cut off readers that are slow, but not that slow. */
const PIECE_BYTES = 64 * 1024;
