import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutPage, paginateMarkdown, renderMarkdown } from '../../../../src/telegram/markdown/index.ts';
import { countInputs } from '../../../support/vitest/tiers.ts';
import { findEntityProblems } from './find-entity-problems.ts';
import { streamPages } from './stream-pages.ts';
import { toTelegramHtml } from './to-telegram-html.ts';

/** The pages in Telegram's HTML. */
function showPages(markdown: string, maxUnits: number): string[] {
  return paginateMarkdown(markdown, { maxUnits }).map(toTelegramHtml);
}

const words = (count: number, word = 'word') =>
  Array.from({ length: count }, (_, index) => `${word}${index}`).join(' ');

describe('a page', () => {
  it('contains as much as fits', () => {
    expect(cutPage('**a** b')).toEqual({ page: renderMarkdown('**a** b'), consumed: 7, reopen: '' });
    expect(cutPage('x'.repeat(4096)).consumed).toBe(4096);
    expect(cutPage(' \n ')).toEqual({ page: { text: '', entities: [] }, consumed: 3, reopen: '' });
  });

  it('counts the units of the source also with CRLF line ends', () => {
    const source = `one\r\ntwo\r\n\r\n${'x'.repeat(30)}`;
    expect(cutPage(source, { maxUnits: 32 })).toMatchObject({ page: { text: 'one\ntwo' }, consumed: 12 });
  });

  it('ends between blocks if it is then at least half full', () => {
    const first = words(10);
    expect(showPages(`${first}\n\n${words(20, 'more')}`, 100)[0]).toBe(first);
  });

  it('ends with a sentence, else with a word', () => {
    expect(showPages('One sentence here. Another sentence that is long.', 30)[0]).toBe('One sentence here.');
    expect(showPages('some words without any stop in them at all', 20)[0]).toBe('some words without');
    expect(showPages('这是第一句话，很短。这是第二句话，它比较长一些', 16)[0]).toBe('这是第一句话，很短。');
  });

  it('does not end with a heading', () => {
    expect(showPages(`${words(5)}\n\n## Heading\n\n${words(6)}`, 50)).toEqual([
      words(5),
      `<b>Heading</b>\n\n${words(6)}`,
    ]);
  });

  it('keeps links, code spans and emphasis together', () => {
    const before = 'some words before it ';
    expect(showPages(`${before}[a link of words](https://e.com)`, 30)[1]).toBe(
      '<a href="https://e.com">a link of words</a>',
    );
    expect(showPages(`${before}\`code of some words\``, 30)[1]).toBe('<code>code of some words</code>');
    expect(showPages(`${before}**bold of some words**`, 30)[1]).toBe('<b>bold of some words</b>');
  });

  it('cuts emphasis that is longer than a page and continues it', () => {
    expect(showPages(`**${words(8)}**`, 30)).toEqual([
      '<b>word0 word1 word2 word3 word4</b>',
      '<b>word5 word6 word7</b>',
    ]);
  });

  it('reopens a fence with its language', () => {
    expect(cutPage('```js\nlet a = 1;\nlet b = 2;\n```', { maxUnits: 15 })).toMatchObject({
      consumed: 17,
      reopen: '```js\n',
    });
    expect(showPages('- x\n\n  ```js\n  let a = 1;\n    let b = 2;\n  ```\n\n- y', 15)).toEqual([
      '• x\n\n<pre><code class="language-js">let a = 1;</code></pre>',
      '<pre><code class="language-js">  let b = 2;</code></pre>',
      '• y',
    ]);
  });

  it("repeats a table's header and never cuts a row", () => {
    const rows = Array.from({ length: 6 }, (_, index) => `| ${index} | value ${index} |`).join('\n');
    expect(showPages(`| # | V |\n|--:|---|\n${rows}`, 62)).toEqual([
      '<pre># | V\n--|--------\n0 | value 0\n1 | value 1\n2 | value 2</pre>',
      '<pre># | V\n--|--------\n3 | value 3\n4 | value 4\n5 | value 5</pre>',
    ]);
  });

  it('continues the numbers and levels of a list', () => {
    expect(showPages('1. one\n1. two\n1. three\n1. four', 18)).toEqual(['1. one\n2. two', '3. three\n4. four']);
    expect(showPages('7. seven\n   - inner a\n   - inner b\n8. eight', 24)).toEqual([
      '7. seven\n    ◦ inner a',
      '◦ inner b\n8. eight',
    ]);
  });

  it('continues a quote', () => {
    expect(showPages('> first line of it\n> second line of it', 24)).toEqual([
      '<blockquote>first line of it</blockquote>',
      '<blockquote>second line of it</blockquote>',
    ]);
  });

  it('does not turn the rest of a paragraph into a list or heading', () => {
    expect(showPages('a word or two... 2. not a list', 16)).toEqual(['a word or two...', '2. not a list']);
    expect(showPages('a word or two... - not a list', 16)).toEqual(['a word or two...', '- not a list']);
    expect(showPages('a word or two... # no heading', 16)).toEqual(['a word or two...', '# no heading']);
  });

  it('cuts text without gaps between graphemes', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(showPages(family.repeat(5), 24)).toEqual([family.repeat(2), family.repeat(2), family]);
    expect(paginateMarkdown('x'.repeat(10_000)).map(({ text }) => text.length)).toEqual([4096, 4096, 1808]);
    expect(paginateMarkdown('e\u0301'.repeat(20), { maxUnits: 17 }).map(({ text }) => text.length)).toEqual([
      16, 16, 8,
    ]);
  });

  it('contains at most 100 entities', () => {
    const pages = paginateMarkdown('`a` '.repeat(250));
    expect(pages.map(({ entities }) => entities.length)).toEqual([100, 100, 50]);
  });

  it('is rendered in good time for a megabyte of nonsense', { timeout: 60_000 }, () => {
    for (const piece of ['[', '*a ', '>', '- ', '`', '$$', '👨‍', ' ', '> a\n>> b\n']) {
      expect(cutPage(piece.repeat(1_000_000 / piece.length), { isPartial: true }).consumed).toBeGreaterThan(0);
    }
  });
});

/** Documents as models write them: complete blocks of every kind except tables, whose headers are repeated. */
const phrase = fc.constantFrom(
  'plain words here',
  '**bold words**',
  '*some emphasis*',
  '`a code span`',
  '[a link](https://e.com/a_b)',
  '$x^2 = y$',
  '5 * 3',
  '中文句子。',
  '👩🏽‍💻',
  '2024.',
  '- dash',
  'R&D &amp; more',
);
const line = fc.array(phrase, { minLength: 1, maxLength: 7 }).map((phrases) => `Text ${phrases.join(' ')}`);
const block = fc.oneof(
  line,
  fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n')),
  line.map((text) => `## ${text.slice(0, 24).replace(/[*`[$]/g, '')}`),
  fc.array(line, { minLength: 1, maxLength: 4 }).map((lines) => lines.map((text) => `- ${text}`).join('\n')),
  fc
    .array(line, { minLength: 1, maxLength: 4 })
    .map((lines) => lines.map((text) => `1. ${text}\n   - ${text}`).join('\n')),
  fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.map((text) => `> ${text}`).join('\n>\n')),
  fc.array(line, { minLength: 1, maxLength: 6 }).map((lines) => `\`\`\`js\n${lines.join('\n  ')}\n\`\`\``),
  fc.constant('$$\n\\sum_{i=1}^n i\n$$'),
);
const documents = fc.array(block, { minLength: 1, maxLength: 10 }).map((blocks) => blocks.join('\n\n'));

describe('any Markdown', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '**',
      '*',
      '_',
      '~~',
      '`',
      '```\n',
      '[',
      '](https://e.com)',
      '> ',
      '- ',
      '1. ',
      '\n',
      '\n\n',
      '# ',
      '| a | b |\n',
    ),
    fc.constantFrom(
      '|---|---|\n',
      '$',
      '$$',
      '\\(',
      '\\',
      '<b>',
      '</b>',
      '&amp;',
      '  ',
      '    ',
      '---\n',
      '[^1]',
      '\r\n',
      '\t',
      '===\n',
    ),
    fc.constantFrom('word ', 'two words. ', '中文，', 'שלום ', '👩🏽‍💻', '\ud83d', '\u0301', '\u0000', 'x'.repeat(40)),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
  );
  const markdowns = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

  it('renders to valid entities', () => {
    fc.assert(
      fc.property(markdowns, fc.boolean(), (markdown, isPartial) => {
        expect(findEntityProblems(renderMarkdown(markdown, { isPartial }))).toEqual([]);
      }),
      { numRuns: countInputs(1500) },
    );
  });

  it('that is well formed loses nothing and has the same pages while it grows', () => {
    fc.assert(
      fc.property(
        documents,
        fc.integer({ min: 90, max: 400 }),
        fc.integer({ min: 5, max: 60 }),
        (markdown, maxUnits, step) => {
          const pages = paginateMarkdown(markdown, { maxUnits });
          const text = pages.map((page) => page.text).join('');
          expect(text.replace(/\s+/g, '')).toBe(renderMarkdown(markdown).text.replace(/\s+/g, ''));
          expect(streamPages(markdown, step, maxUnits)).toEqual(pages);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is cut into valid pages with progress on each', () => {
    fc.assert(
      fc.property(markdowns, fc.integer({ min: 16, max: 160 }), fc.boolean(), (markdown, maxUnits, isPartial) => {
        let rest = markdown;
        for (let page = 0; rest.trim() !== ''; page++) {
          const cut = cutPage(rest, { maxUnits, isPartial });
          expect(findEntityProblems(cut.page)).toEqual([]);
          expect(cut.page.text.length).toBeLessThanOrEqual(maxUnits);
          expect(cut.consumed).toBeGreaterThan(cut.consumed < rest.length ? 0 : -1);
          expect(page).toBeLessThan(2 * markdown.length + 10);
          rest = cut.reopen + rest.slice(cut.consumed);
        }
      }),
      { numRuns: countInputs(600), seed: 7, examples: [['      \u0000\nword ', 16, false]] },
    );
  });
});
