import type { IncomingHttpHeaders } from 'node:http';

/** What tells one state of a file from another. */
export interface Validators {
  /** A strong entity tag with its quotes. */
  readonly etag: string;
  /** Milliseconds since the Unix epoch, whole seconds. */
  readonly lastModifiedMs: number;
}

/**
 * What the conditions of a request allow, as nginx judges them (with `if_modified_since before`): `send` the file, say that it
 * is `not-modified` (304), or that a condition `failed` (412). Where both `If-None-Match` and `If-Modified-Since` are there,
 * both must say that nothing has changed.
 */
export function judgePreconditions(
  headers: IncomingHttpHeaders,
  { etag, lastModifiedMs }: Validators,
): 'send' | 'not-modified' | 'failed' {
  const unmodifiedSince = headers['if-unmodified-since'];
  // A date that can't be read is before every file.
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

/** Whether `Range` counts: `If-Range` is missing, or names this very state of the file. */
export function isRangeValid(ifRange: string | undefined, { etag, lastModifiedMs }: Validators): boolean {
  if (ifRange === undefined) return true;
  if (ifRange.length >= 2 && ifRange.endsWith('"')) return ifRange === etag;
  return parseHttpDate(ifRange) === lastModifiedMs;
}

/** Whether a list of entity tags has `etag` in it. A weak comparison does not look at `W/`. */
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

/** Milliseconds since the Unix epoch of a date in one of the three forms of RFC 9110; undefined for anything else. */
function parseHttpDate(text: string): number | undefined {
  if (!HTTP_DATES.some((form) => form.test(text))) return undefined;
  const time = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : time;
}
