import { z } from 'zod';
import type { TextCompletionRequest } from '../../core/models/contract/text-completion-model.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { checkFields, refuseLookalikes, toKnownFields } from '../fields/check-fields.ts';
import {
  MAX_ANSWER_TOKENS,
  MAX_CHOICES,
  modelNameSchema,
  optionalBoolean,
  samplingShape,
  seedSchema,
  streamOptionsSchema,
  streamSchema,
  wholeNumberSchema,
} from '../fields/field-schemas.ts';
import { readMaxTokens } from '../fields/read-max-tokens.ts';
import { readTextInputs } from '../fields/read-text-inputs.ts';
import { invalidRequest } from '../http-error.ts';

/** Fields of a request for completions that this service reads. `readTextInputs` validates `prompt`. */
export const completionsSchema = z.looseObject({
  model: modelNameSchema.describe('Name of a chat model whose provider has text completions.'),
  prompt: z
    .union([z.string(), z.array(z.string()), z.array(z.int()), z.array(z.array(z.int()))])
    .describe('A text, a list of texts, the tokens of one prompt, or a list of lists of tokens.'),
  suffix: z.string('must be a text').nullish().describe('Text after the completion, for models that fill in.'),
  stream: streamSchema,
  stream_options: streamOptionsSchema,
  n: wholeNumberSchema(1, MAX_CHOICES).nullish().describe('Number of completions for each prompt.'),
  best_of: wholeNumberSchema(1, MAX_CHOICES)
    .nullish()
    .describe('Number of completions that the best ones are chosen from.'),
  max_tokens: wholeNumberSchema(0, MAX_ANSWER_TOKENS)
    .nullish()
    .describe('Maximum length of a completion in tokens; the default is that of the provider, often 16.'),
  echo: optionalBoolean.describe('`true` repeats the prompt before the completion.'),
  logprobs: wholeNumberSchema(0, MAX_CHOICES)
    .nullish()
    .describe('Number of the most likely tokens to report at each position.'),
  stop: z
    .union([z.string(), z.array(z.string())], 'must be a text or a list of texts')
    .nullish()
    .describe('Sequences that end a completion.'),
  ...samplingShape,
  seed: seedSchema,
});

const smallFieldsSchema = completionsSchema.omit({ prompt: true });
const KNOWN_FIELDS = toKnownFields(Object.keys(completionsSchema.shape));

/**
 * Validates a request for completions. All fields are forwarded, known or not.
 * @throws HttpError 400 with `param`.
 */
export function toTextCompletionRequest(body: JsonObject): TextCompletionRequest {
  refuseLookalikes(body, KNOWN_FIELDS);
  const { prompt, ...fields } = body;
  const checked = checkFields(smallFieldsSchema, fields);
  const prompts = readTextInputs(prompt, 'prompt', { maxInputs: MAX_CHOICES, acceptsEmptyTexts: true });
  const choiceCount = checked.n ?? 1;
  const candidateCount = checked.best_of ?? undefined;
  const [most, param] = (candidateCount ?? 0) > choiceCount ? [candidateCount ?? 0, 'best_of'] : [choiceCount, 'n'];
  if (prompts.length * most > MAX_CHOICES) {
    const field = prompts.length > 1 ? 'prompt' : param;
    throw invalidRequest(`'${field}' must not ask for more than ${MAX_CHOICES} completions.`, field);
  }
  return {
    model: checked.model,
    prompts,
    choiceCount,
    candidateCount,
    maxOutputTokens: readMaxTokens(body),
    stop: checked.stop ? [checked.stop].flat() : undefined,
    isEchoed: checked.echo ?? undefined,
    native: { dialect: 'completions', body },
  };
}
