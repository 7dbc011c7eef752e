import type { Multipart, MultipartFile } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { HttpError } from '../http-error.ts';
import { cloudError } from './cloud-error.ts';
import { type GivenOptions, isOptionName, unknownField } from './upload-options.ts';
import type { UploadPace } from './upload-pace.ts';
import { atPaceOfClient, type UploadSource } from './upload-source.ts';

/** A form up to the bytes of its file. */
export interface UploadForm extends UploadSource {
  readonly name: string;
  readonly mediaType: string;
  readonly options: GivenOptions;
}

const FILE_PART = 'file';

/** What a form may have beside its file; a part's headers hold its name. */
export const FORM_LIMITS = {
  fields: 20,
  parts: 22,
  files: 1,
  fieldSize: 4096,
  headerPairs: 20,
  headerSize: 16 * 1024,
  /** The storage knows how large a file may be. */
  fileSize: Number.POSITIVE_INFINITY,
} as const;

/**
 * Reads a multipart form until its file begins. The bytes of the file end well only if the rest of the form is well, too:
 * no second file, no option that came too late, no field that is none.
 * @throws HttpError 400, and 408 where the client is too slow.
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
    ? invalidForm(`${rest.fieldname} must stand before the file.`)
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

/** What the parser says of a form; nothing else fails while one is read. */
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

/** Browsers and curl write a quotation mark in a file name as `%22` and nothing else so, except line ends, which are no part of a name. */
function unescapeName(name: string): string {
  return name.replaceAll('%22', '"').replaceAll(/%0[AD]/gi, ' ');
}
