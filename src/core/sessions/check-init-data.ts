import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../../lib/json/json.ts';

/** Age above which init data is refused: a copy of it must not sign in for long. */
const MAX_AGE_MS = 10 * 60_000;
/** Telegram's clock may be ahead of ours. */
const MAX_SKEW_MS = 60_000;

/** Thrown for init data that Telegram has not signed for this bot, or that is too old. */
export class InvalidInitDataError extends Error {
  override readonly name = 'InvalidInitDataError';
  readonly reason: 'forged' | 'expired';
  constructor(reason: 'forged' | 'expired') {
    super(`The init data is ${reason}`);
    this.reason = reason;
  }
}

const userSchema = z.object({ id: z.int().positive(), is_bot: z.literal(false).optional() });

/**
 * Checks what Telegram passes to a Mini App and returns the Telegram id of its user.
 * Source: https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app
 * @throws InvalidInitDataError
 */
export function checkInitData(initData: string, botToken: string, nowMs: number): number {
  const fields = new URLSearchParams(initData);
  const names = [...fields.keys()];
  const hash = fields.get('hash') ?? '';
  fields.delete('hash');
  // With a name given twice, the signed value and the one that is read could differ.
  if (new Set(names).size !== names.length || !isSigned(fields, hash, botToken))
    throw new InvalidInitDataError('forged');
  const age = nowMs - Number(fields.get('auth_date')) * 1000;
  if (!(age <= MAX_AGE_MS && age >= -MAX_SKEW_MS)) throw new InvalidInitDataError('expired');
  const user = userSchema.safeParse(parseJson(fields.get('user') ?? ''));
  if (!user.success) throw new InvalidInitDataError('forged');
  return user.data.id;
}

function isSigned(fields: URLSearchParams, hash: string, botToken: string): boolean {
  const lines = [...fields].map(([name, value]) => `${name}=${value}`).sort();
  const key = createHmac('sha256', 'WebAppData').update(botToken).digest();
  const expected = createHmac('sha256', key).update(lines.join('\n')).digest();
  const given = Buffer.from(hash, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
