import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { once } from '../../lib/async/once.ts';
import { toPackageFile } from '../../lib/layout.ts';
import { MARK_URL } from '../../texts/mark.ts';
import { describeResponse } from '../server/openapi.ts';

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Switchboard API</title>
<link rel="icon" href="${MARK_URL}">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
`;

const START = `const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const followTheme = () => document.documentElement.classList.toggle('dark-mode', prefersDark.matches);
prefersDark.addEventListener('change', followTheme);
followTheme();
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: false,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;

/** Loads everything from this origin, for the privacy of readers. The library needs inline styles. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const DOCUMENT = {
  tags: ['Service'],
  summary: 'This document',
  response: { 200: describeResponse('OpenAPI 3.1.', z.looseObject({ openapi: z.string(), paths: z.looseObject({}) })) },
};
const REFERENCE = {
  tags: ['Service'],
  summary: 'API reference',
  response: { 200: describeResponse('The page.', { 'text/html': 'API reference.' }) },
};
const ASSET = { schema: { hide: true } };

/** Adds `GET /openapi.json` and `GET /docs`, which displays it with files of this machine only. */
export function addApiReference(server: FastifyInstance): void {
  const sendDocument = createSender('application/json; charset=utf-8', async () =>
    Buffer.from(JSON.stringify(server.swagger())),
  );
  server.get('/openapi.json', { schema: DOCUMENT }, sendDocument);
  server.get('/docs', { schema: REFERENCE }, (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(PAGE),
  );
  const script = 'text/javascript; charset=utf-8';
  const sendStart = createSender(script, async () => Buffer.from(START));
  const sendBundle = createSender(script, () =>
    readFile(toPackageFile('@fastify/swagger-ui/static/swagger-ui-bundle.js')),
  );
  const sendStyle = createSender('text/css; charset=utf-8', () =>
    readFile(toPackageFile('@fastify/swagger-ui/static/swagger-ui.css')),
  );
  server.get('/docs/start.js', ASSET, sendStart);
  server.get('/docs/swagger-ui-bundle.js', ASSET, sendBundle);
  server.get('/docs/swagger-ui.css', ASSET, sendStyle);
}

/** Returns a handler that loads its content at the first request and supports `If-None-Match`. */
function createSender(mediaType: string, read: () => Promise<Buffer>) {
  const load = once(async () => {
    const bytes = await read();
    return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
  });
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { bytes, etag } = await load();
    reply.header('etag', etag).header('cache-control', 'no-cache');
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type(mediaType).send(bytes);
  };
}
