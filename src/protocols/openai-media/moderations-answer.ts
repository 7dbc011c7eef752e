import { z } from 'zod';
import type { ModerationInput, ModerationResult, Moderations } from '../../core/models/contract/moderation-model.ts';
import { createId } from '../../lib/ids.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';

/** Schema of the answer. */
export const moderationsAnswerSchema = z
  .looseObject({
    id: z.string(),
    model: z.string().describe('The model that answered.'),
    results: z.array(
      z.looseObject({
        flagged: z.boolean().describe('Whether any category applies.'),
        categories: z.record(z.string(), z.boolean()),
        category_scores: z.record(z.string(), z.number()).describe('Confidence from 0 to 1.'),
        category_applied_input_types: z
          .record(z.string(), z.array(z.string()))
          .optional()
          .describe('`text` or `image`, for each category. Missing where the provider leaves it out.'),
      }),
    ),
  })
  .meta({ id: 'Moderations' });

/** Prints an answer of `/moderations`. */
export function printModerations(
  { id, model, reportedModel, results }: Moderations,
  inputs: readonly ModerationInput[],
): z.infer<typeof moderationsAnswerSchema> {
  return {
    id: id ?? createId('modr-'),
    model: reportedModel ?? model,
    results: results.map(({ flagged, categories, scores }, index) => ({
      flagged,
      categories,
      category_scores: scores,
      category_applied_input_types: toAppliedTypes(categories, inputs[index]),
    })),
  };
}

/** Returns the types of an input for each category: hosts judge all of it by every category. */
function toAppliedTypes(categories: Readonly<Record<string, boolean>>, input: ModerationInput = '') {
  const types = typeof input === 'string' ? ['text'] : [...new Set(input.map(({ type }) => type))];
  return Object.fromEntries(Object.keys(categories).map((name) => [name, types]));
}

/** Reads the result of one input; undefined if it is none. */
export function readModeration(item: unknown): ModerationResult | undefined {
  if (!isJsonObject(item) || !isJsonObject(item.categories)) return undefined;
  const categories = pick(item.categories, (value) => typeof value === 'boolean');
  const scores = pick(
    isJsonObject(item.category_scores) ? item.category_scores : {},
    (value) => typeof value === 'number',
  );
  const flagged = typeof item.flagged === 'boolean' ? item.flagged : Object.values(categories).includes(true);
  return { flagged, categories, scores };
}

function pick<Value>(fields: JsonObject, is: (value: unknown) => value is Value): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, Value] => is(entry[1])));
}
