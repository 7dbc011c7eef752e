/** What only adds to a table, and so does not concern processes of a version that does not know of it. */
const ADDITIONS: readonly RegExp[] = [
  /^create table "?\w+"? \(/i,
  /^create (?:type|function|sequence) /i,
  /^create index /i,
  /^comment on /i,
  // Processes that do not know a column insert no value for it.
  /^alter table \S+ add column (?!.*\bnot null\b)/is,
  /^alter table \S+ add column .*\bdefault\b/is,
  /^alter table \S+ alter column \S+ set default /i,
];

/** Further action of the same statement. */
const ACTION_MORE = /,\s*(?:drop|alter|rename|add constraint)\b/i;
const CREATED_TABLE = /^create table "?(\w+)"? \(/i;
const CHANGED_TABLE =
  /^(?:alter table|create(?: unique)? index \S+ on|create trigger \S+ .*? on) (?:only )?"?(\w+)"?/is;

/** Check of the values of a column: its name and the list. */
const CHECKED_VALUES = /constraint "(\w+)" check \("\w+"\."\w+" in \(([^)]*)\)\)/gi;
const CHANGED_CONSTRAINT = /^alter table \S+ (?:drop|add) constraint "(\w+)"/i;

/**
 * Returns the statements of a migration that processes of the last version could notice: that remove, rename or restrict
 * what they use, or change rows and functions. What is done to a table that the migration creates is free, and so is a
 * check that allows more values than before.
 * @param earlier all migrations before it
 */
export function findBreakingStatements(migration: string, earlier = ''): readonly string[] {
  const statements = migration
    .split('--> statement-breakpoint')
    .map((statement) =>
      statement
        .replace(/^\s*--.*$/gm, '')
        .trim()
        .replace(/;$/, ''),
    )
    .filter((statement) => statement !== '');
  const created = new Set(statements.map((statement) => CREATED_TABLE.exec(statement)?.[1]));
  return statements.filter((statement) => {
    const changed = CHANGED_TABLE.exec(statement)?.[1];
    if (changed !== undefined && created.has(changed)) return false;
    const constraint = CHANGED_CONSTRAINT.exec(statement)?.[1];
    if (constraint !== undefined && isWidened(constraint, earlier, migration)) return false;
    const isAddition = ADDITIONS.some((addition) => addition.test(statement));
    return !isAddition || (changed !== undefined && ACTION_MORE.test(statement));
  });
}

/** Returns whether a migration lets a check allow all of its former values, and others. */
function isWidened(constraint: string, earlier: string, migration: string): boolean {
  const [former, present] = [earlier, migration].map((text) => findCheckedValues(constraint, text));
  return former !== undefined && present !== undefined && former.isSubsetOf(present);
}

/** Returns the values of the last check with this name. */
function findCheckedValues(constraint: string, text: string): ReadonlySet<string> | undefined {
  const [, , list] = [...text.matchAll(CHECKED_VALUES)].findLast(([, name]) => name === constraint) ?? [];
  return list === undefined ? undefined : new Set(list.split(',').map((value) => value.trim()));
}
