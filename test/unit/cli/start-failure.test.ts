import { describe, expect, test } from 'vitest';
import { describeStartFailure } from '../../../src/cli/start-failure.ts';
import { DatabaseUnusableError } from '../../../src/database/connect.ts';
import { DatabaseUnsuitableError } from '../../../src/database/migrations.ts';
import { SettingsError } from '../../../src/lib/errors/settings-error.ts';

const TOKEN = '123456789:AAFqX-0123456789abcdefghijklmnopqrs';

describe('the error message of a failed start', () => {
  test.each<[string, unknown]>([
    ['a bot token in an address', new TypeError(`fetch failed: https://api.telegram.org/bot${TOKEN}/getMe`)],
    ['the password of a database', new Error('no route to postgres://switchboard:p%40ss-w0rd@db.example.org/main')],
    [
      'a password in an error message of the database',
      new DatabaseUnusableError({ kind: 'postgres', url: '' }, 'p@ss-w0rd'),
    ],
    ['a key that a provider repeats', new Error('Incorrect API key provided: sk-of-a-provider')],
    ['a header', new Error('refused: authorization: Bearer abcdefghijkl')],
    ['a secret in the settings', new SettingsError(['BOT_TOKEN: sk-of-a-provider is no token'])],
    ['a secret that is thrown by itself', 'sk-of-a-provider'],
  ])('contains no secret: %s', (_what, error) => {
    const { text } = describeStartFailure(error, ['p@ss-w0rd', 'p%40ss-w0rd', 'sk-of-a-provider']);
    expect(text).toContain('[secret]');
    expect(text).not.toMatch(/AAFqX|w0rd|sk-of|abcdefghijkl/);
  });

  test('contains no password of a URL that is in no setting', () => {
    const { text } = describeStartFailure(new Error('wss://ann:hidden@example.org and http://x.org/a:b@c'));
    expect(text).toContain('wss://ann:[secret]@example.org and http://x.org/a:b@c');
  });

  test.each([
    ['of another program', new DatabaseUnsuitableError('it has tables'), 78],
    ['that does not answer', new Error('no route to host'), 1],
  ])('of a database %s says whether a restart would help', (_what, cause, exitCode) => {
    const error = new DatabaseUnusableError({ kind: 'embedded', directory: '/data/postgres' }, cause);
    const text = `The database in /data/postgres can't be used: ${cause.message}`;
    expect(describeStartFailure(error)).toEqual({ text, exitCode, isUsage: false });
  });

  test('has a bounded length for any error', () => {
    const { text } = describeStartFailure(new Error(`broken: ${'x'.repeat(5_000_000)}\n${'line\n'.repeat(100_000)}`));
    expect(text).toMatch(/^Error: broken: x+…\nline\n/);
    expect(text.length).toBeLessThan(10_000);
  });
});
