import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { ApiError } from '../api-error.ts';
import { MAX_UPLOAD_BYTES, registerBodyParsers } from '../bot-api/read-request.ts';
import type { ControlError } from '../control-protocol.ts';
import { ControlFailure, notFound } from './control-failure.ts';
import { addControlRoutes, type ControlRouteDeps } from './control-routes.ts';
import { addPageRoutes } from './page-files.ts';
import { checkIsLocal } from './request-guard.ts';

/**
 * Serves the chat page and the control routes on loopback addresses only. Encapsulated, so it fits into any Fastify
 * app.
 * @param icon of the page, an SVG image. Default: a paper plane.
 */
export function createPlaygroundPlugin(deps: ControlRouteDeps, icon?: string): FastifyPluginAsync {
  return async (scope) => {
    registerBodyParsers(scope, MAX_UPLOAD_BYTES);
    scope.setErrorHandler(async (error, _request, reply) => {
      const failure = toFailure(error);
      return reply.status(failure.status).send(toBody(failure));
    });
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('x-content-type-options', 'nosniff').header('referrer-policy', 'no-referrer');
      if (request.url.includes('/control/')) reply.header('cache-control', 'no-store');
      checkIsLocal(request);
      checkContentType(request);
    });
    addControlRoutes(scope, deps);
    addPageRoutes(scope, icon);
    if (scope.prefix !== '') {
      scope.setNotFoundHandler((_request, reply) => reply.status(404).send(toBody(notFound('page'))));
    }
  };
}

/** Accepts only types that pages of other origins can't send without a CORS preflight. */
function checkContentType(request: FastifyRequest): void {
  if (request.method !== 'POST') return;
  const type = request.headers['content-type'] ?? '';
  if (/^(application\/json|multipart\/form-data)\b/.test(type)) return;
  throw new ControlFailure(415, 'unsupported_content_type', 'send JSON, or multipart/form-data with a file');
}

function toFailure(error: unknown): ControlFailure {
  if (error instanceof ControlFailure) return error;
  if (error instanceof ApiError) return new ControlFailure(error.code, 'invalid_request', error.message);
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status >= 400 && status < 500) return new ControlFailure(status, 'invalid_request', 'the request is malformed');
  return new ControlFailure(500, 'internal_error', 'something went wrong in the simulator');
}

function toBody({ code, message }: ControlFailure): ControlError {
  return { error: { code, message } };
}
