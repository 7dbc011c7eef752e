import { describe, expect, it } from 'vitest';
import { contentOf, createReplyHarness, paginate } from '../support/harness/replies.ts';

const shown = (stage: ReturnType<typeof createReplyHarness>) => contentOf(stage.telegram.transcript(7));
const italic = (offset: number, length: number) => ({ type: 'italic', offset, length });

describe('a status below an answer', () => {
  it('is shown alone before the first text and removed with it', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream();
    stream.update('', { status: '🔎 Searching' });
    await stage.clock.advance(100);
    expect(shown(stage)).toEqual([{ text: '🔎 Searching', entities: [italic(0, 12)] }]);
    stream.update('Good');
    await stage.clock.advance(2000);
    expect(shown(stage)).toEqual([{ text: 'Good', entities: [] }]);
  });

  it('is shown below the formatted text', async () => {
    const stage = createReplyHarness();
    stage.stream().update('**Good** morning ', { status: 'Reading' });
    await stage.clock.advance(100);
    const entities = [{ type: 'bold', offset: 0, length: 4 }, italic(14, 7)];
    expect(shown(stage)).toEqual([{ text: 'Good morning\n\nReading', entities }]);
  });

  it('is shown together with a preface above the text', async () => {
    const stage = createReplyHarness();
    const preface = { quote: { text: 'Hm', isFolded: false } };
    const stream = stage.stream();
    stream.update('', { preface, status: 'Reading' });
    await stage.clock.advance(100);
    const quotation = { type: 'blockquote', offset: 0, length: 2 };
    expect(shown(stage)).toEqual([{ text: 'Hm\n\nReading', entities: [quotation, italic(4, 7)] }]);
    stream.update('Good', { preface, status: 'Reading' });
    await stage.clock.advance(2000);
    expect(shown(stage)).toEqual([{ text: 'Hm\nGood\n\nReading', entities: [quotation, italic(9, 7)] }]);
  });

  it('is not part of the finished answer', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream();
    stream.update('Good morning', { status: 'Reading' });
    await stage.clock.advance(100);
    await stage.settle(stream.finish('Good morning'));
    expect(shown(stage)).toEqual(paginate('Good morning'));
  });

  it('is removed when the answer is empty', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream();
    stream.update('', { status: 'Reading' });
    await stage.clock.advance(100);
    await stage.settle(stream.finish(''));
    expect(shown(stage)).toEqual([]);
  });

  it('is shown below the last of several pages and adds no page', async () => {
    const stage = createReplyHarness();
    const stream = stage.stream({}, { maxUnits: 40 });
    const words = 'one two three four five six seven eight nine ten';
    stream.update(words, { status: 'Reading' });
    await stage.clock.advance(10_000);
    expect(shown(stage).at(-1)?.text).toMatch(/ten\n\nReading$/);
    const full = 'one two three four five six seven';
    stream.update(full, { status: 'Reading for quite a while' });
    await stage.clock.advance(10_000);
    expect(shown(stage)[0]?.text).toBe(full);
  });

  it('is limited to the pace of previews', async () => {
    const stage = createReplyHarness({ latencyMs: 100 });
    const stream = stage.stream();
    for (let change = 0; change < 100; change++) {
      stream.update('Good morning', { status: `Step ${change}` });
      await stage.clock.advance(50);
    }
    const times = stage.calls().map(({ at }) => at);
    expect(times.length).toBeLessThanOrEqual(7);
    await stage.clock.advance(2000);
    expect(shown(stage)[0]?.text).toMatch(/Step 99$/);
  });
});
