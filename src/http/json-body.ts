import { isUtf8 } from 'node:buffer';
import { findJsonExcess } from '../lib/find-json-excess.ts';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { awaitOwnTurn, LARGE_JSON } from '../lib/large-json.ts';
import { HttpError, invalidRequest } from './http-error.ts';

/** Maximum nesting. Requests with large tool schemas have fewer than 30 levels. */
const MAX_DEPTH = 128;
/** Default maximum number of objects, arrays and values. Parsing that many blocks the event loop for up to 40 ms. */
const MAX_VALUES = 100_000;

/**
 * Checks content type and encoding before the body is read. A missing content type counts as JSON.
 * @throws HttpError 415
 */
export function requireJsonHeaders(headers: Headers): void {
  const contentType = String(headers['content-type'] ?? 'application/json');
  if (!/^\s*application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType)) {
    throw unsupportedMediaType('Send JSON, with the header "Content-Type: application/json".');
  }
  requireNoEncoding(headers);
}

type Headers = { readonly [name: string]: string | readonly string[] | undefined };

/** @throws HttpError 415 if the body is compressed. */
export function requireNoEncoding(headers: Headers): void {
  const encoding = String(headers['content-encoding'] ?? 'identity');
  if (encoding.toLowerCase() !== 'identity') throw unsupportedMediaType('Send the body without content encoding.');
}

/**
 * Parses a request body as a JSON object. The event loop runs between the steps of a large one, and before the caller
 * continues.
 * @param body the raw bytes, undefined if there is no body.
 * @param maxValues maximum number of objects, arrays and values.
 * @throws HttpError 400 if it is not a JSON object in UTF-8.
 */
export async function parseJsonBody(body: unknown, maxValues = MAX_VALUES): Promise<JsonObject> {
  if (!Buffer.isBuffer(body) || body.length === 0) throw invalidRequest('The request has no body.');
  const isLarge = body.length >= LARGE_JSON;
  if (isLarge) await awaitOwnTurn();
  requireParseable(body, maxValues);
  if (isLarge) await awaitOwnTurn();
  const text = body.toString('utf8').replace(/^\uFEFF/, '');
  if (isLarge) await awaitOwnTurn();
  const value = parse(text);
  if (isLarge) await awaitOwnTurn();
  if (!isJsonObject(value)) throw invalidRequest('The body must be a JSON object.');
  return value;
}

function requireParseable(body: Buffer, maxValues: number): void {
  if (!isUtf8(body)) throw invalidRequest('The body is not UTF-8.');
  const excess = findJsonExcess(body, { depth: MAX_DEPTH, values: maxValues });
  if (excess === 'depth') throw invalidRequest(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  if (excess === 'values') throw invalidRequest(`The body holds more than ${maxValues} values.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const position = /at position (\d+)/.exec(String(error))?.[1];
    throw invalidRequest(`The body is not valid JSON${position ? ` (position ${position})` : ''}.`);
  }
}

export function unsupportedMediaType(message: string): HttpError {
  return new HttpError({ status: 415, type: 'invalid_request_error', code: 'unsupported_media_type', message });
}
