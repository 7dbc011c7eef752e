import { MESSAGES_FIELDS } from '../../../protocols/anthropic-messages/field-names.ts';
import { type FieldNames, withFieldNames } from '../../../protocols/fields/field-names.ts';
import { RESPONSES_FIELDS } from '../../../protocols/openai-responses/field-names.ts';

/** Fields of the native API: `model` is beside the other fields. */
const NATIVE_FIELDS: FieldNames = [[/^(?!model$|request\b)(?=\w)/, 'request.']];

/** Names of fields by the address of a request. */
const NAMES: readonly (readonly [address: RegExp, names: FieldNames])[] = [
  [/^\/+ai\/+openai\/+responses(?:[/?#]|$)/, RESPONSES_FIELDS],
  [/^\/+ai\/+anthropic(?:[/?#]|$)/, MESSAGES_FIELDS],
  [/^\/+ai\/+v2(?:[/?#]|$)/, NATIVE_FIELDS],
];

/**
 * Returns the refusal of a provider with fields under the names of the client's protocol. Returns all other errors
 * unchanged.
 * @param url routed URL of the request.
 */
export function withClientFields(error: unknown, url: string): unknown {
  const names = NAMES.find(([address]) => address.test(url))?.[1];
  return names ? withFieldNames(error, names) : error;
}
