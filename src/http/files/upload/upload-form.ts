import type { Multipart, MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { HttpError } from '../../../protocols/http-error.ts';
import { cloudError } from '../cloud-error.ts';
import { type FilePartFacts, recordForm } from './file-part-headers.ts';
import { atPaceOfClient, type UploadSource } from './upload-body.ts';
import { type GivenOptions, isIgnoredField, isOptionName, unknownField } from './upload-options.ts';
import type { UploadPace } from './upload-pace.ts';

/** A form, parsed up to the bytes of its file. */
export interface UploadForm extends UploadSource {
  readonly name: string;
  readonly mediaType: string;
  /** Options of the fields so far. It grows until the bytes end, because fields may follow the file. */
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
 * Reads a multipart form up to its file. The stream of the file reads the rest of the form at its end, and fails if that
 * is invalid: a second file, an unknown field, or one that was sent before.
 * @throws HttpError 400, and 408 if the client is too slow.
 */
export async function readUploadForm(request: FastifyRequest, pace: UploadPace): Promise<UploadForm> {
  const recording = recordForm(request.raw);
  try {
    return await readUpToFile(request.parts(), recording, pace);
  } finally {
    recording.stop();
  }
}

async function readUpToFile(
  parts: AsyncIterator<Multipart>,
  recording: ReturnType<typeof recordForm>,
  pace: UploadPace,
): Promise<UploadForm> {
  const fields = createFields();
  for (;;) {
    const part = await nextPart(parts, pace);
    if (part === undefined) throw invalidForm(`The form has no file: its part must be named "${FILE_PART}".`);
    if (part.type === 'file') {
      return {
        ...describeFile(part, recording.find()),
        options: fields.options,
        bytes: readFile(part, fields, parts, pace),
        discard: () => void part.file.destroy(),
      };
    }
    fields.add(part);
  }
}

/** Gathers the fields of a form. `add` throws HttpError 400. */
function createFields() {
  const options: GivenOptions = {};
  const names = new Set<string>();
  return {
    options,
    add({ fieldname: name, value, valueTruncated }: MultipartValue) {
      if (name === FILE_PART) throw invalidForm(`The part "${FILE_PART}" must have a file name.`);
      if (!isOptionName(name) && !isIgnoredField(name)) throw unknownField(name);
      if (names.has(name)) throw invalidForm(`${name} was sent twice.`);
      names.add(name);
      if (!isOptionName(name)) return;
      if (valueTruncated) throw invalidForm(`${name} is too long.`);
      options[name] = String(value);
    },
  };
}

function describeFile(part: MultipartFile, facts: FilePartFacts | undefined): Pick<UploadForm, 'name' | 'mediaType'> {
  try {
    if (part.fieldname !== FILE_PART) throw invalidForm(`The part of the file must be named "${FILE_PART}".`);
    const name = facts?.extendedName ?? (part.filename && unescapeName(part.filename));
    if (!name) throw invalidForm(`The part "${FILE_PART}" must have a file name.`);
    return { name, mediaType: facts?.mediaType ?? part.mimetype };
  } catch (error) {
    part.file.destroy();
    throw error;
  }
}

async function* readFile(
  part: MultipartFile,
  fields: ReturnType<typeof createFields>,
  parts: AsyncIterator<Multipart>,
  pace: UploadPace,
): AsyncGenerator<Buffer> {
  try {
    yield* atPaceOfClient(part.file[Symbol.asyncIterator](), pace);
  } catch (error) {
    throw toFormError(error);
  }
  for (;;) {
    const rest = await nextPart(parts, pace);
    if (rest === undefined) return;
    if (rest.type === 'file') throw tooManyFiles();
    fields.add(rest);
  }
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
