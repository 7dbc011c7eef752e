import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HttpError } from '../../../protocols/http-error.ts';
import { isGenerationPath, isMessagesUrl, toPath } from '../base-address.ts';
import { UNKNOWN_METHOD } from '../connections/connection-error.ts';

/** Registry of methods by path, to tell a wrong method from a wrong path. */
type MethodTable = ReturnType<typeof createMethodTable>;

/**
 * Installs the responses for unknown routes: 404 for an unknown path, 405 with `Allow` for a known path with another
 * method, 501 for a method that no path has, 204 with `Allow` for OPTIONS. Must be installed before the routes, which it
 * collects.
 */
export function installUnknownRoute(server: FastifyInstance): void {
  const table = createMethodTable();
  server.addHook('onRoute', (route) => table.add(route.url, route.method));
  // Before the body is read, because it is not needed. Mounted plugins may have their own handler.
  server.addHook('onRequest', (request, reply, done) => {
    if (!request.is404 || request.server !== server) return done();
    answerUnknownRoute(table, request, reply);
  });
  server.setNotFoundHandler((request, reply) => answerUnknownRoute(table, request, reply));
}

/**
 * An address of OpenAI's API that is not served, and looks like the id of a response. Clients shorten conversations by
 * themselves after a 404, and not after a 405.
 */
const COMPACTION = /\/responses\/+compact\/*$/;

function answerUnknownRoute(table: MethodTable, request: FastifyRequest, reply: FastifyReply) {
  const allMethods = table.listMethods();
  if (request.method !== 'OPTIONS' && !allMethods.includes(request.method)) throw new HttpError(UNKNOWN_METHOD);
  const path = toPath(request.url);
  const methods = path === '*' ? allMethods : COMPACTION.test(path) ? [] : table.findMethods(path);
  if (methods.length === 0) {
    throw new HttpError({
      status: 404,
      type: 'invalid_request_error',
      code: 'not_found',
      message: describeUnknown(table, request),
    });
  }
  const allow = [...methods, 'OPTIONS'].join(', ');
  if (request.method === 'OPTIONS') return reply.code(204).header('allow', allow).send();
  throw new HttpError({
    status: 405,
    type: 'invalid_request_error',
    code: 'method_not_allowed',
    message: `This address accepts ${allow}.`,
    headers: { allow },
  });
}

const MAX_NAMED_CHARACTERS = 100;

/** Describes the requested and the existing routes, because clients often show only this message. */
function describeUnknown(table: MethodTable, request: FastifyRequest): string {
  const path = toPath(request.originalUrl);
  if (/^\/playground(?:\/|$)/.test(path)) return 'The playground exists only without BOT_TOKEN.';
  if (!isGenerationPath(path)) return 'There is nothing at this address. See /docs for what this service offers.';
  // Only characters without meaning in HTML or terminals.
  const isPlain = /^[\w./-]+$/.test(path) && path.length <= MAX_NAMED_CHARACTERS;
  const messages = `Below /ai/anthropic or /v1, this service has ${table.listBelow('/ai/anthropic').join(', ')}`;
  const openAi = `below /ai/openai or /v1 ${table.listBelow('/ai/openai').join(', ')}`;
  const served = isMessagesUrl(request.url) ? messages : `${messages}; ${openAi}`;
  return `${request.method} ${isPlain ? path : 'with this path'} is not served here. ${served}; see /docs.`;
}

/** Creates an empty table. Trailing and duplicate slashes are ignored, as in the router. */
function createMethodTable() {
  const routes = new Map<string, { readonly matches: RegExp; readonly methods: Set<string> }>();
  return {
    /** Adds a route by Fastify's pattern: `/models/*`, `/file/:id`. */
    add(pattern: string, methods: string | readonly string[]): void {
      const path = withoutNeedlessSlashes(pattern);
      const route = routes.get(path) ?? { matches: toRegExp(path), methods: new Set() };
      for (const method of typeof methods === 'string' ? [methods] : methods) route.methods.add(method);
      routes.set(path, route);
    },
    /** Returns the sorted methods of all routes that match the path (without query); empty for an unknown path. */
    findMethods(path: string): readonly string[] {
      const normalizedPath = withoutNeedlessSlashes(path);
      // A path of its own is no value of a parameter.
      const own = /[:*]/.test(normalizedPath) ? undefined : routes.get(normalizedPath);
      if (own) return [...own.methods].sort();
      const found = [...routes.values()].filter((route) => route.matches.test(normalizedPath));
      return [...new Set(found.flatMap((route) => [...route.methods]))].sort();
    },
    /** Returns the sorted methods of all routes. */
    listMethods: (): readonly string[] =>
      [...new Set([...routes.values()].flatMap(({ methods }) => [...methods]))].sort(),
    /** Returns `POST /chat/completions` for each route without parameters below the base path, in the order of `add`. */
    listBelow(basePath: string): readonly string[] {
      const below = [...routes].filter(([path]) => path.startsWith(`${basePath}/`) && !/[:*]/.test(path));
      return below.flatMap(([path, { methods }]) =>
        [...methods].filter((method) => method !== 'HEAD').map((method) => `${method} ${path.slice(basePath.length)}`),
      );
    },
  };
}

function withoutNeedlessSlashes(path: string): string {
  return path.replaceAll(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
}

function toRegExp(pattern: string): RegExp {
  const source = pattern
    .replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/:[A-Za-z_]\w*/g, '[^/]+')
    .replaceAll('*', '.*');
  return new RegExp(`^${source}$`);
}
