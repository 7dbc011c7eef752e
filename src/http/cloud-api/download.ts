import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { StoredFile } from '../../core/storage/index.ts';
import { toClientAddress } from '../client-address.ts';
import type { CloudApiDeps } from './cloud-api-deps.ts';
import { fileNotFound } from './cloud-error.ts';
import { isFileId } from './file-id.ts';
import { isPasswordRight, judgePassword, passwordRequired, readPassword } from './file-password.ts';
import { isShownInline, sendFile } from './send-file.ts';
import { sendFilePage, sendMissingPage, sendPasswordPage } from './show-page.ts';

interface FileParams {
  readonly Params: { readonly id: string; readonly name?: string };
  readonly Querystring: { readonly download?: unknown };
}

const MAX_PASSWORD_FORM_BYTES = 4096;

/**
 * `GET` and `HEAD` of `/file/<id>` and `/file/<id>/<name>` give the bytes; the name is there for people and programs that take
 * it from the address. Browsers that go to `/file/<id>` get a page about the file, which is also at `/file/<id>/view`.
 * `POST /file/<id>` with the password in a form gives the bytes, for that page. To be registered in a context of its own.
 */
export function addDownload(server: FastifyInstance, deps: CloudApiDeps): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _body, done) => done(null));
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_PASSWORD_FORM_BYTES },
    (_request, body, done) => done(null, body),
  );

  const find = async (id: string): Promise<StoredFile | undefined> => {
    const file = isFileId(id) ? await deps.storage.find(id) : undefined;
    // What lies at Telegram alone has no bytes here.
    return file?.sha256 === undefined ? undefined : file;
  };
  const isAdmitted = (file: StoredFile, request: FastifyRequest) =>
    isPasswordRight(deps.storage, file, readPassword(request.headers), toClientAddress(request));

  const giveBytes = async (request: FastifyRequest<FileParams>, reply: FastifyReply) => {
    const signal = deps.exchanges.open(reply.raw);
    const file = await find(request.params.id);
    if (!file) throw fileNotFound();
    if (!(await isAdmitted(file, request))) throw passwordRequired();
    return sendFile(file, request, reply, deps, { signal, isInlineAllowed: request.query.download === undefined });
  };
  const showPage = async (request: FastifyRequest<FileParams>, reply: FastifyReply) => {
    const signal = deps.exchanges.open(reply.raw);
    const file = await find(request.params.id);
    if (!file) return sendMissingPage(reply);
    if (!(await isAdmitted(file, request))) return sendPasswordPage(file, reply);
    return sendFilePage(file, reply, { storage: deps.storage, signal });
  };

  server.get<FileParams>('/file/:id', async (request, reply) => {
    if (!isNavigation(request)) return giveBytes(request, reply);
    const file = await find(request.params.id);
    return file && !file.hasPassword && isShownInline(file) ? giveBytes(request, reply) : showPage(request, reply);
  });
  server.get<FileParams>('/file/:id/view', async (request, reply) =>
    request.query.download === undefined ? showPage(request, reply) : giveBytes(request, reply),
  );
  server.get<FileParams>('/file/:id/:name', giveBytes);
  server.post<FileParams>('/file/:id', async (request, reply) => {
    const signal = deps.exchanges.open(reply.raw);
    const file = await find(request.params.id);
    if (!file) return sendMissingPage(reply);
    const password = typeof request.body === 'string' ? new URLSearchParams(request.body).get('password') : null;
    const verdict = await judgePassword(
      deps.storage,
      file,
      password ?? readPassword(request.headers),
      toClientAddress(request),
    );
    if (verdict !== 'right') return sendPasswordPage(file, reply, verdict);
    return sendFile(file, request, reply, deps, { signal, isInlineAllowed: false });
  });
}

/** Whether a browser goes to the address to show it; programs, players and pages that embed it want bytes. */
function isNavigation({ method, headers, query }: FastifyRequest<FileParams>): boolean {
  if (method !== 'GET' || headers.range !== undefined || query.download !== undefined) return false;
  if (headers['sec-fetch-dest'] !== undefined) return headers['sec-fetch-dest'] === 'document';
  return /^\s*text\/html\b/i.test(headers.accept ?? '');
}
