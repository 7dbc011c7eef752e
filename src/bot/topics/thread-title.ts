/** What a list on a phone shows in one line, and a topic's name (128 characters) always has room for. */
const MAX_TITLE_CHARACTERS = 60;
const MAX_FIRST_WORDS_CHARACTERS = 48;
/** Models like to say what they are about to say. */
const ANNOUNCEMENT = /^(?:(?:conversation |chat )?title|subject|topic|название|заголовок|тема)\s*[:：-]\s*/iu;
/** Quotation marks and Markdown around the whole. */
const WRAPPING = /^[\s"'`*_#>«»„“”‘’「」]+|(?<![\s"'`*_#«»„“”‘’「」])[\s"'`*_#«»„“”‘’「」]+$/gu;

/** A title as a person wrote it, in one line; undefined where nothing is left. */
export function toTitle(written: string): string | undefined {
  return cutAtWord(toLine(written), MAX_TITLE_CHARACTERS) || undefined;
}

/** The title in what a model answered; undefined where there is none. */
export function readTitle(answer: string): string | undefined {
  const line = answer.split('\n').find((one) => one.replace(WRAPPING, '') !== '') ?? '';
  const bare = toLine(line).replace(WRAPPING, '').replace(ANNOUNCEMENT, '').replace(WRAPPING, '');
  return toTitle(bare.replace(/(?<!\.)[.。]$/u, ''));
}

/** The first words of a question, without what it quotes; undefined where it has none. */
export function toFirstWords(question: string): string | undefined {
  const own = toLine(question.replaceAll(/^>.*$/gm, ''));
  return cutAtWord(own || toLine(question), MAX_FIRST_WORDS_CHARACTERS) || undefined;
}

function toLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** A line cut to so many characters, at the last gap between words that is not too far in front. */
export function cutAtWord(line: string, maxCharacters: number): string {
  const characters = [...line];
  if (characters.length <= maxCharacters) return line;
  const head = characters.slice(0, maxCharacters - 1).join('');
  const gap = head.lastIndexOf(' ');
  return `${(gap > head.length / 2 ? head.slice(0, gap) : head).replace(/(?<![\s,;:–-])[\s,;:–-]+$/u, '')}…`;
}
