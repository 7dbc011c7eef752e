import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { findBreakingStatements } from '../../support/stores/find-breaking-statements.ts';

const MIGRATIONS = join(import.meta.dirname, '../../../drizzle');

/**
 * The last migration that needs all processes of the version before to be stopped: that of 0.3, whose upgrade does so
 * anyway, because it renames tables.
 */
const LAST_WITH_STOP = '0001_durable_jobs';

/**
 * Statements of later migrations that remove something, with the release that removed its last reader and writer: it is
 * older than the one with the migration.
 */
const UNUSED: readonly { readonly migration: string; readonly statement: RegExp; readonly unusedSince: string }[] = [];

interface Journal {
  readonly entries: readonly { readonly tag: string }[];
}

const tags = (JSON.parse(readFileSync(join(MIGRATIONS, 'meta/_journal.json'), 'utf8')) as Journal).entries.map(
  ({ tag }) => tag,
);
const read = (tag: string) => readFileSync(join(MIGRATIONS, `${tag}.sql`), 'utf8');

test('migrations only add, so processes of the last version work beside those of this one', () => {
  expect(tags).toContain(LAST_WITH_STOP);
  const breaking = tags.slice(tags.indexOf(LAST_WITH_STOP) + 1).flatMap((tag) =>
    findBreakingStatements(read(tag), tags.slice(0, tags.indexOf(tag)).map(read).join('\n'))
      .filter((statement) => !UNUSED.some((one) => one.migration === tag && one.statement.test(statement)))
      .map((statement) => `${tag}: ${statement}`),
  );
  expect(breaking).toEqual([]);
  for (const { migration, unusedSince } of UNUSED) {
    expect(tags).toContain(migration);
    expect(readFileSync(join(MIGRATIONS, '../CHANGELOG.md'), 'utf8')).toContain(`## [${unusedSince}]`);
  }
});

test('docs/stable.md promises what is tested', () => {
  const text = readFileSync(join(MIGRATIONS, '../docs/stable.md'), 'utf8');
  expect(text).toMatch(/processes of two successive minor versions work beside each other on one Postgres server/);
  expect(text).toMatch(/An older version does not \*start\* on tables that a newer one has migrated/);
});

describe('a statement', () => {
  it.each([
    'CREATE TABLE "notes" ("id" integer NOT NULL);',
    'CREATE TABLE "notes" (\n\t"id" integer);\n--> statement-breakpoint\nALTER TABLE "notes" ADD CONSTRAINT "fk" FOREIGN KEY ("id") REFERENCES "public"."users"("id");--> statement-breakpoint\nCREATE UNIQUE INDEX "notes_id" ON "notes" USING btree ("id");',
    'ALTER TABLE "users" ADD COLUMN "note" text;',
    'ALTER TABLE "users" ADD COLUMN "count" integer DEFAULT 0 NOT NULL;',
    'CREATE INDEX "users_note" ON "users" USING btree ("note");',
    'CREATE FUNCTION "new"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DELETE FROM usage; END $$;',
    '-- Drops nothing.\nALTER TABLE "users" ADD COLUMN "note" text',
  ])('that adds is fine: %s', (statement) => {
    expect(findBreakingStatements(statement)).toEqual([]);
  });

  it.each([
    'DROP TABLE "users";',
    'ALTER TABLE "users" DROP COLUMN "plan";',
    'ALTER TABLE "users" ADD COLUMN "note" text, DROP COLUMN "plan";',
    'ALTER TABLE "users" RENAME COLUMN "plan" TO "tier";',
    'ALTER TABLE "users" RENAME TO "people";',
    'ALTER TABLE "users" ADD COLUMN "note" text NOT NULL;',
    'ALTER TABLE "users" ALTER COLUMN "plan" SET NOT NULL;',
    'ALTER TABLE "users" ALTER COLUMN "role" DROP NOT NULL;',
    'ALTER TABLE "users" ALTER COLUMN "plan" SET DATA TYPE integer;',
    'ALTER TABLE "users" ADD CONSTRAINT "users_plan" CHECK ("plan" <> \'\');',
    'CREATE UNIQUE INDEX "users_plan" ON "users" USING btree ("plan");',
    'CREATE TRIGGER "on_user" AFTER INSERT ON "users" FOR EACH ROW EXECUTE FUNCTION "new"();',
    'CREATE OR REPLACE FUNCTION "limit_amount"(value jsonb) RETURNS bigint LANGUAGE sql AS $$ select 1 $$;',
    'DROP FUNCTION "limit_amount"(jsonb, bigint, bigint);',
    'UPDATE "users" SET "plan" = null;',
    'DELETE FROM "usage";',
  ])('that removes, renames, restricts or changes is found: %s', (statement) => {
    expect(
      findBreakingStatements(`CREATE TABLE "notes" ("id" integer);\n--> statement-breakpoint\n${statement}`),
    ).toHaveLength(1);
  });

  it.each([
    ['more values', `'a', 'b', 'c'`, 0],
    ['other values', `'a', 'c'`, 2],
  ])('that lets a check allow %s', (_name, values, count) => {
    const earlier = `CREATE TABLE "users" ("kind" text, CONSTRAINT "users_kind" CHECK ("users"."kind" in ('a', 'b')));`;
    const migration = `ALTER TABLE "users" DROP CONSTRAINT "users_kind";--> statement-breakpoint
      ALTER TABLE "users" ADD CONSTRAINT "users_kind" CHECK ("users"."kind" in (${values}));`;
    expect(findBreakingStatements(migration, earlier)).toHaveLength(count);
  });

  it('is found in a migration that was made', () => {
    expect(findBreakingStatements(read(LAST_WITH_STOP))).toEqual([
      'ALTER TABLE "responses" DROP COLUMN "is_cancelled"',
      'ALTER TABLE "responses" DROP COLUMN "alive_at"',
    ]);
  });
});
