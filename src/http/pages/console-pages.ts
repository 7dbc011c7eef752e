import type { FastifyInstance } from 'fastify';
import { notFound } from '../../protocols/http-error.ts';
import { type ConsoleFile, loadConsole } from './console-files.ts';

export interface ConsolePagesDeps {
  readonly hasPlayground: boolean;
  /** Base URL of file links, for thumbnails. */
  readonly cloudUrl: () => string;
  /** Returns the bot's username once Telegram has told it. Default: unknown. */
  readonly findBotUsername?: (() => Promise<string | undefined>) | undefined;
}

const YEAR_SECONDS = 31_536_000;

/** Adds the page of the console at `/console/`. It is loaded on its first request. */
export function addConsolePages(server: FastifyInstance, deps: ConsolePagesDeps): void {
  const { hasPlayground, cloudUrl, findBotUsername } = deps;
  let loading: ReturnType<typeof loadConsole> | undefined;
  const load = () => {
    loading ??= loadConsole(hasPlayground ? 'playground' : 'bot').catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  server.get('/console', { schema: { hide: true } }, async (request, reply) => {
    const [path = '', query] = request.url.split('?');
    // The page uses relative URLs, so its address must end with a slash.
    if (!path.endsWith('/')) return reply.redirect(`console/${query === undefined ? '' : `?${query}`}`);
    // The simulated bot has no address at t.me.
    const botUsername = hasPlayground ? undefined : await findBotUsername?.();
    const { page, tag } = (await load()).printPage(botUsername);
    reply.headers({ ...toHeaders(cloudUrl()), 'cache-control': 'no-cache', etag: tag });
    if (request.headers['if-none-match'] === tag) return reply.code(304).send();
    return reply.type('text/html; charset=utf-8').send(page);
  });
  server.get<{ Params: { file: string } }>('/console/:file', { schema: { hide: true } }, async (request, reply) => {
    const file = (await load()).files.get(request.params.file);
    if (!file) throw notFound('The console has no such file.');
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    reply.headers({
      'cache-control': `public, max-age=${YEAR_SECONDS}, immutable`,
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
      ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    });
    return reply.type(file.type).send(file.encodings[encoding]);
  });
}

function chooseEncoding(accepted: string | readonly string[] = ''): keyof ConsoleFile['encodings'] {
  const names = String(accepted)
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(';', 1)[0]?.trim().toLowerCase());
  if (names.includes('br')) return 'br';
  return names.includes('gzip') ? 'gzip' : 'identity';
}

/** Web version of Telegram, which opens Mini Apps in a frame. */
const TELEGRAM_WEB = 'https://web.telegram.org';

function toHeaders(cloudUrl: string) {
  const files = new URL(cloudUrl).origin;
  return {
    'content-security-policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `img-src 'self' data: ${files}`,
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      `frame-ancestors ${TELEGRAM_WEB}`,
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
  };
}
