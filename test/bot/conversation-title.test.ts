import { describe, expect, test } from 'vitest';
import { readTitle, toFirstWords, toTitle } from '../../src/bot/choices/topics.ts';

describe('readTitle', () => {
  test.each([
    ['Noon bells', 'Noon bells'],
    ['"Noon bells."', 'Noon bells'],
    ['**Title:** Noon bells', 'Noon bells'],
    ['# Noon bells\n\nMore words', 'Noon bells'],
    ['Название: «Полуденные колокола»', 'Полуденные колокола'],
    ['\n\n  Noon   bells \n', 'Noon bells'],
    ['And so on...', 'And so on...'],
    ['C++ and C#', 'C++ and C'],
  ])('reads %j as %j', (answer, title) => {
    expect(readTitle(answer)).toBe(title);
  });

  test('skips lines of which nothing is visible', () => {
    expect(readTitle('\u200B\n**\u3164**\nNoon bells')).toBe('Noon bells');
  });

  test.each(['', '\n\n', '***', '""', '\u200B', '**\u2800**', '\uFEFF\n\u3164'])('finds no title in %j', (answer) => {
    expect(readTitle(answer)).toBeUndefined();
  });

  test('cuts a long title at a word', () => {
    const title = readTitle('word '.repeat(40)) ?? '';
    expect(title.length).toBeLessThanOrEqual(60);
    expect(title).toMatch(/word…$/);
    expect([...(readTitle('🙂'.repeat(100)) ?? '')]).toHaveLength(60);
  });
});

test('toFirstWords skips quotes at the start of a question', () => {
  expect(toFirstWords('> Something old\n\nWhat is that?')).toBe('What is that?');
  expect(toFirstWords('> Something old')).toBe('> Something old');
  expect(toFirstWords('> Something old\n\n\u200B')).toBe('> Something old \u200B');
  for (const blank of [' \n ', '\u200B', '\u3164']) expect(toFirstWords(blank)).toBeUndefined();
});

test('toTitle puts the title of a user on one line', () => {
  expect(toTitle(' My\ntitle\u0000 ')).toBe('My title');
  for (const blank of [' \n', '\u200B', '\u00AD \u3164', '\u2800']) expect(toTitle(blank)).toBeUndefined();
});
