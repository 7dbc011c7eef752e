import type { IncomingMessage } from 'node:http';
import type { UploadSettings } from '../../../core/storage/index.ts';
import type { HttpError } from '../../../protocols/http-error.ts';
import { cloudError } from '../cloud-error.ts';
import { toText } from '../header-text.ts';

/** Upload options: form fields of a multipart upload, and headers of any upload. */
const OPTIONS = ['expires_in', 'max_downloads', 'password', 'inline'] as const;

type OptionName = (typeof OPTIONS)[number];

/** Raw upload options. */
export type GivenOptions = { [name in OptionName]?: string };

/** Returns true if a form field is an upload option. */
export function isOptionName(name: string): name is OptionName {
  return OPTIONS.some((option) => option === name);
}

/** Fields that uploaders in browsers and forms of PHP add by themselves. Those of uploads in parts are not among them. */
const IGNORED_FIELDS: ReadonlySet<string> = new Set([
  ...['name', 'type', 'size', 'filename', 'fileName', 'Filename', 'mimeType', 'contentType'],
  ...['lastModified', 'lastModifiedDate', 'relativePath', 'webkitRelativePath', 'fullPath'],
  ...['MAX_FILE_SIZE', '_charset_', 'submit', 'Upload', 'qquuid', 'qqfilename', 'qqtotalfilesize'],
]);

/** Returns true if a form field may be there without a meaning. */
export function isIgnoredField(name: string): boolean {
  return IGNORED_FIELDS.has(name);
}

const HEADERS = OPTIONS.map(toHeader).join(', ');

function toHeader(option: OptionName): string {
  return `x-${option.replace('_', '-')}`;
}

/**
 * Reads the options from the headers `x-expires-in`, `x-max-downloads`, `x-password` and `x-inline`.
 * @throws HttpError 400 for one that was sent twice, and for a header that is apparently a misspelled option, because
 * ignoring it would mislead the client.
 */
export function readOptionHeaders({ headers, headersDistinct }: IncomingMessage): GivenOptions {
  const options: GivenOptions = {};
  for (const option of OPTIONS) {
    const value = headers[toHeader(option)];
    if ((headersDistinct[toHeader(option)]?.length ?? 0) > 1)
      throw cloudError(400, 'invalid_option', `${toHeader(option)} was sent twice.`);
    if (typeof value === 'string') options[option] = toText(value);
  }
  const headerNames: readonly string[] = OPTIONS.map(toHeader);
  const wrong = Object.keys(headers).find(
    (name) => OPTION_NAME.test(name) && name !== 'expires' && !headerNames.includes(name),
  );
  if (wrong !== undefined)
    throw unknownOption(`There is no header "${shorten(wrong)}". Options are the headers ${HEADERS}.`);
  return options;
}

/** Names similar to an option. Other headers, as sent by browsers and proxies, are ignored. */
const OPTION_NAME = /^(x[-_])?(expir|ttl$|lifetime|max[-_]?down|downloads|password|passphrase|inline)/;

/**
 * Rejects options in the query.
 * @param query the parsed query.
 * @throws HttpError 400
 */
export function refuseOptionsInQuery(query: unknown): void {
  const names = typeof query === 'object' && query !== null ? Object.keys(query) : [];
  const wrong = names.find((name) => OPTION_NAME.test(name.toLowerCase()));
  if (wrong === undefined) return;
  throw unknownOption(
    `"${shorten(wrong)}" in the address is not supported. Options are the headers ${HEADERS}, or fields of a form.`,
  );
}

const FIELDS = OPTIONS.join(', ');

/**
 * Creates the 400 for a form field that is not an option.
 * @param name undefined if the form part has no name.
 */
export function unknownField(name: string | undefined): HttpError {
  return unknownOption(`There is no field "${shorten(name ?? '')}". Fields besides the file are ${FIELDS}.`);
}

/** Shortens a name for a message. */
function shorten(name: string): string {
  return name.length > 40 ? `${name.slice(0, 40)}…` : name;
}

function unknownOption(message: string): HttpError {
  return cloudError(400, 'unknown_option', message);
}

/**
 * Parses the options. An empty value counts as unset.
 * @param now milliseconds since the Unix epoch.
 * @throws HttpError 400
 */
export function parseUploadOptions(options: GivenOptions, now: number): UploadSettings {
  const expiresInMs = parseWith(options, 'expires_in', toDurationMs);
  return {
    expiresAt: expiresInMs === undefined ? undefined : new Date(now + expiresInMs),
    maxDownloads: parseWith(options, 'max_downloads', toDownloads),
    password: parseWith(options, 'password', toPassword),
    isInline: parseWith(options, 'inline', toSwitch),
  };
}

/** Maximum length of a password in UTF-8. */
export const MAX_PASSWORD_BYTES = 256;

/** Formats of the options, for error messages. */
const FORMS: Readonly<Record<OptionName, string>> = {
  expires_in: 'seconds, or a number followed by s, m, h or d (7d), and at most 10 years',
  max_downloads: 'a whole number from 1 to 1000000',
  password: `at most ${MAX_PASSWORD_BYTES} bytes long`,
  inline: 'true or false',
};

function parseWith<Value>(
  options: GivenOptions,
  name: OptionName,
  parse: (text: string) => Value | undefined,
): Value | undefined {
  const text = options[name];
  if (text === undefined || text === '') return undefined;
  const value = parse(text);
  if (value === undefined) throw cloudError(400, 'invalid_option', `${name} must be ${FORMS[name]}.`);
  return value;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_DURATION_MS = 3653 * 86_400_000;

function toDurationMs(text: string): number | undefined {
  const [, digits, unit] = /^ *(\d{1,9})(?: *([smhd]))? *$/i.exec(text) ?? [];
  const durationMs = Number(digits) * (UNIT_MS[(unit ?? 's').toLowerCase()] ?? 0);
  return durationMs > 0 && durationMs <= MAX_DURATION_MS ? durationMs : undefined;
}

function toDownloads(text: string): number | undefined {
  const downloads = /^ *\d{1,7} *$/.test(text) ? Number(text) : 0;
  return downloads >= 1 && downloads <= 1_000_000 ? downloads : undefined;
}

function toPassword(text: string): string | undefined {
  return Buffer.byteLength(text) <= MAX_PASSWORD_BYTES ? text : undefined;
}

function toSwitch(text: string): boolean | undefined {
  switch (text.trim().toLowerCase()) {
    case 'true':
    case '1':
    case 'yes':
    case 'on':
      return true;
    case 'false':
    case '0':
    case 'no':
    case 'off':
      return false;
    default:
      return undefined;
  }
}
