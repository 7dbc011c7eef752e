import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { notFound } from './control-failure.ts';

const FOLDER = new URL('../playground/', import.meta.url);

const TYPES: { readonly [extension: string]: string } = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
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

/** The page's own files, flat in one folder: nothing else can be named. */
export function addPageRoutes(scope: FastifyInstance): void {
  scope.get('/', async (request, reply) => {
    // The page names its files relative to itself, so its address must end with a slash.
    const [path = '', query] = request.url.split('?');
    if (!path.endsWith('/')) return reply.redirect(`${path}/${query === undefined ? '' : `?${query}`}`);
    return sendFile(reply, 'index.html', request.headers['if-none-match']);
  });
  scope.get<{ Params: { file: string } }>('/:file', async (request, reply) =>
    sendFile(reply, request.params.file, request.headers['if-none-match']),
  );
}

async function sendFile(reply: FastifyReply, name: string, knownTag: string | undefined): Promise<FastifyReply> {
  const extension = /^[a-z0-9][a-z0-9-]*\.([a-z0-9]+)$/.exec(name)?.[1] ?? '';
  const type = TYPES[extension];
  if (type === undefined) throw notFound('page');
  const bytes = await readFile(new URL(name, FOLDER)).catch(() => {
    throw notFound('page');
  });
  const tag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  reply.header('cache-control', 'no-cache').header('etag', tag);
  if (knownTag === tag) return reply.status(304).send();
  return reply.header('content-security-policy', CONTENT_SECURITY_POLICY).type(type).send(bytes);
}
