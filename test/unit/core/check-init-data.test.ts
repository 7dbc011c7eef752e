import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkInitData, InvalidInitDataError } from '../../../src/core/sessions/index.ts';

// Signed by Telegram; published in the documentation of the Telegram Mini Apps community.
const TOKEN = '5768337691:AAH5YkoiEuPk8-FZa32hStHTqXiLPtAEhx8';
const SIGNED =
  'query_id=AAHdF6IQAAAAAN0XohDhrOrc&user=%7B%22id%22%3A279058397%2C%22first_name%22%3A%22Vladislav%22%2C%22last_name%22%3A%22Kibenko%22%2C%22username%22%3A%22vdkfrost%22%2C%22language_code%22%3A%22ru%22%2C%22is_premium%22%3Atrue%7D&auth_date=1662771648&hash=c501b71e775f74ce10e377dea85a7ea24ecd640b223ea86dfe453e0eaed2e2b2';
const SIGNED_AT = 1_662_771_648_000;
const MINUTE_MS = 60_000;

describe('init data of a Mini App', () => {
  it('names the user if Telegram has signed it', () => {
    expect(checkInitData(SIGNED, TOKEN, SIGNED_AT + MINUTE_MS)).toBe(279_058_397);
  });

  it('is too old after ten minutes, and not valid before it was signed', () => {
    expect(() => checkInitData(SIGNED, TOKEN, SIGNED_AT + 11 * MINUTE_MS)).toThrow(new InvalidInitDataError('expired'));
    expect(() => checkInitData(SIGNED, TOKEN, SIGNED_AT - 2 * MINUTE_MS)).toThrow(new InvalidInitDataError('expired'));
  });

  const forged = {
    'another user': SIGNED.replace('279058397', '279058398'),
    'another time': SIGNED.replace('auth_date=1662771648', 'auth_date=1662771649'),
    'an added field': `${SIGNED}&chat_type=private`,
    'a second user': `${SIGNED}&user=%7B%22id%22%3A1%7D`,
    'a second hash': `${SIGNED}&hash=${'0'.repeat(64)}`,
    'a missing field': SIGNED.replace('query_id=AAHdF6IQAAAAAN0XohDhrOrc&', ''),
    'no hash': SIGNED.replace(/&hash=.*/, ''),
    'a short hash': SIGNED.slice(0, -2),
    'a hash that is no number': SIGNED.replace(/hash=.*/, 'hash=zz'),
    nothing: '',
    junk: '%%%&&&==',
  };
  it.each(Object.entries(forged))('is refused with %s', (_name, initData) => {
    expect(() => checkInitData(initData, TOKEN, SIGNED_AT)).toThrow(new InvalidInitDataError('forged'));
  });

  it('is refused for another bot', () => {
    expect(() => checkInitData(SIGNED, '1:another', SIGNED_AT)).toThrow(new InvalidInitDataError('forged'));
  });

  it.each(['', 'null', '{}', '{"id":-5}', '{"id":"7"}', '{"id":7,"is_bot":true}', '{'])(
    'is refused with the user %j, although it is signed',
    (user) => {
      const fields = new URLSearchParams({ auth_date: String(SIGNED_AT / 1000), user });
      const lines = [...fields].map(([name, value]) => `${name}=${value}`).sort();
      const key = createHmac('sha256', 'WebAppData').update(TOKEN).digest();
      fields.set('hash', createHmac('sha256', key).update(lines.join('\n')).digest('hex'));
      expect(() => checkInitData(String(fields), TOKEN, SIGNED_AT)).toThrow(new InvalidInitDataError('forged'));
    },
  );
});
