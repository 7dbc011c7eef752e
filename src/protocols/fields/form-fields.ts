import type { JsonObject } from '../../lib/json/json.ts';
import { invalidRequest } from '../http-error.ts';

/** A form with all of its files, in the order of its parts. */
export interface Form {
  readonly fields: readonly FormField[];
  readonly files: readonly FormFile[];
}

export interface FormField {
  readonly name: string;
  readonly value: string;
}

export interface FormFile {
  /** Name of the part, such as `image[]`. */
  readonly field: string;
  /** File name; empty if there is none. */
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** Types of fields that are no texts. */
interface FieldTypes {
  readonly numbers: ReadonlySet<string>;
  readonly booleans: ReadonlySet<string>;
}

/**
 * Converts the texts of a form to the fields of a JSON body, so that both are validated alike. `name[]` is an item of a
 * list. Texts that are not of their type stay as they are.
 * @throws HttpError 400 for a repeated field that is no list.
 */
export function toJsonFields(fields: readonly FormField[], { numbers, booleans }: FieldTypes): JsonObject {
  const values = new Map<string, unknown>();
  for (const { name, value } of fields) {
    const listName = name.replace(/\[\d*\]$/, '');
    const list = values.get(listName);
    if (listName !== name && (list === undefined || Array.isArray(list)))
      values.set(listName, [...(list ?? []), value]);
    else if (values.has(name)) throw invalidRequest(`'${name}' is given more than once.`, name);
    else if (numbers.has(name)) values.set(name, toNumber(value));
    else values.set(name, booleans.has(name) ? toBoolean(value) : value);
  }
  return Object.fromEntries(values);
}

function toNumber(text: string): number | string {
  return /^-?\d{1,20}(?:\.\d{1,20})?$/.test(text) ? Number(text) : text;
}

/** Python programs often send `True`. */
function toBoolean(text: string): boolean | string {
  return /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text;
}
