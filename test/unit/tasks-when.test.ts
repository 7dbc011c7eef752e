import { describe, expect, test } from 'vitest';
import { parseWhen, parseWhenAtEnd } from '../../src/core/tasks/when/parse-when.ts';
import { resolveWhen } from '../../src/core/tasks/when/resolve-when.ts';

/** A Tuesday. */
const NOW = '2026-11-24T12:00';
/** Returns the minutes from now, or the date and time with the rule, and the text after it. */
const read = (text: string, parsed = parseWhen(text)) => {
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
    ['in half an hour tea', 30, 'tea'],
    ['through 1.5 hours', undefined, undefined],
    ['in 1.5 hours tea', 90, 'tea'],
    ['через полчаса чай', 30, 'чай'],
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
    ['tomorrow noon lunch', '2026-11-25T12:00', 'lunch'],
    ['at noon lunch', '2026-11-25T12:00', 'lunch'],
    ['в полдень обед', '2026-11-25T12:00', 'обед'],
    ['tonight call Ann', '2026-11-24T20:00', 'call Ann'],
    ['monday morning gym', '2026-11-30T09:00', 'gym'],
    ['tomorrow in the evening at 8:30 tea', '2026-11-25T20:30', 'tea'],
    ['в пятницу вечером кино', '2026-11-27T19:00', 'кино'],
    ['завтра в 8 вечера кино', '2026-11-25T20:00', 'кино'],
    ['в 9 утра чай', '2026-11-25T09:00', 'чай'],
    ['8:30 pm tea', '2026-11-24T20:30', 'tea'],
    ['Dec 24 18:00 tea', '2026-12-24T18:00', 'tea'],
    ['on 24th December 2027 tea', '2027-12-24T09:00', 'tea'],
    ['31 декабря в 23:50 чай', '2026-12-31T23:50', 'чай'],
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
    ['every monday and friday 9am gym', '2026-11-24T09:00 FREQ=WEEKLY;BYDAY=MO,FR', 'gym'],
    ['every mon, wed, fri 18:00 gym', '2026-11-24T18:00 FREQ=WEEKLY;BYDAY=MO,WE,FR', 'gym'],
    ['по выходным 10:00 бег', '2026-11-24T10:00 FREQ=WEEKLY;BYDAY=SA,SU', 'бег'],
    ['every day in the morning tea', '2026-11-24T09:00 FREQ=DAILY', 'tea'],
    ['every 0 hours tea', '2026-11-24T12:00 FREQ=HOURLY;INTERVAL=0', 'tea'],
  ])('again and again: %s', (text, at, rest) => {
    expect(read(text)).toEqual([at, rest]);
  });

  test.each([
    ['call Ann in 20 minutes', 20, 'call Ann'],
    ['me to call Ann tomorrow at 9:30', '2026-11-25T09:30', 'call Ann'],
    ['чай через 2 часа', 120, 'чай'],
    ['buy milk on friday', '2026-11-27T09:00', 'buy milk'],
    ['gym every monday and friday 9am', '2026-11-24T09:00 FREQ=WEEKLY;BYDAY=MO,FR', 'gym'],
    ['buy cable 2 m', undefined, undefined],
    ['tea', undefined, undefined],
    ['tea at 25:00', undefined, undefined],
  ])('at the end: %s', (text, at, rest) => {
    expect(read(text, parseWhenAtEnd(text))).toEqual(at === undefined ? undefined : [at, rest]);
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
    'morning run',
    '30 февраля чай',
    'every 99999 hours tea',
    'every day 25:00 tea',
    'tomorrow at 24:30 tea',
    'friday 13pm tea',
    '18:30 31.02. tea',
    '99999999m tea',
  ])('is missing: %s', (text) => expect(parseWhen(text)).toBeUndefined());
});
