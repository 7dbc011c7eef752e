import { isBlank } from '../../lib/is-blank.ts';
import { toOneLine } from '../../lib/one-line.ts';

/** Fits into one line of a list on a phone, and into a topic's name (128 characters). */
const MAX_TITLE_CHARACTERS = 60;
const MAX_FIRST_WORDS_CHARACTERS = 48;
/** Labels that models put before a title. */
const ANNOUNCEMENT = /^(?:(?:conversation |chat )?title|subject|topic|название|заголовок|тема)\s*[:：-]\s*/iu;
/** Quotation marks and Markdown around a title. */
const WRAPPING = /^[\s"'`*_#>«»„“”‘’「」]+|(?<![\s"'`*_#«»„“”‘’「」])[\s"'`*_#«»„“”‘’「」]+$/gu;

/** Markdown marks of a formatted question. */
const MARKS = /\*\*|~~|\|\||<\/?u>|^```.*$|`/gm;

/** Normalizes a title that a user wrote to one line; undefined if nothing of it is visible. */
export function toTitle(written: string): string | undefined {
  return toVisible(cutAtWord(toOneLine(written), MAX_TITLE_CHARACTERS));
}

function toVisible(title: string): string | undefined {
  return isBlank(title) ? undefined : title;
}

/** Extracts the title from a model's answer; undefined if there is none. */
export function readTitle(answer: string): string | undefined {
  const line = answer.split('\n').find((one) => !isBlank(one.replace(WRAPPING, ''))) ?? '';
  const bare = toOneLine(line).replace(WRAPPING, '').replace(ANNOUNCEMENT, '').replace(WRAPPING, '');
  return toTitle(bare.replace(/(?<!\.)[.。]$/u, ''));
}

/** Returns the first words of a question, without quoted text; undefined if it has none. */
export function toFirstWords(question: string): string | undefined {
  const plain = question.replaceAll(MARKS, '');
  const own = toOneLine(plain.replaceAll(/^>.*$/gm, ''));
  return toVisible(cutAtWord(isBlank(own) ? toOneLine(plain) : own, MAX_FIRST_WORDS_CHARACTERS));
}

/** Cuts a line to `maxCharacters`, at the last space unless that is in the first half. */
export function cutAtWord(line: string, maxCharacters: number): string {
  const characters = [...line];
  if (characters.length <= maxCharacters) return line;
  const head = characters.slice(0, maxCharacters - 1).join('');
  const gap = head.lastIndexOf(' ');
  return `${(gap > head.length / 2 ? head.slice(0, gap) : head).replace(/(?<![\s,;:–-])[\s,;:–-]+$/u, '')}…`;
}
