import { expect, test } from 'vitest';
import { findTimeZone, guessTimeZone } from '../../src/bot/choices/time-zones.ts';

test.each([
  [['en-US', undefined], 'America/New_York'],
  [['en', 'en'], 'Europe/London'],
  [['de', 'en'], 'Europe/Berlin'],
  [['en', 'ru'], 'Europe/Moscow'],
  [['es-MX', undefined], 'America/Mexico_City'],
  [['pt-PT', undefined], 'Europe/Lisbon'],
  [['zh-Hant-TW', undefined], 'Asia/Taipei'],
  [['tlh', undefined], 'UTC'],
  [[undefined, 'ru'], 'Europe/Moscow'],
  [[undefined, undefined], 'UTC'],
])('the time zone guessed from the languages %j is %s', (languages, timeZone) => {
  expect(guessTimeZone(languages)).toBe(timeZone);
});

test('every time zone that is guessed exists', () => {
  for (const language of 'ar az be de-AT en-AU en-NZ es-AR fa fr-CA he hi hy ja ka kk ko uk vi zh-HK'.split(' '))
    expect(() => new Intl.DateTimeFormat('en', { timeZone: guessTimeZone([language]) })).not.toThrow();
});

test('a user has the chosen time zone, or the guessed one', () => {
  const chosen = { timeZone: 'Asia/Tokyo', guessedTimeZone: 'Europe/Rome' };
  expect(findTimeZone(chosen, 'de')).toEqual({ timeZone: 'Asia/Tokyo', isGuessed: false });
  expect(findTimeZone({ guessedTimeZone: 'Europe/Rome' }, 'de')).toEqual({
    timeZone: 'Europe/Berlin',
    isGuessed: true,
  });
  expect(findTimeZone({ guessedTimeZone: 'Europe/Rome' })).toEqual({ timeZone: 'Europe/Rome', isGuessed: true });
  expect(findTimeZone({ language: 'ru' })).toEqual({ timeZone: 'Europe/Moscow', isGuessed: true });
});
