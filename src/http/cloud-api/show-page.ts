import type { FastifyReply } from 'fastify';
import type { Storage, StoredFile } from '../../core/storage/index.ts';
import { FILE_PAGE_HEADERS } from '../page-shell.ts';
import {
  canPreview,
  type PasswordRefusal,
  type TextExcerpt,
  toFilePage,
  toMissingPage,
  toPasswordPage,
} from './file-page.ts';
import { toSeconds } from './file-password.ts';
import { decodeText, findPreviewKind } from './media-types.ts';

const EXCERPT_BYTES = 64 * 1024;

/** Sends the page of a file. */
export async function sendFilePage(
  file: StoredFile,
  reply: FastifyReply,
  deps: { readonly storage: Storage; readonly signal: AbortSignal; readonly cloudUrl: () => string },
): Promise<FastifyReply> {
  const isText = canPreview(file) && findPreviewKind(file.mediaType) === 'text';
  // The page is useful without a preview.
  const excerpt = isText ? await readExcerpt(file, deps).catch(() => undefined) : undefined;
  return sendPage(reply, 200, toFilePage(file, deps.cloudUrl(), excerpt));
}

/**
 * Sends the password page. Not with 401, since browsers would then show a login dialog.
 * @param refusal result of the previous try, if any.
 */
export function sendPasswordPage(file: StoredFile, reply: FastifyReply, refusal?: PasswordRefusal): FastifyReply {
  if (typeof refusal === 'object') reply.header('retry-after', toSeconds(refusal));
  const status = refusal === undefined ? 200 : refusal === 'wrong' ? 403 : 429;
  return sendPage(reply, status, toPasswordPage(file, refusal));
}

/** Sends a 404 page. */
export function sendMissingPage(reply: FastifyReply): FastifyReply {
  return sendPage(reply, 404, toMissingPage());
}

function sendPage(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply.code(status).headers(FILE_PAGE_HEADERS).type('text/html; charset=utf-8').send(page);
}

async function readExcerpt(
  file: StoredFile,
  { storage, signal }: { readonly storage: Storage; readonly signal: AbortSignal },
): Promise<TextExcerpt> {
  const sizeBytes = Math.min(file.sizeBytes, EXCERPT_BYTES);
  const chunks: Buffer[] = [];
  for await (const chunk of await storage.read(file.id, { start: 0, end: sizeBytes - 1 }, signal)) chunks.push(chunk);
  const isCut = file.sizeBytes > sizeBytes;
  return { text: decodeText(Buffer.concat(chunks), file.mediaType, { isCut }), isCut };
}
