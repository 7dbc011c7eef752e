import { describe, expect, test } from 'vitest';
import { parseWhen } from '../../src/bot/features/tasks/parse-when.ts';
import { resolveWhen } from '../../src/bot/features/tasks/resolve-when.ts';

/** A Tuesday. */
const NOW = '2026-11-24T12:00';
/** Returns the minutes from now, or the date and time with the rule, and the text after it. */
const read = (text: string) => {
  const parsed = parseWhen(text);
  if (!parsed) return undefined;
  const { when, rest } = parsed;
  if (when.kind === 'after') return [when.minutes, rest];
  return [[resolveWhen(when, NOW), when.rule].filter((part) => part !== undefined).join(' '), rest];
};

describe('the time of a reminder', () => {
  test.each([
    ['20m tea', 20, 'tea'],
    ['in 20 minutes: tea', 20, 'tea'],
    ['in 20 minutes drink tea\nwith milk', 20, 'drink tea\nwith milk'],
    ['me in an hour to call Ann', 60, 'call Ann'],
    ['1h30m tea', 90, 'tea'],
    ['2 days 3 hours tea', 51 * 60, 'tea'],
    ['20мин чай', 20, 'чай'],
    ['через 2 часа чай', 120, 'чай'],
    ['мне через час позвонить Ане', 60, 'позвонить Ане'],
    ['через неделю чай', 7 * 1440, 'чай'],
    ['20 tea', undefined, undefined],
    ['hour tea', undefined, undefined],
    ['20x tea', undefined, undefined],
  ])('after a while: %s', (text, minutes, rest) => {
    expect(read(text)).toEqual(minutes === undefined ? undefined : [minutes, rest]);
  });

  test.each([
    ['18:30 tea', '2026-11-24T18:30', 'tea'],
    ['at 11:30 tea', '2026-11-25T11:30', 'tea'],
    ['12:00 tea', '2026-11-25T12:00', 'tea'],
    ['9am tea', '2026-11-25T09:00', 'tea'],
    ['at 9 pm tea', '2026-11-24T21:00', 'tea'],
    ['12am tea', '2026-11-25T00:00', 'tea'],
    ['в 18 чай', '2026-11-24T18:00', 'чай'],
    ['tomorrow 9:00 tea', '2026-11-25T09:00', 'tea'],
    ['tomorrow at the dentist', '2026-11-25T09:00', 'at the dentist'],
    ['завтра в 18.30 чай', '2026-11-25T18:30', 'чай'],
    ['18:30 завтра чай', '2026-11-25T18:30', 'чай'],
    ['послезавтра чай', '2026-11-26T09:00', 'чай'],
    ['on Friday at 8:15 tea', '2026-11-27T08:15', 'tea'],
    ['tuesday 11:00 tea', '2026-12-01T11:00', 'tea'],
    ['tuesday 13:00 tea', '2026-11-24T13:00', 'tea'],
    ['в среду чай', '2026-11-25T09:00', 'чай'],
    ['2026-12-24 18:00 tea', '2026-12-24T18:00', 'tea'],
    ['24.12. 18:00 tea', '2026-12-24T18:00', 'tea'],
    ['1.3. tea', '2027-03-01T09:00', 'tea'],
    ['29.02. tea', '2028-02-29T09:00', 'tea'],
    ['today 11:00 tea', '', 'tea'],
    ['2020-01-01 tea', '', 'tea'],
  ])('at a time: %s', (text, at, rest) => {
    expect(read(text)).toEqual([at, rest]);
  });

  test.each([
    ['every day 9:00 tea', '2026-11-24T09:00 FREQ=DAILY', 'tea'],
    ['every weekday at 8:00 tea', '2026-11-24T08:00 FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'tea'],
    ['8:00 daily tea', '2026-11-24T08:00 FREQ=DAILY', 'tea'],
    ['every friday tea', '2026-11-24T09:00 FREQ=WEEKLY;BYDAY=FR', 'tea'],
    ['каждый день в 9:00 чай', '2026-11-24T09:00 FREQ=DAILY', 'чай'],
    ['каждый будний день 8:00 чай', '2026-11-24T08:00 FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'чай'],
    ['по будням 8:00 чай', '2026-11-24T08:00 FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'чай'],
    ['по понедельникам чай', '2026-11-24T09:00 FREQ=WEEKLY;BYDAY=MO', 'чай'],
    ['every month tea', '2026-11-24T09:00 FREQ=MONTHLY', 'tea'],
    ['every 2 hours tea', '2026-11-24T12:00 FREQ=HOURLY;INTERVAL=2', 'tea'],
    ['every hour at 8:15 tea', '2026-11-24T08:15 FREQ=HOURLY', 'tea'],
    ['каждые 3 дня в 9:30 чай', '2026-11-24T09:30 FREQ=DAILY;INTERVAL=3', 'чай'],
    ['каждые 45 минут чай', '2026-11-24T12:00 FREQ=MINUTELY;INTERVAL=45', 'чай'],
    ['every 0 hours tea', '2026-11-24T12:00 FREQ=HOURLY;INTERVAL=0', 'tea'],
  ])('again and again: %s', (text, at, rest) => {
    expect(read(text)).toEqual([at, rest]);
  });

  test.each([
    '',
    'tea',
    'at',
    'in',
    'every',
    'every cat',
    '25:00 tea',
    '13pm tea',
    '31.02. tea',
    'at 25 tea',
    'every 0 seconds tea',
    'every 99999 hours tea',
    'every day 25:00 tea',
    'tomorrow at 24:30 tea',
    'friday 13pm tea',
    '18:30 31.02. tea',
    '99999999m tea',
  ])('is missing: %s', (text) => expect(parseWhen(text)).toBeUndefined());
});
