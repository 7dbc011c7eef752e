import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkTimes } from '../../../../src/core/tasks/check-times.ts';
import { createRecurrence, type TaskTimes, toInstant, toLocalTime } from '../../../../src/core/tasks/index.ts';
import { measureStep } from '../../../support/machine/measure.ts';
import { countInputs, EXHAUSTIVE } from '../../../support/vitest/tiers.ts';

const listDue = (
  rule: string,
  {
    startsAt,
    timeZone = 'Europe/Berlin',
    after = '2000-01-01',
    count = 4,
  }: {
    readonly startsAt: string;
    readonly timeZone?: string;
    readonly after?: string;
    readonly count?: number;
  },
): readonly string[] => {
  const recurrence = createRecurrence({ kind: 'repeated', rule, startsAt, timeZone });
  const due: string[] = [];
  for (let at = recurrence.next(Date.parse(after)); at !== undefined && due.length < count; at = recurrence.next(at))
    due.push(new Date(at).toISOString().slice(0, 16));
  return due;
};
const listLocal = (rule: string, options: Parameters<typeof listDue>[1]) =>
  listDue(rule, options).map((due) => toLocalTime(Date.parse(`${due}Z`), options.timeZone ?? 'Europe/Berlin'));

describe('due times of tasks', () => {
  it('keep their local time over the beginning and end of summer time', () => {
    expect(listDue('FREQ=DAILY', { startsAt: '2026-03-28T08:00', count: 2 })).toEqual([
      '2026-03-28T07:00',
      '2026-03-29T06:00',
    ]);
    expect(listDue('FREQ=WEEKLY;BYDAY=MO', { startsAt: '2026-10-19T08:00', count: 2 })).toEqual([
      '2026-10-19T06:00',
      '2026-10-26T07:00',
    ]);
  });

  it('that summer time skips are postponed by the gap, on this day only', () => {
    expect(listLocal('FREQ=DAILY', { startsAt: '2026-03-28T02:30', count: 3 })).toEqual([
      '2026-03-28T02:30',
      '2026-03-29T03:30',
      '2026-03-30T02:30',
    ]);
    // Also if the search begins within the gap.
    expect(listLocal('FREQ=DAILY', { startsAt: '2026-03-28T02:30', after: '2026-03-29T01:10Z', count: 1 })).toEqual([
      '2026-03-29T03:30',
    ]);
  });

  it('that occur twice are due once, at their first occurrence', () => {
    const due = listDue('FREQ=DAILY', { startsAt: '2026-10-24T02:30', count: 3 });
    expect(due).toEqual(['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30']);
    expect(listDue('FREQ=DAILY', { startsAt: '2026-10-24T02:30', after: '2026-10-25T00:45Z', count: 1 })).toEqual([
      '2026-10-26T01:30',
    ]);
  });

  it('are never the same twice, also when the clock goes back during short intervals', () => {
    const due = listDue('FREQ=MINUTELY;INTERVAL=30', {
      startsAt: '2026-10-25T01:00',
      after: '2026-10-24T23:00Z',
      count: 20,
    });
    expect(new Set(due).size).toBe(20);
    expect(due).toEqual([...due].sort());
  });

  it('on the 31st skip shorter months, and the last day is in each', () => {
    const startsAt = '2027-12-31T08:00';
    const days = (rule: string) => listLocal(rule, { startsAt, count: 4 }).map((time) => time.slice(0, 10));
    expect(days('FREQ=MONTHLY')).toEqual(['2027-12-31', '2028-01-31', '2028-03-31', '2028-05-31']);
    expect(days('FREQ=MONTHLY;BYMONTHDAY=-1')).toEqual(['2027-12-31', '2028-01-31', '2028-02-29', '2028-03-31']);
    expect(days('FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1')).toEqual([
      '2027-12-31',
      '2028-01-31',
      '2028-02-29',
      '2028-03-31',
    ]);
  });

  it('on 29 February are in leap years only', () => {
    expect(listLocal('FREQ=YEARLY', { startsAt: '2024-02-29T08:00', count: 3 })).toEqual([
      '2024-02-29T08:00',
      '2028-02-29T08:00',
      '2032-02-29T08:00',
    ]);
    expect(listLocal('FREQ=YEARLY', { startsAt: '2096-02-29T08:00', count: 2 })[1]).toBe('2104-02-29T08:00');
  });

  it('end with the rule, whose end may be a date, a local time or in UTC', () => {
    const count = (rule: string) => listDue(rule, { startsAt: '2026-06-01T08:00', count: 9 }).length;
    expect(count('FREQ=DAILY;COUNT=3')).toBe(3);
    expect(count('FREQ=DAILY;UNTIL=20260603')).toBe(3);
    expect(count('FREQ=DAILY;UNTIL=20260603T080000')).toBe(3);
    expect(count('FREQ=DAILY;UNTIL=20260603T060000Z')).toBe(3);
    expect(count('FREQ=DAILY;UNTIL=20260603T055900Z')).toBe(2);
  });

  it('of a task that runs once', () => {
    const at = new Date('2026-06-01T08:00Z');
    const { next } = createRecurrence({ kind: 'once', at, timeZone: 'UTC' });
    expect(next(at.getTime() - 1)).toBe(at.getTime());
    expect(next(at.getTime())).toBeUndefined();
  });

  it.each([
    ['', /FREQ|empty/],
    ['FREQ=SECONDLY', /FREQ must be/],
    ['FREQ=DAILY;BYSECOND=1', /BYSECOND is not supported/],
    ['FREQ=DAILY;BYHOUR=24', /BYHOUR must be from 0 to 23/],
    ['FREQ=DAILY;BYMONTH=0', /BYMONTH/],
    ['FREQ=DAILY;COUNT=9999', /COUNT/],
    ['FREQ=DAILY;FREQ=WEEKLY', /FREQ is not valid/],
    ['FREQ=DAILY;COUNT=1;UNTIL=20260101', /exclude/],
    ['FREQ=HOURLY;BYMONTH=2', /BYMONTH needs/],
    ['FREQ=WEEKLY;BYDAY=XX', /BYDAY/],
    ['FREQ=WEEKLY;BYMONTHDAY=1', /BYMONTHDAY/],
    [`FREQ=DAILY;BYHOUR=${'1,'.repeat(200)}1`, /longer/],
  ])('need a valid rule: %s', (rule, problem) => {
    expect(() => listDue(rule, { startsAt: '2026-06-01T08:00' })).toThrow(problem);
  });

  it.each([
    'FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=2',
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=9',
    'FREQ=MINUTELY;INTERVAL=45;BYDAY=MO;BYHOUR=3;BYMINUTE=7',
  ])('that never come are found out: %s', (rule) => {
    expect(listDue(rule, { startsAt: '2026-06-01T08:00' })).toEqual([]);
  });

  const list = (length: number, toValue: (at: number) => number | string) =>
    Array.from({ length }, (_, at) => toValue(at));
  it.each([
    [`FREQ=YEARLY;BYHOUR=${list(24, (at) => at)};BYMINUTE=${list(30, (at) => 2 * at)};BYMONTH=4`, /YEARLY may have 4/],
    [`FREQ=YEARLY;BYMINUTE=0,15,30,40,45;BYYEARDAY=${list(40, (at) => at + 1)}`, /YEARLY may have 4/],
    [`FREQ=MONTHLY;BYHOUR=${list(24, (at) => at)}`, /MONTHLY may have 12/],
    [`FREQ=DAILY;BYHOUR=${list(24, (at) => at)};BYMINUTE=0,20,40`, /DAILY may have 48/],
    ['FREQ=YEARLY;BYWEEKNO=-38,23;BYYEARDAY=-346,34', /BYWEEKNO and BYYEARDAY exclude/],
    ['FREQ=YEARLY;BYWEEKNO=7;BYMONTHDAY=22', /BYWEEKNO and BYMONTHDAY exclude/],
    ['FREQ=YEARLY;BYYEARDAY=100;BYMONTH=7', /BYYEARDAY and BYMONTH exclude/],
    ['FREQ=YEARLY;BYHOUR=5;BYSETPOS=-28,25', /needs days to choose from/],
  ])('of new tasks are refused if their search is long: %s', async (rule, detail) => {
    const times = { kind: 'repeated', rule, startsAt: '2026-01-31T02:30', timeZone: 'UTC' } as const;
    const checked = await checkTimes(times, { nowMs: Date.UTC(2026, 10, 26), shortestIntervalMs: 1_800_000 });
    expect(checked).toMatchObject({ kind: 'invalid-times', detail: expect.stringMatching(detail) });
    // Tasks that have such a rule since earlier keep it.
    expect(() => createRecurrence(times)).not.toThrow();
  });

  it.each([
    `FREQ=DAILY;BYHOUR=${list(24, (at) => at)};BYMINUTE=0,30`,
    'FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=8,12,20',
    'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
    'FREQ=YEARLY;BYMONTH=3,9;BYMONTHDAY=15;BYHOUR=9,21',
    'FREQ=YEARLY;BYWEEKNO=20,40;BYDAY=MO',
    'FREQ=YEARLY;BYYEARDAY=1,100,-1',
  ])('of new tasks may be %s', async (rule) => {
    const times = { kind: 'repeated', rule, startsAt: '2026-01-31T02:30', timeZone: 'UTC' } as const;
    const checked = await checkTimes(times, { nowMs: Date.UTC(2026, 10, 26), shortestIntervalMs: 1_800_000 });
    expect(checked).toHaveProperty('nextDueAt');
  });

  it('of any rule are checked in steps', async () => {
    const some = (least: number, most: number, count: number) =>
      fc
        .uniqueArray(fc.integer({ min: least, max: most }).filter(Boolean), { minLength: 1, maxLength: count })
        .map(String);
    const parts = fc.record({
      FREQ: fc.constantFrom('MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
      INTERVAL: fc.option(fc.constantFrom('1', '2', '7', '59', '1000', '9999')),
      COUNT: fc.option(fc.constantFrom('1', '10', '500')),
      BYMONTH: fc.option(some(1, 12, 12)),
      BYMONTHDAY: fc.option(some(-31, 31, 31)),
      BYYEARDAY: fc.option(some(-366, 366, 50)),
      BYWEEKNO: fc.option(some(-53, 53, 50)),
      BYDAY: fc.option(fc.subarray(['MO', 'TU', '-1FR', '5MO', '53SU', 'SA'], { minLength: 1 }).map(String)),
      BYHOUR: fc.option(some(0, 23, 23)),
      BYMINUTE: fc.option(some(0, 59, 30)),
      BYSETPOS: fc.option(some(-31, 31, 5)),
    });
    const start = fc.constantFrom('2026-11-26T08:00', '2020-01-01T00:00', '2000-02-29T12:00');
    // Compiles what is measured.
    for (let run = 0; run < 200; run += 1) listDue('FREQ=YEARLY;BYMONTHDAY=31', { startsAt: '2026-01-01T00:00' });
    await fc.assert(
      fc.asyncProperty(parts, start, async (given, startsAt) => {
        const kept = Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]));
        const times = { kind: 'repeated', rule: kept.join(';'), startsAt, timeZone: 'Europe/Berlin' } as const;
        let before = process.threadCpuUsage();
        let longestMs = 0;
        let isOver = false;
        const look = () => {
          const { user, system } = process.threadCpuUsage(before);
          longestMs = Math.max(longestMs, (user + system) / 1000);
          before = process.threadCpuUsage();
          if (!isOver) setImmediate(look);
        };
        setImmediate(look);
        await checkTimes(times, { nowMs: Date.UTC(2026, 10, 26), shortestIntervalMs: 1_800_000 });
        isOver = true;
        look();
        expect(longestMs, times.rule).toBeLessThan(150);
      }),
      { numRuns: countInputs(150) },
    );
  });

  it('of any rule come in order and match their local time, in bounded time', EXHAUSTIVE, () => {
    const some = (least: number, most: number) =>
      fc
        .uniqueArray(fc.integer({ min: least, max: most }), { minLength: 1, maxLength: 4 })
        .map((values) => values.join());
    const rules = fc
      .record({
        FREQ: fc.constantFrom('MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
        INTERVAL: fc.option(fc.integer({ min: 1, max: 400 }).map(String)),
        COUNT: fc.option(fc.integer({ min: 1, max: 500 }).map(String)),
        BYMONTH: fc.option(some(1, 12)),
        BYMONTHDAY: fc.option(some(-31, 31)),
        BYDAY: fc.option(fc.constantFrom('MO', 'MO,TU,WE,TH,FR', '-1FR', '5MO')),
        BYHOUR: fc.option(some(0, 23)),
        BYMINUTE: fc.option(some(0, 59)),
        BYSETPOS: fc.option(some(-5, 5)),
      })
      .map((parts) =>
        Object.entries(parts)
          .flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]))
          .join(';'),
      );
    const timeZone = fc.constantFrom(
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'UTC',
    );
    let slowestMs = 0;
    fc.assert(
      fc.property(rules, timeZone, fc.integer({ min: 0, max: 400 * 24 * 60 }), (rule, zone, afterMinutes) => {
        const times: TaskTimes = { kind: 'repeated', rule, startsAt: '2026-01-31T02:30', timeZone: zone };
        let recurrence: ReturnType<typeof createRecurrence>;
        try {
          recurrence = createRecurrence(times);
        } catch {
          return;
        }
        let at = Date.UTC(2026, 0, 1) + afterMinutes * 60_000;
        for (let step = 0; step < 4; step += 1) {
          let next: number | undefined;
          const tookMs = measureStep(() => {
            next = recurrence.next(at);
          });
          slowestMs = Math.max(slowestMs, tookMs);
          if (next === undefined) return;
          expect(next).toBeGreaterThan(at);
          expect(toInstant(toLocalTime(next, zone), zone)).toBe(next);
          at = next;
        }
      }),
      { numRuns: countInputs(3000) },
    );
    expect(slowestMs).toBeLessThan(250);
  });
});
