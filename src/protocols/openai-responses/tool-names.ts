import { z } from 'zod';
import { shortenWithHash } from '../../lib/ids.ts';
import { isJsonObject } from '../../lib/json/json.ts';
import { readSmallJson } from '../../lib/json/read-json.ts';

const MAX_LENGTH = 64;
/** The model's name of the tool of type `tool_search`. */
export const SEARCH_NAME = 'tool_search';
/** Namespace of tools that clients also call without one. */
const DEFAULT_NAMESPACE = 'functions';

/** Schema of a client's name of a tool. */
export const toolNameSchema = z
  .string('must be the name of a tool')
  .regex(/^[\w.-]{1,128}$/, 'must be the name of a tool: letters, digits, "_", "-" and "."');

/**
 * Returns the model's name of a tool: `namespace__name`, or just `name` without a namespace. Names that are too long
 * for the hosts end with a hash.
 */
export function toToolName(name: string, namespace?: string | null): string {
  const full = (namespace && namespace !== DEFAULT_NAMESPACE ? `${namespace}__${name}` : name).replaceAll('.', '_');
  return shortenWithHash(full, MAX_LENGTH);
}

/** Returns the arguments of the function that stands for a custom tool, whose input is any text. */
export function toCustomArguments(input: string): string {
  return JSON.stringify({ input });
}

/** Returns the input of a custom tool. Models may write it without the JSON around it. */
export function toCustomInput(written: string): string {
  const parsed = readSmallJson(written);
  return isJsonObject(parsed) && typeof parsed['input'] === 'string' ? parsed['input'] : written;
}

/** Returns the model's names of tools, those in namespaces included. */
export function listToolNames(tools: readonly unknown[]): readonly string[] {
  return tools.filter(isJsonObject).flatMap(({ type, name, tools: inner }) => {
    if (type === 'namespace' && Array.isArray(inner)) {
      return inner.filter(isJsonObject).map((tool) => toToolName(String(tool['name']), String(name)));
    }
    return [toToolName(String(name))];
  });
}

/** JSON Schema of the function that stands for a custom tool. */
export const CUSTOM_PARAMETERS = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool.' } },
  required: ['input'],
  additionalProperties: false,
};
