import { DrizzleQueryError } from 'drizzle-orm/errors';
import { describe, expect, it } from 'vitest';
import { isDatabaseAway } from '../../../src/lib/errors/is-database-away.ts';

const withCode = (code: string, more: object = {}) => Object.assign(new Error('no'), { code, ...more });

describe('a database counts as unavailable', () => {
  it.each(['CONNECTION_CLOSED', 'CONNECTION_ENDED', 'CONNECT_TIMEOUT', 'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND'])(
    'if the driver reports %s',
    (code) => expect(isDatabaseAway(withCode(code))).toBe(true),
  );

  it.each(['57P01', '57P03', '53300', '08006', '25006', '25P03'])('if the server reports %s', (code) =>
    expect(isDatabaseAway(new DrizzleQueryError('select 1', [], withCode(code)))).toBe(true),
  );

  it('if all its addresses refuse the connection', () => {
    const failures = [withCode('EADDRNOTAVAIL'), withCode('ECONNREFUSED')];
    expect(isDatabaseAway(new AggregateError(failures))).toBe(true);
  });

  it('if its socket file does not exist', () => {
    expect(isDatabaseAway(withCode('ENOENT', { syscall: 'connect' }))).toBe(true);
    expect(isDatabaseAway(withCode('ENOENT', { syscall: 'open' }))).toBe(false);
  });

  it.each(['23505', '42P01', '22P02', 'ENOSPC', 'EACCES'])('but not for other errors: %s', (code) =>
    expect(isDatabaseAway(new DrizzleQueryError('select 1', [], withCode(code)))).toBe(false),
  );

  it('but not for errors without a database', () => {
    for (const value of [undefined, null, 'ECONNREFUSED', { code: 'ECONNREFUSED' }, new Error('ECONNREFUSED')])
      expect(isDatabaseAway(value)).toBe(false);
  });
});
