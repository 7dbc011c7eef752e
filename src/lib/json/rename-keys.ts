/**
 * Renames keys of an object by a table from former to current names, for input that was written for an older version.
 * Other values are returned as they are, and a former key stays where the current one is given, too: the schema refuses it.
 */
export function renameKeys(given: unknown, names: Readonly<Record<string, string>>): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => {
      const name = Object.hasOwn(names, key) ? names[key] : undefined;
      return [name === undefined || Object.hasOwn(given, name) ? key : name, value];
    }),
  );
}
