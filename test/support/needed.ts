const told = new Set<string>();

/**
 * Returns a prerequisite of suites that not every machine has; undefined if it is missing, so that they are skipped,
 * with a notice on standard error.
 * @param missing what is missing, and how to get it
 * @throws if it is missing and `CI` is `true`: nothing may be skipped there
 */
export function orSkip<Thing>(thing: Thing | undefined, missing: string): Thing | undefined {
  if (thing !== undefined) return thing;
  if (process.env['CI'] === 'true') throw new Error(missing);
  if (!told.has(missing)) process.stderr.write(`${missing}; suites that need it are skipped\n`);
  told.add(missing);
  return undefined;
}
