import { isUtf8 } from 'node:buffer';
import { isJsonObject, type JsonObject } from '../../../lib/json/json.ts';
import { awaitOwnTurn, LARGE_JSON } from '../../../lib/json/large-json.ts';
import { type JsonProblem, readJsonOrProblem } from '../../../lib/json/read-json.ts';
import { HttpError, invalidRequest } from '../../../protocols/http-error.ts';

/** Maximum nesting. Requests with large tool schemas have fewer than 30 levels. */
const MAX_DEPTH = 128;
/** Default maximum number of objects, arrays and values, which are checked and copied before a host is asked. */
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
 * Parses a request body as a JSON object. The event loop runs between the steps of a large one.
 * @param body the raw bytes, undefined if there is no body.
 * @param maxValues maximum number of objects, arrays and values.
 * @throws HttpError 400 if it is not a JSON object in UTF-8.
 */
export async function parseJsonBody(body: unknown, maxValues = MAX_VALUES): Promise<JsonObject> {
  if (!Buffer.isBuffer(body) || body.length === 0) throw invalidRequest('The request has no body.');
  const isLarge = body.length >= LARGE_JSON;
  if (isLarge) await awaitOwnTurn();
  if (!isUtf8(body)) throw invalidRequest('The body is not UTF-8.');
  const read = await readJsonOrProblem(body, { depth: MAX_DEPTH, values: maxValues, names: maxValues });
  if ('problem' in read) throw invalidRequest(describe(read.problem, body, maxValues));
  if (!isJsonObject(read.value)) throw invalidRequest('The body must be a JSON object.');
  return read.value;
}

function describe(problem: JsonProblem, body: Buffer, maxValues: number): string {
  switch (problem) {
    case 'depth':
      return `The body is nested deeper than ${MAX_DEPTH} levels.`;
    case 'names':
    case 'values':
      return `The body holds more than ${maxValues} values.`;
    case 'invalid': {
      const position = body.length < LARGE_JSON ? findMistake(body.toString('utf8')) : undefined;
      return `The body is not valid JSON${position ? ` (position ${position})` : ''}.`;
    }
  }
}

function findMistake(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return /at position (\d+)/.exec(String(error))?.[1];
  }
}

export function unsupportedMediaType(message: string): HttpError {
  return new HttpError({ status: 415, type: 'invalid_request_error', code: 'unsupported_media_type', message });
}
