import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { texts as taskTexts } from '../../../src/console/pages/account/tasks/texts.ts';
import { refusals } from '../../../src/console/refusals.ts';

const ROUTES = fileURLToPath(new URL('../../../src/http/', import.meta.url));
/** Codes that `describeError` knows by their status, or whose details are in the message. */
const GENERAL = new Set(['rate_limit_exceeded', 'precondition_failed', 'custom']);
/** Code of a text of the page with the notes. */
const KNOWN_NOTE = 'known';

/** Ways in which the routes of the console name the code of a refusal; two give the field as well. */
const PATTERNS = [
  /code: '(?<code>[a-z_]+)'/g,
  /refusal\(\d+, '(?<code>[a-z_]+)'/g,
  /\bconflict\(\s*['`][^'`]*['`],\s*(?:undefined|'[a-z_]+'),\s*'(?<code>[a-z_]+)'/g,
  /\bconflict\(\s*['`][^'`]*['`],\s*'(?<field>[a-z_]+)',?\s*\)/g,
];

test('every refusal of a route of the console has a text in each language', () => {
  const files = globSync('{account,management,setup,resources}/**/*.ts', { cwd: ROUTES });
  const sources = files.map((file) => readFileSync(ROUTES + file, 'utf8'));
  const codes = new Set(
    sources.flatMap((source) =>
      PATTERNS.flatMap((pattern) =>
        [...source.matchAll(pattern)].map(({ groups = {} }) => groups['code'] ?? `conflict:${groups['field']}`),
      ),
    ),
  );
  expect(codes.size, 'codes were found').toBeGreaterThan(25);
  for (const [locale, known] of Object.entries(refusals)) {
    const described = new Set([...GENERAL, KNOWN_NOTE, ...Object.keys(known), ...Object.keys(taskTexts.en.problems)]);
    expect([locale, [...codes].filter((code) => !described.has(code))]).toEqual([locale, []]);
  }
});
