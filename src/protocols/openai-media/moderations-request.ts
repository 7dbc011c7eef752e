import { z } from 'zod';
import type {
  ModerationInput,
  ModerationPart,
  ModerationRequest,
} from '../../core/models/contract/moderation-model.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { checkFields, refuseLookalikes, toKnownFields } from '../fields/check-fields.ts';
import { modelNameSchema } from '../fields/field-schemas.ts';
import { invalidRequest } from '../http-error.ts';

/** Maximum number of texts, or of parts of one input. */
const MAX_INPUTS = 2048;

const partSchema = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('text'), text: z.string('must be a text') }),
    z.looseObject({
      type: z.literal('image_url'),
      image_url: z.looseObject(
        { url: z.string('must be an address').min(1, 'must not be empty') },
        'must have a "url"',
      ),
    }),
  ],
  "must be a text, or a part of the type 'text' or 'image_url'",
);

/** Fields of a request for moderation that this service reads. */
export const moderationsSchema = z.looseObject({
  input: z
    .union([z.string(), z.array(z.string()), z.array(partSchema)])
    .describe(
      `A text, a list of up to ${MAX_INPUTS} texts that are judged each for itself, or parts of the types \`text\` and \`image_url\` that are judged together.`,
    ),
  model: modelNameSchema.nullish().describe('Name of a moderation model. Default: the first one.'),
});

const modelSchema = moderationsSchema.shape.model;
const KNOWN_FIELDS = toKnownFields(Object.keys(moderationsSchema.shape));

/**
 * Validates a request for moderation. Fields that are not known here are forwarded unchanged.
 * @throws HttpError 400 with `param`.
 */
export function toModerationRequest(
  body: JsonObject,
): Omit<ModerationRequest, 'model'> & { readonly model: string | undefined } {
  refuseLookalikes(body, KNOWN_FIELDS);
  const { input, model, ...extraFields } = body;
  return { model: checkFields(modelSchema, model, 'model') ?? undefined, inputs: toInputs(input), extraFields };
}

function toInputs(input: unknown): readonly ModerationInput[] {
  if (typeof input === 'string') return [input];
  if (!Array.isArray(input))
    throw invalidRequest("'input' must be a text, a list of texts or a list of parts.", 'input');
  if (input.length === 0) throw invalidRequest("'input' must not be empty.", 'input');
  if (input.length > MAX_INPUTS)
    throw invalidRequest(`'input' must not hold more than ${MAX_INPUTS} texts or parts.`, 'input');
  return typeof input[0] === 'string'
    ? input.map((text, index) => checkFields(z.string('must be a text'), text, `input[${index}]`))
    : [input.map(readPart)];
}

function readPart(value: unknown, index: number): Exclude<ModerationInput, string>[number] {
  const part = checkFields(partSchema, value, `input[${index}]`);
  return part.type === 'text' ? { type: 'text', text: part.text } : { type: 'image', url: part.image_url.url };
}

/** Prints the body for a host. */
export function printModerationRequest({ model, inputs, extraFields }: ModerationRequest): JsonObject {
  return { ...extraFields, model, input: toInputField(inputs) };
}

/** OpenAI takes a list of texts, or the parts of a single input. */
function toInputField(inputs: readonly ModerationInput[]): unknown {
  const [first] = inputs;
  return inputs.length === 1 && typeof first === 'object' ? first.map(printPart) : inputs;
}

function printPart(part: ModerationPart): JsonObject {
  return part.type === 'text' ? { ...part } : { type: 'image_url', image_url: { url: part.url } };
}
