import type { IncomingHttpHeaders } from 'node:http';

/** Validators of a file (RFC 9110). */
export interface Validators {
  /** A strong entity tag with its quotes. */
  readonly etag: string;
  /** Milliseconds since the Unix epoch, whole seconds. */
  readonly lastModifiedMs: number;
}

/**
 * Evaluates the preconditions of a request like nginx with `if_modified_since before`: `send` the file, `not-modified`
 * (304), or `failed` (412). If both `If-None-Match` and `If-Modified-Since` are present, both must indicate no change.
 */
export function judgePreconditions(
  headers: IncomingHttpHeaders,
  { etag, lastModifiedMs }: Validators,
): 'send' | 'not-modified' | 'failed' {
  const unmodifiedSince = headers['if-unmodified-since'];
  // An invalid date counts as earlier than every file.
  if (unmodifiedSince !== undefined && !((parseHttpDate(unmodifiedSince) ?? -1) >= lastModifiedMs)) return 'failed';
  const match = headers['if-match'];
  if (match !== undefined && !hasTag(match, etag, { isWeak: false })) return 'failed';

  const modifiedSince = headers['if-modified-since'];
  const noneMatch = headers['if-none-match'];
  if (modifiedSince === undefined && noneMatch === undefined) return 'send';
  if (modifiedSince !== undefined && (parseHttpDate(modifiedSince) ?? -1) < lastModifiedMs) return 'send';
  if (noneMatch !== undefined && !hasTag(noneMatch, etag, { isWeak: true })) return 'send';
  return 'not-modified';
}

/** Returns true if `Range` applies: `If-Range` is missing or matches the current state of the file. */
export function isRangeValid(ifRange: string | undefined, { etag, lastModifiedMs }: Validators): boolean {
  if (ifRange === undefined) return true;
  if (ifRange.length >= 2 && ifRange.endsWith('"')) return ifRange === etag;
  return parseHttpDate(ifRange) === lastModifiedMs;
}

/** Returns true if the list contains `etag`. A weak comparison ignores `W/`. */
function hasTag(list: string, etag: string, { isWeak }: { readonly isWeak: boolean }): boolean {
  if (list === '*') return true;
  return list
    .split(',')
    .map((tag) => tag.trim())
    .some((tag) => tag === etag || (isWeak && tag === `W/${etag}`));
}

const HTTP_DATES = [
  // Sun, 06 Nov 1994 08:49:37 GMT
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  // Sunday, 06-Nov-94 08:49:37 GMT
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  // Sun Nov  6 08:49:37 1994
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/**
 * Parses a date in one of the three formats of RFC 9110. Returns milliseconds since the Unix epoch, undefined if
 * invalid.
 */
function parseHttpDate(text: string): number | undefined {
  if (!HTTP_DATES.some((form) => form.test(text))) return undefined;
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
