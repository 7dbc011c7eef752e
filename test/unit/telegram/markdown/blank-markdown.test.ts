import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isBlankMarkdown, renderMarkdown } from '../../../../src/telegram/markdown/index.ts';
import { measureBestStep } from '../../../support/machine/measure.ts';
import { countInputs } from '../../../support/vitest/tiers.ts';

/** Characters that a chat shows as nothing. */
const UNSEEN = [
  ...['\u0000', '\u0007', '\u00A0', '\u00AD', '\u034F', '\u061C', '\u115F', '\u1160', '\u17B4', '\u180E', '\u2003'],
  ...['\u200B', '\u200D', '\u200F', '\u2028', '\u202F', '\u2060', '\u2063', '\u206F', '\u2800', '\u3000', '\u3164'],
  ...['\uFE0F', '\uFEFF', '\uFFA0', '\uFFF9', '\uFFFC', '\uFFFF', '\u{1BCA0}', '\u{1D159}', '\u{1D173}'],
  ...['\u{13441}', '\u{16FE4}', '\u{E0020}', '\u{E01EF}', '\u{10FFFF}'],
];
const REFERENCES = ['&nbsp;', '&shy;', '&ZeroWidthSpace;', '&zwnj;', '&#8203;', '&#x2800;', '&#x3164;', '&Tab;'];
const MARKUP = ['', '#', '###### ', '<br>', '<BR/>', '>', '>>', '```\n```', '~~~js\n\n~~~', '![]()', '[]()', '` `'];
const DEFINITION = '[a]: https://example.org';

const listWords = (...parts: readonly string[]) =>
  fc.array(fc.constantFrom(...parts, ' '), { maxLength: 8 }).map((chosen) => chosen.join(''));
const words = listWords(...UNSEEN, ...REFERENCES);
const block = fc.oneof(
  words,
  fc.constantFrom(...MARKUP, DEFINITION),
  listWords(...UNSEEN).map((text) => `\`\`\`\n${text}\n\`\`\``),
  fc
    .tuple(fc.constantFrom(['# ', ''], ['> ', ''], ['<b>', '</b>'], ['<br>', ''], ['~~<i>', '</i>~~']), words)
    .map(([[opening, closing], text]) => opening + text + closing),
);
const invisible = fc.array(block, { maxLength: 12 }).map((blocks) => blocks.join('\n\n'));

describe('blank Markdown', () => {
  it('shows nothing, whatever it is made of', async () => {
    await fc.assert(
      fc.asyncProperty(invisible, async (markdown) => {
        expect(renderMarkdown(markdown).text).toBe('');
        expect(await isBlankMarkdown(markdown)).toBe(true);
      }),
      { numRuns: countInputs(300) },
    );
  });

  it('is not blank with one visible character', async () => {
    const visible = fc.constantFrom('a', 'я', '0', '!', '。', '👍', '\u0600٣', '한', '-- ', '\uFFFD', '<!-- a -->');
    await fc.assert(
      fc.asyncProperty(invisible, visible, invisible, async (before, shown, after) => {
        expect(await isBlankMarkdown([before, shown, after].join('\n\n'))).toBe(false);
      }),
      { numRuns: countInputs(300) },
    );
  });

  test.each(['42.', '+', '#1', '---', '1. ', '| |\n|-|\n|a|', '$x$', '[](https://example.org)', '![a](b)'])(
    'is not %j',
    async (markdown) => expect(await isBlankMarkdown(markdown)).toBe(false),
  );

  test.each(['\u200B', '\u3164\n', '&nbsp;\n\n', '# \n', `${DEFINITION}\n`, '>\u200B\n\n', '\u2800 '])(
    'is read in short steps, of many %j',
    async (part) => {
      const answer = part.repeat(Math.ceil(400_000 / part.length));
      const startedAt = performance.now();
      await isBlankMarkdown(answer);
      const ordinaryMs = measureBestStep(() => renderMarkdown('word '.repeat(1000)), 0);
      expect(performance.now() - startedAt).toBeLessThan(Math.max(5000, 1000 * ordinaryMs));
    },
  );
});
