import { z } from 'zod';
import { withoutTrailingSlashes } from '../lib/without-trailing-slashes.ts';

/** Any words, without blanks around them. */
export const text = z.string().trim().min(1);
/** An address, without a slash behind it. */
export const httpUrl = text
  .refine(isHttpUrl, 'must be an http:// or https:// address')
  .transform((url) => withoutTrailingSlashes(url));
/** Several, separated by commas. */
export const list = text.transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);
/** What Telegram calls people by. */
export const integerId = /^[1-9]\d{0,15}$/;
/** What Telegram calls channels by. */
export const channelId = /^-\d{5,15}$/;
/** As @BotFather gives it. */
export const botToken = /^\d+:[\w-]{20,}$/;
/** From `least` to `most`. */
export const wholeNumber = (least: number, most: number) =>
  text
    .refine((value) => /^\d{1,12}$/.test(value) && Number(value) >= least && Number(value) <= most, {
      message: `must be a whole number from ${least} to ${most}`,
    })
    .transform(Number);

/** Hexadecimal or base64; nothing where it is neither. */
export function toKeyBytes(value: string): Buffer {
  if (/^[\da-f]{64}$/i.test(value)) return Buffer.from(value, 'hex');
  return /^[\w+/-]+={0,2}$/.test(value) ? Buffer.from(value, 'base64') : Buffer.alloc(0);
}

/** `name=value,name=value` as OpenTelemetry has it; undefined where it is malformed. */
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

/** `https://chat.example.com`: no path, no slash behind it. */
export function isOrigin(value: string): boolean {
  return isHttpUrl(value) && new URL(value).origin === value;
}

/** `postgres://user:password@host/database`, rightly encoded. */
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
