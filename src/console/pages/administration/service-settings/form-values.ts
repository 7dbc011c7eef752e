import { isJsonObject, type JsonObject } from '../../../../lib/json/json.ts';
import { readPath, removePath, writePath } from '../../../../lib/json/paths.ts';
import type { SettingFormAnswer } from '../../../api/types.ts';

export type FormField = SettingFormAnswer['fields'][number];
/** A field of an entry in a list. */
export type ItemField = Omit<FormField, 'fields'>;
/** A field of a form or of an entry in a list. */
export type AnyField = ItemField & Partial<Pick<FormField, 'fields'>>;

/** Contents of a form's fields. */
export interface Draft {
  /** Fields that the form does not know stay as they are. */
  readonly base: JsonObject;
  /** By path. */
  readonly texts: Readonly<Record<string, string>>;
  /** Entries of lists, by path. */
  readonly items: Readonly<Record<string, readonly Draft[]>>;
}

export const EMPTY_DRAFT: Draft = { base: {}, texts: {}, items: {} };

/** Puts a value into the fields of a form. */
export function toDraft(fields: readonly AnyField[], value: unknown): Draft {
  const contents = fields.map((field) => [field, field.path === '' ? value : readPath(value, toSteps(field))] as const);
  return {
    base: isJsonObject(value) ? value : {},
    texts: Object.fromEntries(contents.map(([field, content]) => [field.path, print(field, content)])),
    items: Object.fromEntries(
      contents.flatMap(([{ path, type, fields: inner }, content]) =>
        type === 'items' ? [[path, toList(content).map((item) => toDraft(inner ?? [], item))] as const] : [],
      ),
    ),
  };
}

/** Returns the value that is in the fields of a form. Empty fields are left out. @param name name of the setting. */
export function toValue(fields: readonly AnyField[], { base, texts, items }: Draft, name: string): unknown {
  const value: JsonObject = structuredClone(base);
  for (const field of fields) {
    const content =
      field.type === 'items'
        ? (items[field.path] ?? []).flatMap((item) => toItem(field.fields ?? [], item))
        : parse(field, texts[field.path] ?? '', name);
    if (field.path === '') return content;
    if (content === undefined && isBeyond(field, readPath(base, toSteps(field)))) continue;
    if (content === undefined || (Array.isArray(content) && content.length === 0)) removePath(value, toSteps(field));
    else writePath(value, toSteps(field), content);
  }
  return value;
}

/** Returns an entry of a list; a text if it has its first field only, which some entries must be. */
function toItem(fields: readonly ItemField[], draft: Draft): readonly unknown[] {
  const item = toValue(fields, draft, '');
  if (!isJsonObject(item)) return [];
  const [name, ...others] = Object.keys(item);
  if (name === undefined) return [];
  return others.length === 0 && name === fields[0]?.path ? [item[name]] : [item];
}

const toSteps = ({ path }: ItemField) => path.split('.');

/** Returns whether a content is one that the field can't show, such as a price by quality. It stays as it is. */
function isBeyond({ type }: Pick<ItemField, 'type'>, content: unknown): boolean {
  return ['text', 'number', 'flag', 'choice'].includes(type) && typeof content === 'object';
}

function toList(content: unknown): readonly unknown[] {
  return content === undefined ? [] : [content].flat();
}

function print({ type, secret }: ItemField, content: unknown): string {
  if (isBeyond({ type }, content)) return '';
  switch (type) {
    case 'lines':
      return toList(content).join(secret ? ', ' : '\n');
    case 'numbers':
      return toList(content).join(', ');
    case 'pairs':
      return Object.entries(isJsonObject(content) ? content : {})
        .map(([name, text]) => `${name}: ${text}`)
        .join('\n');
    default:
      return String(content ?? '');
  }
}

/**
 * Returns undefined for an empty field. Text that is not a number is returned as text, so that the service refuses it
 * with a reason.
 */
function parse({ type }: ItemField, text: string, name: string): unknown {
  const trimmed = text.trim();
  if (type === 'name') return name;
  if (trimmed === '') return undefined;
  switch (type) {
    case 'number':
      return toNumberOrText(trimmed);
    case 'flag':
      return trimmed === 'true';
    case 'lines':
      return split(trimmed, /[\n,]/);
    case 'numbers':
      return split(trimmed, /[\s,;]+/).map(toNumberOrText);
    case 'pairs':
      return Object.fromEntries(split(trimmed, /\n/).map(toPair));
    default:
      return trimmed;
  }
}

function split(text: string, separator: RegExp): readonly string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function toNumberOrText(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

function toPair(line: string): readonly [string, string] {
  const [name = '', ...rest] = line.split(':');
  return [name.trim(), rest.join(':').trim()];
}

/**
 * Assigns the problems of a refused change to the fields that are shown.
 * @param message one line for each problem: `provider home: base_url: must be …`.
 */
export function assignProblems(message: string, prefix: string, shown: readonly string[]) {
  const byPath = new Map<string, string>();
  const others: string[] = [];
  for (const line of message.split('\n')) {
    const text = line.startsWith(`${prefix}: `) ? line.slice(prefix.length + 2) : line;
    const [path = '', ...rest] = text.split(': ');
    const field = rest.length === 0 ? undefined : findField(path, shown);
    if (field === undefined) others.push(text);
    else byPath.set(field, [byPath.get(field), rest.join(': ')].filter(Boolean).join(' '));
  }
  return { byPath, others };
}

/** Returns the path that contains a path, else one within it. */
function findField(path: string, shown: readonly string[]): string | undefined {
  const isWithin = (inner: string, outer: string) =>
    outer !== '' && (inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`));
  const outer = shown.filter((each) => isWithin(path, each)).toSorted((one, other) => other.length - one.length);
  const inner = shown.find((each) => each.includes('.') && isWithin(each, path));
  return outer[0] === path ? path : (inner ?? outer[0]);
}

/** Lists the paths of all fields of a form, those of entries as `models[0].price.input`. */
export function listPaths(fields: readonly AnyField[], { items }: Draft): readonly string[] {
  return fields.flatMap(({ path, fields: inner }) => [
    path,
    ...(items[path] ?? []).flatMap((item, index) =>
      listPaths(inner ?? [], item).map((each) => `${path}[${index}].${each}`),
    ),
  ]);
}
