import { expect, test } from 'vitest';
import { createLogger } from '../../../src/lib/log/logger.ts';
import { createRecentLog } from '../../../src/lib/log/recent-log.ts';

const SECRET = 'sk-very-secret-value';

function open() {
  const recentLog = createRecentLog();
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { recentLog, lines, logger: createLogger({ recentLog, destination, secrets: new Set([SECRET]) }) };
}

test('keeps warnings and errors, newest first, without secrets', () => {
  const { recentLog, lines, logger } = open();
  logger.info('all is well');
  logger.warn({ provider: 'acme', headers: { authorization: 'x' } }, `refused ${SECRET}`);
  logger.error({ err: new TypeError(`bad key ${SECRET}`) }, 'request failed');
  expect(lines).toHaveLength(3);
  expect(recentLog.list()).toMatchObject([
    { id: 2, level: 'error', message: 'request failed', error: 'TypeError: bad key [secret]', facts: '' },
    { id: 1, level: 'warn', message: 'refused [secret]', error: undefined, facts: '{"provider":"acme"}' },
  ]);
});

test('keeps no more than 200 entries, with bounded texts', () => {
  const { recentLog, logger } = open();
  for (let count = 1; count <= 250; count += 1) logger.warn(`${count} ${'x'.repeat(5000)}`);
  const entries = recentLog.list();
  expect([entries.length, entries[0]?.id, entries.at(-1)?.id]).toEqual([200, 250, 51]);
  expect(entries[0]?.message).toHaveLength(1001);
});
