/** The text without what Postgres does not keep: U+0000 goes, halves of characters become U+FFFD. */
export function toStorableText(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed();
}

/** A value as JSON that Postgres takes: the same is done to each text in it. */
export function toStorableJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? toStorableText(part) : part));
}

/** The value as it would come back from there. */
export function toStorable<Value extends object>(value: Value): Value {
  return JSON.parse(toStorableJson(value));
}
