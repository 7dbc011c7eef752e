import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { eq, sql } from 'drizzle-orm';
import type { MigrationConfig } from 'drizzle-orm/migrator';
import { drizzle as drizzlePglite } from 'drizzle-orm/pglite';
import { migrate as migratePglite } from 'drizzle-orm/pglite/migrator';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { createConversations } from '../../src/core/conversations/index.ts';
import { createInteractions } from '../../src/core/interactions/index.ts';
import type { Database } from '../../src/database/connect.ts';
import { DatabaseUnsuitableError, runMigrations } from '../../src/database/migrations.ts';
import * as schema from '../../src/database/schema/index.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { readSchema } from '../support/stores/read-schema.ts';
import { createBareServerDatabase, findServerUrl } from '../support/stores/test-database.ts';
import { describeByTier } from '../support/vitest/tiers.ts';

const MIGRATIONS = fileURLToPath(new URL('../../drizzle', import.meta.url));
const FORMER = join(MIGRATIONS, 'before-0.3');
/** Data of older versions, by the last migration that they had. */
const FIXTURES = fileURLToPath(new URL('../fixtures/databases', import.meta.url));
/** Bytes that a PNG file begins with. */
const PNG = Buffer.from('89504e47', 'hex');
const serverUrl = findServerUrl();

/** Database without any migrations. */
interface BareDatabase {
  readonly db: Database;
  /** Runs statements without parameters. */
  execute(statements: string): Promise<unknown>;
  migrate(config: MigrationConfig): Promise<void>;
}

/** Files of an empty embedded database. Starting on a copy takes a quarter of the time of creating one. */
let emptyFiles: Promise<Blob> | undefined;

async function createEmptyFiles(): Promise<Blob> {
  const client = await PGlite.create();
  const files = await client.dumpDataDir('none');
  await client.close();
  return files;
}

async function createEmbedded(): Promise<BareDatabase> {
  emptyFiles ??= createEmptyFiles();
  const client = await PGlite.create({ loadDataDir: await emptyFiles });
  onTestFinished(() => client.close());
  const db = drizzlePglite(client, { schema });
  return { db, execute: (statements) => client.exec(statements), migrate: (config) => migratePglite(db, config) };
}

async function createOnServer(): Promise<BareDatabase> {
  const { url, close } = await createBareServerDatabase(serverUrl ?? '');
  const client = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(async () => {
    await client.end();
    await close();
  });
  const db = drizzle(client, { schema });
  return { db, execute: (statements) => client.unsafe(statements), migrate: (config) => migrate(db, config) };
}

/** Migrates to this version, as a start does. */
async function upgrade(database: BareDatabase): Promise<void> {
  await runMigrations(database.db, (config) => database.migrate(config));
}

interface Journal {
  readonly entries: readonly { readonly tag: string; readonly when: number }[];
}

async function readJournal(folder = FORMER): Promise<Journal> {
  return JSON.parse(await readFile(join(folder, 'meta', '_journal.json'), 'utf8'));
}

/** Brings a database to what the versions had that ended at a former migration, such as `0025`. */
async function installFormer(database: BareDatabase, last: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-migrations-'));
  try {
    const journal = await readJournal();
    const entries = journal.entries.filter(({ tag }) => tag.slice(0, 4) <= last);
    await mkdir(join(folder, 'meta'));
    await writeFile(join(folder, 'meta', '_journal.json'), JSON.stringify({ ...journal, entries }));
    for (const { tag } of entries) await copyFile(join(FORMER, `${tag}.sql`), join(folder, `${tag}.sql`));
    await database.migrate({ migrationsFolder: folder });
  } finally {
    await rm(folder, { recursive: true });
  }
}

describeByTier([
  ['the embedded database', createEmbedded],
  ...(serverUrl ? ([['a server', createOnServer]] as const) : []),
] as const)('on %s', ([, create]) => {
  /** Creates a database of an older version, with its data. */
  const createFormer = async (last: string): Promise<BareDatabase> => {
    const database = await create();
    await installFormer(database, last);
    await database.execute(await readFile(join(FIXTURES, `${last}.sql`), 'utf8'));
    return database;
  };

  it('a new installation runs no former migration and gets the schema of an old one', async () => {
    const [fresh, old] = [await create(), await create()];
    await upgrade(fresh);
    await installFormer(old, '0049');
    await upgrade(old);
    const expected = await readSchema(fresh);
    expect(expected.length).toBeGreaterThan(800);
    expect(await readSchema(old)).toEqual(expected);
    const present = (await readJournal(MIGRATIONS)).entries.length;
    expect(await countMigrations(fresh)).toBe(present);
    await upgrade(old);
    // The last former one stands for the first present one.
    expect(await countMigrations(old)).toBe((await readJournal()).entries.length + present - 1);
  });

  it('data of version 0.1 survives', async () => {
    const { db, ...database } = await createFormer('0000');
    await upgrade({ db, ...database });
    const conversations = createConversations({ db });
    const [question, answer] = await conversations.listPath(2);
    expect([question, answer]).toMatchObject([
      { role: 'user', content: 'count to 5' },
      { role: 'assistant', content: '1, 2, 3, 4, 5', model: 'demo' },
    ]);
    expect(await conversations.findCurrentConversation({ chatId: 783996430, topicId: undefined })).toMatchObject({
      userId: 2,
    });
    // An answer that was shown is not shown again.
    expect(await conversations.listUnfinished(783996430)).toEqual([]);
    expect(await db.select({ hash: schema.apiKeys.hash }).from(schema.apiKeys)).toHaveLength(1);
    expect(await db.select().from(schema.usage)).toHaveLength(3);
    expect(await findAction(db, 'fFXH7kOOwyLtkJuwsBd9ew')).toEqual({ kind: 'list-languages' });
  });

  it('data of version 0.2 survives', async () => {
    const { db, ...database } = await createFormer('0047');
    await upgrade({ db, ...database });
    const conversations = createConversations({ db });
    const found = await conversations.findCurrentConversation({ chatId: 82810402, topicId: undefined });
    expect(found).toMatchObject({ userId: 2, title: 'count to 5' });
    expect(await conversations.listPath(2)).toHaveLength(2);
    expect(await db.select().from(schema.users)).toMatchObject([{ id: 1 }, { telegramId: 82810402, role: 'admin' }]);
    expect(await db.select().from(schema.apiKeys).orderBy(schema.apiKeys.id)).toMatchObject([
      { userId: 1, isUniversal: true },
      { userId: 2, label: 'new' },
    ]);
    expect(await db.select().from(schema.imageJobs)).toMatchObject([
      { userId: 2, options: { prompt: 'a lighthouse' } },
    ]);
    const [image] = await db.select().from(schema.images);
    expect(image?.bytes.subarray(0, PNG.length)).toEqual(PNG);
    expect(await db.select().from(schema.tasks)).toMatchObject([{ userId: 2, prompt: 'buy milk', state: 'active' }]);
    expect(await db.$count(schema.files)).toBe(3);
    expect(await db.$count(schema.updates)).toBe(2);
    const buttons = { nYrcJOK7VK1K4N1uc2asPw: 'list-keys', 'xYixayxT_gsxvK--loy4mA': 'send-originals' };
    for (const [token, kind] of Object.entries(buttons)) expect(await findAction(db, token)).toMatchObject({ kind });
  });

  it('a reservation of an ended process is still written to the ledger', async () => {
    const { db, ...database } = await createFormer('0047');
    await upgrade({ db, ...database });
    const { id, tokens, images, usd, usage: row } = schema.limitReservations;
    const settlements = sql`jsonb_build_array(jsonb_build_object('id', ${id}, 'tokens', ${tokens}, 'images', ${images},
      'usd', ${usd}, 'usage', ${row}))`;
    const written = sql`settle_and_reserve(${settlements}, '[]', now(), interval '1 minute')`;
    await db.select({ written }).from(schema.limitReservations);
    const entry = await db.select().from(schema.usage).where(eq(schema.usage.promptTokens, 90));
    expect(entry).toMatchObject([{ userId: 2, imageCount: 1, completionTokens: 10 }]);
    expect(await db.select().from(schema.limitCounters)).toMatchObject([
      { dayTokens: 100, dayImages: 1, totalUsd: 0.5 },
    ]);
  });

  it('scopes and actions get the names that this version writes', async () => {
    const { db, ...database } = await createFormer('0047');
    await database.execute(`
      insert into budgets (scope, usd_per_day, updated_at) values ('person:2', 1, now()), ('chat:-5', 1, now());
      insert into limit_counters (scope, minute_began_at, day) values ('person:2', now(), current_date);
      insert into budget_notices (scope, period, period_start, level, limit_usd, claimed_at)
        values ('person:2', 'day', current_date, 80, 1, now());
      insert into admin_actions (admin_telegram_id, action, subject, reason, created_at) values
        (7, 'announce', '1', 'person:2', now()), (7, 'resume-announcement', '1', '', now()),
        (7, 'set-budget', 'person:2', '', now()), (7, 'ban', '600', 'spam', now())`);
    await upgrade({ db, ...database });
    const scopesOf = async (table: typeof schema.budgets | typeof schema.limitCounters | typeof schema.budgetNotices) =>
      (await db.select({ scope: table.scope }).from(table).orderBy(table.scope)).map(({ scope }) => scope);
    expect(await scopesOf(schema.budgets)).toEqual(['chat:-5', 'user:2']);
    expect(await scopesOf(schema.limitCounters)).toEqual(['user:2']);
    expect(await scopesOf(schema.budgetNotices)).toEqual(['user:2']);
    expect(await db.select().from(schema.limitReservations)).toMatchObject([{ scope: 'user:2' }]);
    const clients = (await db.select().from(schema.uploadVolumes)).map(({ client }) => client);
    expect(clients.toSorted()).toEqual(['address:r-lQ1eSjRK3fup8HCxVvJA', 'user:2']);
    const { action, subject, id } = schema.adminActions;
    expect(await db.select({ action, subject }).from(schema.adminActions).orderBy(id)).toEqual([
      { action: 'broadcast', subject: '1' },
      { action: 'resume-broadcast', subject: '1' },
      { action: 'set-budget', subject: 'user:2' },
      { action: 'ban', subject: '600' },
    ]);
  });

  it('triggers queue new texts for the search and delete the usage of deleted users', async () => {
    const { db, ...database } = await createFormer('0047');
    await upgrade({ db, ...database });
    await db.delete(schema.libraryChanges);
    await db.update(schema.messages).set({ content: 'count to 6' }).where(eq(schema.messages.id, 1));
    await db.update(schema.files).set({ name: 'other.txt' }).where(eq(schema.files.userId, 2));
    await db.update(schema.conversations).set({ chatId: 5 });
    expect(await db.$count(schema.libraryChanges)).toBe(4);
    await db.delete(schema.users).where(eq(schema.users.id, 2));
    expect(await db.selectDistinct({ userId: schema.usage.userId }).from(schema.usage)).toEqual([{ userId: 1 }]);
  });

  it('tables that an operator has added stay as they are', async () => {
    const database = await createFormer('0047');
    await database.execute(`
      create table daily_report (day date constraint always_dated not null) partition by range (day);
      create table daily_report_2026 partition of daily_report for values from ('2026-01-01') to ('2027-01-01')`);
    const readAdded = async () => (await readSchema(database)).filter((line) => line.includes('daily_report'));
    const before = await readAdded();
    await upgrade(database);
    expect(before).not.toEqual([]);
    expect(await readAdded()).toEqual(before);
  });

  it('a migration that fails changes nothing', async () => {
    const database = await createFormer('0047');
    // In the way of the last migration.
    await database.execute('create table broadcasts (id integer)');
    const before = await readSchema(database);
    await expect(upgrade(database)).rejects.toThrow(/broadcasts/);
    expect(await readSchema(database)).toEqual(before);
    expect(await countMigrations(database)).toBe(48);
    await database.execute('drop table broadcasts');
    await upgrade(database);
    expect(await createConversations(database).listPath(2)).toHaveLength(2);
  });

  it.each<[string, string, RegExp]>([
    [
      'a newer version',
      `create schema drizzle; create table drizzle.__drizzle_migrations (id serial, hash text, created_at bigint);
       insert into drizzle.__drizzle_migrations (hash, created_at) values ('', 1795667400000), ('', 4102444800000)`,
      /^a newer version of Switchboard has changed it \(on 2100-01-01; .*Start that version, or restore a backup/,
    ],
    [
      'another program with migrations of the same kind',
      `create schema drizzle; create table drizzle.__drizzle_migrations (id serial, hash text, created_at bigint);
       insert into drizzle.__drizzle_migrations (hash, created_at) values ('', 1700000000000)`,
      /^it has the migrations of another program in the schema "drizzle"/,
    ],
    [
      'another program',
      'create table "Orders" (); create table customers (); create table items (); create table users (); create table x ()',
      /^it has tables \("Orders", "customers", "items", …\), but no migrations of Switchboard/,
    ],
    ['a session that only reads', 'set default_transaction_read_only = on', /^it is read-only/],
    ['a user who may not create tables', 'set search_path = nowhere', /^its user may not create tables in it/],
    [
      'a user with a schema of its own',
      'create schema "App"; set search_path = "App", public',
      /^its user would create tables in the schema "App".*search_path=public/,
    ],
  ])('a database of %s is refused and not changed', async (_what, prepare, reason) => {
    const database = await create();
    await database.execute(prepare);
    const before = await readSchema(database);
    const failure = await upgrade(database).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatabaseUnsuitableError);
    expect((failure as Error).message).toMatch(reason);
    expect(await readSchema(database)).toEqual(before);
  });
});

async function countMigrations({ db }: BareDatabase): Promise<number> {
  const [row] = await db.select({ count: sql`count(*)`.mapWith(Number) }).from(sql`drizzle.__drizzle_migrations`);
  return row?.count ?? 0;
}

async function findAction(db: Database, token: string): Promise<unknown> {
  return (await createInteractions({ db, clock: systemClock }).findAction(token))?.action;
}
