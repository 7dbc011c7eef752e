import { invalidRequest } from '../http-error.ts';

/** A text, or the tokens of one. */
type TextInput = string | readonly number[];

export interface TextInputLimits {
  readonly maxInputs: number;
  /** Whether a text may be empty; a list of tokens may not. */
  readonly acceptsEmptyTexts: boolean;
}

/**
 * Reads a field with a text, a list of texts, the tokens of one text, or a list of lists of tokens. Does without a
 * schema, because a schema takes too long for large inputs.
 * @throws HttpError 400 that names the invalid input.
 */
export function readTextInputs(value: unknown, field: string, limits: TextInputLimits): readonly TextInput[] {
  if (!Array.isArray(value) || typeof value[0] === 'number') return [readTextInput(value, field, limits)];
  if (value.length === 0) throw invalidRequest(`'${field}' must not be empty.`, field);
  if (value.length > limits.maxInputs) {
    throw invalidRequest(`'${field}' must not hold more than ${limits.maxInputs} inputs.`, field);
  }
  return value.map((input, index) => readTextInput(input, `${field}[${index}]`, limits));
}

function readTextInput(input: unknown, path: string, { acceptsEmptyTexts }: TextInputLimits): TextInput {
  const isTokens = Array.isArray(input) && input.every((token) => Number.isInteger(token) && token >= 0);
  if (typeof input !== 'string' && !isTokens) {
    throw invalidRequest(`'${path}' must be a text or a list of tokens, which are whole numbers.`, path);
  }
  const mayBeEmpty = acceptsEmptyTexts && typeof input === 'string';
  if (input.length === 0 && !mayBeEmpty) throw invalidRequest(`'${path}' must not be empty.`, path);
  return input;
}
