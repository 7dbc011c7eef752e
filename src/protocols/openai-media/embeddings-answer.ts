import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Embeddings, EmbeddingVector, VectorEncoding } from '../../core/models/contract/embedding-model.ts';
import { isJsonObject, type JsonObject } from '../../lib/json/json.ts';
import { readJson, readSmallJson } from '../../lib/json/read-json.ts';

/** A vector in the bytes of an answer. */
interface VectorSlice {
  readonly encoding: VectorEncoding;
  /** JSON text of a list of numbers or of a string. */
  readonly json: Buffer;
}

const KEY = '"embedding"';
const [COLON, OPEN_BRACKET, CLOSE_BRACKET, QUOTE] = [0x3a, 0x5b, 0x5d, 0x22];
/** The name is also the value of the field `object` of each item. */
const NAMES_PER_ITEM = 2;
const MAX_OTHER_NAMES = 100;

/**
 * Reads OpenAI's list of embeddings without parsing the vectors, which would block the thread for 300 ms for 2048
 * vectors of 1536 numbers. `body` has a number instead of each vector.
 * @returns undefined if the bytes are no JSON object; without `vectors` if it is no list of `count` embeddings.
 */
export async function readVectors(
  bytes: Buffer,
  count: number,
): Promise<{ readonly body: JsonObject; readonly vectors?: readonly VectorSlice[] } | undefined> {
  const slices: VectorSlice[] = [];
  const rest: Buffer[] = [];
  let copied = 0;
  let at = bytes.indexOf(KEY);
  for (let names = 0; at >= 0 && names < count * NAMES_PER_ITEM + MAX_OTHER_NAMES; names += 1) {
    const slice = findSlice(bytes, at + KEY.length);
    if (slice) {
      rest.push(bytes.subarray(copied, slice.start), Buffer.from(String(slices.length)));
      slices.push({ encoding: slice.encoding, json: bytes.subarray(slice.start, slice.end) });
      copied = slice.end;
    }
    at = bytes.indexOf(KEY, slice?.end ?? at + KEY.length);
  }
  rest.push(bytes.subarray(copied));
  const body = await readJson(Buffer.concat(rest));
  if (!isJsonObject(body)) return undefined;
  const vectors = toOrder(body.data, slices);
  return vectors?.length === count ? { body, vectors } : { body };
}

/** Finds the value behind the key that ends at `at`. Vectors contain neither brackets nor quotes. */
function findSlice(
  bytes: Buffer,
  at: number,
): { readonly start: number; readonly end: number; readonly encoding: VectorEncoding } | undefined {
  const colon = skipSpaces(bytes, at);
  if (bytes[colon] !== COLON) return undefined;
  const start = skipSpaces(bytes, colon + 1);
  const isList = bytes[start] === OPEN_BRACKET;
  if (!isList && bytes[start] !== QUOTE) return undefined;
  const end = bytes.indexOf(isList ? CLOSE_BRACKET : QUOTE, start + 1) + 1;
  return end === 0 ? undefined : { start, end, encoding: isList ? 'float' : 'base64' };
}

function skipSpaces(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at += 1;
  return at;
}

/** Returns the vectors of the items in the order of their `index`, or in the order of the list without it. */
function toOrder(items: unknown, slices: readonly VectorSlice[]): readonly VectorSlice[] | undefined {
  if (!Array.isArray(items)) return undefined;
  const ordered: VectorSlice[] = [];
  for (const [position, item] of items.entries()) {
    const slice = isJsonObject(item) && typeof item.embedding === 'number' ? slices[item.embedding] : undefined;
    const index = isJsonObject(item) && typeof item.index === 'number' ? item.index : position;
    if (!slice || !(index in items) || index in ordered) return undefined;
    ordered[index] = slice;
  }
  return new Set(ordered).size === ordered.length ? ordered : undefined;
}

/** @throws the error that `toError` creates, for a vector without numbers. */
export function* decodeVectors(slices: readonly VectorSlice[], toError: () => Error): Generator<EmbeddingVector> {
  for (const { json, encoding } of slices) {
    const vector = readSmallJson(json.toString('latin1'));
    if (encoding === 'base64' ? isBase64(vector) : isNumbers(vector)) yield vector as EmbeddingVector;
    else throw toError();
  }
}

function isBase64(value: unknown): boolean {
  return typeof value === 'string' && Buffer.byteLength(value, 'base64') % 4 === 0;
}

function isNumbers(value: unknown): boolean {
  return Array.isArray(value) && value.every((number) => typeof number === 'number');
}

/** Printing a vector of 1536 numbers takes up to 0.6 ms. */
const VECTORS_PER_TURN = 16;

/**
 * Prints the answer in OpenAI's protocol with vectors in the requested encoding. An answer of the host that has them is
 * returned unchanged.
 */
export async function printEmbeddings(
  { vectors, promptTokens, reportedModel, native, model }: Embeddings & { readonly promptTokens: number },
  encoding: VectorEncoding,
): Promise<Buffer> {
  if (native?.encoding === encoding) return native.bytes;
  const printed: Buffer[] = [Buffer.from('{"object":"list","data":[')];
  let index = 0;
  for (const vector of vectors) {
    const comma = index === 0 ? '' : ',';
    printed.push(Buffer.from(`${comma}{"object":"embedding","index":${index},"embedding":${print(vector, encoding)}}`));
    index += 1;
    if (index % VECTORS_PER_TURN === 0) await yieldToEventLoop();
  }
  const usage = { prompt_tokens: promptTokens, total_tokens: promptTokens };
  printed.push(Buffer.from(`],${JSON.stringify({ model: reportedModel ?? model, usage }).slice(1)}`));
  return Buffer.concat(printed);
}

function print(vector: EmbeddingVector, encoding: VectorEncoding): string {
  return JSON.stringify(encoding === 'base64' ? toBase64(vector) : toNumbers(vector));
}

const BYTES_PER_FLOAT = Float32Array.BYTES_PER_ELEMENT;

function toBase64(vector: EmbeddingVector): string {
  if (typeof vector === 'string') return vector;
  const bytes = Buffer.alloc(vector.length * BYTES_PER_FLOAT);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * BYTES_PER_FLOAT);
  return bytes.toString('base64');
}

function toNumbers(vector: EmbeddingVector): readonly number[] {
  if (typeof vector !== 'string') return vector;
  const bytes = Buffer.from(vector, 'base64');
  return Array.from({ length: bytes.length / BYTES_PER_FLOAT }, (_, at) => bytes.readFloatLE(at * BYTES_PER_FLOAT));
}
