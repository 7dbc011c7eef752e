import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, badRequest } from '../api-error.ts';
import { isJsonObject, parseJson } from '../json.ts';
import type { Upload } from './call.ts';
import type { Params } from './params.ts';

/** The hosted Bot API takes files up to 50 MB, and the rest of the request on top. */
export const MAX_UPLOAD_BYTES = 50 * 1024 * 1024;
/** A Bot API server of one's own with `--local` takes more. */
export const MAX_LOCAL_UPLOAD_BYTES = 2000 * 1000 * 1000;
const MAX_BODY_BYTES = MAX_UPLOAD_BYTES + 1024 * 1024;
const MAX_FIELDS = 200;
const MAX_FILES = 20;

export interface RequestContent {
  readonly params: Params;
  readonly uploads: ReadonlyMap<string, Upload>;
}

/** Teaches a plugin's scope the three kinds of body; whatever the app around it reads is left alone. */
export async function registerBodyParsers(scope: FastifyInstance): Promise<void> {
  if (!scope.hasRequestDecorator('isMultipart')) await scope.register(multipart);
  for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
    if (scope.hasContentTypeParser(type)) scope.removeContentTypeParser(type);
    scope.addContentTypeParser(type, { parseAs: 'string', bodyLimit: MAX_BODY_BYTES }, (request, body, done) => {
      try {
        done(null, parseBody(request.headers['content-type'] ?? '', String(body)));
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }
}

function parseBody(contentType: string, body: string): Params {
  if (body.trim() === '') return {};
  if (!contentType.startsWith('application/json')) return Object.fromEntries(new URLSearchParams(body));
  const value = parseJson(body);
  if (!isJsonObject(value)) throw badRequest("can't parse request JSON object");
  return value;
}

/**
 * The parameters of query and body together, and the files.
 * @throws ApiError 413 for more than `maxUploadBytes` of files
 */
export async function readRequest(request: FastifyRequest, maxUploadBytes: number): Promise<RequestContent> {
  const query = isJsonObject(request.query) ? request.query : {};
  if (request.isMultipart()) return readMultipart(request, query, maxUploadBytes);
  return { params: { ...query, ...(isJsonObject(request.body) ? request.body : {}) }, uploads: new Map() };
}

async function readMultipart(request: FastifyRequest, query: Params, maxUploadBytes: number): Promise<RequestContent> {
  const params: { [name: string]: unknown } = { ...query };
  const uploads = new Map<string, Upload>();
  let sizeBytes = 0;
  const parts = request.parts({
    limits: { fileSize: maxUploadBytes, fields: MAX_FIELDS, files: MAX_FILES, fieldSize: 1024 * 1024 },
  });
  for await (const part of parts) {
    if (part.type === 'field') {
      params[part.fieldname] = part.value;
      continue;
    }
    const bytes = await part.toBuffer();
    sizeBytes += bytes.length;
    if (sizeBytes > maxUploadBytes) throw tooLarge();
    uploads.set(part.fieldname, { bytes, fileName: part.filename || undefined, mimeType: part.mimetype || undefined });
  }
  return { params, uploads };
}

/** What the hosted Bot API says to requests that are too big. */
export function tooLarge(): ApiError {
  return new ApiError(413, 'Request Entity Too Large');
}
