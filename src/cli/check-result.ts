export interface CheckResult {
  /** Components that would run, one line each. */
  readonly lines: readonly string[];
  /** Problems that prevent or impair a start. */
  readonly problems: readonly string[];
}

export function result(lines: readonly string[], problems: readonly string[] = []): CheckResult {
  return { lines, problems };
}

/** Returns a line of the report: the name of a part, and what is known of it. */
export function row(name: string, value: string): string {
  return `${name.padEnd(12)}${value}`;
}
