import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTdlib } from '../../test/support/hosts/tdlib.ts';
import { findEntities } from '../src/formatting/find-entities.ts';
import { sortEntities } from '../src/formatting/fix-formatted-text.ts';
import { parseHtml } from '../src/formatting/parse-html.ts';
import { parseMarkdown } from '../src/formatting/parse-markdown.ts';
import { parseMarkdownV2 } from '../src/formatting/parse-markdown-v2.ts';
import { startTestSimulator, type TestSimulator } from './support/simulator.ts';

const tdlib = loadTdlib();

describe('a text with a parse mode', () => {
  let simulator: TestSimulator;
  let chatId: number;
  beforeAll(async () => {
    simulator = await startTestSimulator();
    chatId = simulator.control.createChat({ type: 'private', person: { firstName: 'Ann' } }).id;
  });
  afterAll(() => simulator.close());

  const send = (text: string, parse_mode: string) =>
    simulator.call('sendMessage', { chat_id: chatId, text, parse_mode });

  it.each([
    ['*bold* _it_ ||secret|| `code`', 'MarkdownV2', ['bold', 'italic', 'spoiler', 'code']],
    ['<b>bold</b> <a href="https://example.org">link</a> <pre>x</pre>', 'HTML', ['bold', 'text_link', 'pre']],
    ['*bold* [link](https://example.org)', 'Markdown', ['bold', 'text_link']],
    ['*bold* /start', 'markdownv2', ['bold', 'bot_command']],
    ['<i>in <b>bold</b></i> &lt; <tg-spoiler>x</tg-spoiler>', 'HTML', ['italic', 'bold', 'spoiler']],
    ['<pre><code class="language-go">x</code></pre><code>y</code>', 'HTML', ['pre', 'code']],
    [
      '<blockquote expandable>x</blockquote><tg-emoji emoji-id="5">👍</tg-emoji>',
      'html',
      ['expandable_blockquote', 'custom_emoji'],
    ],
    ['>one\n>two\n\n**>three\n>four||', 'MarkdownV2', ['blockquote', 'expandable_blockquote']],
    ['![👍](tg://emoji?id=5) ~no~ __*both*__', 'MarkdownV2', ['custom_emoji', 'strikethrough', 'bold', 'underline']],
    ['```go\nx``` `y` _z_', 'Markdown', ['pre', 'code', 'italic']],
  ])('%s in %s becomes entities', async (text, mode, types) => {
    const { result } = await send(text, mode);
    const { entities } = result as { entities: { type: string }[] };
    expect(entities.map(({ type }) => type)).toEqual(types);
  });

  it.each([
    ['*bold', 'MarkdownV2', "Can't find end of Bold entity at byte offset 0"],
    ['1. one', 'MarkdownV2', "Character '.' is reserved and must be escaped with the preceding '\\'"],
    ['é [x](y', 'MarkdownV2', "Can't find end of a URL at byte offset 7"],
    ['![x]', 'MarkdownV2', 'The entity must contain a tg://emoji or tg://time URL'],
    ['<b>bold', 'HTML', 'Can\'t find end tag corresponding to start tag "b"'],
    ['<p>x</p>', 'HTML', 'Unsupported start tag "p" at byte offset 0'],
    ['<b>x</i>', 'HTML', 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'],
    ['x</b>', 'HTML', 'Unexpected end tag at byte offset 1'],
    ['a *b', 'Markdown', "Can't find end of the entity starting at byte offset 2"],
  ])("that is broken (%s in %s) is refused with Telegram's error message", async (text, mode, reason) => {
    expect((await send(text, mode)).description).toBe(`Bad Request: can't parse entities: ${reason}`);
  });

  it('is measured after parsing', async () => {
    const text = `<b>${'a'.repeat(4096)}</b>`;
    expect((await send(text, 'HTML')).ok).toBe(true);
  });

  it('mentions known users only', async () => {
    const known = await send(`<a href="tg://user?id=${chatId}">Ann</a>`, 'HTML');
    expect(known.result).toMatchObject({
      entities: [{ type: 'text_mention', user: { id: chatId, first_name: 'Ann' } }],
    });
    const unknown = await send('<a href="tg://user?id=123">Who</a>', 'HTML');
    expect(unknown.result).not.toHaveProperty('entities');
  });
});

describe.skipIf(!tdlib)('a parse mode reads any markup as Telegram does', () => {
  const inline = ['a', ' ', 'é😀', '\n', '*', '_', '`', '```', '```py\n', '[', ']', '](x.y)', '(', ')', '\\'];
  const tags = ['b', 'i', 'u', 's', 'pre', 'code', 'span', 'blockquote'].flatMap((tag) => [`<${tag}>`, `</${tag}>`]);
  const more = [
    '<code class="language-py">',
    '<a href="x.y">',
    "<A href = 'http://A.b/c?d'>",
    '</a>',
    '</>',
    '<b x>',
    '<x>',
  ];
  const references = ['&lt;', '&amp', '&#65;', '&#x1F600;', '&', '<', '>', '"', '=', '/', '<span class="tg-spoiler">'];
  it.each([
    ['HTML', parseHtml, ['a', ' ', 'é😀', '\n', ...tags, ...more, ...references]],
    ['MarkdownV2', parseMarkdownV2, [...inline, '__', '||', '~', '>', '\n>', '**>', '![', '](tg://emoji?id=5)', '.']],
    ['Markdown', parseMarkdown, inline],
  ] as const)('%s', (mode, parse, pieces) => {
    const markup = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(markup, (text) => {
        // TDLib overwrites the text of a legacy link without an address before it reads the address from there.
        fc.pre(mode !== 'Markdown' || !/\[[^\]]*\](?!\()/.test(text));
        expect(outcome(() => sorted(parse(text)))).toEqual(outcome(() => tdlib?.parseTextEntities(text, mode)));
      }),
      { numRuns: 3000 },
    );
  });

  const sorted = ({ text, entities }: ReturnType<typeof parseHtml>) => ({ text, entities: sortEntities(entities) });
  const outcome = (parse: () => unknown) => {
    try {
      return parse();
    } catch (error) {
      return String(error).replace(/^.*?can't parse entities: /i, '');
    }
  };
});

describe.skipIf(!tdlib)('entities found in a plain text are those that Telegram finds', () => {
  it.each([
    '/start and /help@my_bot but not /a/b or x/y or /very-long',
    'hello @someone, @abc, mail@example.org and foo@someone',
    'https://example.org/path?a=b#c, http://localhost/x and https://example.org.',
    'http://127.0.0.1:8080/console/#code=a1_b and http://192.168.1.20/x, not 192.168.1 or http://1.2/x',
    'see example.com, sub.example.co.uk/path and file.txt or 1.5',
    '(https://example.org/a_(b)) and "https://example.org/q"',
    '#tag #тег #123 #1a a#b ##c #tag.',
    '$USD $TOOLONGTICKER $usd $A costs $5',
    'Привет, @username! Пиши на почту jane.doe@mail.example.com.',
    'emoji 😀/cmd 😀@username 😀#tag',
    'a\n/cmd\n@username\n#tag',
  ])('%s', (text) => {
    expect(findEntities(text, []).sort((one, other) => one.offset - other.offset)).toEqual(
      tdlib?.getTextEntities(text),
    );
  });
});
