import { inflateSync } from 'node:zlib';

const HEADER_AREA_BYTES = 1024;
/** Limits of the work: about 30 ms. */
const MAX_INFLATED_BYTES = 8 * 1024 * 1024;
const MAX_OBJECT_STREAMS = 2000;
const MAX_ARRAYS = 20_000;
const MAX_REFERENCES = 100_000;
/** Compressed content of 20 MB has about 80,000 of them. */
const MAX_NUMBER_SIGNS = 100_000;
/** There are two thousand by chance. */
const MAX_ESCAPED_NAMES = 5000;
/** Dictionaries of object streams are short. */
const MAX_DICTIONARY_BYTES = 1024;
const MAX_NAME_BYTES = 40;
const [KIDS, OBJECT_STREAM] = ['/Kids', '/ObjStm'];
const SLASH = 0x2f;

/**
 * Returns the most pages that a PDF can have, without reading the pages: the number of references in its page tree.
 * Undefined if the tree can't be seen, such as in an encrypted file, or if it could contain a page several times.
 */
export function boundPdfPages(bytes: Buffer): number | undefined {
  if (!bytes.subarray(0, HEADER_AREA_BYTES).includes('%PDF-')) return undefined;
  const objectStreams = inflateObjectStreams(bytes);
  if (!objectStreams) return undefined;
  const seen = new Set<string>();
  for (const part of [bytes, ...objectStreams]) {
    if (hidesNames(part)) return undefined;
    const arrays = findAll(part, KIDS, MAX_ARRAYS);
    if (!arrays) return undefined;
    for (const at of arrays) {
      const references = readReferences(part, at + KIDS.length);
      if (!references || references.some((one) => seen.has(one))) return undefined;
      for (const one of references) seen.add(one);
      if (seen.size > MAX_REFERENCES) return undefined;
    }
  }
  return seen.size > 0 ? seen.size : undefined;
}

/** Reads `[3 0 R 4 0 R]`. Returns undefined for anything else, also for an array that names an object twice. */
function readReferences(bytes: Buffer, start: number): readonly string[] | undefined {
  const open = bytes.indexOf('[', start);
  const close = bytes.indexOf(']', start);
  if (open < 0 || close < open || bytes.toString('latin1', start, Math.min(open, start + MAX_NAME_BYTES)).trim() !== '')
    return undefined;
  if (close - open > MAX_REFERENCES * MAX_NAME_BYTES) return undefined;
  const tokens = bytes
    .toString('latin1', open + 1, close)
    .split(/\s+/)
    .filter(Boolean);
  const references: string[] = [];
  for (let index = 0; index < tokens.length; index += 3) {
    const [id = '', generation = '', mark] = tokens.slice(index, index + 3);
    if (mark !== 'R' || !/^\d{1,10}$/.test(id) || !/^\d{1,5}$/.test(generation)) return undefined;
    references.push(id);
  }
  return new Set(references).size === references.length ? references : undefined;
}

/** Returns the contents of compressed object streams; undefined if one can't be inflated within the limits. */
function inflateObjectStreams(bytes: Buffer): readonly Buffer[] | undefined {
  const streams = findAll(bytes, OBJECT_STREAM, MAX_OBJECT_STREAMS);
  if (!streams) return undefined;
  const contents: Buffer[] = [];
  let bytesLeft = MAX_INFLATED_BYTES;
  for (const at of streams) {
    const stream = bytes.indexOf('stream', at + OBJECT_STREAM.length);
    if (stream < 0 || stream - at > MAX_DICTIONARY_BYTES) return undefined;
    const before = bytes.toString('latin1', Math.max(0, at - MAX_DICTIONARY_BYTES), at);
    const dictionary = before.slice(before.lastIndexOf('obj') + 1) + bytes.toString('latin1', at, stream);
    // Without a filter, the objects are part of the file.
    if (!dictionary.includes('/Filter')) continue;
    if (!dictionary.includes('/FlateDecode') || dictionary.split('Decode').length !== 2) return undefined;
    const content = inflate(bytes.subarray(stream + 'stream'.length), bytesLeft);
    if (!content) return undefined;
    bytesLeft -= content.length;
    contents.push(content);
  }
  return contents;
}

function inflate(bytes: Buffer, maxBytes: number): Buffer | undefined {
  const start = bytes[0] === 0x0d ? 2 : 1;
  try {
    return inflateSync(bytes.subarray(start), { maxOutputLength: Math.max(1, maxBytes) });
  } catch {
    return undefined;
  }
}

/** Returns whether one of the names is written with escapes, such as `/K#69ds`, or may be. */
function hidesNames(bytes: Buffer): boolean {
  const signs = findAll(bytes, '#', MAX_NUMBER_SIGNS);
  if (!signs) return true;
  const names = signs.flatMap((at) => findStart(bytes, at) ?? []);
  return names.length > MAX_ESCAPED_NAMES || names.some((start) => isHidden(bytes, start));
}

/** Returns the start of the name whose escape is at `at`, if it is one of the first characters. */
function findStart(bytes: Buffer, at: number): number | undefined {
  for (let start = at - 1; start > at - OBJECT_STREAM.length && start >= 0; start -= 1)
    if (bytes[start] === SLASH) return start;
  return undefined;
}

function isHidden(bytes: Buffer, start: number): boolean {
  const written = bytes.toString('latin1', start, start + MAX_NAME_BYTES);
  const name = written.replaceAll(/#([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return name.startsWith(KIDS) || name.startsWith(OBJECT_STREAM);
}

/** Returns the positions of a text; undefined if there are more than `most`. */
function findAll(bytes: Buffer, text: string, most: number): readonly number[] | undefined {
  const found: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length)) {
    if (found.length === most) return undefined;
    found.push(at);
  }
  return found;
}
