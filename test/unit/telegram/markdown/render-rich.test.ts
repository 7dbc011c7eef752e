import { describe, expect, it } from 'vitest';
import { cutPage, paginateMarkdown, type RichContent, renderRich } from '../../../../src/telegram/markdown/index.ts';
import { corpus } from './corpus.ts';

/** The rich form of a source that fits a page. */
function render(markdown: string): RichContent | undefined {
  const [page] = paginateMarkdown(markdown);
  return renderRich(markdown, page?.text ?? '');
}

describe('content that is not sent as a rich message', () => {
  it.each([
    ['prices', 'It costs $5 and $10, or $400-600K.\n\n```sh\necho $HOME $PATH\n```'],
    ['a formula of a few signs', 'Let $x^2 \\leq \\alpha$ and $n$.'],
    ['lists and code', '# Title\n\n- **one**\n- two\n\n```ts\nlet a;\n```'],
    ['a table of 21 columns', `|${' a |'.repeat(21)}\n|${'---|'.repeat(21)}\n|${' b |'.repeat(21)}`],
    ['500 rows', `| a |\n|---|\n${'| b |\n'.repeat(500)}`],
    ['content that is nested too deeply', `${'- '.repeat(12)}x\n\n| a |\n|---|\n| b |`],
  ])('%s', (_name, markdown) => {
    expect(render(markdown)).toBeUndefined();
  });

  it('a source that differs from the page', () => {
    expect(renderRich('| a |\n|---|\n| b |', 'something else')).toBeUndefined();
  });
});

describe('a rich message', () => {
  it('has tables as tables, with alignment and the content of cells', () => {
    expect(
      render('| Name | Price |\n|:--|--:|\n| **Tea** | $5 |\n| [Coffee](https://example.org/c) |')?.blocks,
    ).toEqual([
      {
        type: 'table',
        is_bordered: true,
        cells: [
          [
            { text: 'Name', is_header: true, align: 'left', valign: 'middle' },
            { text: 'Price', is_header: true, align: 'right', valign: 'middle' },
          ],
          [
            { text: { type: 'bold', text: 'Tea' }, align: 'left', valign: 'middle' },
            { text: '$5', align: 'right', valign: 'middle' },
          ],
          [
            { text: { type: 'url', text: 'Coffee', url: 'https://example.org/c' }, align: 'left', valign: 'middle' },
            { text: '', align: 'right', valign: 'middle' },
          ],
        ],
      },
    ]);
  });

  it('has formulas as LaTeX, inline or as blocks, and prices as text', () => {
    expect(render('For $5, $\\frac{a}{b}$ and\n$$\nE = mc^2\n$$\ncome **with \\(\\sqrt{2}\\)**.')?.blocks).toEqual([
      {
        type: 'paragraph',
        text: ['For $5, ', { type: 'mathematical_expression', expression: '\\frac{a}{b}' }, ' and'],
      },
      { type: 'mathematical_expression', expression: 'E = mc^2' },
      {
        type: 'paragraph',
        text: [
          'come ',
          { type: 'bold', text: ['with ', { type: 'mathematical_expression', expression: '\\sqrt{2}' }] },
          '.',
        ],
      },
    ]);
  });

  it('keeps lists, quotes, headings, code with its language, and tags', () => {
    const markdown =
      '## Plan\n\n3. three\n4. [x] four\n   ```ts\n   let a;\n   ```\n\n> quote H<sub>2</sub>O\n\n---\n\n$$x$$';
    expect(render(markdown)?.blocks).toEqual([
      { type: 'heading', size: 2, text: 'Plan' },
      {
        type: 'list',
        items: [
          { blocks: [{ type: 'paragraph', text: 'three' }], value: 3, type: '1' },
          {
            blocks: [
              { type: 'paragraph', text: 'four' },
              { type: 'pre', text: 'let a;', language: 'ts' },
            ],
            has_checkbox: true,
            is_checked: true,
            value: 4,
            type: '1',
          },
        ],
      },
      {
        type: 'blockquote',
        blocks: [{ type: 'paragraph', text: ['quote H', { type: 'subscript', text: '2' }, 'O'] }],
      },
      { type: 'divider' },
      { type: 'mathematical_expression', expression: 'x' },
    ]);
  });

  it('is right-to-left if its words are', () => {
    expect(render('שלום\n\n| א |\n|---|\n| ב |')?.is_rtl).toBe(true);
    expect(render('Hello\n\n| א |\n|---|\n| ב |')?.is_rtl).toBeUndefined();
  });

  it('of a page that continues closes open formatting', () => {
    const partial = renderRich('| a |\n|---|\n| b |\n\nSome **bold words', 'a\n-\nb\n\nSome bold words', {
      isPartial: true,
    });
    expect(partial?.blocks.at(-1)).toEqual({
      type: 'paragraph',
      text: ['Some ', { type: 'bold', text: 'bold words' }],
    });
  });
});

describe.each(corpus)('%s', (_name, markdown) => {
  it('contains the words of its text, and no syntax of the parser', () => {
    for (const { source, text, isPartial } of listPages(markdown)) {
      const rich = renderRich(source, text, { isPartial });
      if (!rich) continue;
      const { words, formulas } = read(rich.blocks);
      expect(words).not.toMatch(/[\u{FDD1}\u{FDD2}\u2063]/u);
      if (formulas.length === 0) expect(listWords(words)).toEqual(listWords(text));
      else expect(formulas.every((formula) => formula.trim() !== '')).toBe(true);
    }
  });
});

/** Pages with their sources. */
function listPages(markdown: string) {
  const pages: { source: string; text: string; isPartial: boolean }[] = [];
  let rest = markdown;
  while (rest.trim() !== '') {
    const { page, consumed, reopen } = cutPage(rest);
    pages.push({ source: rest.slice(0, consumed), text: page.text, isPartial: consumed < rest.length });
    rest = reopen + rest.slice(consumed);
  }
  return pages;
}

/** All words and all formulas of blocks, in order. */
function read(value: unknown): { words: string; formulas: string[] } {
  if (typeof value === 'string') return { words: `${value} `, formulas: [] };
  if (Array.isArray(value)) return join(value.map(read));
  if (typeof value !== 'object' || value === null) return { words: '', formulas: [] };
  if ('expression' in value) return { words: '', formulas: [String(value.expression)] };
  const parts = Object.entries(value).filter(([name]) => ['text', 'blocks', 'items', 'cells'].includes(name));
  return join(parts.map(([, inner]) => read(inner)));
}

function join(parts: { words: string; formulas: string[] }[]) {
  return { words: parts.map(({ words }) => words).join(''), formulas: parts.flatMap(({ formulas }) => formulas) };
}

function listWords(text: string): string[] {
  return [...new Set(text.match(/[\p{L}\p{N}]+/gu) ?? [])].sort();
}
