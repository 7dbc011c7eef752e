import fc from 'fast-check';
import { expect, test } from 'vitest';
import { breakOffText, joinContinuation } from '../../src/bot/prompt/join-continuation.ts';

test.each([
  ['a word that was cut', 'The quick bro', 'brown fox', 'The quick brown fox'],
  ['a complete word', 'The quick brown', 'brown fox', 'The quick brown fox'],
  ['a space at the end', 'one two ', 'three', 'one two three'],
  ['a doubled space', 'one two ', ' three', 'one two three'],
  ['code that continues indented', 'if x:\n', '    return 1', 'if x:\n    return 1'],
  ['a cut in an indented line', 'if x:\n    ret', '    return 1', 'if x:\n    return 1'],
  ['a script without spaces', '你好世界', '再见', '你好世界再见'],
  [
    'repeated last words',
    'The quick brown fox jumps over',
    'brown fox jumps over the dog',
    'The quick brown fox jumps over the dog',
  ],
  ['a long address', `see ${'x'.repeat(60)}`, 'yy', `see ${'x'.repeat(60)}yy`],
  ['an empty text', '', 'Hello', 'Hello'],
  ['an empty continuation', 'Hello there', ' ', 'Hello there'],
])('joinContinuation joins %s', (_, text, continuation, whole) => {
  expect(joinContinuation(text, continuation)).toBe(whole);
});

test('breakOffText ends at a word and drops at most the last word', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 500 }), (text) => {
      const { known, gap } = breakOffText(text);
      expect(text.startsWith(known + gap)).toBe(true);
      expect(text.length - known.length - gap.length).toBeLessThanOrEqual(40);
    }),
  );
});
