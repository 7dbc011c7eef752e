import { isUtf8 } from 'node:buffer';
import { isJsonObject, type JsonObject, parseJson } from '../lib/json.ts';
import { type JsonText, parseJsonText, toJsonText } from '../lib/json-outline.ts';
import { countJson, countParsed, findRepeatedField } from '../lib/json-scan.ts';
import { HttpError, invalidRequest } from './http-error.ts';

/** Requests with large tool schemas stay below 30. */
const MAX_DEPTH = 128;
/**
 * Objects, lists and the values in them. Parsing takes about 0.2 µs for each on the thread that serves everybody, and next to nothing
 * for the bytes of long strings: 20 MiB of `{},{},…` take 2 s, 20 MiB of images 30 ms.
 */
const MAX_VALUES = 100_000;
/** Fields of one object. Beyond that the runtime stores objects in a slower way. */
const MAX_FIELDS = 10_000;
/** Bytes outside of strings: enough for that many numbers with indentation. */
const MAX_PLAIN_BYTES = 4 * 1024 * 1024;

/**
 * Checks what the headers say of the body, before any of it is read. A missing content type counts as JSON.
 * @throws HttpError 415
 */
export function requireJsonHeaders(headers: { readonly [name: string]: string | readonly string[] | undefined }): void {
  const contentType = String(headers['content-type'] ?? 'application/json');
  const encoding = String(headers['content-encoding'] ?? 'identity');
  if (!/^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType)) {
    throw unsupported('Send JSON, with the header "Content-Type: application/json".');
  }
  if (encoding.toLowerCase() !== 'identity') throw unsupported('Send the body without content encoding.');
}

/** An object that came as JSON. */
export interface JsonBody {
  readonly fields: JsonObject;
  /** What they were parsed from. */
  readonly text: JsonText;
}

/**
 * Reads the object that a request body holds. Long strings in it are decoded when they are first read. Refuses what programs read in
 * different ways, so that a provider sees exactly what was checked: repeated fields and numbers beyond the range of a double.
 * @param body the bytes as they came; undefined where there are none.
 * @throws HttpError 400 for anything that is no JSON object in UTF-8.
 */
export function readJsonBody(body: unknown): JsonBody {
  if (!Buffer.isBuffer(body) || body.length === 0) throw invalidRequest('The request has no body.');
  if (!isUtf8(body)) throw invalidRequest('The body is not UTF-8.');
  const text = toJsonText(body);
  const counts = countJson(text.outline, {
    depth: MAX_DEPTH,
    values: MAX_VALUES,
    fieldsOfOne: MAX_FIELDS,
    bytes: MAX_PLAIN_BYTES,
  });
  if (counts.depth > MAX_DEPTH) throw invalidRequest(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  if (counts.values > MAX_VALUES) throw invalidRequest(`The body holds more than ${MAX_VALUES} values.`);
  if (counts.fieldsOfOne > MAX_FIELDS) throw invalidRequest(`An object holds more than ${MAX_FIELDS} fields.`);
  if (counts.bytes > MAX_PLAIN_BYTES) {
    throw invalidRequest(`The body holds more than ${MAX_PLAIN_BYTES} bytes outside of strings.`);
  }
  const value = parse(text);
  if (!isJsonObject(value)) throw invalidRequest('The body must be a JSON object.');
  // Where long strings were cut out, the outline is short, and reading it leaves them undecoded.
  const parsed = countParsed(text.cut.size > 0 ? parseJson(text.outline.toString()) : value);
  if (parsed.fields !== counts.fields) throw repeatedField(text);
  if (parsed.infinite !== undefined) {
    throw invalidRequest(`'${parsed.infinite}' holds a number that is too large.`, parsed.infinite);
  }
  return { fields: value, text };
}

function repeatedField({ outline }: JsonText): HttpError {
  const name = findRepeatedField(outline) ?? '';
  return invalidRequest(`The field '${name}' is there twice.`, name);
}

/** Reads the object that a request body holds, for routes that do not forward its text. @throws like `readJsonBody` */
export function parseJsonBody(body: unknown): JsonObject {
  return readJsonBody(body).fields;
}

function parse(text: JsonText): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    const position = /at position (\d+)/.exec(String(error))?.[1];
    throw invalidRequest(`The body is not valid JSON${position ? ` (position ${position})` : ''}.`);
  }
}

function unsupported(message: string): HttpError {
  return new HttpError({ status: 415, type: 'invalid_request_error', code: 'unsupported_media_type', message });
}
