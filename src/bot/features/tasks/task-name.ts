import { toOneLine } from '../../../lib/one-line.ts';
import { shorten } from '../../../lib/shorten.ts';

const MAX_NAME_CHARACTERS = 40;

/** Returns the beginning of a task's text, in one line. */
export function toTaskName({ prompt }: { readonly prompt: string }): string {
  return shorten(toOneLine(prompt), MAX_NAME_CHARACTERS);
}
