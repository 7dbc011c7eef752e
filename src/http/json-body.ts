import { isUtf8 } from 'node:buffer';
import { isJsonObject, type JsonObject } from '../lib/json.ts';
import { type JsonText, parseJsonText, toJsonText } from '../lib/json-outline.ts';
import { findStringEnd } from '../lib/json-text.ts';
import { HttpError, invalidRequest } from './http-error.ts';

/** Deeper JSON is no request but an attack on whoever walks it: tools with large schemas stay below 30. */
const MAX_DEPTH = 128;

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
 * The object that a request body holds. Long strings in it are read when somebody looks at them.
 * @param body the bytes as they came; undefined where there are none.
 * @throws HttpError 400 for anything that is no JSON object in UTF-8.
 */
export function readJsonBody(body: unknown): JsonBody {
  if (!Buffer.isBuffer(body) || body.length === 0) throw invalidRequest('The request has no body.');
  if (!isUtf8(body)) throw invalidRequest('The body is not UTF-8.');
  const text = toJsonText(body);
  if (isDeeperThan(text.outline, MAX_DEPTH)) {
    throw invalidRequest(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  }
  const value = parse(text);
  if (!isJsonObject(value)) throw invalidRequest('The body must be a JSON object.');
  return { fields: value, text };
}

/** The same, for whom the text says nothing more. */
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

const QUOTE = 0x22;

/** Counts brackets outside strings; runs before the parser, which would first build what is too deep. */
function isDeeperThan(json: Buffer, maxDepth: number): boolean {
  // Each level opens a bracket. Counting those costs a fortieth of the walk, and is enough for nearly every body.
  if (!hasMoreBracketsThan(json, maxDepth)) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const byte = json[at];
    if (byte === QUOTE) {
      at = findStringEnd(json, at + 1);
      // Nothing that can be parsed.
      if (at < 0) return false;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth++;
      if (depth > maxDepth) return true;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth--;
    }
  }
  return false;
}

/** Counts opening brackets, those inside strings too. */
function hasMoreBracketsThan(json: Buffer, max: number): boolean {
  let count = 0;
  for (const bracket of [0x7b, 0x5b]) {
    for (let at = json.indexOf(bracket); at >= 0; at = json.indexOf(bracket, at + 1)) {
      count++;
      if (count > max) return true;
    }
  }
  return false;
}
