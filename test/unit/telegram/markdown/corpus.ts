import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../../fixtures/markdown');

/** Answers as models write them, and more difficult ones: name and Markdown. */
export const corpus: readonly (readonly [name: string, markdown: string])[] = readdirSync(folder)
  .filter((file) => file.endsWith('.md'))
  .map((file) => [file.replace(/\.md$/, ''), readFileSync(join(folder, file), 'utf8')]);

/**
 * Lengths of prefixes to test: every one of a short document; of a long, repetitive one those of its beginning and a sample.
 * `EVERY_PREFIX=true` tests every one, which takes some minutes.
 */
export function listPrefixLengths(markdown: string): number[] {
  const lengths = Array.from({ length: markdown.length + 1 }, (_, length) => length);
  const isWhole = markdown.length <= 1100 || process.env['EVERY_PREFIX'] === 'true';
  return isWhole ? lengths : lengths.filter((length) => length < 700 || length % 307 === 0);
}
