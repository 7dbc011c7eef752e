import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, badRequest } from '../api-error.ts';
import { isJsonObject, parseJson } from '../json.ts';
import type { Upload } from './call.ts';
import type { Params } from './params.ts';
import { type Multipart, parseMultipart } from './parse-multipart.ts';

/** Upload limit of the hosted Bot API. The rest of the request is not counted. */
export const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;
/** Upload limit of a self-hosted Bot API server with `--local`. */
export const MAX_LOCAL_UPLOAD_BYTES = 2000 * 1000 * 1000;
/** Allowance for parameters and part headers on top of the upload limit. */
const MORE_THAN_FILES_BYTES = 1024 * 1024;

export interface RequestContent {
  readonly params: Params;
  readonly uploads: ReadonlyMap<string, Upload>;
}

const MULTIPART = 'multipart/form-data';
const TEXT_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

/**
 * Registers parsers for the four body types in this scope, with at most `maxUploadBytes` of files. Parsers of the
 * surrounding app are not affected.
 */
export function registerBodyParsers(scope: FastifyInstance, maxUploadBytes: number): void {
  for (const type of [...TEXT_TYPES, MULTIPART]) {
    if (scope.hasContentTypeParser(type)) scope.removeContentTypeParser(type);
  }
  scope.addContentTypeParser(
    TEXT_TYPES,
    { parseAs: 'string', bodyLimit: MAX_UPLOAD_BYTES + MORE_THAN_FILES_BYTES },
    async (request: FastifyRequest, body: string) => parseBody(request.headers['content-type'] ?? '', body),
  );
  scope.addContentTypeParser(
    MULTIPART,
    { parseAs: 'buffer', bodyLimit: maxUploadBytes + MORE_THAN_FILES_BYTES },
    async (request: FastifyRequest, body: Buffer) => parseMultipart(request.headers['content-type'] ?? '', body),
  );
}

/** Returns the content of a body of any of the four types. @throws ApiError 400 */
export function readContent(contentType: string, body: Buffer): RequestContent {
  if (contentType.startsWith(MULTIPART)) {
    const { fields, uploads } = parseMultipart(contentType, body);
    return { params: fields, uploads };
  }
  return { params: parseBody(contentType, body.toString('utf8')), uploads: new Map() };
}

function parseBody(contentType: string, body: string): Params {
  if (body.trim() === '') return {};
  if (!contentType.startsWith('application/json')) return Object.fromEntries(new URLSearchParams(body));
  const value = parseJson(body);
  if (!isJsonObject(value)) throw badRequest("can't parse request JSON object");
  return value;
}

export function isMultipart(request: FastifyRequest): boolean {
  return request.headers['content-type']?.startsWith(MULTIPART) ?? false;
}

/**
 * Returns the merged parameters of query and body, and the files.
 * @throws ApiError 413 for more than `maxUploadBytes` of files
 */
export function readRequest(
  request: FastifyRequest<{ Body: unknown; Querystring: unknown }>,
  maxUploadBytes: number,
): RequestContent {
  const query = isJsonObject(request.query) ? request.query : {};
  const { body } = request;
  if (!isMultipartBody(request, body)) {
    return { params: { ...query, ...(isJsonObject(body) ? body : {}) }, uploads: new Map() };
  }
  const sizeBytes = [...body.uploads.values()].reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (sizeBytes > maxUploadBytes) throw tooLarge();
  return { params: { ...query, ...body.fields }, uploads: body.uploads };
}

/** Tells whether the body was parsed by `parseMultipart`. */
function isMultipartBody(request: FastifyRequest, body: unknown): body is Multipart {
  return isMultipart(request) && isJsonObject(body) && body.uploads instanceof Map;
}

/** Returns the error of the hosted Bot API for oversized requests. */
export function tooLarge(): ApiError {
  return new ApiError(413, 'Request Entity Too Large');
}
