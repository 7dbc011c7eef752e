import type { IncomingHttpHeaders } from 'node:http';
import type { PasswordVerdict, Storage, StoredFile } from '../../../core/storage/index.ts';
import { cloudError } from '../cloud-error.ts';
import { toText } from '../header-text.ts';

/**
 * Returns the password from `x-password`, or from `Authorization: Basic` with any user name; undefined if there is
 * none.
 */
export function readPassword(headers: IncomingHttpHeaders): string | undefined {
  const headerPassword = headers['x-password'];
  if (typeof headerPassword === 'string') return toText(headerPassword);
  const credentials = /^basic +([A-Za-z0-9+/=]{1,4096}) *$/i.exec(headers.authorization ?? '')?.[1];
  if (credentials === undefined) return undefined;
  const text = Buffer.from(credentials, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : text.slice(colon + 1);
}

/** Checks the password of a file. After too many wrong ones it is not compared. */
export async function judgePassword(
  storage: Storage,
  file: StoredFile,
  password: string | undefined,
  address: string,
): Promise<PasswordVerdict> {
  if (!file.hasPassword) return 'right';
  if (password === undefined || password === '' || Buffer.byteLength(password) > 256) return 'wrong';
  return storage.checkPassword(file.id, password, { address });
}

/**
 * Returns true if the password is right.
 * @throws HttpError 429 after too many wrong ones.
 */
export async function isPasswordRight(...parameters: Parameters<typeof judgePassword>): Promise<boolean> {
  const verdict = await judgePassword(...parameters);
  if (typeof verdict === 'string') return verdict === 'right';
  throw cloudError(429, 'too_many_passwords', 'Too many wrong passwords.', {
    'retry-after': toSeconds(verdict),
  });
}

/** Returns the value of `Retry-After`. */
export function toSeconds({ retryAfterMs }: { readonly retryAfterMs: number }): string {
  return String(Math.ceil(retryAfterMs / 1000));
}

/** Creates the 401 for a missing or wrong password. */
export function passwordRequired(headers: IncomingHttpHeaders) {
  return cloudError(
    401,
    'password_required',
    readPassword(headers) === undefined
      ? 'This file has a password: send it in the header "x-password", or as the password of HTTP basic authentication.'
      : 'This is not the password of the file.',
    { 'www-authenticate': 'Basic realm="file", charset="UTF-8"' },
  );
}
