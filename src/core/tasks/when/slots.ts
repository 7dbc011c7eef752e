import { WEEKDAY_CODES } from '../../../lib/dates.ts';
import { type Amounts, isDays } from './read-amounts.ts';
import type { Day, NthWeekday } from './read-days.ts';
import { type Clock, type TimeOfDay, toTimeOfDay } from './read-times.ts';
import { type FrequencyName, type PartOfDay, TONIGHT_HOUR, USUAL_HOURS } from './when-words.ts';

/** How often something is repeated. */
interface Frequency {
  readonly name: FrequencyName;
  /** Undefined if none is written. */
  readonly interval?: number | undefined;
}

/** Parts of a time in a text, which has each of them once at most. */
export interface Slots {
  readonly amounts?: Amounts;
  readonly day?: Day;
  /** Repeated days of the week. */
  readonly weekdays?: readonly number[];
  /** Repeated days of the month; -1 is the last. */
  readonly monthDays?: readonly number[];
  readonly nth?: NthWeekday;
  readonly frequency?: Frequency;
  readonly clocks?: readonly Clock[];
  readonly part?: PartOfDay;
  readonly isTonight?: true;
  /** Days of the week that are left out. */
  readonly except?: readonly number[];
  readonly until?: Day;
}

/** Time as a user has written it. */
export type When =
  | { readonly kind: 'after'; readonly minutes: number }
  | {
      readonly kind: 'at';
      readonly day?: Day;
      /** The first time of a rule with several times. */
      readonly time?: TimeOfDay;
      /** Rule of RFC 5545 without a start and an end. */
      readonly rule?: string;
      /** Last day of a rule. */
      readonly until?: Day;
    };

/** Later than any task may be. */
const MAX_MONTHS = 1200;

/** Returns the time that is meant; undefined if the parts contradict each other, or it can't be told which is meant. */
export function toWhen(slots: Slots): When | undefined {
  const { amounts, clocks, until } = slots;
  if (amounts && amounts.months > MAX_MONTHS) return undefined;
  const isAlone = Object.keys(slots).length === 1;
  if (amounts && (!isDays(amounts) || (isAlone && amounts.months === 0)))
    return isAlone ? { kind: 'after', minutes: amounts.minutes } : undefined;
  const day = toDay(slots);
  const times = toTimes(slots);
  if (!times || day === null) return undefined;
  const hasDays = day !== undefined || slots.weekdays || slots.monthDays || slots.nth;
  // Midnight may be the beginning or the end of a day.
  if (hasDays && clocks?.some(({ isMidnight }) => isMidnight)) return undefined;
  const [time] = times;
  const isRule = isRepeated(slots);
  const rule = isRule ? toRule(slots, times) : undefined;
  if (isRule ? rule === undefined : times.length > 1 || until || slots.except) return undefined;
  if (rule !== undefined) return { kind: 'at', rule, ...(time && { time }), ...(until && { until }) };
  return { kind: 'at', ...(day && { day }), ...(time && { time }) };
}

/** Returns whether the slots mean repetition. */
export function isRepeated({ frequency, weekdays, nth }: Slots): boolean {
  return frequency !== undefined || weekdays !== undefined || nth !== undefined;
}

/** Returns null if the days contradict each other. */
function toDay({ amounts, day, monthDays, frequency }: Slots): Day | undefined | null {
  const [first, ...others] = monthDays ?? [];
  const ofMonth: Day | undefined = first === undefined || frequency ? undefined : { kind: 'day-of-month', day: first };
  if (ofMonth && (others.length > 0 || first === -1)) return null;
  const later: Day | undefined = !amounts
    ? undefined
    : amounts.months > 0
      ? { kind: 'in-months', months: amounts.months }
      : { kind: 'in-days', days: amounts.minutes / 1440 };
  const days = [day, ofMonth, later].filter((one) => one !== undefined);
  return days.length > 1 ? null : days[0];
}

/** Returns the times in order; undefined if they are not possible. Without a time the list is empty. */
function toTimes({ clocks, part, isTonight }: Slots): readonly TimeOfDay[] | undefined {
  if (!clocks) {
    const hour = isTonight ? TONIGHT_HOUR : part && USUAL_HOURS.get(part);
    if (part !== undefined && hour === undefined) return undefined;
    return hour === undefined ? [] : [{ hour, minute: 0 }];
  }
  // `9 and 11 pm` may mean two hours of the evening, or not.
  const hasParts = clocks.some((clock) => clock.part !== undefined);
  const isClear =
    clocks.length === 1 || !hasParts || clocks.every((clock) => clock.part !== undefined || clock.hour > 12);
  const times = clocks.map((clock) => toTimeOfDay(clock, part)).filter((time) => time !== undefined);
  if (!isClear || times.length < clocks.length) return undefined;
  return times.toSorted((one, other) => one.hour - other.hour || one.minute - other.minute);
}

function toRule(slots: Slots, times: readonly TimeOfDay[]): string | undefined {
  const days = toDayRule(slots);
  const { frequency } = slots;
  const isWithinDay = frequency?.name === 'HOURLY' || frequency?.name === 'MINUTELY';
  if (days === undefined || (isWithinDay && (times.length > 1 || slots.part !== undefined))) return undefined;
  if (times.length < 2) return days;
  const [hours, minutes] = [unique(times.map(({ hour }) => hour)), unique(times.map(({ minute }) => minute))];
  // A rule repeats at each of its minutes of each of its hours.
  const count = new Set(times.map(({ hour, minute }) => hour * 60 + minute)).size;
  return count === hours.length * minutes.length ? `${days};BYHOUR=${hours};BYMINUTE=${minutes}` : undefined;
}

/** Returns the days of the rule: frequency, interval and which days. */
function toDayRule({ amounts, day, weekdays, monthDays, nth, frequency, except }: Slots): string | undefined {
  if (amounts) return undefined;
  const { name = nth || monthDays ? 'MONTHLY' : 'WEEKLY', interval } = frequency ?? {};
  const start = (one: string) => `FREQ=${one}${interval === undefined ? '' : `;INTERVAL=${interval}`}`;
  const hasOne = [day, weekdays, monthDays, nth].filter((one) => one !== undefined).length <= 1;
  if (!hasOne) return undefined;
  const ofWeek = weekdays ?? (day?.kind === 'weekday' && name === 'WEEKLY' ? [day.weekday] : undefined);
  const isDaily = name === 'DAILY' && (interval ?? 1) === 1;
  if (except || ofWeek) {
    const all = ofWeek ?? (isDaily ? [1, 2, 3, 4, 5, 6, 0] : undefined);
    if (!all || (name !== 'WEEKLY' && !isDaily)) return undefined;
    const left = all.filter((weekday) => !except?.includes(weekday));
    if (left.length === 0 || except?.some((weekday) => !all.includes(weekday))) return undefined;
    return `${start('WEEKLY')};BYDAY=${left.map((weekday) => WEEKDAY_CODES[weekday])}`;
  }
  if (nth) return name === 'MONTHLY' ? `${start(name)};BYDAY=${nth.nth}${WEEKDAY_CODES[nth.weekday]}` : undefined;
  if (monthDays) return name === 'MONTHLY' ? `${start(name)};BYMONTHDAY=${monthDays}` : undefined;
  if (!day) return start(name);
  const isYearly = name === 'YEARLY' && day.kind === 'date' && day.year === undefined;
  return isYearly ? `${start(name)};BYMONTH=${day.month};BYMONTHDAY=${day.day}` : undefined;
}

function unique(numbers: readonly number[]): readonly number[] {
  return [...new Set(numbers)].toSorted((one, other) => one - other);
}
