import multipart, { type MultipartFile, type MultipartValue } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HeldBytesFullError } from '../../../lib/http/held-bytes.ts';
import type { Form, FormField, FormFile } from '../../../protocols/fields/form-fields.ts';
import { HttpError, invalidRequest } from '../../../protocols/http-error.ts';
import { getHold } from '../../server/bodies/holds.ts';
import { type FormLimits, tooLarge } from './form-limits.ts';

const FORM = 'form';
const MAX_FIELDS = 64;
/** Covers the longest prompts in any script, and a voice sample in base64. */
const MAX_FIELD_BYTES = 1024 * 1024;
const PARSER_LIMITS = {
  fieldSize: MAX_FIELD_BYTES,
  fields: MAX_FIELDS,
  headerPairs: 20,
  headerSize: 16 * 1024,
};

/**
 * Prepares a context of its own for routes with forms, which set `form` in their `config`. Forms are read into memory
 * before the handlers, and count in the holds of their requests. Refuses requests with 400, 413 and 503.
 */
export function installForms(server: FastifyInstance): void {
  server.register(multipart, { limits: PARSER_LIMITS, throwFileSizeLimit: false, isPartAFile });
  server.decorateRequest(FORM, null);
  server.addHook('preValidation', async (request) => {
    const { form } = request.routeOptions.config;
    if (!form || !request.isMultipart()) return;
    try {
      request.setDecorator<Form>(FORM, await readParts(request, form));
    } catch (error) {
      // The rest of the body is discarded without being parsed.
      request.raw.unpipe();
      request.raw.resume();
      throw toFormError(error, form);
    }
  });
}

/** Returns the form of a request, undefined if its body is none. */
export function findForm(request: FastifyRequest): Form | undefined {
  if (!request.routeOptions.config.form) return undefined;
  return request.getDecorator<Form | null>(FORM) ?? undefined;
}

/** The plugin would parse fields that declare JSON, which can take 50 ms each; as files they are refused. */
function isPartAFile(_field: string | undefined, type: string | undefined, fileName: string | undefined): boolean {
  return fileName !== undefined || type === 'application/octet-stream' || type === 'application/json';
}

async function readParts(request: FastifyRequest, { maxFiles, maxFileBytes, maxBytes }: FormLimits): Promise<Form> {
  const fields: FormField[] = [];
  const files: FormFile[] = [];
  const hold = getHold(request);
  let bytesLeft = maxBytes;
  const add = (bytes: number) => {
    hold.add(bytes);
    bytesLeft -= bytes;
    if (bytesLeft < 0) throw tooLarge('The form', maxBytes);
  };
  const limits = { files: maxFiles, parts: maxFiles + MAX_FIELDS, fileSize: maxFileBytes };
  for await (const part of request.parts({ limits })) {
    if (part.type === 'file') files.push(await readFile(part, maxFileBytes, add));
    else fields.push(readField(part, add));
  }
  return { fields, files };
}

const MAX_NAME_LENGTH = 100;

async function readFile(part: MultipartFile, maxBytes: number, add: (bytes: number) => void): Promise<FormFile> {
  if (part.fieldname.length > MAX_NAME_LENGTH) throw invalidRequest('The name of a field is too long.');
  const chunks: Buffer[] = [];
  for await (const chunk of part.file) {
    add(chunk.length);
    chunks.push(chunk);
  }
  if (part.file.truncated) throw tooLarge(`'${part.fieldname}'`, maxBytes);
  return {
    field: part.fieldname,
    name: part.filename ?? '',
    mediaType: part.mimetype,
    bytes: Buffer.concat(chunks),
  };
}

function readField(part: MultipartValue, add: (bytes: number) => void): FormField {
  if (part.fieldname.length > MAX_NAME_LENGTH) throw invalidRequest('The name of a field is too long.');
  if (part.valueTruncated) throw invalidRequest(`'${part.fieldname}' is too long.`, part.fieldname);
  const value = String(part.value);
  add(Buffer.byteLength(value));
  return { name: part.fieldname, value };
}

/** Converts errors of the form parser; no others but those of the limits occur while a form is read. */
function toFormError(error: unknown, { maxFiles }: FormLimits): Error {
  if (error instanceof HttpError || error instanceof HeldBytesFullError) return error;
  switch (error instanceof Error ? Reflect.get(error, 'code') : undefined) {
    case 'FST_FILES_LIMIT':
      return invalidRequest(`The form has more than ${maxFiles} ${maxFiles === 1 ? 'file' : 'files'}.`);
    case 'FST_FIELDS_LIMIT':
    case 'FST_PARTS_LIMIT':
      return invalidRequest(`The form has more than ${MAX_FIELDS} fields.`);
    default:
      return invalidRequest('The form is malformed or incomplete.');
  }
}
