import type { JsonObject } from './json.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const BRACE = { open: 0x7b, close: 0x7d };
const BRACKET = { open: 0x5b, close: 0x5d };

/**
 * Offset of the quote that ends the string whose first character is at `start`.
 * @returns -1 where nothing ends it, or where it holds what no string of JSON may: a bare control character, an unknown escape.
 */
export function findStringEnd(json: Buffer, start: number): number {
  for (let at = skipOrdinary(json, start); ; at = skipOrdinary(json, at + 1 + HEX_DIGITS)) {
    if (json[at] === QUOTE) return at;
    // One of the text itself is skipped: this one stands behind a backslash.
    if (json[at] !== LETTER_U) return -1;
    for (let digit = at + 1; digit <= at + HEX_DIGITS; digit++) if (IS_HEX_DIGIT[json[digit] ?? 0] === 0) return -1;
  }
}

/**
 * Offset of what ends a string or is wrong there, of the letter of a `\u`, or behind the end. A loop with nothing else in it: with the rest
 * of the function inside it takes three times as long.
 */
function skipOrdinary(json: Buffer, start: number): number {
  const { length } = json;
  let at = start;
  for (; at < length; at++) {
    const kind = KINDS[json[at] ?? 0];
    if (kind === ORDINARY) continue;
    if (kind !== BACKSLASH) return at;
    at++;
    if (IS_SHORT_ESCAPE[json[at] ?? 0] === 0) return at;
  }
  return at;
}

const ORDINARY = 0;
/** What bytes mean inside of a string. */
const KINDS = new Uint8Array(256).fill(QUOTE, 0, 0x20);
KINDS[QUOTE] = QUOTE;
KINDS[BACKSLASH] = BACKSLASH;

const LETTER_U = 0x75;
const HEX_DIGITS = 4;
const IS_HEX_DIGIT = toTable('0123456789abcdefABCDEF');
/** What stands behind a backslash by itself. */
const IS_SHORT_ESCAPE = toTable('"\\/bfnrt');

/** 1 for each of these characters. */
function toTable(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const byte of Buffer.from(characters)) table[byte] = 1;
  return table;
}

/**
 * The same object with these fields instead of those of the same names, `undefined` for none; everything else stays byte for byte. For
 * a large object that costs a fraction of printing it anew.
 * @param json text that a parser took for an object.
 * @returns undefined where a name is spelled with escapes, and may be any.
 */
export function replaceFields(json: Buffer, fields: JsonObject): Buffer | undefined {
  const pieces: Buffer[] = [Buffer.from(JSON.stringify(fields).slice(0, -1))];
  let isFirst = pieces[0]?.length === 1;
  let at = json.indexOf(BRACE.open) + 1;
  for (;;) {
    const nameStart = json.indexOf(QUOTE, at) + 1;
    const end = findMemberEnd(json, at);
    if (nameStart === 0 || nameStart > end) break;
    const name = json.toString('utf8', nameStart, findStringEnd(json, nameStart));
    if (name.includes('\\')) return undefined;
    if (!Object.hasOwn(fields, name)) {
      if (!isFirst) pieces.push(Buffer.from(','));
      isFirst = false;
      pieces.push(json.subarray(nameStart - 1, end));
    }
    if (json[end] !== COMMA) break;
    at = end + 1;
  }
  pieces.push(Buffer.from('}'));
  return Buffer.concat(pieces);
}

/** Offset of the comma or brace behind the member that begins at `start`. */
function findMemberEnd(json: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) at = findStringEnd(json, at + 1);
    else if (byte === BRACE.open || byte === BRACKET.open) depth++;
    else if (byte === COMMA && depth === 0) return at;
    else if (byte === BRACE.close || byte === BRACKET.close) {
      if (depth === 0) return at;
      depth--;
    }
  }
  return json.length;
}
