import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, badRequest } from '../api-error.ts';
import { isJsonObject, parseJson } from '../json.ts';
import type { Upload } from './call.ts';
import type { Params } from './params.ts';
import { type Multipart, parseMultipart } from './parse-multipart.ts';

/** The hosted Bot API takes files up to 50 MB, and the rest of the request on top. */
export const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;
/** A Bot API server of one's own with `--local` takes more. */
export const MAX_LOCAL_UPLOAD_BYTES = 2000 * 1000 * 1000;
/** Parameters and headers of parts. */
const MORE_THAN_FILES_BYTES = 1024 * 1024;

export interface RequestContent {
  readonly params: Params;
  readonly uploads: ReadonlyMap<string, Upload>;
}

const MULTIPART = 'multipart/form-data';
const TEXT_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'text/plain'];

/**
 * Teaches a plugin's scope the four kinds of body, with at most `maxUploadBytes` of files; whatever the app around it reads is left
 * alone.
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
 * The parameters of query and body together, and the files.
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

/** What `parseMultipart` has made of the body. */
function isMultipartBody(request: FastifyRequest, body: unknown): body is Multipart {
  return isMultipart(request) && isJsonObject(body) && body.uploads instanceof Map;
}

/** What the hosted Bot API says to requests that are too big. */
export function tooLarge(): ApiError {
  return new ApiError(413, 'Request Entity Too Large');
}
