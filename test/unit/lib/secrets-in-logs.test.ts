import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLogger, type Logger } from '../../../src/lib/log/logger.ts';

/** Each place of a log record that a text can get into. */
const PLACES: Readonly<Record<string, (logger: Logger, text: string) => void>> = {
  message: (logger, text) => logger.info(`with ${text}`),
  field: (logger, text) => logger.info({ model: text }, 'a message'),
  'nested field': (logger, text) => logger.warn({ deep: [{ list: ['x', `a ${text} b`] }] }, 'a message'),
  'field of a child': (logger, text) => logger.child({ requestId: text }).info('a message'),
  address: (logger, text) => logger.info({ url: `https://host.test/a/${text}?key=${encodeURIComponent(text)}` }, 'x'),
  error: (logger, text) => logger.error({ err: new Error(`failed: ${text}`) }),
  'error by itself': (logger, text) => logger.error(new Error(`failed: ${text}`)),
  'field of an error': (logger, text) => logger.error({ err: Object.assign(new Error('x'), { body: { text } }) }, 'x'),
  'cause of an error': (logger, text) =>
    logger.fatal({ err: new Error('outer', { cause: new Error('inner', { cause: new Error(text) }) }) }, 'x'),
  'one of several errors': (logger, text) => logger.error({ err: new AggregateError([new Error(text)], 'x') }, 'x'),
};

const registered = fc
  .string({ unit: 'binary', minLength: 3, maxLength: 40 })
  .map((text) => `k-9${text.toWellFormed()}`);
const word = (alphabet: string, minLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength: 60 });
const digits = fc.integer({ min: 100_000, max: 999_999_999_999 });
const token = fc.tuple(digits, word('ABCxyz019_-', 30)).map(([id, rest]) => `${id}:${rest}`);
const bearer = word('ABCxyz019._~+/=-', 12);

/** Returns all lines that are written. */
function readLog(secrets: ReadonlySet<string>, write: (logger: Logger) => void): string {
  const lines: string[] = [];
  write(createLogger({ secrets, destination: { write: (line) => void lines.push(line) } }));
  return lines.join('');
}

it.each(Object.entries(PLACES))('no secret is in the finished line: %s', (_place, write) => {
  const check = (log: string, secret: string) => {
    expect(JSON.parse(log)).toBeTypeOf('object');
    expect(log).toContain('[secret]');
    for (const spelling of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
      expect(log).not.toContain(spelling);
  };
  fc.assert(
    fc.property(registered, registered, (secret, other) => {
      const log = readLog(new Set([other, secret]), (logger) => write(logger, secret));
      check(log, secret);
      check(
        readLog(new Set([secret]), (logger) => write(logger, `Bearer ${secret}`)),
        secret,
      );
    }),
  );
  fc.assert(
    fc.property(token, (secret) =>
      check(
        readLog(new Set(), (logger) => write(logger, secret)),
        secret,
      ),
    ),
  );
  fc.assert(
    fc.property(bearer, fc.constantFrom('Bearer', 'bearer', 'BEARER'), (secret, scheme) =>
      check(
        readLog(new Set(), (logger) => write(logger, `${scheme} ${secret}`)),
        secret,
      ),
    ),
  );
});

it('no authorization header is in the finished line, whatever is in it', () => {
  const name = fc.constantFrom('authorization', 'Authorization', 'x-api-key', 'X-API-Key');
  const value = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 40 })
    .map((text) => `Basic ${text.toWellFormed()}`);
  fc.assert(
    fc.property(name, fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 })), (header, values) => {
      const log = readLog(new Set(), (logger) => logger.info({ request: { headers: { [header]: values } } }, 'x'));
      expect(JSON.parse(log)).toMatchObject({ request: { headers: { [header]: '[secret]' } } });
    }),
  );
});

it('a secret that becomes known later is redacted from then on', () => {
  const secrets = new Set(['first-secret']);
  const log = readLog(secrets, (logger) => {
    logger.info('first-secret second-secret');
    secrets.add('second-secret');
    logger.info('first-secret second-secret');
  });
  expect(
    log
      .split('\n')
      .slice(0, 2)
      .map((line) => JSON.parse(line).msg),
  ).toEqual(['[secret] second-secret', '[secret] [secret]']);
});
