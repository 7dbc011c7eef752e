import fc from 'fast-check';
import { expect, test } from 'vitest';
import { breakOffText, joinContinuation } from '../../src/bot/prompt/join-continuation.ts';

test.each([
  ['a word that was cut', 'The quick bro', 'brown fox', 'The quick brown fox'],
  ['a word that was whole', 'The quick brown', 'brown fox', 'The quick brown fox'],
  ['a space at the end', 'one two ', 'three', 'one two three'],
  ['a space too many', 'one two ', ' three', 'one two three'],
  ['code that goes on indented', 'if x:\n', '    return 1', 'if x:\n    return 1'],
  ['a cut in an indented line', 'if x:\n    ret', '    return 1', 'if x:\n    return 1'],
  ['a script without spaces', '你好世界', '再见', '你好世界再见'],
  [
    'last words that are repeated',
    'The quick brown fox jumps over',
    'brown fox jumps over the dog',
    'The quick brown fox jumps over the dog',
  ],
  ['a long address', `see ${'x'.repeat(60)}`, 'yy', `see ${'x'.repeat(60)}yy`],
  ['nothing before', '', 'Hello', 'Hello'],
  ['nothing behind', 'Hello there', ' ', 'Hello there'],
])('%s leaves no seam', (_, text, continuation, whole) => {
  expect(joinContinuation(text, continuation)).toBe(whole);
});

test('what a model is shown ends with a word, and nothing but a last word is missing', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 500 }), (text) => {
      const { known, gap } = breakOffText(text);
      expect(text.startsWith(known + gap)).toBe(true);
      expect(text.length - known.length - gap.length).toBeLessThanOrEqual(40);
    }),
  );
});
