import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../../../src/telegram/markdown/index.ts';
import { toTelegramHtml } from './to-telegram-html.ts';

/** The rendered text in Telegram's HTML. */
function show(markdown: string): string {
  return toTelegramHtml(renderMarkdown(markdown));
}

describe('text and emphasis', () => {
  it.each([
    [
      '**bold** *italic* _italic_ ~~gone~~ `code`',
      '<b>bold</b> <i>italic</i> <i>italic</i> <s>gone</s> <code>code</code>',
    ],
    ['***both*** and **bold *and italic***', '<b><i>both</i></b> and <b>bold <i>and italic</i></b>'],
    ['**bold `code` bold**', '<b>bold</b> <code>code</code> <b>bold</b>'],
    ['snake_case_name, ~5 minutes, 2 * 3 * 4', 'snake_case_name, ~5 minutes, 2 * 3 * 4'],
    ['\\*escaped\\* &amp; &lt;b&gt; &amp;amp; AT&T', '*escaped* &amp; &lt;b&gt; &amp;amp; AT&amp;T'],
    ['one\ntwo  \nthree\\\nfour', 'one\ntwo\nthree\nfour'],
    ['||spoiler||', '<tg-spoiler>spoiler</tg-spoiler>'],
    ['before[^1]\n\n[^1]: The note.', 'before[1]\n\n[1] The note.'],
  ])('%j', (markdown, html) => {
    expect(show(markdown)).toBe(html);
  });

  it('counts offsets in UTF-16 units', () => {
    expect(renderMarkdown('👨‍👩‍👧 **b**').entities).toEqual([{ type: 'bold', offset: 9, length: 1 }]);
  });

  it('removes the characters that Telegram removes', () => {
    expect(show('a\u0000b\u202Ec **\u0007d** A\u030Ab \uFDD1x')).toBe('abc <b>d</b> Åb x');
  });

  it('returns an empty text for invisible content', () => {
    for (const blank of ['', ' \n\t\n', '\u200B', '[a]: https://example.com', '```\n\n```', '<br>']) {
      expect(renderMarkdown(blank)).toEqual({ text: '', entities: [] });
    }
  });
});

describe('blocks', () => {
  it.each([
    ['# One\ntext\n## Two `c`\ntext', '<b><u>One</u></b>\n\ntext\n\n<b>Two</b> <code>c</code>\n\ntext'],
    ['a\n\n---\n\nb', 'a\n\n———\n\nb'],
    ['> quote\n> > nested **b**\n\ntext', '<blockquote>quote\nnested <b>b</b></blockquote>\n\ntext'],
    ['> a\n>\n> ```\n> code\n> ```', '<blockquote>a\n\n<pre>code</pre></blockquote>'],
    ['```python\ndef f():\n\treturn 1\n```', '<pre><code class="language-python">def f():\n    return 1</code></pre>'],
    ['```{.haskell .lines}\nx\n```', '<pre><code class="language-haskell">x</code></pre>'],
    ['~~~C++ title="a b"\nx\n~~~', '<pre><code class="language-c++">x</code></pre>'],
    ['```\n  indented\n```', '<pre>  indented</pre>'],
    ['    code', '<pre>code</pre>'],
  ])('%j', (markdown, html) => {
    expect(show(markdown)).toBe(html);
  });
});

describe('lists', () => {
  it.each([
    ['- a\n  - b\n    - c\n- d', '• a\n    ◦ b\n        ▪ c\n• d'],
    ['3. c\n4. d\n   more', '3. c\n4. d\n    more'],
    ['1. a\n1. b\n1. c', '1. a\n2. b\n3. c'],
    ['- [ ] open\n- [x] done\n1. [x] third', '☐ open\n☑ done\n1. ☑ third'],
    ['Intro:\n- a\n\n- b', 'Intro:\n• a\n• b'],
    ['- a\n\n  more\n\n- b', '• a\n\n    more\n\n• b'],
    ['1. a\n   ```sh\n   x\n   ```', '1. a\n<pre><code class="language-sh">x</code></pre>'],
  ])('%j', (markdown, html) => {
    expect(show(markdown)).toBe(html);
  });
});

describe('links', () => {
  it.each([
    ['[text](https://e.com/a_(b))', '<a href="https://e.com/a_(b)">text</a>'],
    ['[**b** `c`](https://e.com)', '<a href="https://e.com"><b>b</b> c</a>'],
    ['[x][1]\n\n[1]: https://e.com', '<a href="https://e.com">x</a>'],
    ['![alt](https://e.com/p.png)', '<a href="https://e.com/p.png">alt</a>'],
    ['https://e.com/_a_/*b* <https://e.com/x>', 'https://e.com/_a_/*b* https://e.com/x'],
    ['[https://e.com](https://e.com)', 'https://e.com'],
    ['[rel](a/b.md) [top](#top)', 'rel (a/b.md) top'],
    ['[js](javascript:alert(1)) [l](http://localhost/)', 'js (javascript:alert(1)) l (http://localhost/)'],
    ['[me](tg://user?id=1) [tg](tg://resolve?domain=a)', 'me (tg://user?id=1) <a href="tg://resolve?domain=a">tg</a>'],
    ['[](https://e.com)', '<a href="https://e.com">https://e.com</a>'],
  ])('%j', (markdown, html) => {
    expect(show(markdown)).toBe(html);
  });
});

describe('HTML', () => {
  it.each([
    ['<b>b</b> <i>i</i> <u>u</u> <s>s</s> <code>c</code>', '<b>b</b> <i>i</i> <u>u</u> <s>s</s> <code>c</code>'],
    ['H<sub>2</sub>O, x<sup>2n</sup>, a<br>b', 'H₂O, x²ⁿ, a\nb'],
    ['<think>\n**x**\n</think>', '&lt;think&gt;\n<b>x</b>\n&lt;/think&gt;'],
    ['<b>open and <div class="x">', '&lt;b&gt;open and &lt;div class=&quot;x&quot;&gt;'],
  ])('%j', (markdown, html) => {
    expect(show(markdown)).toBe(html);
  });
});

describe('tables', () => {
  it('are aligned by the display width of characters', () => {
    const markdown = '| Name | Qty | 价格 |\n|:--|--:|:-:|\n| Tea | 2 | 三十元 |\n| 👨‍👩‍👧 | 10 | **x** |';
    expect(show(markdown)).toBe(
      ['<pre>Name | Qty |  价格', '-----|-----|-------', 'Tea  |   2 | 三十元', '👨‍👩‍👧   |  10 |   x</pre>'].join(
        '\n',
      ),
    );
  });

  it('become records if they are too wide for a phone', () => {
    const long = 'a long text that fills most of a line, '.repeat(2).trim();
    expect(show(`| A | B |\n|---|---|\n| 1 | ${long} |\n| 2 | *i* |`)).toBe(
      `<b>A:</b> 1\n<b>B:</b> ${long}\n\n<b>A:</b> 2\n<b>B:</b> <i>i</i>`,
    );
  });

  it('become records if they contain links or right-to-left text', () => {
    expect(show('| A |\n|---|\n| [x](https://e.com) |')).toBe('<b>A:</b> <a href="https://e.com">x</a>');
    expect(show('| שם |\n|---|\n| קפה |')).toBe('<b>שם:</b> קפה');
  });
});

describe('formulas', () => {
  it.each([
    ['$x^2 + y_1 \\leq \\frac{a}{b}$', 'x² + y₁ ≤ a⁄b'],
    ['\\(\\alpha\\) and \\[\\sqrt{2}\\] end', 'α and \n√2\nend'],
    ['$$\n\\sum_{i=1}^{n} i\n$$', '∑ᵢ₌₁ⁿ i'],
    ['> $$\n> a\n> + b\n> $$', '<blockquote>a + b</blockquote>'],
    ['$\\chemfig{H}$', '<code>\\chemfig{H}</code>'],
    ['**$\\sigma$** in `$x^2$`', '<b>σ</b> in <code>$x^2$</code>'],
    ['$5 and $10, $400-600K, US$1,000', '$5 and $10, $400-600K, US$1,000'],
    ['$HOME/bin:$PATH $(ls)', '$HOME/bin:$PATH $(ls)'],
    ['big $$ money and more of the $$ still', 'big $$ money and more of the $$ still'],
    ['```\n$x^2$\n```', '<pre>$x^2$</pre>'],
  ])('%j', (markdown, html) => {
    expect(show(markdown)).toBe(html);
  });
});

describe('hostile Markdown', () => {
  const pieces = [
    '[',
    '![',
    '*a ',
    'a**b',
    '`a',
    '>',
    '<b>',
    '- ',
    '1. ',
    '[a](',
    '[^1]',
    '$',
    '$x^',
    '\\[',
    '~~a ',
    '| a ',
    '> a\n>> b\n',
  ];
  it.each(pieces)('20000 units of %j are rendered in good time', { timeout: 60_000 }, (piece) => {
    const markdown = piece.repeat(20_000 / piece.length);
    expect(renderMarkdown(markdown, { isPartial: true }).text.length).toBeGreaterThan(0);
  });
});
