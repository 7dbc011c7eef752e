import type { z } from 'zod';
import type { JsonObject } from '../../lib/json/json.ts';
import { invalidRequest } from '../http-error.ts';

/**
 * Parses a part of a request with a schema. Messages of the schema complete a sentence that begins with the field's
 * name: "must be a string".
 * @param prefix path of the part in the body, for `param`: `''` for the body itself, `'request.'` for the fields of an
 * object, `'model'` for a single field.
 * @throws HttpError 400 that names the first invalid field.
 */
export function checkFields<Output>(schema: z.ZodType<Output>, value: unknown, prefix = ''): Output {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  const issue = checked.error.issues[0];
  const isUnknown = issue?.code === 'unrecognized_keys';
  const keys = [...(issue?.path ?? []), ...(isUnknown ? issue.keys.slice(0, 1) : [])];
  const path = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  const param = prefix.endsWith('.') || prefix === '' ? `${prefix}${path.slice(1)}` : `${prefix}${path}`;
  const problem = isUnknown ? 'is not known here' : (issue?.message ?? 'is wrong');
  throw invalidRequest(`'${param}' ${problem}.`, param);
}

/**
 * Rejects field names that some hosts treat as one of `known` despite a different spelling: other case, equivalent
 * letters (Go's JSON accepts `ſtream` for `stream`), other separators (`maxTokens`). Such fields would be forwarded
 * unchecked.
 * @param prefix as for `checkFields`.
 * @throws HttpError 400 that names the field.
 */
export function refuseLookalikes(fields: JsonObject, known: KnownFields, prefix = ''): void {
  const names = Object.keys(fields);
  if (names.length > MAX_FIELDS) throw invalidRequest(`The request holds more than ${MAX_FIELDS} fields.`);
  for (const name of names) {
    if (known.names.has(name) || name.length > MAX_LOOKALIKE_LENGTH) continue;
    const meant = known.byFolded.get(fold(name));
    if (meant !== undefined) throw invalidRequest(`'${prefix}${name}' must be spelled '${meant}'.`, `${prefix}${name}`);
  }
}

/** Known field names for `refuseLookalikes`. */
export interface KnownFields {
  readonly names: ReadonlySet<string>;
  readonly byFolded: ReadonlyMap<string, string>;
}

export function toKnownFields(names: readonly string[]): KnownFields {
  return { names: new Set(names), byFolded: new Map(names.map((name) => [fold(name), name])) };
}

/** Maximum number of fields in a request; hosts know fewer than a tenth of that. */
const MAX_FIELDS = 1000;
/** Length in characters above which no host treats a name as one of the known ones. */
const MAX_LOOKALIKE_LENGTH = 100;

function fold(name: string): string {
  return name
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[\s_-]/g, '');
}

/** Returns `'a', 'b', 'c'`. */
export function listNames(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

/**
 * Returns whether a text has more than `maxCharacters` code points. They may have two units and are counted only if the
 * length in units leaves it open.
 */
export function isLonger(text: string, maxCharacters: number): boolean {
  if (text.length <= maxCharacters) return false;
  return text.length > maxCharacters * 2 || [...text].length > maxCharacters;
}
