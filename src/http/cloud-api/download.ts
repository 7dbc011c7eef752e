import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { StoredFile } from '../../core/storage/index.ts';
import { toClientAddress } from '../client-address.ts';
import type { CloudApiDeps } from './cloud-api-deps.ts';
import { cloudError, fileNotFound } from './cloud-error.ts';
import { getFileExchange, installFileExchanges, moveFileExchange } from './file-exchange.ts';
import { isFileId } from './file-id.ts';
import { isPasswordRight, judgePassword, passwordRequired, readPassword } from './file-password.ts';
import { DOWNLOAD, DOWNLOAD_BY_NAME, DOWNLOAD_BY_PASSWORD, FILE_PAGE } from './route-schemas.ts';
import { isShownInline, sendFile } from './send-file.ts';
import { sendFilePage, sendMissingPage, sendPasswordPage } from './show-page.ts';

interface FileParams {
  readonly Params: { readonly id: string; readonly name?: string };
  readonly Querystring: { readonly download?: unknown };
}

const MAX_PASSWORD_FORM_BYTES = 4096;
const FORM_TYPE = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i;

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

  installFileExchanges(server, (request) =>
    isPageRequest(request as FastifyRequest<FileParams>) ? deps.pages : deps.downloads,
  );
  server.addHook('onRequest', (request, _reply, done) => {
    if (request.method === 'POST' && !FORM_TYPE.test(request.headers['content-type'] ?? '')) throw notPasswordForm();
    done();
  });

  const find = async (id: string): Promise<StoredFile | undefined> => {
    const file = isFileId(id) ? await deps.storage.find(id) : undefined;
    // What lies at Telegram alone has no bytes here.
    return file?.sha256 === undefined ? undefined : file;
  };
  const isAdmitted = (file: StoredFile, request: FastifyRequest) =>
    isPasswordRight(deps.storage, file, readPassword(request.headers), toClientAddress(request));

  const giveBytes = async (request: FastifyRequest<FileParams>, reply: FastifyReply) => {
    const { signal } = getFileExchange(request);
    const file = await find(request.params.id);
    if (!file) throw fileNotFound();
    if (!(await isAdmitted(file, request))) throw passwordRequired();
    return sendFile(file, request, reply, deps, { signal, isInlineAllowed: request.query.download === undefined });
  };
  const showPage = async (request: FastifyRequest<FileParams>, reply: FastifyReply) => {
    const { signal } = getFileExchange(request);
    const file = await find(request.params.id);
    if (!file) return sendMissingPage(reply);
    if (!(await isAdmitted(file, request))) return sendPasswordPage(file, reply);
    return sendFilePage(file, reply, { storage: deps.storage, signal });
  };

  server.get<FileParams>('/file/:id', { schema: DOWNLOAD }, async (request, reply) => {
    if (!isNavigation(request)) return giveBytes(request, reply);
    const file = await find(request.params.id);
    if (!file || file.hasPassword || !isShownInline(file)) return showPage(request, reply);
    // A download lasts longer than a page and must not hold a place for pages.
    moveFileExchange(request, reply, deps.downloads);
    return giveBytes(request, reply);
  });
  server.get<FileParams>('/file/:id/view', { schema: FILE_PAGE }, async (request, reply) =>
    request.query.download === undefined ? showPage(request, reply) : giveBytes(request, reply),
  );
  server.get<FileParams>('/file/:id/:name', { schema: DOWNLOAD_BY_NAME }, giveBytes);
  server.post<FileParams>('/file/:id', { schema: DOWNLOAD_BY_PASSWORD }, async (request, reply) => {
    const password = readPasswordForm(request.body);
    const { signal } = getFileExchange(request);
    const file = await find(request.params.id);
    if (!file) return sendMissingPage(reply);
    const verdict = await judgePassword(deps.storage, file, password, toClientAddress(request));
    if (verdict !== 'right') return sendPasswordPage(file, reply, verdict);
    return sendFile(file, request, reply, deps, { signal, isInlineAllowed: false });
  });
}

/**
 * @param body of `POST /file/<id>`, as its content type parser left it.
 * @throws HttpError 405 where it is not the form that asks for a password: other methods give the file.
 */
function readPasswordForm(body: unknown): string {
  const password = typeof body === 'string' ? new URLSearchParams(body).get('password') : null;
  if (password === null) throw notPasswordForm();
  return password;
}

function notPasswordForm() {
  const allow = 'DELETE, GET, HEAD, OPTIONS';
  return cloudError(405, 'method_not_allowed', `This address answers to ${allow}, and to the form with its password.`, {
    allow,
  });
}

/** Whether a request only shows a page or deletes something. Everything else in this context can send the bytes of a file. */
function isPageRequest(request: FastifyRequest<FileParams>): boolean {
  const { url } = request.routeOptions;
  if (request.method === 'DELETE' || url === '/delete/:id') return true;
  if (url === '/file/:id/view') return request.query.download === undefined;
  return url === '/file/:id' && isNavigation(request);
}

/** Whether a browser goes to the address to show it; programs, players and pages that embed it want bytes. */
function isNavigation({ method, headers, query }: FastifyRequest<FileParams>): boolean {
  if (method !== 'GET' || headers.range !== undefined || query.download !== undefined) return false;
  if (headers['sec-fetch-dest'] !== undefined) return headers['sec-fetch-dest'] === 'document';
  return /^\s*text\/html\b/i.test(headers.accept ?? '');
}
