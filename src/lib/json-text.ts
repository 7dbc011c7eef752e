import type { JsonObject } from './json.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const BRACE = { open: 0x7b, close: 0x7d };
const BRACKET = { open: 0x5b, close: 0x5d };

/** Offset of the quote that ends the string whose first character is at `start`; the length of the text where nothing ends it. */
export function findStringEnd(json: Buffer, start: number): number {
  for (let end = json.indexOf(QUOTE, start); end >= 0; end = json.indexOf(QUOTE, end + 1)) {
    let backslashes = 0;
    while (end - 1 - backslashes >= start && json[end - 1 - backslashes] === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
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
