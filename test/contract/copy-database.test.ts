import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type DatabaseConfig, openDatabase } from '../../src/database/connect.ts';
import { type CopyProgress, copyDatabase } from '../../src/database/copy/copy-database.ts';
import { CopyFailedError, CopyInterruptedError, CopyRefusedError } from '../../src/database/copy/copy-failures.ts';
import { lockDirectory } from '../../src/lib/files/directory-lock.ts';
import { readContents, tableNames } from '../support/stores/read-contents.ts';
import { readSchema } from '../support/stores/read-schema.ts';
import {
  createBareServerDatabase,
  createEmbeddedTestDatabase,
  createServerTestDatabase,
  findServerUrl,
  type TestDatabase,
} from '../support/stores/test-database.ts';

const serverUrl = findServerUrl() ?? '';

/** Values of all types, with what is special in the text format of COPY. */
const ROWS = `
  insert into users (telegram_id, settings, created_at) values
    (9007199254740993, '{"a": "\\\\n\\t\\u2028 «Ä» 😀", "b": [null, 1.10, 1e-7], "c": {"": "\\\\N"}}', '2026-02-28 23:59:59.123456+05:45'),
    (-1, '{}', 'infinity'), (null, '[]', '4713-01-01 00:00:00+00 BC');
  insert into api_keys (user_id, hash, prefix, label, allowed_models, admin_rules, tokens_per_day) values
    (1, repeat('ab', 32), 'sk-', E'tab\\t line\\n return\\r back\\\\slash \\\\. \\\\N', array['a,b', '"q"', '\\', '', 'NULL', null], '{}', 9223372036854775807);
  insert into budgets values ('user:1', 0.000000001, 999999.999999999, null, now());
  insert into budget_notices (scope, period, period_start, level, limit_usd, claimed_at, sent_to)
    values ('user:1', 'day', '2024-02-29', 80, 0.1, now(), '{1,-9223372036854775808}');
  insert into conversations (chat_id, user_id, title) values (1, 1, ''), (-5, 2, E'\\\\.');
  insert into messages (conversation_id, role, content, extras) values (1, 'user', E'\\\\.\\n', null), (1, 'assistant', '', '{"z": 1, "a": "\\u0001"}');
  update messages set parent_id = 1 where id = 2;
  update conversations set head_id = 2 where id = 1;
  insert into attachment_texts values (2, 0, 'text', 0.1, null), (2, 1, 'text', 1e-30, 2);
  insert into image_jobs (user_id, chat_id, options) values (1, 1, '{}');
  insert into images (image_job_id, position, format, bytes) values (1, 0, 'png', '\\x00ff5c0a0d09'), (1, 1, 'png', ''),
    (1, 2, 'png', convert_to(repeat('\\x', 1500000), 'UTF8'));
  insert into files (id, owner_key_hash, user_id, name, media_type, state, wrapped_key)
    values ('one', repeat('0', 64), 1, 'a.txt', 'text/plain', 'ready', '\\x5c4e');
  insert into library_chunks (message_id, user_id, sent_at, start, length, words, number)
    values (1, 1, now(), 0, 1, to_tsvector('russian', 'Привет, it''s a \\\\ world') || 'x:1A'::tsvector, 1);
  insert into library_vectors values (1, 1, null, 1, 'm', B'0101100101');
  insert into limit_counters (scope, minute_began_at, day, month_usd) values ('user:1', '-infinity', '0044-03-15 BC', 'NaN');
  insert into idempotent_requests (id, user_id, key_hash, body_hash, state, expires_at)
    values ('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 1, 'k', 'b', 'running', now());
  delete from users where id = 3;`;

describe.skipIf(serverUrl === '')('a copy of the database', () => {
  const createEmbedded = async () => {
    const database = await createEmbeddedTestDatabase({ isNew: true });
    onTestFinished(() => database.close());
    return database;
  };
  const createOnServer = async () => {
    const database = await createServerTestDatabase(serverUrl);
    onTestFinished(() => database.close());
    return database;
  };
  const createTarget = async () => {
    const database = await createBareServerDatabase(serverUrl);
    onTestFinished(() => database.close());
    return database.url;
  };
  const openAgain = async (config: DatabaseConfig) => {
    const database = await openDatabase(config);
    onTestFinished(() => database.close());
    return database.db;
  };
  /** Opens a connection to a server that is no process of the service. */
  const connect = (url: string) => {
    const client = postgres(url, { max: 1, onnotice: () => {} });
    onTestFinished(() => client.end());
    return client;
  };
  const fill = async (database: TestDatabase, statements = ROWS) => {
    // Drizzle passes them as one statement to neither driver.
    for (const statement of statements.split(/;\n/)) await database.db.execute(sql.raw(statement.replace(/;$/, '')));
  };
  const copy = async (
    source: DatabaseConfig,
    target: string,
    options: { signal?: AbortSignal; onProgress?: (progress: CopyProgress) => void } = {},
  ) => copyDatabase({ source, target, signal: new AbortController().signal, onProgress: () => {}, ...options });
  const hasRows = async (target: string) => {
    const names = await connect(target)<{ name: string }[]>`
      select tablename as name from pg_tables where schemaname = 'public' and
        (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %I', tablename), true, true, '')))[1]::text <> '0'`;
    return names.length > 0;
  };

  it.each([
    ['the embedded database', createEmbedded],
    ['a server', createOnServer],
  ])('from %s is exact', async (_name, create) => {
    const source = await create();
    await fill(source);
    const contents = await readContents(source.db);
    await source.release();
    const target = await createTarget();
    const result = await copy(source.config, target);
    expect(result).toMatchObject({ tableCount: tableNames.length, leftOut: [] });

    const db = await openAgain({ kind: 'postgres', url: target });
    expect(await readContents(db)).toEqual(contents);
    // That of the embedded database is printed in another way by its newer version.
    expect(await readSchema({ db })).toEqual(await readSchema(await createOnServer()));
    expect(Object.keys(contents).length).toBeGreaterThan(14);
    // Rules and sequences work on.
    await expect(db.execute(sql`insert into conversations (chat_id, user_id) values (7, 999)`)).rejects.toThrow();
    await db.execute(sql`insert into users (telegram_id) values (5)`);
    expect(await db.execute(sql`select id::int from users where telegram_id = 5`)).toMatchObject([{ id: 4 }]);
    await db.execute(sql`update messages set content = 'new' where id = 1`);
    expect(await db.execute(sql`select message_id::int from library_chunks`)).toHaveLength(0);
    // The source is as before.
    expect(await readContents(await openAgain(source.config))).toEqual(contents);
  });

  it('has tables and columns of an operator only where the target has them', async () => {
    const source = await createOnServer();
    await fill(
      source,
      `create table "Reports" (day date, "Sum" numeric);\ninsert into "Reports" values ('2026-01-01', 1.50);\nalter table users add column operators_own text;\ninsert into users (operators_own) values ('x')`,
    );
    await source.release();
    const [first, second] = [await createTarget(), await createTarget()];
    expect(await copy(source.config, first)).toMatchObject({
      rowCount: 1,
      leftOut: ['Reports', 'users.operators_own'],
    });
    await (await openDatabase({ kind: 'postgres', url: second })).close();
    const client = connect(second);
    await client`create table "Reports" (day date, "Sum" numeric)`;
    expect(await copy(source.config, second)).toMatchObject({ rowCount: 2, leftOut: ['users.operators_own'] });
    expect(await client`select "Sum" from "Reports"`).toMatchObject([{ Sum: '1.50' }]);
  });

  describe('is refused where', () => {
    /** Returns the reason for which a copy of an empty installation is refused. Nothing has been changed then. */
    const refuse = async (target: string, source?: DatabaseConfig) => {
      const embedded = source ? undefined : await createEmbedded();
      await embedded?.release();
      const failure = await copy(source ?? embedded?.config ?? { kind: 'postgres', url: '' }, target).catch(
        (error) => error,
      );
      expect(failure).toBeInstanceOf(CopyRefusedError);
      return String(failure.message);
    };

    it('the target has rows', async () => {
      const target = await createOnServer();
      await fill(
        target,
        `insert into users (telegram_id) values (1);\ninsert into budgets values ('user:1', 1, 1, 1, now())`,
      );
      await target.release();
      const url = target.config.kind === 'postgres' ? target.config.url : '';
      expect(await refuse(url)).toMatch(/^The target is not empty: there are rows in budgets, users\. /);
    });

    it('the target has tables of another program', async () => {
      const url = await createTarget();
      const client = connect(url);
      await client`create table orders ()`;
      expect(await refuse(url)).toMatch(/^The target can't be used: it has tables \("orders"\)/);
      await client`drop table orders`;
      await (await openDatabase({ kind: 'postgres', url })).close();
      await client`create table orders ()`;
      expect(await refuse(url)).toMatch(/^The target has tables that the source does not have: orders\. /);
    });

    it('the target has another encoding', async () => {
      const url = await createTarget();
      const name = new URL(url).pathname.slice(1);
      const admin = connect(serverUrl);
      await admin.unsafe(`drop database ${name}`);
      await admin.unsafe(`create database ${name} encoding 'SQL_ASCII' locale 'C' template template0`);
      expect(await refuse(url)).toMatch(/^The target has the encoding SQL_ASCII, .* createdb --encoding=UTF8/);
      expect(await connect(url)`select from pg_namespace where nspname = 'drizzle'`).toHaveLength(0);
    });

    it('the target may not be written to', async () => {
      const url = await createTarget();
      const client = connect(url);
      const role = `${new URL(url).pathname.slice(1)}_guest`;
      await client.unsafe(`create role ${role} login`);
      onTestFinished(async () => {
        await connect(serverUrl).unsafe(`drop role ${role}`);
      });
      const guest = new URL(url);
      guest.username = role;
      expect(await refuse(guest.href)).toMatch(/its user may not create tables in it/);
      await client.unsafe(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`);
      expect(await refuse(url)).toMatch(/^The target can't be used: it is read-only/);
    });

    it('source and target are the same database', async () => {
      const source = await createOnServer();
      await source.release();
      const other = new URL(source.config.kind === 'postgres' ? source.config.url : '');
      other.hostname = 'localhost';
      expect(await refuse(other.href, source.config)).toMatch(/^Source and target are the same database\./);
    });

    it('a process uses the source, or did until a moment ago', async () => {
      const source = await createOnServer();
      await fill(source, `insert into update_workers values ('one', now() + interval '15 s')`);
      const target = await createTarget();
      expect(await refuse(target, source.config)).toMatch(
        /^The database of the settings is in use: server process \d+ /,
      );
      await source.release();
      expect(await refuse(target, source.config)).toMatch(/until a moment ago\. Stop it; if it was killed, wait 1\d s/);
      const embedded = await createEmbedded();
      await expect(copy(embedded.config, target)).rejects.toThrow(/is in use by another process/);
    });

    it('there is no source, or one of another version', async () => {
      const [empty, target] = [await createTarget(), await createTarget()];
      expect(await refuse(target, { kind: 'postgres', url: empty })).toMatch(/^There is nothing to copy/);
      const directory = await mkdtemp(join(tmpdir(), 'switchboard-copy-'));
      onTestFinished(() => rm(directory, { recursive: true }));
      await expect(copy({ kind: 'embedded', directory }, target)).rejects.toThrow(/there is none/);
      // It was not left locked.
      await (await lockDirectory(directory))();
      const old = await createOnServer();
      await old.db.execute(sql`delete from drizzle.__drizzle_migrations where id > 1`);
      await old.release();
      expect(await refuse(target, old.config)).toMatch(/the tables of an older version/);
    });
  });

  describe('that fails', () => {
    const MANY = 20_000;
    const createFilled = async () => {
      const source = await createOnServer();
      await fill(
        source,
        `insert into users (telegram_id) values (1);\ninsert into conversations (chat_id, user_id) values (1, 1);\ninsert into messages (conversation_id, role, content) select 1, 'user', repeat('word ', 50) || n from generate_series(1, ${MANY}) n`,
      );
      await source.release();
      return source.config;
    };

    /** Breaks a copy in the middle of a large table, and copies again. */
    const breakOff = async (act: (target: string) => Promise<unknown> | unknown, signal?: AbortSignal) => {
      const [source, target] = [await createFilled(), await createTarget()];
      let acting: Promise<unknown> | undefined;
      const onProgress = ({ table, rows, ofRows }: CopyProgress) => {
        if (table === 'messages' && rows < ofRows) acting ??= Promise.resolve(act(target));
      };
      const failure: unknown = await copy(source, target, { onProgress, ...(signal ? { signal } : {}) }).catch(
        (error) => error,
      );
      expect(acting).toBeDefined();
      await acting;
      expect(await hasRows(target)).toBe(false);
      await expect.poll(() => copy(source, target).then(({ rowCount }) => rowCount, String)).toBe(MANY * 2 + 2);
      return failure;
    };

    it('because the operator interrupts it leaves nothing', async () => {
      const controller = new AbortController();
      const failure = await breakOff(() => controller.abort(), controller.signal);
      expect(failure).toBeInstanceOf(CopyInterruptedError);
    });

    it('because a connection is lost leaves nothing', async () => {
      const failure = await breakOff((target) => {
        return connect(target)`select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name = 'switchboard copy'`;
      });
      expect(failure).toBeInstanceOf(CopyFailedError);
      expect(String(failure)).toMatch(/The copy has failed, and the target has nothing of it: /);
    });

    it('because the target refuses the last row says why', async () => {
      const [source, target] = [await createFilled(), await createTarget()];
      await (await openDatabase({ kind: 'postgres', url: target })).close();
      await connect(target).unsafe(`alter table messages add constraint few check (id < ${MANY})`);
      await expect(copy(source, target)).rejects.toThrow(
        /^The copy has failed, and the target has nothing of it: .*violates check constraint "few"$/,
      );
      expect(await hasRows(target)).toBe(false);
    });

    it('keeps a service from starting on the target before it has failed', async () => {
      const [source, target] = [await createFilled(), await createTarget()];
      const controller = new AbortController();
      let starting: Promise<Awaited<ReturnType<typeof openDatabase>>> | undefined;
      let hasStarted = false;
      const onProgress = ({ table, rows, ofRows }: CopyProgress) => {
        if (table !== 'messages') return;
        starting ??= openDatabase({ kind: 'postgres', url: target });
        void starting.then(() => {
          hasStarted = true;
        });
        if (rows === ofRows) {
          expect(hasStarted).toBe(false);
          controller.abort();
        }
      };
      await expect(copy(source, target, { onProgress, signal: controller.signal })).rejects.toThrow(
        CopyInterruptedError,
      );
      const service = await starting;
      onTestFinished(async () => service?.close());
      expect(service && (await readContents(service.db))).toEqual({});
    });
  });
});
