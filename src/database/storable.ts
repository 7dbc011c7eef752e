/** Returns the text as Postgres can store it: without U+0000, with lone surrogates replaced by U+FFFD. */
export function toStorableText(text: string): string {
  return text.replaceAll('\u0000', '').toWellFormed();
}

/** Serializes a value to JSON that Postgres can store. */
export function toStorableJson(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? toStorableText(part) : part));
}

/** Returns the value as it would be read back. */
export function toStorable<Value extends object>(value: Value): Value {
  return JSON.parse(toStorableJson(value));
}
