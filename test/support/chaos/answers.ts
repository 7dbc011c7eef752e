import { isDeepStrictEqual } from 'node:util';
import { paginate } from '../harness/replies.ts';

/** Answer of the model in a chaos run. */
export interface ChaosAnswer {
  readonly markdown: string;
  /** True if the text equals its Markdown, so that it can be compared without the renderer. */
  readonly isPlain: boolean;
}

/** Text of one message in the chat. */
export interface ShownText {
  readonly text: string;
  readonly entities: readonly unknown[];
}

const WORDS = [
  'fox 🦊',
  'naïve',
  '雪が降る',
  'family 👩‍👩‍👧‍👦',
  'straße',
  'thumb 👍🏽',
  'мир',
  'flag 🇧🇷',
  'river',
  'stone',
];

/**
 * Returns about `length` characters in paragraphs of two lines. Paragraphs are numbered, so that missing and duplicate
 * text is found.
 */
export function createPlainAnswer(name: string, length: number): ChaosAnswer {
  return {
    markdown: createParagraphs(length, (n, words) => `${name} ${n} begins\nand has ${words} in it`),
    isPlain: true,
  };
}

/** Like `createPlainAnswer`, with formatting, a list, and multi-line code. */
export function createFormattedAnswer(name: string, length: number): ChaosAnswer {
  const markdown = createParagraphs(length, (n, words) => {
    if (n % 7 === 3) return `- **${name}** ${n}\n- _${words}_\n- [link](https://example.org/${n})`;
    if (n % 7 === 5) return `\`\`\`ts\nconst ${name}${n} = 1;\nreturn ${name}${n};\n\`\`\``;
    return `**${name}** ${n} has _${words}_ and \`code ${n}\` in it`;
  });
  return { markdown, isPlain: false };
}

/**
 * Returns Markdown that fills one page when complete, but two while it grows: reference links are longer until their
 * definitions at the end have arrived.
 */
export function createShrinkingAnswer(name: string, pageUnits: number): ChaosAnswer {
  const count = Math.floor(pageUnits / 57);
  const lines = Array.from({ length: count }, (_, n) =>
    `${name} ${n} points [there][${n}] and goes on for a while`.padEnd(60, ' so'),
  );
  const addresses = lines.map((_, n) => `[${n}]: https://example.org/${name}/${n}`);
  return { markdown: `${lines.join('\n\n')}\n\n${addresses.join('\n')}`, isPlain: false };
}

function createParagraphs(length: number, write: (n: number, words: string) => string): string {
  const paragraphs: string[] = [];
  for (let n = 0, written = 0; written < length; n++) {
    const words = Array.from({ length: 4 }, (_, word) => WORDS[(n * 3 + word) % WORDS.length]).join(' ');
    const paragraph = write(n, words);
    paragraphs.push(paragraph);
    written += paragraph.length + 2;
  }
  return paragraphs.join('\n\n');
}

/**
 * Returns a description of the first error in the messages of an answer; undefined if they are right.
 * @param isCut the answer could not be delivered completely: any beginning of it is accepted.
 */
export function findDifference(
  shown: readonly ShownText[],
  answer: ChaosAnswer,
  { isCut = false, maxUnits }: { readonly isCut?: boolean; readonly maxUnits?: number | undefined } = {},
): string | undefined {
  if (answer.isPlain) return findPlainDifference(shown, answer.markdown, isCut);
  const pages = paginate(answer.markdown, maxUnits);
  if (isCut) return findForeignWord(shown, answer.markdown);
  if (shown.length !== pages.length) return `${shown.length} messages instead of ${pages.length}`;
  const wrong = pages.findIndex((page, index) => !isDeepStrictEqual(shown[index], page));
  return wrong < 0
    ? undefined
    : `message ${wrong} is not page ${wrong}: ${JSON.stringify(shown[wrong]?.text.slice(-80))}`;
}

/**
 * A preview of unfinished Markdown need not be the beginning of a page, and an extra message may have been undeletable.
 * Each message must have the right words in the right order; its last word may be cut.
 */
function findForeignWord(shown: readonly ShownText[], markdown: string): string | undefined {
  const words = toWords(markdown);
  for (const { text } of shown) {
    let at = 0;
    for (const [index, word] of toWords(text).entries()) {
      const isLast = index === toWords(text).length - 1;
      const rest = words.slice(at);
      const found = isLast ? rest.findIndex((one) => one.startsWith(word)) : rest.indexOf(word);
      if (found < 0) return `"${word}" is not where it belongs`;
      at += found + 1;
    }
  }
  return undefined;
}

function toWords(text: string): string[] {
  return text.match(/[\p{L}\d]+/gu) ?? [];
}

/** Compares character by character; only the white space between two messages may be missing. */
function findPlainDifference(shown: readonly ShownText[], text: string, isCut: boolean): string | undefined {
  let at = 0;
  for (const [index, message] of shown.entries()) {
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
    if (!text.startsWith(message.text, at)) {
      return `message ${index} does not go on at character ${at}: ${JSON.stringify(message.text.slice(0, 60))}`;
    }
    if (message.entities.length > 0) return `message ${index} has formatting`;
    at += message.text.length;
  }
  const rest = text.slice(at).trim();
  return rest === '' || isCut ? undefined : `the last ${rest.length} characters are missing`;
}
