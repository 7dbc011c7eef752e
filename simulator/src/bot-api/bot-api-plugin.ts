import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../api-error.ts';
import type { World } from '../world/world.ts';
import { resetConnection, staySilent } from './broken-answers.ts';
import { type BotApiDeps, createCall } from './create-call.ts';
import { dispatch, findMethodName, toErrorBody } from './dispatch.ts';
import { addFileRoute } from './file-route.ts';
import { findBot } from './find-bot.ts';
import type { Outcome } from './outcome.ts';
import {
  MAX_LOCAL_UPLOAD_BYTES,
  MAX_UPLOAD_BYTES,
  readRequest,
  registerBodyParsers,
  tooLarge,
} from './read-request.ts';

const NOT_FOUND = new ApiError(404, 'Not Found');

/**
 * Serves the Bot API over HTTP: `/bot<token>/<method>` and `/file/bot<token>/<path>`. Encapsulated, so it fits into any
 * Fastify app.
 */
export function createBotApiPlugin(deps: BotApiDeps): FastifyPluginAsync {
  return async (scope) => {
    const maxUploadBytes = deps.world.localDirectory === undefined ? MAX_UPLOAD_BYTES : MAX_LOCAL_UPLOAD_BYTES;
    registerBodyParsers(scope, maxUploadBytes);
    scope.setErrorHandler(async (error, _request, reply) => {
      const apiError = toApiError(error);
      return reply.status(apiError.code).send(toErrorBody(apiError));
    });
    addMethodRoute(scope, deps, maxUploadBytes);
    addFileRoute(scope, deps);
    if (scope.prefix !== '') {
      scope.setNotFoundHandler((_request, reply) => reply.status(404).send(toErrorBody(NOT_FOUND)));
    }
  };
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : 500;
  if (status === 413) return tooLarge();
  if (typeof status === 'number' && status < 500) return new ApiError(status, 'Bad Request: malformed request');
  return new ApiError(500, 'Internal Server Error');
}

function addMethodRoute(scope: FastifyInstance, deps: BotApiDeps, maxUploadBytes: number): void {
  scope.route<{ Params: { token: string; method: string } }>({
    method: ['GET', 'POST'],
    url: '/bot:token/:method',
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const bot = findBot(deps.world, request.params.token);
      if (!bot) throw new ApiError(401, 'Unauthorized');
      const { params, uploads } = readRequest(request, maxUploadBytes);
      const method = findMethodName(deps.world, request.params.method);
      if (!method) throw new ApiError(404, 'Not Found: method not found');
      const call = { ...createCall(deps, bot, method, params), uploads, signal: abortWithSocket(request, reply) };
      return respond(deps.world, reply, await dispatch(deps, call));
    },
  });
}

function abortWithSocket(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new Error('the caller went away'));
  });
  if (request.raw.destroyed && !request.raw.complete) gone.abort(new Error('the caller went away'));
  return gone.signal;
}

function respond(world: World, reply: FastifyReply, outcome: Outcome): FastifyReply {
  switch (outcome.type) {
    case 'answer':
      if (outcome.status === 429) addRetryAfter(reply, outcome.body);
      return reply.status(outcome.status).send(outcome.body);
    case 'page':
      return reply.status(outcome.status).type('text/html').send(`<html><h1>${outcome.status}</h1><hr>nginx</html>`);
    case 'garbage':
      return reply.status(200).type('application/json').send('<html>no JSON at all');
    case 'reset':
      return resetConnection(reply);
    case 'silence':
      return staySilent(world, reply);
  }
}

/** Repeats the wait of a 429 response in a header. */
function addRetryAfter(reply: FastifyReply, body: unknown): void {
  const seconds = /retry after (\d+)/.exec(JSON.stringify(body))?.[1];
  if (seconds !== undefined) reply.header('retry-after', seconds);
}
