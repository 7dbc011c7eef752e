import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { once } from '../../lib/once.ts';
import { createOpenApiDocument } from '../openapi/create-document.ts';

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Switchboard API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</html>
`;

const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: false,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;

/** Everything comes from here: no other host learns who reads. The library sets styles of single elements. */
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

/** `GET /openapi.json`, and `GET /docs` which shows it to people by files of this machine alone. */
export function addApiReference(server: FastifyInstance): void {
  const sendDocument = createSender('application/json; charset=utf-8', async () =>
    Buffer.from(JSON.stringify(createOpenApiDocument())),
  );
  server.get('/openapi.json', sendDocument);
  server.get('/docs', (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('content-security-policy', POLICY).send(PAGE),
  );
  const script = 'text/javascript; charset=utf-8';
  server.get(
    '/docs/start.js',
    createSender(script, async () => Buffer.from(START)),
  );
  server.get(
    '/docs/swagger-ui-bundle.js',
    createSender(script, () => readAsset('swagger-ui-bundle.js')),
  );
  server.get(
    '/docs/swagger-ui.css',
    createSender('text/css; charset=utf-8', () => readAsset('swagger-ui.css')),
  );
}

function readAsset(name: string): Promise<Buffer> {
  return readFile(fileURLToPath(import.meta.resolve(`@fastify/swagger-ui/static/${name}`)));
}

/** Made or read at the first request; whoever has it already is told so. */
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
