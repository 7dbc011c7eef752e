const told = new Set<string>();

/**
 * Something that suites need and not every machine has. Undefined where it is missing: they are to be skipped, and a word on standard
 * error says so.
 * @param missing what is not there, and how to get it.
 * @throws where it is missing and `CI` is `true`: there nothing may be skipped.
 */
export function orSkip<Thing>(thing: Thing | undefined, missing: string): Thing | undefined {
  if (thing !== undefined) return thing;
  if (process.env['CI'] === 'true') throw new Error(missing);
  if (!told.has(missing)) process.stderr.write(`${missing}; suites that need it are skipped\n`);
  told.add(missing);
  return undefined;
}
