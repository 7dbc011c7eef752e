import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { InvalidRuleError, parseRule, printRule, requireQuickSearch } from './parse-rule.ts';
import { createRecurrence, type Recurrence, toInstant } from './recurrence.ts';
import type { TaskLimits, TaskTimes } from './task.ts';

/** Why times can't be used. `detail` is a sentence in English, for models and users. */
export type TimesProblem =
  | { readonly kind: 'invalid-times'; readonly detail: string }
  | { readonly kind: 'past' }
  /** Later than `MAX_AHEAD_MS`. */
  | { readonly kind: 'too-far' }
  /** The rule has no due time that is still to come. */
  | { readonly kind: 'never' }
  | { readonly kind: 'too-often'; readonly shortestIntervalMs: number };

/** Times in the form in which they are stored, and the first due time. */
export interface CheckedTimes {
  readonly times: TaskTimes;
  readonly nextDueAt: Date;
}

/** How far ahead a task may be due. */
const MAX_AHEAD_MS = 5 * 366 * 24 * 3_600_000;
/** Due times whose intervals are compared. The scheduler keeps the shortest interval in any case. */
const COMPARED = 12;
const COMPARED_WITHIN_MS = 32 * 24 * 3_600_000;
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/;

/** Checks and normalizes the times of a task. The event loop runs between the due times, which take up to 30 ms each. */
export async function checkTimes(
  times: TaskTimes,
  { nowMs, shortestIntervalMs }: Pick<TaskLimits, 'shortestIntervalMs'> & { readonly nowMs: number },
): Promise<CheckedTimes | TimesProblem> {
  let checked: TaskTimes;
  let recurrence: Recurrence;
  try {
    checked = normalize(times);
    recurrence = createRecurrence(checked);
  } catch (error) {
    return { kind: 'invalid-times', detail: describe(error) };
  }
  const nextMs = recurrence.next(nowMs);
  if (nextMs === undefined) return { kind: times.kind === 'once' ? 'past' : 'never' };
  if (nextMs > nowMs + MAX_AHEAD_MS) return { kind: 'too-far' };
  const isTooOften = (await findShortestInterval(recurrence, nextMs)) < shortestIntervalMs;
  if (isTooOften) return { kind: 'too-often', shortestIntervalMs };
  return { times: checked, nextDueAt: new Date(nextMs) };
}

function normalize(times: TaskTimes): TaskTimes {
  const timeZone = normalizeTimeZone(times.timeZone);
  if (times.kind === 'once') {
    if (Number.isNaN(times.at.getTime())) throw new InvalidRuleError('The time is not valid');
    return { ...times, timeZone };
  }
  if (!isLocalTime(times.startsAt)) throw new InvalidRuleError('The start must be a local time like 2026-12-31T08:00');
  const rule = parseRule(times.rule);
  requireQuickSearch(rule);
  return { ...times, timeZone, rule: printRule(rule) };
}

function isLocalTime(text: string): boolean {
  if (!LOCAL_TIME.test(text)) return false;
  const ms = Date.parse(`${text}Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

function normalizeTimeZone(timeZone: string): string {
  // Offsets such as `+02:00` are valid for `Intl`, but have no summer time.
  if (!/^[A-Za-z][\w/+-]{0,63}$/.test(timeZone)) throw new InvalidRuleError('The time zone is not known');
  toInstant('2026-01-01T00:00', timeZone);
  return timeZone;
}

async function findShortestInterval(recurrence: Recurrence, firstMs: number): Promise<number> {
  let shortestMs = Number.POSITIVE_INFINITY;
  let beforeMs = firstMs;
  for (let compared = 1; compared < COMPARED; compared += 1) {
    await yieldToEventLoop();
    const at = recurrence.next(beforeMs);
    if (at === undefined || at - firstMs > COMPARED_WITHIN_MS) break;
    shortestMs = Math.min(shortestMs, at - beforeMs);
    beforeMs = at;
  }
  return shortestMs;
}

function describe(error: unknown): string {
  if (error instanceof InvalidRuleError) return error.message;
  if (error instanceof RangeError) return 'The time zone or a date is not valid';
  return error instanceof Error ? error.message : 'The rule is not valid';
}
