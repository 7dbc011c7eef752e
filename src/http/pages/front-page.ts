import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Administration, UploadAccess } from '../../core/administration/index.ts';
import { describeResponse } from '../server/openapi.ts';
import { html } from './html.ts';
import { STYLE, toCardPage, toPageHeaders } from './page-shell.ts';

interface Endpoint {
  readonly path: string;
  readonly text: string;
  /** False for paths that browsers can't open. */
  readonly isLink: boolean;
}

const UPLOAD: Endpoint = { path: 'upload', text: 'file upload as a form or by PUT; returns a link', isLink: false };

const ENDPOINTS: readonly Endpoint[] = [
  { path: 'console', text: 'usage, API keys, files and settings; administration', isLink: true },
  { path: 'ai/openai', text: 'base URL for OpenAI clients (API key required)', isLink: false },
  { path: 'ai/anthropic', text: 'base URL for Anthropic clients (API key required)', isLink: false },
  { path: 'ai/v2', text: 'native text API (API key required)', isLink: false },
  { path: 'ai/imagen', text: 'native image API (API key required)', isLink: false },
  UPLOAD,
  { path: 'docs', text: 'API reference', isLink: true },
  { path: 'openapi.json', text: 'API reference for programs (OpenAPI)', isLink: true },
  { path: 'readyz', text: 'readiness check', isLink: true },
  { path: 'healthz', text: 'liveness check', isLink: true },
];

const endpointsSchema = z.strictObject({ name: z.string(), endpoints: z.array(z.string()) }).meta({ id: 'Places' });

const SCHEMA = {
  tags: ['Service'],
  summary: 'Front page',
  response: {
    200: describeResponse('A page for browsers, JSON for others. A playground redirects browsers to the console.', {
      'application/json': endpointsSchema,
      'text/html': 'Links to the parts of the service.',
    }),
  },
};

/**
 * Adds `GET /`, a list of endpoints: HTML for browsers, JSON for other clients. A playground begins with the console
 * instead.
 */
export function addFrontPage(
  server: FastifyInstance,
  administration: Pick<Administration, 'uploads'>,
  { hasPlayground }: { readonly hasPlayground: boolean },
): void {
  server.get('/', { schema: SCHEMA }, (request, reply) => {
    reply.header('vary', 'accept');
    const endpoints = listEndpoints(administration.uploads);
    if (!request.headers.accept?.includes('text/html')) {
      const paths = [...(hasPlayground ? ['playground'] : []), ...endpoints.map(({ path }) => path)];
      return reply.send({ name: 'Switchboard', endpoints: paths.map((path) => `/${path}`) });
    }
    if (hasPlayground) return reply.redirect('console/');
    return reply.type('text/html; charset=utf-8').headers(toPageHeaders(STYLE)).send(toFrontPage(endpoints));
  });
}

function listEndpoints(uploads: UploadAccess): readonly Endpoint[] {
  if (uploads === 'off') return ENDPOINTS.filter((endpoint) => endpoint !== UPLOAD);
  const text = uploads === 'key' ? `${UPLOAD.text} (API key required)` : UPLOAD.text;
  return ENDPOINTS.map((endpoint) => (endpoint === UPLOAD ? { ...UPLOAD, text } : endpoint));
}

function toFrontPage(endpoints: readonly Endpoint[]): string {
  const items = endpoints.map(({ path, text, isLink }) => {
    const name = isLink ? html`<a href="${path}">/${path}</a>` : html`<code>/${path}</code>`;
    return html`<dt>${name}</dt><dd>${text}</dd>\n`;
  });
  return toCardPage(
    'Switchboard',
    html`<h1>Switchboard</h1>\n<p>This service is running. It offers:</p>\n<dl>\n${items}</dl>`,
  );
}
