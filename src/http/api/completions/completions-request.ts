import { z } from 'zod';
import type { Prompt, TextCompletionRequest } from '../../../core/models/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { invalidRequest } from '../../http-error.ts';
import { checkFields, modelNameSchema, refuseLookalikes, toKnownFields } from '../check-fields.ts';

/** Maximum number of completions of one request, over all prompts. */
const MAX_CHOICES = 128;
/** Maximum tokens of one completion: above the context of any model, and within 32-bit integers. */
const MAX_TOKENS = 2 ** 31 - 1;

function wholeNumberSchema(min: number, max: number) {
  const problem = `must be a whole number from ${min} to ${max}`;
  return z.int(problem).min(min, problem).max(max, problem).nullish();
}

const numberSchema = z.number('must be a number').nullish();

/** Fields of a request for completions that this service reads. `prompt` is checked apart, because it may be large. */
export const completionsSchema = z.looseObject({
  model: modelNameSchema.describe('Name of a chat model whose provider has text completions.'),
  prompt: z
    .union([z.string(), z.array(z.string()), z.array(z.int()), z.array(z.array(z.int()))])
    .describe('A text, a list of texts, the tokens of one prompt, or a list of lists of tokens.'),
  suffix: z.string('must be a text').nullish().describe('Text after the completion, for models that fill in.'),
  stream: z.boolean('must be true or false').nullish().describe('`true` streams the answer as server-sent events.'),
  stream_options: z
    .looseObject({}, 'must be an object')
    .nullish()
    .describe('`include_usage` adds a last chunk with the token counts.'),
  n: wholeNumberSchema(1, MAX_CHOICES).describe('Number of completions for each prompt.'),
  best_of: wholeNumberSchema(1, MAX_CHOICES).describe('Number of completions that the best ones are chosen from.'),
  max_tokens: wholeNumberSchema(0, MAX_TOKENS).describe(
    'Maximum length of a completion in tokens; the default is that of the provider, often 16.',
  ),
  echo: z.boolean('must be true or false').nullish().describe('`true` repeats the prompt before the completion.'),
  logprobs: wholeNumberSchema(0, MAX_CHOICES).describe('Number of the most likely tokens to report at each position.'),
  stop: z
    .union([z.string(), z.array(z.string())], 'must be a text or a list of texts')
    .nullish()
    .describe('Sequences that end a completion.'),
  temperature: numberSchema.describe('Sampling temperature: 0 is the most predictable.'),
  top_p: numberSchema.describe('Nucleus sampling: probability mass of the tokens to choose from.'),
  seed: numberSchema.describe('The same seed gives the same answer, as far as the provider supports it.'),
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
  const prompts = toPrompts(prompt);
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
    maxOutputTokens: checked.max_tokens ?? undefined,
    stop: checked.stop ? [checked.stop].flat() : undefined,
    isEchoed: checked.echo ?? undefined,
    native: { dialect: 'completions', body },
  };
}

function toPrompts(prompt: unknown): readonly Prompt[] {
  if (!Array.isArray(prompt) || typeof prompt[0] === 'number') return [toPrompt(prompt, 'prompt')];
  if (prompt.length === 0) throw invalidRequest("'prompt' must not be empty.", 'prompt');
  if (prompt.length > MAX_CHOICES)
    throw invalidRequest(`'prompt' must not ask for more than ${MAX_CHOICES} completions.`, 'prompt');
  return prompt.map((item, index) => toPrompt(item, `prompt[${index}]`));
}

function toPrompt(item: unknown, path: string): Prompt {
  const isTokens = Array.isArray(item) && item.every((token) => Number.isInteger(token) && token >= 0);
  if (typeof item === 'string' || (isTokens && item.length > 0)) return item;
  throw invalidRequest(`'${path}' must be a text or a list of tokens, which are whole numbers.`, path);
}
