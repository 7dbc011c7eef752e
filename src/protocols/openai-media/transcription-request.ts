import { z } from 'zod';
import { TRANSCRIPT_FORMATS, type TranscriptionRequest } from '../../core/models/contract/transcription-model.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { checkFields, refuseLookalikes, toKnownFields } from '../fields/check-fields.ts';
import { modelNameSchema } from '../fields/field-schemas.ts';
import { type Form, toJsonFields } from '../fields/form-fields.ts';
import { invalidRequest } from '../http-error.ts';
import type { FormPart } from './encode-form.ts';

const FORMATS = ['text', ...TRANSCRIPT_FORMATS] as const;
const MAX_LANGUAGE_LENGTH = 100;
const LANGUAGE_PROBLEM = 'must be the code of a language, such as de';
const TEMPERATURE_PROBLEM = 'must be a number from 0 to 1';
const STREAM_PROBLEM = 'must be true or false';

/** Schema of the fields of a form for a transcript, converted by `toJsonFields`. */
const fieldsSchema = z.object({
  model: modelNameSchema.describe('Name of a model with type `transcription`.'),
  language: z
    .string(LANGUAGE_PROBLEM)
    .max(MAX_LANGUAGE_LENGTH, LANGUAGE_PROBLEM)
    .optional()
    .describe('Language of the recording, ISO 639-1: `de`.'),
  prompt: z
    .string('must be a text')
    .optional()
    .describe('Text that shows the model the style, or the spelling of names.'),
  response_format: z
    .enum(FORMATS, `must be one of ${FORMATS.join(', ')}`)
    .optional()
    .describe('Unset: `json`. The demonstration has `json` and `text`.'),
  temperature: z
    .number(TEMPERATURE_PROBLEM)
    .min(0, TEMPERATURE_PROBLEM)
    .max(1, TEMPERATURE_PROBLEM)
    .optional()
    .describe('0 to 1: how freely the model guesses.'),
  stream: z.boolean(STREAM_PROBLEM).optional().describe('`true`: events with the text as it is written.'),
});

/** Schema of a form for a transcript. */
export const transcriptionFormSchema = z
  .object({ file: z.file().describe('The recording, up to 25 MiB.') })
  .extend(fieldsSchema.shape);

const OWN_FIELDS: ReadonlySet<string> = new Set(['file', ...Object.keys(fieldsSchema.shape)]);
const KNOWN_FIELDS = toKnownFields([...OWN_FIELDS]);
const FIELD_TYPES = { numbers: new Set(['temperature']), booleans: new Set(['stream']) };
const STREAMED_FORMATS: ReadonlySet<string> = new Set(['json', 'text', 'diarized_json']);

/** Validated form for a transcript. */
export interface TranscriptionOptions {
  readonly params: Omit<TranscriptionRequest, 'task'>;
  /** Format of the answer; `text` is printed from `json`. */
  readonly format: (typeof FORMATS)[number];
  readonly isStream: boolean;
}

/**
 * Validates a form for a transcript. Unknown fields are forwarded to the provider.
 * @throws HttpError 400 with `param`.
 */
export function toTranscriptionOptions(form: Form = { fields: [], files: [] }): TranscriptionOptions {
  const fields = toJsonFields(form.fields, FIELD_TYPES);
  refuseLookalikes(fields, KNOWN_FIELDS);
  const recording = readRecording(form);
  const { response_format: format = 'json', stream = false, ...checked } = checkFields(fieldsSchema, fields);
  if (stream && !STREAMED_FORMATS.has(format)) {
    throw invalidRequest(`'stream' must not be true with response_format '${format}'.`, 'stream');
  }
  const extra = Object.entries(fields).filter(([field]) => !OWN_FIELDS.has(field));
  return {
    params: {
      ...checked,
      recording,
      format: format === 'text' ? 'json' : format,
      extraFields: Object.fromEntries(extra),
    },
    format,
    isStream: stream,
  };
}

function readRecording({ files, fields }: Form): TranscriptionRequest['recording'] {
  const [file] = files;
  if (fields.some(({ name }) => name === 'file')) throw invalidRequest("'file' must be a file.", 'file');
  if (!file) throw invalidRequest("'file' is missing: send the recording as a file.", 'file');
  if (file.field !== 'file') throw invalidRequest(`'${file.field}' is not supported as a file.`, file.field);
  if (file.bytes.length === 0) throw invalidRequest("'file' is empty.", 'file');
  return { bytes: file.bytes, name: file.name, mediaType: file.mediaType };
}

/** Prints the parts of a form for a host. */
export function printTranscriptionRequest({
  recording,
  model,
  language,
  prompt,
  temperature,
  format = 'json',
  extraFields = {},
}: TranscriptionRequest): readonly FormPart[] {
  const { bytes, name, mediaType = 'application/octet-stream' } = recording;
  const fields = { ...extraFields, model, response_format: format, language, prompt, temperature };
  return [...toTexts(fields), { field: 'file', bytes, name, mediaType }];
}

/** Lists are repeated fields whose names end with brackets. */
function toTexts(fields: JsonObject): readonly FormPart[] {
  return Object.entries(fields).flatMap(([field, value]) => {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value.map((item) => ({ field: `${field}[]`, text: toText(item) }));
    return [{ field, text: toText(value) }];
  });
}

function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
