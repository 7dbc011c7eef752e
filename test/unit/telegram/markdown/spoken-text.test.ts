import { describe, expect, it } from 'vitest';
import { toSpeechText } from '../../../../src/telegram/markdown/index.ts';
import { corpus } from './corpus.ts';

const SIGNS = { code: 'CODE', table: 'TABLE', link: 'LINK' };

describe('Markdown that is read aloud', () => {
  it.each([
    ['marks', '# Title\n\nSome **bold**, _tilted_ and `code` words.', 'Title\n\nSome bold, tilted and code words.'],
    ['lists', '- one\n- [x] two\n  1. three', 'one\ntwo\n1. three'],
    ['code', 'Look:\n\n```ts\nlet a = 1;\n```\n\nDone.', 'Look:\n\nCODE\n\nDone.'],
    ['code in a list', '1. Do\n   ```sh\n   rm -rf x\n   ```\n2. Rest', '1. Do\nCODE\n2. Rest'],
    ['tables', 'Prices:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nDone.', 'Prices:\n\nTABLE\n\nDone.'],
    ['links', 'See [the page](https://example.org/x) or https://example.org/y.', 'See the page or LINK'],
    ['rules and notes', 'One [1]\n\n---\n\n> two[^2]', 'One\n\ntwo'],
    ['nothing', '  \n', ''],
  ])('has %s in spoken form', (_, markdown, spoken) => {
    expect(toSpeechText(markdown, SIGNS)).toBe(spoken);
  });

  it.each(corpus)('%s contains no syntax of the parser and no code', (_, markdown) => {
    const spoken = toSpeechText(markdown, SIGNS);
    expect(spoken).not.toMatch(/[\u{FDD1}\u{FDD2}\u2063]|```|https?:\/\//u);
    expect(spoken).toBe(spoken.trim());
  });
});
