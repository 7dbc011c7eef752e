import fc from 'fast-check';

/** Fragments that were slow to parse, and fragments of every kind of syntax. */
const SYNTAX = [
  ...[
    '*',
    '_',
    '*_',
    '_a*',
    '*a_ ',
    '**a ',
    '**a*b*c**',
    '***a',
    '*a**',
    '~~',
    '~~a',
    'a~~',
    '*~~_',
    '*中*',
    '**「a」**',
    '中**（',
    '：**中',
    '~~。中',
    '**𠮷',
    '葛\u{E0100}**“',
  ],
  ...[
    '[',
    ']',
    '](',
    '[a](b',
    '[a](<b',
    '[a](b)',
    '![a](b)',
    '[![a](b)](c)',
    '[a][b] ',
    '[a]: b\n',
    '[^1]',
    '[^1]: a\n',
  ],
  ...[
    '`',
    '``a',
    '`a`',
    '```\n',
    '~~~\n',
    '$',
    '$$',
    '$a^2$ ',
    '\\(',
    '\\(a\\)',
    '\\[',
    '\\',
    '$\\frac{a}{b}$ ',
    '{',
    '^{',
  ],
  ...[
    '|',
    '|a',
    '|a|b|\n',
    'a|b\n-|-\n',
    '|a|\n|-|\n',
    '>',
    '> a\n',
    '> a\nb\n',
    '- ',
    '- a\n',
    '1. - a\n',
    '- > a\n',
    '1. a\n',
  ],
  ...[
    '    a\n',
    '  - a\n',
    '- [ ] a\n',
    '# ',
    '---\n',
    'a\n=\n',
    'a\n-\n',
    ']\n',
    'a\n',
    'a  \n',
    '\n',
    '\n\n',
    '\r\n',
    '\t',
    ' ',
  ],
  ...[
    '&amp;',
    '&',
    '&#x41;',
    '<',
    '<a',
    '<a b="',
    '<!--',
    '<!A',
    '<?',
    '<![CDATA[',
    '<b>',
    '</b>',
    '<sup>',
    '<br>',
    '<think>',
  ],
  ...['<http://a', 'http://a.b/((', 'https://a.b/c_d ', 'www.a.b ', 'a@b.c ', 'a_b@', 'xmpp:', 'mailto:'],
];
const TEXT = [
  ...[
    'a',
    'word ',
    'a. ',
    '1',
    '(',
    '"',
    '!',
    '中',
    '中文，',
    'א',
    '👨‍👩‍👧‍👦',
    '👨\u200d',
    '🇩🇪',
    'e\u0301',
    '\u0301',
    '\u200d',
  ],
  ...['\u030A', 'A\u030A', '\u2063 ', '\ufdd1', '\ufdd2', '\u2028', '\ud800', '\u0000', '\ufeff'],
];

/** One fragment of each kind. Repeating one gives the simplest hostile answers. */
export const HOSTILE_FRAGMENTS: readonly string[] = [...SYNTAX, ...TEXT];

/** Repeats a fragment up to a length in UTF-16 units. */
export function repeatTo(fragment: string, length: number): string {
  return fragment.repeat(Math.ceil(length / fragment.length)).slice(0, length);
}

const fragment = fc
  .array(fc.constantFrom(...HOSTILE_FRAGMENTS), { minLength: 1, maxLength: 3 })
  .map((fragments) => fragments.join(''));
const repeated = fc.tuple(fragment, fc.integer({ min: 1, max: 20_000 })).map(([one, length]) => repeatTo(one, length));
const mixed = fc
  .array(fc.constantFrom(...HOSTILE_FRAGMENTS), { maxLength: 600 })
  .map((fragments) => fragments.join(''));
const growing = fc
  .tuple(fc.constantFrom('`', '*', '_', '~', '>', '#', '$', '|', '  '), fc.integer({ min: 2, max: 150 }))
  .map(([sign, count]) => Array.from({ length: count }, (_, index) => `${sign.repeat(index + 1)}a `).join(''));

/** Markdown that is slow to parse: fragments repeated, mixed and nested, with plain text between them. */
export const hostileMarkdown: fc.Arbitrary<string> = fc
  .array(fc.oneof(repeated, repeated, mixed, growing, fc.string({ unit: 'binary', maxLength: 300 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join(''));
