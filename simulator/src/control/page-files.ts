import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from './control-failure.ts';

/** True in a bundle of this package: the page is in a folder beside it, as `bundlePage` made it. */
const isBuilt = import.meta.filename.endsWith('.js');
const FOLDER = new URL(isBuilt ? 'playground/' : '../playground/', import.meta.url);

const TYPES: { readonly [extension: string]: string } = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the files of the page. All are read once, on the first request. @param icon replaces that of the page. */
export function addPageRoutes(scope: FastifyInstance, icon?: string): void {
  let loading: ReturnType<typeof loadPage> | undefined;
  const send = async (request: FastifyRequest, reply: FastifyReply, name: string): Promise<FastifyReply> => {
    loading ??= loadPage(icon);
    const file = (await loading).get(name);
    if (!file) throw notFound('page');
    reply.header('cache-control', 'no-cache').header('etag', file.tag);
    if (request.headers['if-none-match'] === file.tag) return reply.status(304).send();
    return reply.header('content-security-policy', CONTENT_SECURITY_POLICY).type(file.type).send(file.bytes);
  };
  scope.get('/', async (request, reply) => {
    // The page uses relative URLs, so its address must end with a slash.
    const [path = '', query] = request.url.split('?');
    if (!path.endsWith('/')) return reply.redirect(`${path}/${query === undefined ? '' : `?${query}`}`);
    return send(request, reply, 'index.html');
  });
  // Replaces https://t.me/<bot>?start=<payload>: the page opens the chat and shows the start button.
  scope.get('/t.me/:username', async (request, reply) => {
    const query = request.url.split('?')[1];
    return reply.redirect(`../${query === undefined ? '' : `?${query}`}`);
  });
  scope.get<{ Params: { file: string } }>('/:file', async (request, reply) =>
    send(request, reply, request.params.file),
  );
}

interface PageFile {
  readonly type: string;
  readonly tag: string;
  readonly bytes: Buffer;
}

async function loadPage(icon: string | undefined): Promise<ReadonlyMap<string, PageFile>> {
  const files = new Map<string, PageFile>();
  const add = (name: string, content: Uint8Array) => {
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)];
    if (type === undefined) return;
    const bytes = Buffer.from(content);
    const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    files.set(name, { type, tag, bytes });
  };
  // esbuild is loaded only where there are sources.
  const page = isBuilt ? await readFolder(FOLDER) : await (await import('./page-bundle.ts')).bundlePage(FOLDER);
  for (const [name, bytes] of page) add(name, bytes);
  if (icon !== undefined) add('icon.svg', Buffer.from(icon));
  return files;
}

async function readFolder(folder: URL): Promise<ReadonlyMap<string, Uint8Array>> {
  const names = await readdir(folder);
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(new URL(name, folder))] as const)));
}
