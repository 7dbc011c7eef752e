import { badRequest } from '../api-error.ts';
import { isJsonObject, type JsonObject, parseJson } from '../json.ts';

/**
 * Raw parameters of a call: JSON values, or strings from a form or query. The readers accept both, as the Bot API
 * server does, and return undefined for missing or empty values.
 */
export type Params = JsonObject;

export function readString(params: Params, name: string): string | undefined {
  const value = params[name];
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns undefined also for values that are not integers. */
export function readInteger(params: Params, name: string): number | undefined {
  const text = readString(params, name)?.trim();
  return text !== undefined && /^-?\d{1,19}$/.test(text) ? Number(text) : undefined;
}

export function readBoolean(params: Params, name: string): boolean {
  return ['true', 'yes', '1'].includes(readString(params, name)?.toLowerCase() ?? '');
}

/** @throws ApiError 400 if the value is not an object. */
export function readObject(params: Params, name: string): JsonObject | undefined {
  const value = readJson(params, name);
  if (value === undefined || isJsonObject(value)) return value;
  throw badRequest(`can't parse ${name}: expected an Object`);
}

/** @throws ApiError 400 if the value is not an array. */
export function readArray(params: Params, name: string): readonly unknown[] | undefined {
  const value = readJson(params, name);
  if (value === undefined || Array.isArray(value)) return value;
  throw badRequest(`can't parse ${name}: expected an Array`);
}

/** Reads 1 to `maximum` positive integers. @throws ApiError 400 */
export function readIntegers(params: Params, name: string, maximum: number): number[] {
  const numbers = (readArray(params, name) ?? []).map(Number);
  if (numbers.length === 0) throw badRequest('message identifiers are not specified');
  if (numbers.length > maximum) throw badRequest('too many message identifiers specified');
  if (!numbers.every((number) => Number.isSafeInteger(number) && number > 0)) {
    throw badRequest('invalid message identifier specified');
  }
  return numbers;
}

function readJson(params: Params, name: string): unknown {
  const value = params[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') return value;
  const parsed = parseJson(value);
  if (parsed === undefined) throw badRequest(`can't parse ${name} JSON object`);
  return parsed ?? undefined;
}
