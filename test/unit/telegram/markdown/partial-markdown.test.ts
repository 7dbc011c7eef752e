import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../../../src/telegram/markdown/index.ts';
import { corpus } from './corpus.ts';
import { toTelegramHtml } from './to-telegram-html.ts';

function show(markdown: string): string {
  return toTelegramHtml(renderMarkdown(markdown, { isPartial: true }));
}

describe('the end of a growing answer', () => {
  it.each([
    ['a **bol', 'a <b>bol</b>'],
    ['a **bold*', 'a <b>bold</b>'],
    ['a **', 'a'],
    ['a *it **both', 'a <i>it <b>both</b></i>'],
    ['a `cod', 'a <code>cod</code>'],
    ['a ``x `', 'a <code>x</code>'],
    ['~~x', '<s>x</s>'],
    ['<b>x', '<b>x</b>'],
    ['- **one\n- two', '• **one\n• two'],
    ['> **quo', '<blockquote><b>quo</b></blockquote>'],
  ])('is shown as in the finished answer: %j', (markdown, html) => {
    expect(show(markdown)).toBe(html);
  });

  it.each([
    ['see [te', 'see te'],
    ['see [text]', 'see text'],
    ['see [text](', 'see text'],
    ['see [text](https://exam', 'see text'],
    ['see ![alt](https://exam', 'see alt'],
    ['see <https://exam', 'see'],
    ['arr[0', 'arr[0'],
  ])('never shows half a link: %j', (markdown, html) => {
    expect(show(markdown)).toBe(html);
  });

  it.each([
    ['```', ''],
    ['a\n\n```pyth', 'a'],
    ['```python\nx = 1', '<pre><code class="language-python">x = 1</code></pre>'],
    ['```\nx\n``', '<pre>x</pre>'],
    ['- a\n\n  ```js\n  let', '• a\n\n<pre><code class="language-js">let</code></pre>'],
  ])('closes a fence: %j', (markdown, html) => {
    expect(show(markdown)).toBe(html);
  });

  it.each([
    ['text\n-', 'text'],
    ['text\n--', 'text'],
    ['text\n==', 'text'],
    ['text\n#', 'text'],
    ['text\n1.', 'text'],
    ['- a\n-', '• a'],
    ['- [', ''],
    ['text\n\n| a |', 'text'],
    ['text\n\n| a | b |\n', 'text'],
    ['text\n\n| a | b |\n|--', 'text'],
    ['| a | b |\n|---|---|\n| 1 ', '<pre>a | b\n--|--</pre>'],
    ['costs $5', 'costs $5'],
    ['so $\\frac{a}', 'so'],
    ['so $$\nx = ', 'so'],
    ['R&am', 'R'],
  ])('hides ambiguous characters: %j', (markdown, html) => {
    expect(show(markdown)).toBe(html);
  });

  it('does not hide a paragraph after a dollar sign without a formula', () => {
    const text = `worth $$ and ${'more words '.repeat(20)}end`;
    expect(show(text)).toBe(text);
  });

  it('keeps the text shown before and appends to it', () => {
    const markdown = new Map(corpus).get('python-explanation') ?? '';
    let before = '';
    for (let length = 1; length <= markdown.length; length++) {
      const { text } = renderMarkdown(markdown.slice(0, length), { isPartial: true });
      expect(text.startsWith(before.slice(0, -3)), JSON.stringify([before.slice(-40), text.slice(-40)])).toBe(true);
      before = text;
    }
  });
});
