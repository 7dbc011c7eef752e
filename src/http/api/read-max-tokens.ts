import { listLengths } from '../../core/models/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import { checkFields } from './check-fields.ts';
import { MAX_ANSWER_TOKENS, wholeNumberSchema } from './field-schemas.ts';

const lengthSchema = wholeNumberSchema(0, MAX_ANSWER_TOKENS);

/**
 * Returns the greatest maximum length of an answer that a request states, under any of the names that hosts have for it;
 * undefined if it states none.
 * @param prefix path of `fields` in the body, for `param`: `''` or `'request.'`.
 * @throws HttpError 400 that names the invalid field.
 */
export function readMaxTokens(fields: JsonObject, prefix = ''): number | undefined {
  return listLengths(fields).reduce<number | undefined>((most, { path, value }) => {
    return Math.max(most ?? 0, checkFields(lengthSchema, value, `${prefix}${path}`));
  }, undefined);
}
