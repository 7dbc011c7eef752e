import { RRuleTemporal } from 'rrule-temporal';
import { parseRule, printRule, type RuleParts } from './parse-rule.ts';
import type { TaskTimes } from './task.ts';

/** Due times of a task in order. */
export interface Recurrence {
  /**
   * Returns the first due time after a moment, both in Unix milliseconds. Undefined if there is none, or none that can
   * be found with bounded work, such as in a rule for 30 February.
   */
  next(afterMs: number): number | undefined;
}

/** Bounds of the search for one occurrence: periods and candidates that don't match. About 20 ms in the worst case. */
const SEARCH = { maxIterations: 1500, maxCandidateEvaluations: 3000 } as const;
/** The search ends with this day. */
const LATEST_DAY = '21991231';
const LATEST_MS = Date.UTC(2200, 0, 1);
/** Longer than any change of an offset that is still to come. */
const LONGEST_CHANGE_MS = 3 * 3_600_000;

/**
 * Returns the due times of a task. The rule is evaluated in local time, which is then converted: a time that summer
 * time skips is postponed by the gap, and one that occurs twice is due at its first occurrence.
 * @throws InvalidRuleError, RangeError for an unknown time zone, Error for combinations that RFC 5545 forbids.
 */
export function createRecurrence(times: TaskTimes): Recurrence {
  if (times.kind === 'once') {
    const at = times.at.getTime();
    return { next: (afterMs) => (at > afterMs ? at : undefined) };
  }
  const { startsAt, timeZone } = times;
  const rule = createRule(printRule(toLocalEnd(parseRule(times.rule), timeZone)), { startsAt, timeZone: 'UTC' });
  return {
    next(afterMs) {
      // A skipped time is due after the gap, so local times before it are still to come shortly after it.
      const before = toLocalMs(afterMs - LONGEST_CHANGE_MS, timeZone) + LONGEST_CHANGE_MS;
      let localMs: number | undefined = Math.min(toLocalMs(afterMs, timeZone), before);
      for (;;) {
        localMs = findNext(rule, localMs);
        if (localMs === undefined) return undefined;
        const at = toInstant(new Date(localMs).toISOString().slice(0, 16), timeZone);
        if (at > afterMs) return at;
      }
    },
  };
}

/**
 * Converts a local time such as `2026-11-24T08:00` to Unix milliseconds.
 * @throws RangeError for an unknown time zone.
 */
export function toInstant(localTime: string, timeZone: string): number {
  // The library converts the start of a rule.
  return createRule('FREQ=DAILY;COUNT=1', { startsAt: localTime, timeZone }).options().dtstart.epochMilliseconds;
}

/** Converts Unix milliseconds to a local time such as `2026-11-24T08:00`; seconds are cut. */
export function toLocalTime(ms: number, timeZone: string): string {
  return new Date(toLocalMs(ms, timeZone)).toISOString().slice(0, 16);
}

function createRule(rule: string, { startsAt, timeZone }: { readonly startsAt: string; readonly timeZone: string }) {
  const start = `${startsAt.replaceAll(/[-:]/g, '')}00`;
  return new RRuleTemporal({
    rruleString: `DTSTART;TZID=${timeZone}:${start}\nRRULE:${rule}`,
    strict: true,
    ...SEARCH,
  });
}

/** Returns undefined also if the search reaches its bounds. */
function findNext(rule: RRuleTemporal, afterMs: number): number | undefined {
  try {
    const found = rule.next(new Date(afterMs))?.epochMilliseconds;
    return found !== undefined && found < LATEST_MS ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the rule with its end as the local time in which it is evaluated. `UNTIL` may be a date, local, or in UTC. */
function toLocalEnd(parts: RuleParts, timeZone: string): RuleParts {
  const until = parts.get('UNTIL');
  if (until === undefined && parts.has('COUNT')) return parts;
  const [date = '', time = '235959'] = (until ?? LATEST_DAY).replace('Z', '').split('T');
  const end = `${date}T${time}Z`;
  return new Map([...parts, ['UNTIL', until?.endsWith('Z') ? toLocalStamp(end, timeZone) : end]]);
}

/** Converts a time such as `20261231T220000Z` to the local time in the same form. */
function toLocalStamp(stamp: string, timeZone: string): string {
  const iso = stamp.replace(/^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})/, '$1-$2-$3T$4:$5:');
  const local = new Date(toLocalMs(Date.parse(iso), timeZone)).toISOString();
  return `${local.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** Returns the local time of a moment as if it were UTC, cut to minutes. */
function toLocalMs(ms: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return Date.parse(`${format.format(ms).replace(' ', 'T')}Z`);
}
