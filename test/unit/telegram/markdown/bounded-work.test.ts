import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPagePlanner } from '../../../../src/bot/reply-stream/page-plan.ts';
import { cutPage, paginateMarkdown, renderRich, toSpeechText } from '../../../../src/telegram/markdown/index.ts';
import { measureBestStep, measureStep } from '../../../support/machine/measure.ts';
import { HOSTILE_FRAGMENTS, hostileMarkdown, repeatTo } from '../../../support/samples/hostile-markdown.ts';
import { listFuzzRuns, testByTier } from '../../../support/vitest/tiers.ts';

// FUZZ_MARKDOWN=100000 sets the number of runs, FUZZ_SEED=<number> repeats another run.
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const RUNS = listFuzzRuns({ seed: SEED, short: 20, long: 100, wanted: process.env['FUZZ_MARKDOWN'] });
const TIMEOUT_MS = 60_000 + 2000 * Math.max(...RUNS.map(({ count }) => count));
/** Maximum time on an idle machine. A busy machine may take longer, for an ordinary page as well. */
const MAX_STEP_MS = 50;
const MAX_TIMES_ORDINARY = 8;
const LONGEST = 300_000;
const ORDINARY = repeatTo('A sentence with **bold** words, `code` and [a link](https://example.org/page).\n\n', 10_000);
const SIGNS = { code: 'Code.', table: 'Table.', link: 'link' };

/** Measures the steps of the next page of a source, and returns the longest. */
function measurePage(markdown: string, isPartial: boolean): { readonly ms: number; readonly consumed: number } {
  const { page, consumed } = cutPage(markdown, { isPartial });
  const source = markdown.slice(0, consumed);
  const steps = [
    () => cutPage(markdown, { isPartial }),
    () => renderRich(source, page.text, { isPartial: true }),
    () => toSpeechText(markdown, SIGNS),
  ];
  return { ms: Math.max(...steps.map((step) => measureBestStep(step, MAX_STEP_MS))), consumed };
}

function expectBounded(ms: number): void {
  if (ms < MAX_STEP_MS) return;
  const ordinaryMs = measureBestStep(() => cutPage(ORDINARY), 0);
  expect(ms).toBeLessThan(Math.max(MAX_STEP_MS, MAX_TIMES_ORDINARY * ordinaryMs));
}

/** Names the failed run without printing all of its text. */
function reportShortly<Values>({ failed, numRuns, counterexample, errorInstance }: fc.RunDetails<Values>): void {
  if (failed) {
    const text = JSON.stringify(counterexample).slice(0, 300);
    throw new Error(`Run ${numRuns} failed with ${text}`, { cause: errorInstance });
  }
}

describe('a hostile answer', () => {
  testByTier(HOSTILE_FRAGMENTS, 20)('of %j repeated takes little time per page', (fragment) => {
    const markdown = repeatTo(fragment, LONGEST);
    for (const isPartial of [false, true]) {
      const { ms, consumed } = measurePage(markdown, isPartial);
      expectBounded(ms);
      expect(consumed).toBeGreaterThan(0);
    }
    expectBounded(measurePage(markdown.slice(0, 9000), true).ms);
  });

  it.each([
    ['words after an open bracket', `[${repeatTo('w ', 9000)}`],
    ['words after the open bracket of an image', `![${repeatTo('how was he ', 20_000)}`],
    ['words after a closed and an open bracket', `[a][${repeatTo('word ', 14_000)}`],
    ['addresses after brackets that close nothing', repeatTo(']www.a.b ', 20_000)],
    ['escapes after brackets that close nothing', repeatTo(']a\\(', 9000)],
    ['escaped brackets and brackets that close nothing', repeatTo('\\[a]', 9000)],
    ['brackets in code and brackets that close nothing', repeatTo('`[`]', 9000)],
  ])('of %s takes little time per page', (_, markdown) => {
    for (const isPartial of [false, true]) expectBounded(measurePage(markdown, isPartial).ms);
  });

  it('keeps its formatting after an open bracket and in other paragraphs', () => {
    const prose = 'The interval [0, 1) is **half** open. '.repeat(100);
    const { page, consumed } = cutPage(`${prose}\n\n${prose}`);
    expect(consumed).toBeGreaterThan(3500);
    expect(page.entities.length).toBe(100);
  });

  testByTier(RUNS)(
    'of any kind takes little time per page (FUZZ_SEED=$seed)',
    ({ seed, count }) => {
      fc.assert(
        fc.property(hostileMarkdown, fc.boolean(), (markdown, isPartial) => {
          let rest = markdown;
          for (let page = 0; page < 3 && rest !== ''; page++) {
            const { ms, consumed } = measurePage(rest, isPartial);
            expectBounded(ms);
            expect(consumed).toBeGreaterThan(0);
            rest = rest.slice(consumed);
          }
        }),
        { numRuns: count, seed, endOnFailure: true, reporter: reportShortly },
      );
    },
    { timeout: TIMEOUT_MS },
  );

  // Fragments that do not hide the text after them.
  const visible = [
    '*',
    '_',
    '*_',
    '_a*',
    '~~',
    '~~a',
    '**a ',
    '`',
    '``a',
    '>',
    '- ',
    '1. - ',
    '\n',
    '&amp;',
    ' ',
    '中',
    '👨‍👩‍👧‍👦',
  ];

  it('is shown completely', { timeout: 60_000 }, async () => {
    const parts = fc.array(fc.tuple(fc.constantFrom(...visible), fc.integer({ min: 1, max: 6000 })), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(parts, async (lengths) => {
        const words = lengths.map((_, index) => `word${index}`);
        const markdown = lengths
          .map(([fragment, length], index) => `${repeatTo(fragment, length)}\n\n${words[index]}\n\n`)
          .join('');
        const pages = await createPagePlanner().planFinal(markdown, { isRich: true });
        const shown = pages.map(({ text }) => text).join('\n');
        expect(shown.match(/word\d/g)).toEqual(words);
        for (const { text } of pages) expect(text.length).toBeLessThanOrEqual(4096);
      }),
      { numRuns: 30, seed: SEED, endOnFailure: true, asyncReporter: async (details) => reportShortly(details) },
    );
  });

  it('of nothing but markers needs no more messages than its text fills', () => {
    for (const fragment of ['*_', '[', '](', '<', '`', '> ', '|', ' ']) {
      expect(paginateMarkdown(repeatTo(fragment, 40_000)).length).toBeLessThan(45);
    }
  });
});

describe('a growing answer', () => {
  const PREVIEW_UNITS = 2000;

  /** Returns the longest step and the sum of all steps, in milliseconds of CPU time, while an answer grows. */
  async function stream(markdown: string) {
    const planner = createPagePlanner();
    let totalMs = 0;
    for (let end = PREVIEW_UNITS; end <= markdown.length; end += PREVIEW_UNITS) {
      let pages: Promise<unknown> | undefined;
      totalMs += measureStep(() => {
        pages = planner.planPartial(markdown.slice(0, end));
      });
      await pages;
    }
    return totalMs;
  }

  it('takes time that is linear in its length, for any content', { timeout: 60_000 }, async () => {
    const prose = repeatTo(
      'A sentence with **bold** words, `code` and [a link](https://example.org/page).\n\n',
      60_000,
    );
    await stream(prose);
    const usualMs = await stream(prose);
    for (const fragment of ['*_', '~~a', '[a](b', '> a\nb\n', '1. - a\n', ' ', '\n', 'a', '`']) {
      const ms = await stream(repeatTo(fragment, 60_000));
      expect(ms).toBeLessThan(10 * Math.max(usualMs, 200));
    }
  });

  it('yields to the event loop between pages when much text arrives at once', async () => {
    const planner = createPagePlanner();
    let turns = 0;
    const count = () => {
      turns += 1;
      immediate = setImmediate(count);
    };
    let immediate = setImmediate(count);
    const pages = await planner.planPartial(repeatTo('plain words ', 60_000));
    clearImmediate(immediate);
    expect(pages.length).toBeGreaterThan(10);
    expect(turns).toBeGreaterThan(10);
  });
});
