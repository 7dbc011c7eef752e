/** How an entry of a providers file is read. */
export interface Reading {
  readonly variables: (name: string) => string | undefined;
  /** Takes what is wrong, beginning with its place in the entry: `.weight: …`. */
  readonly report: (problem: string) => void;
}

/** `$NAME` and `${NAME}` are variables, `$$` is a dollar sign. Unset ones are reported and empty. */
export function expand(value: string, path: string, { variables, report }: Reading): string {
  return value.replace(/\$(?:\$|\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => {
    const name = braced ?? bare;
    if (name === undefined) return '$';
    const content = variables(name)?.trim() ?? '';
    if (content === '') report(`${path}: the variable ${name} is not set`);
    return content;
  });
}

/** Headers with the values of their variables. `place` is where they stand in the entry. */
export function readHeaders(
  headers: Readonly<Record<string, string>> = {},
  reading: Reading,
  place = '.headers',
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([field, value]) => [field, expand(value, `${place}.${field}`, reading)]),
  );
}
