import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGrowingText } from '../../src/bot/answers/answer-text.ts';

function toVisibleText(written: string, isComplete: boolean): string {
  const text = createGrowingText();
  for (const unit of written.split('')) text.add(unit);
  return text.toVisible(isComplete);
}

describe('the visible text of an answer', () => {
  test.each([
    ['<think>hm', false, ''],
    ['<think>hm</think>\n\nYes.', true, 'Yes.'],
    ['\n<thinking>a < b</thinking>No.', true, 'No.'],
    ['<thi', false, ''],
    ['<thi', true, '<thi'],
    ['<think>never ends', true, ''],
    ['Use <think> tags.', false, 'Use <think> tags.'],
    ['<thinker>', false, '<thinker>'],
    ['', false, ''],
  ])('of %j (complete: %s) is %j', (written, isComplete, visible) => {
    expect(toVisibleText(written, isComplete)).toBe(visible);
  });

  test('never removes text that was already shown', () => {
    fc.assert(
      fc.property(
        fc
          .string()
          .map((answer) => answer.trimStart())
          .filter((answer) => answer !== ''),
        fc.string().filter((thought) => !thought.includes('</think>')),
        fc.boolean(),
        (answer, thought, thinks) => {
          const written = thinks ? `<think>${thought}</think>${answer}` : `.${answer}`;
          let shown = '';
          for (let length = 1; length <= written.length; length++) {
            const visible = toVisibleText(written.slice(0, length), false);
            expect(visible.startsWith(shown)).toBe(true);
            shown = visible;
          }
          expect(toVisibleText(written, true)).toBe((thinks ? answer : `.${answer}`).trim());
        },
      ),
    );
  });
});
