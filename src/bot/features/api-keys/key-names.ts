import { createKeyPolicySchemas } from '../../../core/accounts/index.ts';
import type { BudgetAmounts } from '../../../core/limits/index.ts';
import { dollarsSchema } from '../../../lib/dollars.ts';
import { toShownName } from '../../kit/names.ts';

/** Maximum length of a name in characters. */
export const MAX_NAME = 40;
/** Second line that removes the note. */
const NO_NOTE = '-';

/** Name and note of a key. An undefined name is not valid; a note that is not given stays as it is. */
export interface KeyNames {
  readonly label: string | undefined;
  /** Present if a note was given: undefined removes it, null means that it is not valid. */
  readonly note?: string | null | undefined;
}

/** Returns the name of a key; undefined if no visible characters are left or it is too long. */
export function toLabel(text: string): string | undefined {
  const label = toShownName(text.replace(/\s+/g, ' '));
  return label !== '…' && label.length <= MAX_NAME ? label : undefined;
}

/** Returns the name in the first line of a text and the note in the lines after it. */
export function toNames(text: string, nowMs: number): KeyNames {
  const [first = '', ...others] = text.trim().split('\n');
  const note = others.join('\n').trim();
  const label = toLabel(first);
  if (note === '') return { label };
  if (note === NO_NOTE) return { label, note: undefined };
  return { label, note: createKeyPolicySchemas(nowMs).note.safeParse(note).data ?? null };
}

/** Amount of `laptop $5`, `laptop $5/day` or `laptop $5 per month` at the end of a text. */
const BUDGET = /^\$(\d{1,7}(?:[.,]\d{1,9})?)(?: ?(?:\/|per|a|in|в|на)? ?(day|день|month|месяц|total|всего))?$/i;
const PERIOD_FIELDS: Readonly<Record<string, keyof BudgetAmounts>> = {
  ...{ day: 'usdPerDay', день: 'usdPerDay', month: 'usdPerMonth', месяц: 'usdPerMonth' },
  ...{ total: 'usdTotal', всего: 'usdTotal' },
};

/**
 * Divides a text into the name of a new key and its budget, which begins with a dollar sign.
 * @returns `budget` is undefined if it is not valid.
 */
export function toBudgetedName(text: string): { readonly name: string; readonly budget: BudgetAmounts | undefined } {
  const start = text.search(/(?<=^|\s)\$/);
  if (start === -1) return { name: text, budget: {} };
  const name = text.slice(0, start);
  const [, amount = '', period = 'month'] = BUDGET.exec(text.slice(start).trim().replace(/\s+/g, ' ')) ?? [];
  const { data: usd } = dollarsSchema.safeParse(Number(amount.replace(',', '.') || Number.NaN));
  const field = PERIOD_FIELDS[period.toLowerCase()];
  return { name, budget: usd === undefined || field === undefined ? undefined : { [field]: usd } };
}
