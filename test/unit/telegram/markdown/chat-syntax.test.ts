import { describe, expect, it, test } from 'vitest';
import { paginateMarkdown, renderMarkdown, renderRich } from '../../../../src/telegram/markdown/index.ts';
import { measureBestStep } from '../../../support/machine/measure.ts';
import { findEntityProblems } from './find-entity-problems.ts';

/** Returns the text, and each entity as its type with the text that it formats. */
const render = (markdown: string, isPartial = false) => {
  const { text, entities } = renderMarkdown(markdown, { isPartial });
  return [text, ...entities.map(({ type, offset, length }) => `${type}: ${text.slice(offset, offset + length)}`)];
};
const toBlocks = (markdown: string) => renderRich(markdown, renderMarkdown(markdown).text)?.blocks;

describe('a spoiler', () => {
  test.each([
    ['The end: ||he **dies**||.', ['The end: he dies.', 'spoiler: he dies', 'bold: dies']],
    ['||a|| and ||b||', ['a and b', 'spoiler: a', 'spoiler: b']],
    ['**||x||**', ['x', 'bold: x', 'spoiler: x']],
    ['- ||one||\n- two', ['• one\n• two', 'spoiler: one']],
    ['||a\nb||', ['a\nb', 'spoiler: a\nb']],
    ['> ||quoted||', ['quoted', 'blockquote: quoted', 'spoiler: quoted']],
    ['这是||剧透||吗', ['这是剧透吗', 'spoiler: 剧透']],
    ['Конец: ||он умер||!', ['Конец: он умер!', 'spoiler: он умер']],
  ])('%j is hidden', (markdown, expected) => expect(render(markdown)).toEqual(expected));

  test.each(['a || b || c', 'x||y||z', 'if (a||b) c', '|||x|||', '||a', '||||', '|| a ||'])('%j is text', (markdown) =>
    expect(render(markdown)).toEqual([markdown]),
  );

  test.each([
    ['`||a||`', ['||a||', 'code: ||a||']],
    ['```\na ||b||\n```', ['a ||b||', 'pre: a ||b||']],
    ['\\||x||', ['||x||']],
    ['| a || b |\n|-|-|-|\n|1||2|', [expect.stringContaining('1 |   | 2'), expect.stringContaining('pre')]],
  ])('%j has none', (markdown, expected) => expect(render(markdown)).toEqual(expected));

  it('is one in a rich message', () => {
    expect(toBlocks('||x||\n\n| a |\n|---|\n| b |')?.[0]).toEqual({
      type: 'paragraph',
      text: { type: 'spoiler', text: 'x' },
    });
  });
});

describe('an alert', () => {
  test.each([
    [
      '> [!NOTE]\n> Read **this**',
      ['ℹ️ Note\nRead this', 'blockquote: ℹ️ Note\nRead this', 'bold: ℹ️ Note', 'bold: this'],
    ],
    ['> [!warning]\n> - a\n> - b', ['⚠️ Warning\n• a\n• b', 'blockquote: ⚠️ Warning\n• a\n• b', 'bold: ⚠️ Warning']],
    ['> [!TIP]- Title\n> x', ['💡 Tip\nTitle\nx', 'blockquote: 💡 Tip\nTitle\nx', 'bold: 💡 Tip']],
    ['> [!EXAMPLE]\n>\n> x', [expect.stringMatching(/^Example\n+x$/), expect.anything(), 'bold: Example']],
    ['> [!constructor]\n> x', ['Constructor\nx', 'blockquote: Constructor\nx', 'bold: Constructor']],
    ['- > [!CAUTION]\n  > x', [expect.stringContaining('🛑 Caution\n    x'), expect.anything(), 'bold: 🛑 Caution']],
  ])('%j has a title', (markdown, expected) => expect(render(markdown)).toEqual(expected));

  test.each(['[!NOTE]\nx', 'See [!NOTE]', '> See [!NOTE]', '> [!]\n> x'])('%j is none', (markdown) =>
    expect(renderMarkdown(markdown).text).toBe(markdown.replaceAll('> ', '')),
  );

  it('has its title in a rich message', () => {
    expect(toBlocks('> [!NOTE]\n> x\n\n| a |\n|---|\n| b |')?.[0]).toEqual({
      type: 'blockquote',
      blocks: [
        { type: 'paragraph', text: { type: 'bold', text: 'ℹ️ Note' } },
        { type: 'paragraph', text: 'x' },
      ],
    });
  });
});

const DETAILS = '<details>\n<summary>The **plan**</summary>\n\nFirst:\n\n- a\n- b\n\n</details>\n\nAfter';

describe('details', () => {
  test.each([
    [DETAILS, ['The plan\nFirst:\n\n• a\n• b\n\nAfter', 'bold: The plan', 'expandable_blockquote: First:\n\n• a\n• b']],
    ['<details open><summary>S</summary>x</details> y', ['S\nx\ny', 'bold: S', 'expandable_blockquote: x']],
    ['<DETAILS>\nx\n</DETAILS>', ['x', 'expandable_blockquote: x']],
    [
      '<details>\n<summary>S</summary>\n\n- a\n</details>\n\ny',
      ['S\n• a\n\ny', 'bold: S', 'expandable_blockquote: • a'],
    ],
    [
      '<details><summary>A</summary>\n\n<details><summary>B</summary>\n\nx\n\n</details>\n\ny\n\n</details>\n\nz',
      ['A\nB\n\nx\n\ny\n\nz', 'bold: A', 'expandable_blockquote: B\n\nx\n\ny'],
    ],
    [
      '<details><summary>S</summary>\n\n> q\n\n```js\nf()\n```\n\n</details>',
      ['S\nq\n\nf()', 'bold: S', 'expandable_blockquote: q\n\nf()', 'pre: f()'],
    ],
    ['x\n\n</details>\n\ny', ['x\n\ny']],
    ['<details></details>', ['']],
    ['Write `<details>` here', ['Write <details> here', 'code: <details>']],
  ])('%j are folded', (markdown, expected) => expect(render(markdown)).toEqual(expected));

  it('are details in a rich message', () => {
    expect(toBlocks(DETAILS)).toMatchObject([
      {
        type: 'details',
        summary: ['The ', { type: 'bold', text: 'plan' }],
        blocks: [{ type: 'paragraph', text: 'First:' }, { type: 'list' }],
      },
      { type: 'paragraph', text: 'After' },
    ]);
    expect(toBlocks('<details></details>\n\nx')).not.toContainEqual(expect.objectContaining({ type: 'details' }));
  });
});

test.each([DETAILS, `> [!NOTE]\n> Read ||it|| now\n\n${DETAILS}\n\nThe ||end **is**|| near`])(
  'all of %j shows no marker, at every beginning and on every page',
  (markdown) => {
    for (let length = 1; length <= markdown.length; length++) {
      const page = renderMarkdown(markdown.slice(0, length), { isPartial: true });
      expect(findEntityProblems(page)).toEqual([]);
      expect(page.text).not.toMatch(/\|\||\[!|<\/?[a-z]*|summary|details/);
    }
    for (let maxUnits = 16; maxUnits < 60; maxUnits++)
      for (const page of paginateMarkdown(markdown, { maxUnits })) {
        expect(findEntityProblems(page)).toEqual([]);
        expect(page.text).not.toMatch(/\[!|<\/?[a-z]/);
      }
  },
);

test.each(['||a||', '**b**||a||', '||a ', '<details>\n\n', '- <details>\n', '> [!NOTE]\n> ||a|| <details>\n\n'])(
  'many of %j are read about as fast as text',
  (part) => {
    const ordinaryMs = measureBestStep(() => renderMarkdown('**word** word '.repeat(700)), 0);
    const ms = measureBestStep(() => renderMarkdown(part.repeat(Math.floor(10_000 / part.length))), 50);
    expect(ms).toBeLessThan(Math.max(50, 8 * ordinaryMs));
  },
);
