/** Context for reading an entry of a providers file. */
export interface Reading {
  readonly variables: (name: string) => string | undefined;
  /** Reports a problem; the text begins with the path in the entry: `.weight: …`. */
  readonly report: (problem: string) => void;
  /** True if `$` has no meaning. Default false. */
  readonly isLiteral?: boolean | undefined;
}

/**
 * Expands `$NAME` and `${NAME}` to variables, `$$` to a dollar sign. Reports unset variables and expands them to
 * nothing.
 */
export function expand(value: string, path: string, { variables, report, isLiteral = false }: Reading): string {
  if (isLiteral) return value;
  return value.replace(/\$(?:\$|\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare;
    if (name === undefined) return '$';
    const content = variables(name)?.trim() ?? '';
    if (content === '') report(`${path}: the variable ${name} is not set`);
    return content;
  });
}

/** Expands variables in the values of headers. `path` is their path in the entry, for error messages. */
export function readHeaders(
  headers: Readonly<Record<string, string>> = {},
  reading: Reading,
  path = '.headers',
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([field, value]) => [field, expand(value, `${path}.${field}`, reading)]),
  );
}

/** Splits keys: a variable may contain several. */
export function splitKeys(keys: string): readonly string[] {
  return keys
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
}
