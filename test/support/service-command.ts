import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);
const [, ...startWords] = (scripts['start'] ?? '').split(' ');

/** Options of Node and program, as `npm start` has them, for any working folder. */
export const serviceCommand: readonly string[] = startWords.map((word) =>
  word.endsWith('.ts') ? join(ROOT, word) : word,
);
