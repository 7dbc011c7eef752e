import { z } from 'zod';
import { withoutTrailingSlashes } from '../lib/http/without-trailing-slashes.ts';

/** Non-empty text, trimmed. */
export const text = z.string().trim().min(1);
/** HTTP URL without a trailing slash. */
export const httpUrl = text
  .refine(isHttpUrl, 'must be an http:// or https:// address')
  .transform((url) => withoutTrailingSlashes(url));
/** Comma-separated list. */
export const list = text.transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
/** Telegram id of a user. */
export const integerId = /^[1-9]\d{0,15}$/;
/** Telegram id of a channel. */
export const channelId = /^-\d{5,15}$/;
/** Bot token as issued by @BotFather. */
export const botToken = /^\d+:[\w-]{20,}$/;
/** Integer from `least` to `most`. */
export const wholeNumber = (least: number, most: number) =>
  text
    .refine((value) => /^\d{1,12}$/.test(value) && Number(value) >= least && Number(value) <= most, {
      message: `must be a whole number from ${least} to ${most}`,
    })
    .transform(Number);

/** Decodes hexadecimal or base64. Returns an empty buffer if the text is neither. */
export function toKeyBytes(value: string): Buffer {
  if (/^[\da-f]{64}$/i.test(value)) return Buffer.from(value, 'hex');
  return /^[\w+/-]+={0,2}$/.test(value) ? Buffer.from(value, 'base64') : Buffer.alloc(0);
}

/** Parses `name=value,name=value` as OpenTelemetry does. Returns undefined if malformed. */
export function toHeaders(value: string): Record<string, string> | undefined {
  const pairs = value.split(',').map((pair) => /^([\w-]+)\s*=\s*((?!\s)[!-~ ]*)$/.exec(pair.trim()));
  try {
    return Object.fromEntries(
      pairs.map((pair) => {
        if (!pair) throw new TypeError('no header');
        return [pair[1]?.toLowerCase(), decodeURIComponent(pair[2] ?? '')];
      }),
    );
  } catch {
    return undefined;
  }
}

/** Returns true for an origin such as `https://chat.example.com`: no path, no trailing slash. */
export function isOrigin(value: string): boolean {
  return isHttpUrl(value) && new URL(value).origin === value;
}

/** Returns true for a correctly encoded `postgres://user:password@host/database`. */
export function isPostgresUrl(value: string): boolean {
  if (!/^postgres(ql)?:\/\//.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  try {
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

function isHttpUrl(value: string): boolean {
  return URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
