import { HttpSizeError } from '../lib/http/http-client.ts';
import { isJsonObject, type JsonObject } from '../lib/json/json.ts';
import { countCharacters, LARGE_JSON } from '../lib/json/large-json.ts';
import { readSmallJson } from '../lib/json/read-json.ts';

/** Maximum size of the arguments of the tool calls of an answer: they are parsed in one step. Models write less. */
export const MAX_ARGUMENT_BYTES = LARGE_JSON;

/**
 * Returns the arguments of a tool call as JSON. Some hosts send them as an object.
 * @throws HttpSizeError above `MAX_ARGUMENT_BYTES`.
 */
export function printArguments(sent: string | object): string {
  if (countCharacters(sent, MAX_ARGUMENT_BYTES) >= MAX_ARGUMENT_BYTES)
    throw new HttpSizeError('the arguments of a tool call are too large');
  return typeof sent === 'string' ? sent : JSON.stringify(sent);
}

/**
 * Returns the arguments of a tool call as an object, for protocols in which they are one. Others are wrapped as
 * Anthropic advises, so that the tool reports them to the model.
 */
export function readInput(written: string): JsonObject {
  if (written.trim() === '') return {};
  const input = readSmallJson(written);
  return isJsonObject(input) ? input : { INVALID_JSON: written };
}
