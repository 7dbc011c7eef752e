import { createKeyPolicySchemas, type KeyPolicy } from '../../../core/accounts/index.ts';
import type { BudgetChanges } from '../../../core/limits/index.ts';
import { dollarsSchema } from '../../../lib/dollars.ts';

/** Rules of a key that can be set in the chat. */
export const KEY_RULES = [
  'models',
  'expiry',
  'requestsPerMinute',
  'tokensPerDay',
  'usdPerDay',
  'usdPerMonth',
  'usdTotal',
] as const;
export type KeyRule = (typeof KEY_RULES)[number];

/** Offered values, parsed like typed ones. */
export const OFFERED_VALUES: Readonly<Record<KeyRule, readonly string[]>> = {
  models: [],
  expiry: ['1d', '30d', '90d'],
  requestsPerMinute: ['10', '60', '300'],
  tokensPerDay: ['100k', '1M', '10M'],
  usdPerDay: ['$1', '$5', '$20'],
  usdPerMonth: ['$5', '$20', '$100'],
  usdTotal: ['$5', '$20', '$100'],
};

/** Value that removes a rule. */
export const NO_RULE = 'none';

export type KeyChange = { readonly policy: Partial<KeyPolicy> } | { readonly budget: BudgetChanges };

const DAY_MS = 86_400_000;
/** Words for `NO_RULE` that users type. */
const NO_RULE_WORDS = new Set([NO_RULE, 'no', 'never', 'all', 'unlimited', '-', '—', 'нет', 'никогда', 'все', 'без']);
/** Longest text that is parsed: 50 patterns of 200 characters and what separates them. */
const MAX_TEXT = 12_000;

/** Returns the change of a rule to a typed or offered value; undefined if the text is no valid value. */
export function parseKeyRule(rule: KeyRule, text: string, nowMs: number): KeyChange | undefined {
  const value = text.trim();
  if (value.length > MAX_TEXT) return undefined;
  const isRemoval = NO_RULE_WORDS.has(value.toLowerCase());
  const schemas = createKeyPolicySchemas(nowMs);
  switch (rule) {
    case 'models': {
      if (isRemoval) return { policy: { allowedModels: undefined } };
      const allowedModels = schemas.allowedModels.safeParse([...new Set(splitPatterns(value))]).data;
      return allowedModels && { policy: { allowedModels } };
    }
    case 'expiry': {
      if (isRemoval) return { policy: { expiresAt: undefined } };
      const expiresAt = schemas.expiresAt.safeParse(parseMoment(value, nowMs)).data;
      return expiresAt && { policy: { expiresAt } };
    }
    case 'requestsPerMinute':
    case 'tokensPerDay': {
      if (isRemoval) return { policy: { [rule]: undefined } };
      const count = schemas[rule].safeParse(parseCount(value)).data;
      return count === undefined ? undefined : { policy: { [rule]: count } };
    }
    default: {
      if (isRemoval) return { budget: { [rule]: null } };
      const dollars = dollarsSchema.safeParse(parseDollars(value)).data;
      return dollars === undefined ? undefined : { budget: { [rule]: dollars } };
    }
  }
}

function splitPatterns(text: string): readonly string[] {
  return text.split(/[\s,;]+/).filter((pattern) => pattern !== '');
}

/** Parses `30d`, `2027-03-31`, `31.03.2027`, and a time in UTC after a date: `2027-03-31 18:00`. */
function parseMoment(text: string, nowMs: number): Date | undefined {
  const days = /^(\d{1,4})d$/.exec(text)?.[1];
  if (days !== undefined) return new Date(nowMs + Number(days) * DAY_MS);
  const [, first = '', month = '', last = '', hours = '00', minutes = '00'] =
    /^(\d{4}|\d{1,2})[-./](\d{1,2})[-./](\d{4}|\d{1,2})(?:[ T](\d{1,2}):(\d{2}))?$/.exec(text) ?? [];
  const [year, day] = first.length === 4 ? [first, last] : [last, first];
  const two = (digits: string) => digits.padStart(2, '0');
  const iso = `${year}-${two(month)}-${two(day)}T${two(hours)}:${minutes}:00.000Z`;
  const date = new Date(iso);
  // A date such as 30 February would be moved to the next month.
  return !Number.isNaN(date.getTime()) && date.toISOString() === iso ? date : undefined;
}

const MULTIPLIERS: Readonly<Record<string, number>> = { '': 1, k: 1000, к: 1000, m: 1_000_000, м: 1_000_000 };

/** Parses `60`, `100 000`, `100,000`, `100k`, `1.5M`. */
function parseCount(text: string): number | undefined {
  const digits = text.replace(/(?<=\d)[\s_,'](?=\d{3}(?!\d))/gu, '');
  const [, number = '', unit = ''] = /^(\d{1,15}(?:\.\d{1,3})?) ?([kmкм]?)$/iu.exec(digits) ?? [];
  const multiplier = MULTIPLIERS[unit.toLowerCase()];
  return number === '' || multiplier === undefined ? undefined : Math.round(Number(number) * multiplier * 1000) / 1000;
}

/** Parses `5`, `$5`, `5.50 $`, `5,50`. */
function parseDollars(text: string): number | undefined {
  const [, number] = /^\$? ?(\d{1,9}(?:[.,]\d{1,9})?) ?\$?$/.exec(text) ?? [];
  return number === undefined ? undefined : Number(number.replace(',', '.'));
}
