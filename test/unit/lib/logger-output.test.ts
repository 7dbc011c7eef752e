import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const LOGGER = join(import.meta.dirname, '../../../src/lib/log/logger.ts');

/** Output of a process that ends as soon as its last line is written. */
function readOutput(lines: string): unknown[] {
  const program = `
    import { createLogger } from ${JSON.stringify(LOGGER)};
    const logger = createLogger({ secrets: new Set(['a-secret-😀']) });
    ${lines}
    logger.flush(() => process.exit(0));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
    maxBuffer: 8 * 1024 * 1024,
  });
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

it('queued lines are written completely and in order, whatever their length', () => {
  const lengths = [10, 100_000, 10, ...Array.from({ length: 40 }, () => 3000), 70_000];
  const lines = readOutput(`
    for (const [at, length] of ${JSON.stringify(lengths)}.entries()) logger.info({ at, text: '😀ü'.repeat(length / 2) }, 'line');`);
  expect(lines).toMatchObject(lengths.map((length, at) => ({ at, text: '😀ü'.repeat(length / 2) })));
});

it('secrets are removed from queued lines', () => {
  const lines = readOutput(`
    logger.info('one a-secret-😀 two');
    logger.info({ authorization: 'Basic x' }, 'three');`);
  expect(lines).toMatchObject([{ msg: 'one [secret] two' }, { authorization: '[secret]', msg: 'three' }]);
});
