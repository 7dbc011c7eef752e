import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hasStoredBytes, type StoredFile } from '../../../core/storage/index.ts';
import { toClientAddress } from '../../server/connections/addresses.ts';
import type { HttpServices } from '../../services.ts';
import { cloudError, fileNotFound } from '../cloud-error.ts';
import { readFileId, trimLinkEnd } from '../file-id.ts';
import { getFileRequest, installFileRequests, moveFileRequest } from '../file-requests.ts';
import { DOWNLOAD, DOWNLOAD_BY_NAME, DOWNLOAD_BY_PASSWORD, FILE_PAGE, FILE_PAGE_BY_NAME } from '../route-schemas.ts';
import { sendFilePage, sendMissingPage, sendPasswordPage } from './file-page.ts';
import { isPasswordRight, judgePassword, passwordRequired, readPassword } from './file-password.ts';
import { isLinkPreview, isPrefetch } from './previews.ts';
import { isLimited, isShownInline, sendFile } from './send-file.ts';

interface FileParams {
  readonly Params: { readonly id: string; readonly name?: string };
  readonly Querystring: { readonly download?: unknown };
}

const MAX_PASSWORD_FORM_BYTES = 4096;
const FORM_TYPE = /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i;

/**
 * Adds the download routes. Must be registered in a context of its own.
 *
 * `GET` and `HEAD` of `/file/<id>` and `/file/<id>/<name>` return the bytes; the name is for clients that derive the
 * file name from the URL. Browsers navigating to `/file/<id>` get the file page, which is also at `/file/<id>/view`, and
 * so do programs that show a preview of the link. These get no bytes of a file with a limit at any address.
 * `POST /file/<id>`, the password form of that page, returns the bytes.
 */
export function addDownload(server: FastifyInstance, services: HttpServices): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _body, done) => done(null));
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_PASSWORD_FORM_BYTES },
    (_request, body, done) => done(null, body),
  );

  installFileRequests(server, (request) =>
    isPageRequest(request as FastifyRequest<FileParams>) ? services.inFlight.pages : services.inFlight.downloads,
  );
  server.addHook('onRequest', (request, _reply, done) => {
    if (request.method === 'POST' && !FORM_TYPE.test(request.headers['content-type'] ?? '')) throw notPasswordForm();
    done();
  });

  const find = async (segment: string): Promise<StoredFile | undefined> => {
    const id = readFileId(segment);
    const file = id === undefined ? undefined : await services.storage.find(id);
    return file && hasStoredBytes(file) ? file : undefined;
  };
  const isAdmitted = (file: StoredFile, request: FastifyRequest) =>
    isPasswordRight(services.storage, file, readPassword(request.headers), toClientAddress(request));

  const giveBytes = async (request: FastifyRequest<FileParams>, reply: FastifyReply) => {
    const { signal } = getFileRequest(request);
    const file = await find(request.params.id);
    if (!file) throw fileNotFound();
    if (!(await isAdmitted(file, request))) throw passwordRequired(request.headers);
    if (isLimited(file) && isAutomatic(request)) return sendFilePage(file, reply, { ...services, signal });
    return sendFile(file, request, reply, services, { signal, isInlineAllowed: request.query.download === undefined });
  };
  const showPage = async (request: FastifyRequest<FileParams>, reply: FastifyReply) => {
    const { signal } = getFileRequest(request);
    const file = await find(request.params.id);
    if (!file) return sendMissingPage(reply);
    if (!(await isAdmitted(file, request))) return sendPasswordPage(file, reply);
    return sendFilePage(file, reply, { ...services, signal });
  };

  server.get<FileParams>('/file/:id', { schema: DOWNLOAD }, async (request, reply) => {
    if (!wantsPage(request)) return giveBytes(request, reply);
    const file = await find(request.params.id);
    if (!file || file.hasPassword || !isShownInline(file)) return showPage(request, reply);
    // A download takes longer than a page and must not occupy a slot for pages.
    moveFileRequest(request, reply, services.inFlight.downloads);
    return giveBytes(request, reply);
  });
  server.get<FileParams>('/file/:id/view', { schema: FILE_PAGE }, async (request, reply) =>
    request.query.download === undefined ? showPage(request, reply) : giveBytes(request, reply),
  );
  server.get<FileParams>('/file/:id/:name', { schema: DOWNLOAD_BY_NAME }, async (request, reply) => {
    if (!isViewName(request)) return giveBytes(request, reply);
    moveFileRequest(request, reply, services.inFlight.pages);
    return showPage(request, reply);
  });
  server.get<FileParams>('/file/:id/:name/view', { schema: FILE_PAGE_BY_NAME }, async (request, reply) =>
    request.query.download === undefined ? showPage(request, reply) : giveBytes(request, reply),
  );
  server.post<FileParams>('/file/:id', { schema: DOWNLOAD_BY_PASSWORD }, async (request, reply) => {
    const password = readPasswordForm(request.body);
    const { signal } = getFileRequest(request);
    const file = await find(request.params.id);
    if (!file) return sendMissingPage(reply);
    const verdict = await judgePassword(services.storage, file, password, toClientAddress(request));
    if (verdict !== 'right') return sendPasswordPage(file, reply, verdict);
    return sendFile(file, request, reply, services, { signal, isInlineAllowed: false });
  });
}

/**
 * Returns the password of the form.
 * @param body of `POST /file/<id>`, as left by the content type parser.
 * @throws HttpError 405 if it is not the password form.
 */
function readPasswordForm(body: unknown): string {
  const password = typeof body === 'string' ? new URLSearchParams(body).get('password') : null;
  if (password === null) throw notPasswordForm();
  return password;
}

function notPasswordForm() {
  const allow = 'DELETE, GET, HEAD, OPTIONS';
  return cloudError(405, 'method_not_allowed', `This address accepts ${allow}, and the form with its password.`, {
    allow,
  });
}

/**
 * Returns true if a request only shows a page or deletes a file. All other requests of this context may send a file.
 */
function isPageRequest(request: FastifyRequest<FileParams>): boolean {
  const { url } = request.routeOptions;
  if (request.method === 'DELETE' || url === '/delete/:id') return true;
  if (url?.endsWith('/view')) return request.query.download === undefined;
  return url === '/file/:id' && wantsPage(request);
}

/** Returns true if the name is `view` with what a chat took for a part of the link. */
function isViewName({ params, query }: FastifyRequest<FileParams>): boolean {
  return query.download === undefined && trimLinkEnd(params.name ?? '') === 'view';
}

function wantsPage(request: FastifyRequest<FileParams>): boolean {
  return isNavigation(request) || (request.query.download === undefined && isLinkPreview(request.headers));
}

/** Returns true if no user asks for the file: a program fetches the link before a user opens it. */
function isAutomatic({ headers }: FastifyRequest): boolean {
  return isLinkPreview(headers) || isPrefetch(headers);
}

/** Returns true if a browser navigates to the URL. Programs, players and embedding pages want the bytes. */
function isNavigation({ method, headers, query }: FastifyRequest<FileParams>): boolean {
  if (method !== 'GET' || headers.range !== undefined || query.download !== undefined) return false;
  if (headers['sec-fetch-dest'] !== undefined) return headers['sec-fetch-dest'] === 'document';
  return /^\s*text\/html\b/i.test(headers.accept ?? '');
}
