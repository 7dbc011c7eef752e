/** Forms of a noun by `Intl.PluralRules` category; `other` replaces a missing one. */
export type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string };

/** Returns `5 messages`: the number, and the noun in the form for it. */
export function pluralOf(locale: string, count: number, forms: PluralForms): string {
  return `${count} ${toForm(locale, count, forms)}`;
}

/** Returns `1,234 tokens`: like `pluralOf`, for numbers that may be large. */
export function countOf(locale: string, count: number, forms: PluralForms): string {
  return `${new Intl.NumberFormat(locale).format(count)} ${toForm(locale, count, forms)}`;
}

function toForm(locale: string, count: number, forms: PluralForms): string {
  return forms[new Intl.PluralRules(locale).select(count)] ?? forms.other;
}

/** Functions for a number of units, each returning a text like `pluralOf`. */
export interface WaitUnits {
  readonly seconds: (count: number) => string;
  readonly minutes: (count: number) => string;
  readonly hours: (count: number) => string;
}

/** Formats a duration in a suitable unit, rounded up so that a retry after it is not too early. */
export function waitOf(waitMs: number, units: WaitUnits): string {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  if (seconds < 100) return units.seconds(seconds);
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? units.minutes(minutes) : units.hours(Math.ceil(minutes / 60));
}
