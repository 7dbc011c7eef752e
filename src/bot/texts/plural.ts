/** The forms of a noun by `Intl.PluralRules` category; `other` stands in for a missing one. */
export type PluralForms = Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string };

/** `5 messages`: the number and the form of the noun that the language asks for. */
export function pluralOf(locale: string, count: number, forms: PluralForms): string {
  return `${count} ${forms[new Intl.PluralRules(locale).select(count)] ?? forms.other}`;
}

/** Words for a number of units, each answering like `pluralOf`. */
export interface WaitUnits {
  readonly seconds: (count: number) => string;
  readonly minutes: (count: number) => string;
  readonly hours: (count: number) => string;
}

/** A wait in the unit that people would use for it, rounded up so that nobody comes back too early. */
export function waitOf(waitMs: number, units: WaitUnits): string {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  if (seconds < 100) return units.seconds(seconds);
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? units.minutes(minutes) : units.hours(Math.ceil(minutes / 60));
}
