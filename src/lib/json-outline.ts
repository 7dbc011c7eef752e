import { isAscii } from 'node:buffer';
import { createId } from './ids.ts';
import { parseJson } from './json.ts';
import { findStringEnd } from './json-text.ts';

/** A JSON text, and the same without its long strings: whoever looks for something in it need not walk through those. */
export interface JsonText {
  /** Valid UTF-8. */
  readonly bytes: Buffer;
  /** A mark stands in place of each long string that is a value. The bytes themselves where none is long. */
  readonly outline: Buffer;
  /** The long strings with their quotes, by their marks, in the order of the text. */
  readonly cut: ReadonlyMap<string, Buffer>;
}

/** A long string that may never be read. */
export interface LongText {
  /** How it begins. */
  readonly beginning: string;
  /** How many times as long the whole is. */
  readonly ratio: number;
}

const QUOTE = 0x22;
const COLON = 0x3a;
/** Shorter strings are read at once. */
const LONG_BYTES = 16 * 1024;
/** Where so much is left without the long strings, everything is read at once: that takes one walk instead of two. */
const MAX_OUTLINE_BYTES = 64 * 1024;

/**
 * Looks for long strings where they may be nearly all of the text, and checks them: they are well-formed where the outline is. A megabyte
 * that goes on as it came is neither decoded nor collected then.
 * @param bytes valid UTF-8, no JSON perhaps.
 */
export function toJsonText(bytes: Buffer): JsonText {
  const whole = { bytes, outline: bytes, cut: NOTHING };
  return bytes.length < MAX_OUTLINE_BYTES ? whole : (cutLongStrings(bytes) ?? whole);
}

const NOTHING: JsonText['cut'] = new Map();

function cutLongStrings(bytes: Buffer): JsonText | undefined {
  // Nobody can guess it, so nobody can write it into a text.
  const word = createId('');
  const cut = new Map<string, Buffer>();
  const pieces: Buffer[] = [];
  let copied = 0;
  let cutBytes = 0;
  let start = bytes.indexOf(QUOTE);
  while (start >= 0 && start - cutBytes < MAX_OUTLINE_BYTES) {
    const end = findStringEnd(bytes, start + 1);
    if (end < 0) return undefined;
    if (end - start > LONG_BYTES && !isName(bytes, end)) {
      const mark = `${word}-${cut.size}`;
      pieces.push(bytes.subarray(copied, start + 1), Buffer.from(mark));
      cut.set(mark, bytes.subarray(start, end + 1));
      copied = end;
      cutBytes += end - start;
    }
    start = bytes.indexOf(QUOTE, end + 1);
  }
  if (bytes.length - cutBytes >= MAX_OUTLINE_BYTES) return undefined;
  return { bytes, outline: Buffer.concat([...pieces, bytes.subarray(copied)]), cut };
}

/**
 * What `JSON.parse` makes of the text; long strings are read when somebody looks at them.
 * @param text nested no deeper than the stack bears.
 * @throws SyntaxError that tells the place in the whole text.
 */
export function parseJsonText({ bytes, outline, cut }: JsonText): unknown {
  if (cut.size === 0) return JSON.parse(decode(bytes));
  const parsed = { value: parseJson(decode(outline)) };
  if (parsed.value === undefined) return JSON.parse(decode(bytes));
  placeStrings(parsed, cut);
  return parsed.value;
}

/** An outline in which other things were changed, with the long strings in their places again. */
export function restoreLongStrings(outline: Buffer, { cut }: JsonText): Buffer {
  const pieces: Buffer[] = [];
  let copied = 0;
  for (const [mark, quoted] of cut) {
    const start = outline.indexOf(mark, copied) - 1;
    // A field that was replaced took it along.
    if (start < 0) continue;
    pieces.push(outline.subarray(copied, start), quoted);
    copied = start + mark.length + 2;
  }
  return pieces.length === 0 ? outline : Buffer.concat([...pieces, outline.subarray(copied)]);
}

/** Whether the string that ends there is the name of a field. */
function isName(bytes: Buffer, end: number): boolean {
  let next = end + 1;
  while (bytes[next] === 0x20 || bytes[next] === 0x0a || bytes[next] === 0x0d || bytes[next] === 0x09) next++;
  return bytes[next] === COLON;
}

function placeStrings(value: unknown, cut: ReadonlyMap<string, Buffer>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [field, member] of Object.entries(value)) {
    const quoted = typeof member === 'string' ? cut.get(member) : undefined;
    if (quoted) placeString(value, field, quoted);
    else placeStrings(member, cut);
  }
}

/** Those that stand in parsed objects and lists, by their fields, with their quotes. */
const placed = new WeakMap<object, Map<string, Buffer>>();

function placeString(holder: object, field: string, quoted: Buffer): void {
  let text: string | undefined;
  const get = () => {
    text ??= String(JSON.parse(decode(quoted)));
    return text;
  };
  Object.defineProperty(holder, field, { configurable: true, enumerable: true, get });
  placed.set(holder, (placed.get(holder) ?? new Map()).set(field, quoted));
}

/** The long string in this field, without reading all of it; undefined where there is none. */
export function findLongText(holder: object, field: string): LongText | undefined {
  const quoted = placed.get(holder)?.get(field);
  if (!quoted) return undefined;
  // One that is cut inside of an escape is no string: none is longer than six bytes.
  for (let bytes = LONG_BYTES; bytes > LONG_BYTES - 6; bytes--) {
    const beginning = parseJson(`${decode(quoted.subarray(0, bytes))}"`);
    if (typeof beginning === 'string') return { beginning, ratio: quoted.length / bytes };
  }
  return undefined;
}

/** Plain ASCII, which nearly everything is, is read in half the time. */
function decode(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : bytes.toString('utf8').replace(/^\uFEFF/, '');
}
