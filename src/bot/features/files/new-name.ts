/** The part of a name that tells what is in the file. Digits alone are none: they are the end of a date or a version. */
const ENDING = /(?!^)(?:\.tar)?\.(?=[^.]*\p{L})[^. /\\]{1,16}$/iu;

/**
 * The name that somebody wrote for a file, with the ending of its old name where they wrote none. It is no clean name yet.
 * @returns undefined where nothing of it could be seen.
 */
export function completeName(written: string, oldName: string): string | undefined {
  const name = written.replace(/\s+/gu, ' ').replace(/(?<![\\/. ])[\\/. ]+$/, '');
  const last = name.split(/[\\/]/).at(-1) ?? '';
  if (!/[^\p{C}\p{Z}.]/u.test(last)) return undefined;
  const oldEnding = ENDING.exec(oldName)?.[0] ?? '';
  return ENDING.test(last) ? name : name + oldEnding;
}
