import { listLengths } from '../../core/models/contract/length-fields.ts';
import type { JsonObject } from '../../lib/json/json.ts';
import { checkFields } from './check-fields.ts';
import { MAX_ANSWER_TOKENS, wholeNumberSchema } from './field-schemas.ts';

const lengthSchema = wholeNumberSchema(0, MAX_ANSWER_TOKENS);
/** Paths of settings that bound the reasoning, such as OpenRouter's `reasoning.max_tokens`. */
const OF_REASONING = /(?:^|\.)(?:reasoning|thinking)\w*\./i;

/**
 * Returns the greatest maximum length of an answer that a request states, under any of the names that hosts have for it;
 * undefined if it states none. A maximum of the reasoning alone is none of the answer.
 * @param prefix path of `fields` in the body, for `param`: `''` or `'request.'`.
 * @throws HttpError 400 that names the invalid field.
 */
export function readMaxTokens(fields: JsonObject, prefix = ''): number | undefined {
  const lengths = listLengths(fields);
  const most = lengths.reduce(
    (greatest, { path, value }) => Math.max(greatest, checkFields(lengthSchema, value, `${prefix}${path}`)),
    0,
  );
  return lengths.every(({ path }) => OF_REASONING.test(path)) ? undefined : most;
}
