import { findStringEnd } from './json-text.ts';

/** Size of a JSON text's structure, counted outside of strings. */
export interface JsonCounts {
  /** Brackets that are open at the same time. */
  readonly depth: number;
  /** Opening brackets and commas: no fewer than the values that the text holds. */
  readonly values: number;
  /** Bytes of numbers, words, white space and the structure itself. */
  readonly bytes: number;
  /** Colons: exactly the fields of all objects, repeated ones included, where the text is valid JSON. */
  readonly fields: number;
  /** Fields of the largest object. */
  readonly fieldsOfOne: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Counts the structure of a JSON text in one pass, without building anything. Stops at the first count that is above its limit, and
 * at a string without an end.
 */
export function countJson(json: Buffer, limits: Omit<JsonCounts, 'fields'>): JsonCounts {
  let open = 0;
  const counts = { depth: 0, values: 0, bytes: 0, fields: 0, fieldsOfOne: 0 };
  /** Fields so far of the objects that are open, from the outermost. */
  const fieldsOf: number[] = [];
  for (let at = 0; at < json.length; at++) {
    counts.bytes++;
    if (counts.bytes > limits.bytes) return counts;
    switch (json[at]) {
      case QUOTE:
        at = findQuote(json, at + 1);
        if (at < 0) return counts;
        break;
      case 0x7b: // {
      case 0x5b: // [
        open++;
        counts.values++;
        if (open > counts.depth) counts.depth = open;
        fieldsOf[open] = 0;
        if (open > limits.depth || counts.values > limits.values) return counts;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        open--;
        break;
      case 0x2c: // ,
        counts.values++;
        if (counts.values > limits.values) return counts;
        break;
      case 0x3a: // :
        counts.fields++;
        fieldsOf[open] = 1 + (fieldsOf[open] ?? 0);
        counts.fieldsOfOne = Math.max(counts.fieldsOfOne, fieldsOf[open] ?? 0);
        if (counts.fieldsOfOne > limits.fieldsOfOne) return counts;
        break;
    }
  }
  return counts;
}

/** Longer strings are searched by the runtime, which has a cost per call and nearly none per byte. */
const SHORT_BYTES = 64;

/** Offset of the quote that ends the string whose first character is at `start`; -1 where there is none. */
function findQuote(json: Buffer, start: number): number {
  const shortEnd = Math.min(json.length, start + SHORT_BYTES);
  for (let at = start; at < shortEnd; at++) {
    const byte = json[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) return findStringEnd(json, start);
  }
  const end = json.indexOf(QUOTE, shortEnd);
  return end > 0 && json[end - 1] === BACKSLASH ? findStringEnd(json, start) : end;
}

/**
 * The name of a field that stands twice in the same object; undefined where no object has one.
 * @param json valid JSON.
 */
export function findRepeatedField(json: Buffer): string | undefined {
  const open: Set<string>[] = [];
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === 0x7b || byte === 0x5b) open.push(new Set());
    else if (byte === 0x7d || byte === 0x5d) open.pop();
    else if (byte === QUOTE) {
      const end = findQuote(json, at + 1);
      if (end < 0) return undefined;
      if (isFollowedByColon(json, end + 1)) {
        const name = String(JSON.parse(json.toString('utf8', at, end + 1)));
        const names = open.at(-1);
        if (names?.has(name)) return name;
        names?.add(name);
      }
      at = end;
    }
  }
  return undefined;
}

function isFollowedByColon(json: Buffer, start: number): boolean {
  let at = start;
  while (json[at] === 0x20 || json[at] === 0x0a || json[at] === 0x0d || json[at] === 0x09) at++;
  return json[at] === 0x3a;
}

/** What parsing has made of a text's fields and numbers. */
export interface ParsedCounts {
  /** Fields of all objects. */
  readonly fields: number;
  /** The innermost field that holds a number beyond the range of a double, such as `1e999`; `''` where no field does. */
  readonly infinite: string | undefined;
}

/** Counts the fields of a parsed value. @param value nested no deeper than the stack bears. */
export function countParsed(value: unknown, field = ''): ParsedCounts {
  if (typeof value === 'number') return Number.isFinite(value) ? NO_FIELDS : { fields: 0, infinite: field };
  if (typeof value !== 'object' || value === null) return NO_FIELDS;
  let fields = 0;
  let infinite: string | undefined;
  const add = (member: unknown, name: string) => {
    if (typeof member === 'string') return;
    const counted = countParsed(member, name);
    fields += counted.fields;
    infinite ??= counted.infinite;
  };
  if (Array.isArray(value)) for (const member of value) add(member, field);
  else {
    const names = Object.keys(value);
    fields = names.length;
    for (const name of names) add(Reflect.get(value, name), name);
  }
  return { fields, infinite };
}

const NO_FIELDS: ParsedCounts = { fields: 0, infinite: undefined };
