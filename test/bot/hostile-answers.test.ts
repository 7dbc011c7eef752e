import { describe, expect, test } from 'vitest';
import { createBotHarness } from '../support/harness/bot.ts';
import { watchLongestStep } from '../support/machine/measure.ts';
import { repeatTo } from '../support/samples/hostile-markdown.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness({ asksForTitles: true }));

/**
 * Longest step of the event loop, which also runs the database and the simulator. Without limits a page takes many
 * seconds of CPU time.
 */
const MAX_STEP_MS = 1000;

describe('an answer with expensive Markdown', () => {
  test.each([
    ['12 kB of *_', repeatTo('*_', 12_000)],
    ['40 kB of *_', repeatTo('*_', 40_000)],
    ['20,000 times ~~a', '~~a'.repeat(20_000)],
  ])('of %s does not block the process and arrives completely', { timeout: 60_000 }, async (_, answer) => {
    const ann = harness.user('Ann');
    harness.models.scripts.push(async (write) => {
      for (let at = 0; at < answer.length; at += 200) write(answer.slice(at, at + 200));
      write('\n\nThe end.');
      return 'stop';
    }, 'Slow answers');
    const stop = watchLongestStep();
    ann.writes('Go slowly');
    await harness.sees(ann.chatId, /The end\.$/);
    expect(stop()).toBeLessThan(MAX_STEP_MS);
  });

  test('to the request for a title is no title', { timeout: 60_000 }, async () => {
    const ann = harness.user('Ann');
    let written = 0;
    harness.models.scripts.push('Short answer.', async (write) => {
      while (written < 300_000) {
        write('long title '.repeat(4));
        written += 44;
        if (written % 4400 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      return 'stop';
    });
    const stop = watchLongestStep();
    ann.writes('Give me a title');
    await expect.poll(() => written).toBeGreaterThan(299_999);
    await harness.settles(ann.chatId);
    const place = { chatId: ann.chatId, topicId: undefined };
    const conversation = await harness.conversations.findCurrentConversation(place);
    expect(conversation?.title).toBe('Give me a title');
    expect(stop()).toBeLessThan(MAX_STEP_MS);
    expect(harness.models.requests.at(-1)?.maxOutputTokens).toBe(2000);
  });
});
