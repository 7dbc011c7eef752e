import type { FastifyInstance } from 'fastify';

interface Place {
  readonly path: string;
  readonly text: string;
  /** False for addresses that a browser can't visit. */
  readonly isLink: boolean;
}

const PLACES: readonly Place[] = [
  { path: 'ai/openai', text: 'the base address for OpenAI clients (with an API key)', isLink: false },
  { path: 'ai/v2', text: 'the native text interface (with an API key)', isLink: false },
  { path: 'ai/imagen', text: 'the native picture interface (with an API key)', isLink: false },
  { path: 'upload', text: 'takes files, by a form or by PUT; the answer has the link', isLink: false },
  { path: 'docs', text: 'how all of it is used', isLink: true },
  { path: 'openapi.json', text: 'the same for programs', isLink: true },
  { path: 'healthz', text: 'is the process alive?', isLink: true },
  { path: 'readyz', text: 'is the service ready?', isLink: true },
];

/** `GET /`: what is here, as a page for people and as JSON for everybody else. */
export function addFrontPage(server: FastifyInstance, options: { readonly hasPlayground: boolean }): void {
  const playground = { path: 'playground', text: 'the chat page: talk to the bot without Telegram', isLink: true };
  const places = options.hasPlayground ? [playground, ...PLACES] : PLACES;
  const page = toPage(places);
  const object = { name: 'Switchboard', endpoints: places.map((place) => `/${place.path}`) };
  server.get('/', (request, reply) => {
    reply.header('vary', 'accept');
    if (!request.headers.accept?.includes('text/html')) return reply.send(object);
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
      .send(page);
  });
}

function toPage(places: readonly Place[]): string {
  const items = places.map(({ path, text, isLink }) => {
    const name = isLink ? `<a href="${path}">/${path}</a>` : `<code>/${path}</code>`;
    return `<li>${name} ${text}</li>`;
  });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Switchboard</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif }
  main { max-width: 40rem; margin: 4rem auto; padding: 0 1rem }
</style>
<main>
<h1>Switchboard</h1>
<p>This service is running. What is here:</p>
<ul>
${items.join('\n')}
</ul>
</main>
</html>
`;
}
