import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import type { Texts } from '../texts/locales.ts';

/** Deeper and longer calls do not occur. From this many lines on, and this deep, values are shown as they are. */
const MAX_OPENED_LINES = 1000;
const MAX_DEPTH = 32;

/** Returns the parameters of a call in words, a line for each value: `to: Ann`, `options, max size: 3`. */
export function listParameters({ tools: { permission } }: Texts, parameters: JsonObject): readonly string[] {
  const lines: string[] = [];
  const visit = (path: readonly string[], value: unknown): void => {
    const entries = toEntries(value);
    if (entries.length > 0 && path.length < MAX_DEPTH && lines.length < MAX_OPENED_LINES)
      for (const [label, inner] of entries) visit(label === undefined ? path : [...path, label], inner);
    else if (path.length > 0) lines.push(`${path.join(', ')}: ${toWords(value, entries.length > 0)}`);
  };
  const toWords = (value: unknown, isFull: boolean): string => {
    if (typeof value === 'boolean') return permission.yesOrNo(value);
    if (isFull) return JSON.stringify(value);
    return value === null || typeof value === 'object' ? permission.nothing : String(value);
  };
  visit([], parameters);
  return lines;
}

/** Returns the values of an object or a list by their labels; the only value of a list has none. */
function toEntries(value: unknown): readonly (readonly [label: string | undefined, value: unknown])[] {
  if (Array.isArray(value))
    return value.map((inner, index) => [value.length === 1 ? undefined : `${index + 1}`, inner]);
  return isJsonObject(value) ? Object.entries(value).map(([name, inner]) => [toLabel(name), inner]) : [];
}

/** `max_size` and `maxSize` become `max size`. */
function toLabel(name: string): string {
  const words = name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ').replaceAll(/[_\s:,]+/g, ' ');
  return words === name ? name : words.trim().toLowerCase() || name;
}
