import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { orSkip } from '../support/vitest/tiers.ts';

const TESTS = fileURLToPath(new URL('..', import.meta.url));
/** Variables that only one helper may read: a suite that reads them itself could be skipped silently. */
const ASKED_IN = {
  CI: 'support/vitest/tiers.ts',
  TEST_DATABASE_URL: 'support/stores/test-database.ts',
  CHROMIUM_PATH: 'support/clients/browser.ts',
  NGINX_PATH: 'support/clients/nginx.ts',
  S3_ENGINES_DIR: 'support/clients/s3-engine.ts',
  TDLIB_PACKAGE_DIR: 'support/hosts/tdlib.ts',
};

test('no suite is skipped because of a missing requirement if CI is true', () => {
  vi.stubEnv('CI', 'true');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(orSkip('a thing', 'it is not there')).toBe('a thing');
  expect(() => orSkip(undefined, 'it is not there')).toThrow('it is not there');
});

test('suites with a missing requirement are skipped with a message elsewhere', () => {
  vi.stubEnv('CI', '');
  const word = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    word.mockRestore();
  });
  expect([orSkip(undefined, 'it is not there'), orSkip(undefined, 'it is not there')]).toEqual([undefined, undefined]);
  expect(word.mock.calls).toEqual([['it is not there; suites that need it are skipped\n']]);
});

test('all suites check their requirements by the same helpers', () => {
  const files = globSync('**/*.ts', { cwd: TESTS });
  expect(files.length).toBeGreaterThan(300);
  for (const [variable, helper] of Object.entries(ASKED_IN)) {
    const asks = new RegExp(`process\\.env(\\.${variable}\\b|\\['${variable}'\\])`);
    expect(files.filter((file) => asks.test(readFileSync(`${TESTS}${file}`, 'utf8')))).toEqual([helper]);
  }
});
