import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRecurrence, parseReminder, parseWhen, toTimes } from '../../../../src/core/tasks/index.ts';
import { describeTimes } from '../../../../src/texts/describe-times.ts';
import { localeCodes } from '../../../../src/texts/locale.ts';
import { measureStep } from '../../../support/machine/measure.ts';
import { countInputs } from '../../../support/vitest/tiers.ts';

/** Words for days, and which days they mean. */
interface Days {
  readonly words: string;
  readonly isRepeated: boolean;
  readonly means: (day: Date) => boolean;
}
/** Words for times of a day, and the minutes of the day that they mean. */
interface Times {
  readonly words: string;
  readonly minutes: readonly number[];
}

const DAY_MS = 86_400_000;
const LISTED_DAYS = 3000;
const OCCURRENCES = 4;

const ENGLISH_DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const SHORT_DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const RUSSIAN_DAYS = ['воскресенье', 'понедельник', 'вторник', 'среду', 'четверг', 'пятницу', 'субботу'];
const RUSSIAN_DATIVES = ['воскресеньям', 'понедельникам', 'вторникам', 'средам', 'четвергам', 'пятницам', 'субботам'];
const RUSSIAN_GENITIVES = ['воскресенья', 'понедельника', 'вторника', 'среды', 'четверга', 'пятницы', 'субботы'];
const ENGLISH_MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);
const RUSSIAN_MONTHS = 'января февраля марта апреля мая июня июля августа сентября октября ноября декабря'.split(' ');
const HOURS_TO_COME =
  'первого второго третьего четвёртого пятого шестого седьмого восьмого девятого десятого одиннадцатого двенадцатого'.split(
    ' ',
  );

const toOrdinal = (number: number) =>
  `${number}${{ 1: 'st', 2: 'nd', 3: 'rd', 21: 'st', 22: 'nd', 23: 'rd', 31: 'st' }[number] ?? 'th'}`;
const joinWords = (words: readonly string[], and: string) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${and} ${words.at(-1)}`;
const repeated = (words: string, means: Days['means']): Days => ({ words, isRepeated: true, means });
const once = (words: string, means: Days['means']): Days => ({ words, isRepeated: false, means });
const pad = (number: number) => `${number}`.padStart(2, '0');

const weekday = fc.nat(6);
const weekdays = fc.uniqueArray(weekday, { minLength: 1, maxLength: 4 });
const ranges = fc.tuple(weekday, weekday).filter(([from, to]) => from !== to);
const monthDay = fc.integer({ min: 1, max: 31 });
const monthDays = fc.uniqueArray(monthDay, { minLength: 1, maxLength: 3 });
const date = fc.tuple(fc.nat(11), fc.integer({ min: 1, max: 28 }));
const isIn = (from: number, to: number) => (day: Date) => (day.getUTCDay() - from + 7) % 7 <= (to - from + 7) % 7;
const isLastOfMonth = (day: Date) => new Date(day.getTime() + DAY_MS).getUTCDate() === 1;
const isDate = (month: number, number: number) => (day: Date) =>
  day.getUTCMonth() === month && day.getUTCDate() === number;

/** @param today start of the present day. */
function listDays(today: number, language: 'english' | 'russian'): fc.Arbitrary<Days> {
  const inDays = (count: number) => (day: Date) => day.getTime() === today + count * DAY_MS;
  const isOneOf = (chosen: readonly number[]) => (day: Date) => chosen.includes(day.getUTCDay());
  const isNth = (nth: number, wanted: number) => (day: Date) => {
    const isRight = nth < 0 ? isLastWeek(day) : Math.ceil(day.getUTCDate() / 7) === nth;
    return day.getUTCDay() === wanted && isRight;
  };
  const isLastWeek = (day: Date) => new Date(day.getTime() + 7 * DAY_MS).getUTCMonth() !== day.getUTCMonth();
  const nth = fc.tuple(fc.constantFrom(1, 2, 3, 4, -1), weekday);
  const english = fc.oneof(
    fc.constantFrom('every day', 'daily', 'each day').map((words) => repeated(words, () => true)),
    fc
      .constantFrom('every weekday', 'weekdays', 'on workdays', 'every working day')
      .map((words) => repeated(words, isIn(1, 5))),
    weekdays.map((chosen) =>
      repeated(
        `every ${joinWords(
          chosen.map((one) => ENGLISH_DAYS[one] ?? ''),
          'and',
        )}`,
        isOneOf(chosen),
      ),
    ),
    weekdays.map((chosen) =>
      repeated(
        `on ${joinWords(
          chosen.map((one) => `${ENGLISH_DAYS[one]}s`),
          'and',
        )}`,
        isOneOf(chosen),
      ),
    ),
    ranges.map(([from, to]) => repeated(`${ENGLISH_DAYS[from]} to ${ENGLISH_DAYS[to]}`, isIn(from, to))),
    ranges.map(([from, to]) => repeated(`${SHORT_DAYS[from]}-${SHORT_DAYS[to]}`, isIn(from, to))),
    weekdays.map((left) =>
      repeated(
        `every day except ${joinWords(
          left.map((one) => ENGLISH_DAYS[one] ?? ''),
          'and',
        )}`,
        (day) => !isOneOf(left)(day),
      ),
    ),
    monthDays.map((days) =>
      repeated(`every month on the ${joinWords(days.map(toOrdinal), 'and')}`, (day) => days.includes(day.getUTCDate())),
    ),
    monthDay.map((number) =>
      repeated(`on the ${toOrdinal(number)} of each month`, (day) => day.getUTCDate() === number),
    ),
    fc.constant(repeated('on the last day of every month', isLastOfMonth)),
    nth.map(([which, day]) =>
      repeated(
        `on the ${which < 0 ? 'last' : toOrdinal(which)} ${ENGLISH_DAYS[day]} of every month`,
        isNth(which, day),
      ),
    ),
    date.map(([month, number]) => repeated(`every year on ${number} ${ENGLISH_MONTHS[month]}`, isDate(month, number))),
    date.map(([month, number]) =>
      repeated(`every ${ENGLISH_MONTHS[month]} ${toOrdinal(number)}`, isDate(month, number)),
    ),
    fc.constant(once('tomorrow', inDays(1))),
    fc.integer({ min: 2, max: 60 }).map((count) => once(`in ${count} days`, inDays(count))),
    weekday.map((day) => once(`on ${ENGLISH_DAYS[day]}`, (one) => one.getUTCDay() === day)),
    date.map(([month, number]) => once(`on ${number} ${ENGLISH_MONTHS[month]}`, isDate(month, number))),
    date.map(([month, number]) =>
      once(`on the ${toOrdinal(number)} of ${ENGLISH_MONTHS[month]}`, isDate(month, number)),
    ),
    monthDay.map((number) => once(`on the ${toOrdinal(number)}`, (day) => day.getUTCDate() === number)),
  );
  const russian = fc.oneof(
    fc.constantFrom('каждый день', 'ежедневно').map((words) => repeated(words, () => true)),
    fc.constantFrom('по будням', 'каждый будний день', 'по рабочим дням').map((words) => repeated(words, isIn(1, 5))),
    weekdays.map((chosen) =>
      repeated(
        `по ${joinWords(
          chosen.map((one) => RUSSIAN_DATIVES[one] ?? ''),
          'и',
        )}`,
        isOneOf(chosen),
      ),
    ),
    ranges.map(([from, to]) => repeated(`с ${RUSSIAN_GENITIVES[from]} по ${RUSSIAN_DAYS[to]}`, isIn(from, to))),
    weekdays.map((left) =>
      repeated(
        `каждый день кроме ${joinWords(
          left.map((one) => RUSSIAN_GENITIVES[one] ?? ''),
          'и',
        )}`,
        (day) => !isOneOf(left)(day),
      ),
    ),
    monthDay.map((number) => repeated(`каждый месяц ${number}-го числа`, (day) => day.getUTCDate() === number)),
    monthDay.map((number) => repeated(`${number} числа каждого месяца`, (day) => day.getUTCDate() === number)),
    date.map(([month, number]) => repeated(`каждый год ${number} ${RUSSIAN_MONTHS[month]}`, isDate(month, number))),
    fc.constant(once('завтра', inDays(1))),
    fc.integer({ min: 5, max: 20 }).map((count) => once(`через ${count} дней`, inDays(count))),
    weekday.map((day) => once(`${day === 2 ? 'во' : 'в'} ${RUSSIAN_DAYS[day]}`, (one) => one.getUTCDay() === day)),
    date.map(([month, number]) => once(`${number} ${RUSSIAN_MONTHS[month]}`, isDate(month, number))),
  );
  return language === 'english' ? english : russian;
}

const hour = fc.nat(23);
const minute = fc.nat(59);
const early = fc.integer({ min: 1, max: 11 });
const at = (words: string, ...minutes: readonly number[]): Times => ({ words, minutes });

const TIMES: Readonly<Record<'english' | 'russian', fc.Arbitrary<Times>>> = {
  english: fc.oneof(
    fc.tuple(hour, minute).map(([h, m]) => at(`at ${h}:${pad(m)}`, h * 60 + m)),
    hour.map((h) => at(`at ${h}`, h * 60)),
    early.map((h) => at(`at ${h}pm`, (h + 12) * 60)),
    early.map((h) => at(`${h} am`, h * 60)),
    fc.integer({ min: 4, max: 11 }).map((h) => at(`at ${h} in the evening`, (h + 12) * 60)),
    early.map((h) => at(`at half past ${h}`, h * 60 + 30)),
    early.filter((h) => h > 1).map((h) => at(`at quarter to ${h}`, h * 60 - 15)),
    fc.tuple(fc.integer({ min: 1, max: 29 }), early).map(([m, h]) => at(`${m} past ${h}`, h * 60 + m)),
    fc.constant(at('at noon', 12 * 60)),
  ),
  russian: fc.oneof(
    fc.tuple(hour, minute).map(([h, m]) => at(`в ${h}:${pad(m)}`, h * 60 + m)),
    hour.filter((h) => h > 1).map((h) => at(`в ${h}`, h * 60)),
    fc.integer({ min: 4, max: 11 }).map((h) => at(`в ${h} вечера`, (h + 12) * 60)),
    early.map((h) => at(`в ${h} утра`, h * 60)),
    fc.integer({ min: 1, max: 5 }).map((h) => at(`в ${h} часа дня`, (h + 12) * 60)),
    early.map((h) => at(`в половине ${HOURS_TO_COME[h]}`, h * 60 + 30)),
    early.filter((h) => h > 1).map((h) => at(`без четверти ${h}`, h * 60 - 15)),
    fc.constant(at('в полдень', 12 * 60)),
  ),
};
const SEVERAL: Readonly<Record<'english' | 'russian', fc.Arbitrary<Times>>> = {
  english: fc
    .uniqueArray(hour, { minLength: 2, maxLength: 4 })
    .map((hours) => at(`at ${joinWords(hours.map(String), 'and')}`, ...hours.map((h) => h * 60))),
  russian: fc.uniqueArray(hour, { minLength: 2, maxLength: 4 }).map((hours) =>
    at(
      `в ${joinWords(
        hours.map((h) => `${h}:15`),
        'и',
      )}`,
      ...hours.map((h) => h * 60 + 15),
    ),
  ),
};

const TEXTS = ['tea', 'call Ann about the 3 invoices', 'чай', 'позвонить Ане и Пете', 'buy milk, bread'];
const NOW = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2029, 11, 31) }).map((ms) => ms - (ms % 60_000));

/** Lists what the words mean, minute by minute, independently of rules. */
function listMeant({ means, isRepeated }: Days, { minutes }: Times, nowMs: number): readonly number[] {
  const today = nowMs - (nowMs % DAY_MS);
  const found: number[] = [];
  for (let ms = today; ms < today + LISTED_DAYS * DAY_MS && found.length < OCCURRENCES; ms += DAY_MS) {
    if (!means(new Date(ms))) continue;
    const ofDay = minutes.toSorted((one, other) => one - other).map((one) => ms + one * 60_000);
    found.push(...ofDay.filter((one) => one > nowMs));
  }
  return found.slice(0, isRepeated ? OCCURRENCES : 1);
}

function listRead(text: string, nowMs: number) {
  const parsed = parseReminder(text);
  const times = parsed && toTimes(parsed.when, { timeZone: 'UTC', nowMs });
  if (!parsed || !times) return { rest: parsed?.rest, at: undefined };
  const recurrence = createRecurrence(times);
  const found: number[] = [];
  for (
    let next = recurrence.next(nowMs);
    next !== undefined && found.length < OCCURRENCES;
    next = recurrence.next(next)
  ) {
    found.push(next);
  }
  return { rest: parsed.rest, at: found, times };
}

const phrase = fc
  .tuple(NOW, fc.constantFrom('english' as const, 'russian' as const))
  .chain(([nowMs, language]) =>
    listDays(nowMs - (nowMs % DAY_MS), language).chain((days) =>
      (days.isRepeated ? fc.oneof({ weight: 3, arbitrary: TIMES[language] }, SEVERAL[language]) : TIMES[language]).map(
        (times) => ({ nowMs, days, times }),
      ),
    ),
  );

describe('a phrase in words', () => {
  test.each([
    ['before the text', (when: string, text: string) => `${when} ${text}`],
    ['after the text', (when: string, text: string) => `${text} ${when}`],
    ['before a colon', (when: string, text: string) => `${when}: ${text}`],
  ])('means what it says, %s', (_, join) => {
    fc.assert(
      fc.property(phrase, fc.constantFrom(...TEXTS), ({ nowMs, days, times }, text) => {
        const meant = { at: listMeant(days, times, nowMs).map(toText), rest: text };
        // "Every day except every day" means no day.
        if (meant.at.length === 0) return;
        const { at: found, rest, times: stored } = listRead(join(`${days.words} ${times.words}`, text), nowMs);
        expect({ at: found?.map(toText), rest }).toEqual(meant);
        if (stored) for (const locale of localeCodes) expect(describeTimes(locale, stored)).not.toMatch(/FREQ|BY[A-Z]/);
      }),
      { numRuns: countInputs(500) },
    );
  });

  test('means the same with the time before the day, and with both around the text', () => {
    fc.assert(
      fc.property(phrase, ({ nowMs, days, times }) => {
        const meant = listMeant(days, times, nowMs).map(toText);
        const texts = [`${times.words} ${days.words} tea`, `${days.words} drink tea ${times.words}`];
        for (const text of texts) {
          const { at: found } = listRead(text, nowMs);
          // A refusal is right, another time is not.
          if (found) expect({ text, at: found.map(toText) }).toEqual({ text, at: meant });
        }
      }),
      { numRuns: countInputs(500) },
    );
  });

  test('is refused or understood, but never throws or takes long, whatever its words are', () => {
    const words = fc.constantFrom(
      ...'every each at in on the of and or to past half quarter a an until except but next other once 9 15 21 15th 9:00 24.12. 10.11 am pm noon midnight day days week month year hour minutes monday fri weekdays first last december morning evening tonight tomorrow , : - tea'.split(
        ' ',
      ),
      ...'каждый по в через и или до кроме без половине девятого четверть дня вечера числа месяца год понедельник средам утром завтра раз час часа минут чай'.split(
        ' ',
      ),
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 14 }), (chosen) => {
        const nowMs = Date.UTC(2026, 10, 24, 12);
        const text = chosen.join(' ');
        const parsed = parseReminder(text);
        if (parsed) toTimes(parsed.when, { timeZone: 'Europe/Berlin', nowMs });
        const when = parseWhen(text);
        if (when) expect(parseReminder(`${text}: tea`)).toEqual({ when, rest: 'tea' });
      }),
      { numRuns: countInputs(3000) },
    );
    const cpuMs = measureStep(() => {
      for (const word of ['every ', 'at 9 and ', 'monday, ', '9:00 ', 'in 1 hour and ', 'a '])
        parseReminder(word.repeat(4096 / word.length));
    });
    expect(cpuMs).toBeLessThan(500);
  });
});

function toText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16);
}
