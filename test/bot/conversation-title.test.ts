import { describe, expect, test } from 'vitest';
import { readTitle, toFirstWords, toTitle } from '../../src/bot/topics/conversation-title.ts';

describe('a title that a model gave', () => {
  test.each([
    ['Noon bells', 'Noon bells'],
    ['"Noon bells."', 'Noon bells'],
    ['**Title:** Noon bells', 'Noon bells'],
    ['# Noon bells\n\nMore words', 'Noon bells'],
    ['Название: «Полуденные колокола»', 'Полуденные колокола'],
    ['\n\n  Noon   bells \n', 'Noon bells'],
    ['And so on...', 'And so on...'],
    ['C++ and C#', 'C++ and C'],
  ])('%j is %j', (answer, title) => {
    expect(readTitle(answer)).toBe(title);
  });

  test.each(['', '\n\n', '***', '""'])('%j is none', (answer) => {
    expect(readTitle(answer)).toBeUndefined();
  });

  test('that is too long ends at a word', () => {
    const title = readTitle('word '.repeat(40)) ?? '';
    expect(title.length).toBeLessThanOrEqual(60);
    expect(title).toMatch(/word…$/);
    expect([...(readTitle('🙂'.repeat(100)) ?? '')]).toHaveLength(60);
  });
});

test('the first words of a question are its own, not those that it quotes', () => {
  expect(toFirstWords('> Something old\n\nWhat is that?')).toBe('What is that?');
  expect(toFirstWords('> Something old')).toBe('> Something old');
  expect(toFirstWords(' \n ')).toBeUndefined();
});

test('a title of a person stays in one line', () => {
  expect(toTitle(' My\ntitle\u0000 ')).toBe('My title');
  expect(toTitle(' \n')).toBeUndefined();
});
