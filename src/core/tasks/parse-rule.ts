/** Recurrence rule by parts: `FREQ` → `WEEKLY`. */
export type RuleParts = ReadonlyMap<string, string>;

/** Thrown when a recurrence rule is not one that tasks can have. The message names the part, for models and users. */
export class InvalidRuleError extends Error {
  override readonly name = 'InvalidRuleError';
}

const MAX_RULE_LENGTH = 300;
const MAX_VALUES = 60;
const MAX_COUNT = 500;
const MAX_INTERVAL = 9999;

const END = /^\d{8}(T\d{6}Z?)?$/;
const WEEKDAYS: ReadonlySet<string> = new Set(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']);
const FREQUENCIES: ReadonlySet<string> = new Set(['MINUTELY', 'HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY']);

interface Range {
  readonly least: number;
  readonly most: number;
  /** Values may count from the end: -1 is the last. */
  readonly isSigned?: boolean | undefined;
}

/** Form of the values of a part. */
interface Form {
  readonly isValid: (value: string) => boolean;
  readonly description: string;
  /** Several values are separated by commas. */
  readonly isList: boolean;
}

const single = (form: Omit<Form, 'isList'>): Form => ({ ...form, isList: false });
const list = (form: Omit<Form, 'isList'>): Form => ({ ...form, isList: true });

const FORMS: ReadonlyMap<string, Form> = new Map([
  ['FREQ', single({ isValid: (value) => FREQUENCIES.has(value), description: [...FREQUENCIES].join(', ') })],
  ['INTERVAL', single(numbers({ least: 1, most: MAX_INTERVAL }))],
  ['COUNT', single(numbers({ least: 1, most: MAX_COUNT }))],
  [
    'UNTIL',
    single({ isValid: (value) => END.test(value), description: 'a date or time like 20261231 or 20261231T220000Z' }),
  ],
  ['WKST', single({ isValid: (value) => WEEKDAYS.has(value), description: 'a weekday like MO' })],
  ['BYDAY', list({ isValid: isDay, description: 'weekdays like MO,TU or -1FR' })],
  ['BYMONTH', list(numbers({ least: 1, most: 12 }))],
  ['BYWEEKNO', list(numbers({ least: 1, most: 53, isSigned: true }))],
  ['BYYEARDAY', list(numbers({ least: 1, most: 366, isSigned: true }))],
  ['BYMONTHDAY', list(numbers({ least: 1, most: 31, isSigned: true }))],
  ['BYHOUR', list(numbers({ least: 0, most: 23 }))],
  ['BYMINUTE', list(numbers({ least: 0, most: 59 }))],
  ['BYSETPOS', list(numbers({ least: 1, most: 31, isSigned: true }))],
]);

/** Parts of rules that repeat within a day. */
const PARTS_WITHIN_DAYS: ReadonlySet<string> = new Set([
  'FREQ',
  'INTERVAL',
  'COUNT',
  'UNTIL',
  'WKST',
  'BYDAY',
  'BYHOUR',
  'BYMINUTE',
]);

/** Parts that name days of a year; few days are in two of them. */
const DAYS_OF_YEAR = ['BYWEEKNO', 'BYYEARDAY', 'BYMONTHDAY', 'BYMONTH'];
const DAYS_OF_SET = ['BYDAY', 'BYMONTHDAY', 'BYYEARDAY', 'BYWEEKNO'];
/** The search goes through all times of a period, 10 µs each. */
const MAX_TIMES_OF_DAY: ReadonlyMap<string, number> = new Map([
  ['DAILY', 48],
  ['WEEKLY', 48],
  ['MONTHLY', 12],
  ['YEARLY', 4],
]);

/**
 * Parses a recurrence rule of RFC 5545, with or without `RRULE:`. Seconds can't be set.
 * @throws InvalidRuleError
 */
export function parseRule(text: string): RuleParts {
  if (text.length > MAX_RULE_LENGTH)
    throw new InvalidRuleError(`The rule is longer than ${MAX_RULE_LENGTH} characters`);
  const rule = text
    .trim()
    .toUpperCase()
    .replace(/^RRULE:/, '');
  const parts = new Map<string, string>();
  for (const part of rule.split(';')) {
    const [name = '', value = '', ...rest] = part.split('=');
    if (rest.length > 0 || parts.has(name)) throw new InvalidRuleError(`${name || 'The rule'} is not valid`);
    const problem = findProblem(name, value);
    if (problem !== undefined) throw new InvalidRuleError(problem);
    parts.set(name, value);
  }
  checkTogether(parts);
  return parts;
}

/** Rejects combinations that RFC 5545 forbids. */
function checkTogether(parts: RuleParts): void {
  const frequency = parts.get('FREQ');
  if (frequency === undefined) throw new InvalidRuleError('FREQ is missing');
  if (parts.has('COUNT') && parts.has('UNTIL')) throw new InvalidRuleError('COUNT and UNTIL exclude each other');
  if (frequency === 'HOURLY' || frequency === 'MINUTELY')
    for (const name of parts.keys())
      if (!PARTS_WITHIN_DAYS.has(name)) throw new InvalidRuleError(`${name} needs FREQ=DAILY or longer`);
  if (!parts.has('BYSETPOS')) return;
  if (countTimes(parts) > 1) throw new InvalidRuleError('BYSETPOS needs one hour and one minute');
  if (frequency !== 'MONTHLY' && frequency !== 'YEARLY')
    throw new InvalidRuleError('BYSETPOS needs FREQ=MONTHLY or FREQ=YEARLY');
}

/**
 * Rejects rules in which the search for an occurrence goes through many others. New tasks must not have them.
 * @throws InvalidRuleError
 */
export function requireQuickSearch(parts: RuleParts): void {
  for (const name of ['BYWEEKNO', 'BYYEARDAY']) {
    const other = parts.has(name) && DAYS_OF_YEAR.find((one) => one !== name && parts.has(one));
    if (other) throw new InvalidRuleError(`${name} and ${other} exclude each other`);
  }
  const frequency = parts.get('FREQ') ?? '';
  const maxTimes = MAX_TIMES_OF_DAY.get(frequency);
  if (maxTimes !== undefined && countTimes(parts) > maxTimes)
    throw new InvalidRuleError(
      `FREQ=${frequency} may have ${maxTimes} times of day; repeat within days by FREQ=HOURLY`,
    );
  if (parts.has('BYSETPOS') && !DAYS_OF_SET.some((name) => parts.has(name)))
    throw new InvalidRuleError('BYSETPOS needs days to choose from, such as BYDAY');
}

/** Returns the number of times of one day. */
function countTimes(parts: RuleParts): number {
  const [hours = 1, minutes = 1] = ['BYHOUR', 'BYMINUTE'].map((name) => parts.get(name)?.split(',').length);
  return hours * minutes;
}

/** Returns the rule as text, without `RRULE:`. */
export function printRule(parts: RuleParts): string {
  return [...parts].map(([name, value]) => `${name}=${value}`).join(';');
}

/** Returns what a value of the part must be if this one is not valid. */
function findProblem(name: string, value: string): string | undefined {
  const form = FORMS.get(name);
  if (!form) return name === '' ? 'The rule is empty or has an empty part' : `${name} is not supported`;
  const values = form.isList ? value.split(',') : [value];
  if (values.length > MAX_VALUES) return `${name} has more than ${MAX_VALUES} values`;
  return values.every(form.isValid) ? undefined : `${name} must be ${form.description}`;
}

function numbers({ least, most, isSigned }: Range): Omit<Form, 'isList'> {
  return {
    isValid: (value) => isWithin(value, { least, most, isSigned }),
    description: `from ${least} to ${most}${isSigned ? ', or negative to count from the end' : ''}`,
  };
}

function isDay(value: string): boolean {
  return WEEKDAYS.has(value.slice(-2)) && /^([+-]?([1-9]|[1-4]\d|5[0-3]))?$/.test(value.slice(0, -2));
}

function isWithin(text: string, { least, most, isSigned }: Range): boolean {
  if (!/^[+-]?\d{1,4}$/.test(text)) return false;
  const value = Number(text);
  return isSigned ? Math.abs(value) >= least && Math.abs(value) <= most : value >= least && value <= most;
}
