import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns the arguments of `npm start` in a checkout, Node options included, with absolute paths, for any working
 * directory.
 */
export function readServiceCommand(root: string): readonly string[] {
  const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const [, ...startWords] = (scripts['start'] ?? '').split(' ');
  return startWords.map((word) => (/\.c?[jt]s$/.test(word) ? join(root, word) : word));
}

/** Arguments of `npm start` in this checkout. */
export const serviceCommand: readonly string[] = readServiceCommand(join(import.meta.dirname, '../..'));
