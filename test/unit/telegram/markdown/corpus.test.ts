import { describe, expect, it } from 'vitest';
import { cutPage, paginateMarkdown, renderMarkdown } from '../../../../src/telegram/markdown/index.ts';
import { testByTier } from '../../../support/vitest/tiers.ts';
import { corpus, listPrefixLengths } from './corpus.ts';
import { findEntityProblems } from './find-entity-problems.ts';
import { streamPages } from './stream-pages.ts';

const HAS_TABLE = /\|\s*:?-|-\|-/;

describe.each(corpus)('%s', (name, markdown) => {
  testByTier([16, 1])('renders to valid entities at prefixes in steps of %d', (step) => {
    for (const [at, length] of listPrefixLengths(markdown).entries()) {
      if (at % step > 0) continue;
      const prefix = markdown.slice(0, length);
      const rendered = renderMarkdown(prefix, { isPartial: length % 8 > 0 });
      expect(findEntityProblems(rendered), JSON.stringify(prefix.slice(-200))).toEqual([]);
    }
  });

  testByTier([64, 300, 1000, 4096])('has pages of at most %d units that contain all of it once', (maxUnits) => {
    const pages = paginateMarkdown(markdown, { maxUnits });
    for (const page of pages) {
      expect(findEntityProblems(page)).toEqual([]);
      expect(page.text.length).toBeLessThanOrEqual(maxUnits);
      expect(page.text.trim()).not.toBe('');
    }
    const text = pages.map((page) => page.text).join('\n');
    const whole = renderMarkdown(markdown).text;
    // A table's header is repeated, and its format depends on the rows of the page.
    if (HAS_TABLE.test(markdown)) expect(listWords(text)).toEqual(listWords(whole));
    else expect(withoutSpace(text)).toBe(withoutSpace(whole));
  });

  testByTier([
    { stepUnits: 7, maxUnits: 400 },
    { stepUnits: 1, maxUnits: 100 },
    { stepUnits: 101, maxUnits: 4096 },
  ])('has the same pages while it grows by $stepUnits units', ({ stepUnits, maxUnits }) => {
    if (UNSTABLE.has(name) || markdown.length / stepUnits > 800) return;
    expect(streamPages(markdown, stepUnits, maxUnits)).toEqual(paginateMarkdown(markdown, { maxUnits }));
  });

  it('makes progress with every page', () => {
    let rest = markdown;
    while (rest.trim() !== '') {
      const { consumed, reopen } = cutPage(rest, { maxUnits: 64 });
      const next = reopen + rest.slice(consumed);
      expect(consumed).toBeGreaterThan(0);
      expect(next.length).toBeLessThan(rest.length);
      rest = next;
    }
  });
});

// The rendering of these depends on later text: links with targets at the end, emphasis that is never closed,
// a table whose single rows are longer than a page.
const UNSTABLE = new Set(['links', 'emphasis-corner-cases', 'control-characters', 'wide-table']);

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '');
}

/** Each word once, to compare texts that arrange the same words differently. */
function listWords(text: string): string[] {
  return [...new Set(text.match(/[\p{L}\p{N}]+|\p{Extended_Pictographic}/gu) ?? [])].sort();
}
