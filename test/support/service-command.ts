import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Options of Node and program, as `npm start` has them in the checkout there, for any working folder. */
export function readServiceCommand(root: string): readonly string[] {
  const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const [, ...startWords] = (scripts['start'] ?? '').split(' ');
  return startWords.map((word) => (/\.c?[jt]s$/.test(word) ? join(root, word) : word));
}

/** The same of this checkout. */
export const serviceCommand: readonly string[] = readServiceCommand(join(import.meta.dirname, '../..'));
