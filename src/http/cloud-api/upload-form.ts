import type { Multipart, MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { HttpError } from '../http-error.ts';
import { cloudError } from './cloud-error.ts';
import { type GivenOptions, isOptionName, unknownField } from './upload-options.ts';
import type { UploadPace } from './upload-pace.ts';
import { atPaceOfClient, type UploadSource } from './upload-source.ts';

/** A form, parsed up to the bytes of its file. */
export interface UploadForm extends UploadSource {
  readonly name: string;
  readonly mediaType: string;
  readonly options: GivenOptions;
}

const FILE_PART = 'file';

/** Limits of a form. The file name is in the headers of its part. */
export const FORM_LIMITS = {
  fields: 20,
  parts: 22,
  files: 1,
  fieldSize: 4096,
  headerPairs: 20,
  headerSize: 16 * 1024,
  /** The storage enforces the file size. */
  fileSize: Number.POSITIVE_INFINITY,
} as const;

/**
 * Reads a multipart form up to its file. The stream of the file fails at its end if the rest of the form is invalid: a
 * second file, an option after the file, or an unknown field.
 * @throws HttpError 400, and 408 if the client is too slow.
 */
export async function readUploadForm(request: FastifyRequest, pace: UploadPace): Promise<UploadForm> {
  const parts = request.parts();
  const options: GivenOptions = {};
  for (;;) {
    const part = await nextPart(parts, pace);
    if (part === undefined) throw invalidForm(`The form has no file: its part must be named "${FILE_PART}".`);
    if (part.type === 'file') {
      return {
        ...describeFile(part),
        options,
        bytes: readFile(part, parts, pace),
        discard: () => void part.file.destroy(),
      };
    }
    if (part.fieldname === FILE_PART) throw invalidForm(`The part "${FILE_PART}" must have a file name.`);
    if (!isOptionName(part.fieldname)) throw unknownField(part.fieldname);
    if (part.valueTruncated) throw invalidForm(`${part.fieldname} is too long.`);
    options[part.fieldname] = String(part.value);
  }
}

function describeFile(part: MultipartFile): Pick<UploadForm, 'name' | 'mediaType'> {
  try {
    if (part.fieldname !== FILE_PART) throw invalidForm(`The part of the file must be named "${FILE_PART}".`);
    if (!part.filename) throw invalidForm(`The part "${FILE_PART}" must have a file name.`);
    return { name: unescapeName(part.filename), mediaType: part.mimetype };
  } catch (error) {
    part.file.destroy();
    throw error;
  }
}

async function* readFile(
  part: MultipartFile,
  parts: AsyncIterator<Multipart>,
  pace: UploadPace,
): AsyncGenerator<Buffer> {
  try {
    yield* atPaceOfClient(part.file[Symbol.asyncIterator](), pace);
  } catch (error) {
    throw toFormError(error);
  }
  const rest = await nextPart(parts, pace);
  if (rest === undefined) return;
  if (rest.type === 'file') throw tooManyFiles();
  throw isOptionName(rest.fieldname)
    ? invalidForm(`${rest.fieldname} must come before the file.`)
    : unknownField(rest.fieldname);
}

async function nextPart(parts: AsyncIterator<Multipart>, pace: UploadPace): Promise<Multipart | undefined> {
  try {
    const next = await pace.wait(parts.next());
    return next.done ? undefined : next.value;
  } catch (error) {
    throw toFormError(error);
  }
}

/** Converts errors of the form parser; no other errors occur while a form is read. */
function toFormError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  switch (error instanceof Error ? Reflect.get(error, 'code') : undefined) {
    case 'FST_FILES_LIMIT':
      return tooManyFiles();
    case 'FST_FIELDS_LIMIT':
    case 'FST_PARTS_LIMIT':
      return invalidForm('The form has too many fields.');
    default:
      return invalidForm('The form is malformed or incomplete.', { cause: error });
  }
}

function tooManyFiles(): HttpError {
  return invalidForm('The form has more than one file.');
}

function invalidForm(message: string, options: ErrorOptions = {}): HttpError {
  return cloudError(400, 'invalid_form', message, {}, options);
}

/**
 * Decodes `%22` in a file name, the only escape that browsers and curl use besides line breaks, which become spaces.
 */
function unescapeName(name: string): string {
  return name.replaceAll('%22', '"').replaceAll(/%0[AD]/gi, ' ');
}
