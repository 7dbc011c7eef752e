import { z } from 'zod';
import {
  MAX_SPOKEN_CHARACTERS,
  SPEECH_FORMATS,
  type SpeechFormat,
  type SpeechRequest,
} from '../../core/models/contract/speech-model.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { checkFields, isLonger, refuseLookalikes, toKnownFields } from '../fields/check-fields.ts';
import { modelNameSchema } from '../fields/field-schemas.ts';

const MAX_VOICE_LENGTH = 256;
const MAX_INSTRUCTIONS_LENGTH = 4096;
const INPUT_PROBLEM = 'must be the text to read aloud';
const VOICE_PROBLEM = 'must be the name of a voice, or an object with its id';
const INSTRUCTIONS_PROBLEM = `must be a text of at most ${MAX_INSTRUCTIONS_LENGTH} characters`;
const SPEED_PROBLEM = 'must be a number from 0.25 to 4';

const voiceNameSchema = z.string().min(1).max(MAX_VOICE_LENGTH);

/** Schema of the body of `POST /ai/openai/audio/speech`. */
export const speechSchema = z.object({
  model: modelNameSchema.describe('Name of a model with type `speech`.'),
  input: z
    .string(INPUT_PROBLEM)
    .refine((input) => input.trim() !== '', INPUT_PROBLEM)
    .refine(
      (input) => !isLonger(input, MAX_SPOKEN_CHARACTERS),
      `must not be longer than ${MAX_SPOKEN_CHARACTERS} characters`,
    )
    .meta({ pattern: String.raw`\S`, maxLength: MAX_SPOKEN_CHARACTERS })
    .describe('Text to read aloud, up to 4096 characters.'),
  voice: z
    .union([voiceNameSchema, z.object({ id: voiceNameSchema })], VOICE_PROBLEM)
    .nullish()
    .describe("The provider's name of a voice, or `{id}` of a voice of its account. Unset: `alloy`."),
  response_format: z
    .enum(SPEECH_FORMATS, `must be one of ${SPEECH_FORMATS.join(', ')}`)
    .nullish()
    .describe('Unset: `mp3`; of the demonstration: `wav`, its only format.'),
  speed: z
    .number(SPEED_PROBLEM)
    .min(0.25, SPEED_PROBLEM)
    .max(4, SPEED_PROBLEM)
    .nullish()
    .describe('1 is the usual speed.'),
  instructions: z
    .string(INSTRUCTIONS_PROBLEM)
    .refine((text) => !isLonger(text, MAX_INSTRUCTIONS_LENGTH), INSTRUCTIONS_PROBLEM)
    .nullish()
    .describe('How to speak, for models that follow instructions.'),
  stream_format: z
    .enum(['audio', 'sse'], "must be 'audio' or 'sse'")
    .nullish()
    .describe('`sse`: events with parts of the file in base64. Unset: the file.'),
});

const OWN_FIELDS: ReadonlySet<string> = new Set(Object.keys(speechSchema.shape));
const KNOWN_FIELDS = toKnownFields(Object.keys(speechSchema.shape));

/** Validated request of `POST /ai/openai/audio/speech`. */
export interface SpeechOptions {
  readonly params: SpeechRequest;
  /** True to answer with events instead of the file. */
  readonly isEvents: boolean;
}

/**
 * Validates the body of `POST /ai/openai/audio/speech`. Unknown fields are forwarded to the provider.
 * @throws HttpError 400 with `param`.
 */
export function toSpeechOptions(fields: JsonObject): SpeechOptions {
  refuseLookalikes(fields, KNOWN_FIELDS);
  const { response_format: format, stream_format: streamFormat, ...checked } = checkFields(speechSchema, fields);
  const extra = Object.entries(fields).filter(([field]) => !OWN_FIELDS.has(field));
  return {
    params: {
      model: checked.model,
      input: checked.input,
      voice: checked.voice ?? undefined,
      format: format ?? undefined,
      speed: checked.speed ?? undefined,
      instructions: checked.instructions ?? undefined,
      extraFields: Object.fromEntries(extra),
    },
    isEvents: streamFormat === 'sse',
  };
}

/** OpenAI requires a voice; `alloy` is one of every model of theirs. */
const DEFAULT_VOICE = 'alloy';

/** Prints the body for a host. */
export function printSpeechRequest(
  { model, input, voice = DEFAULT_VOICE, speed, instructions, extraFields }: SpeechRequest,
  format: SpeechFormat,
): JsonObject {
  return { ...extraFields, model, input, voice, response_format: format, speed, instructions };
}
