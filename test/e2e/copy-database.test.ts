import { dirname } from 'node:path';
import { sql } from 'drizzle-orm';
import postgres from 'postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/database/connect.ts';
import { runToEnd, type Settings, startCommand } from '../support/harness/process.ts';
import { startServiceHarness } from '../support/harness/service.ts';
import { readContents } from '../support/stores/read-contents.ts';
import {
  createBareServerDatabase,
  createEmbeddedTestDatabase,
  findServerUrl,
  type TestDatabase,
} from '../support/stores/test-database.ts';
import { EXHAUSTIVE, testByTier } from '../support/vitest/tiers.ts';

const serverUrl = findServerUrl() ?? '';
const PASSWORD = 'geheim%2F1234';
/** Heap in which 200,000 rows and images of 3 MB are copied. */
const LITTLE_HEAP: Settings = { NODE_OPTIONS: '--max-old-space-size=100' };

describe.skipIf(serverUrl === '')('--copy-database', () => {
  const createTarget = async () => {
    const database = await createBareServerDatabase(serverUrl);
    onTestFinished(() => database.close());
    // The server of the tests asks for no password, so any will do.
    const url = new URL(database.url);
    url.password = PASSWORD;
    return url.href;
  };
  const createSource = async () => {
    const database = await createEmbeddedTestDatabase({ isNew: true });
    onTestFinished(() => database.close());
    return database;
  };
  const toDataDirectory = ({ config }: TestDatabase) => dirname(config.kind === 'embedded' ? config.directory : '');

  test('takes an installation with conversations, files, keys, tasks and budgets to a server', async () => {
    const source = await createSource();
    await source.db.execute(sql`insert into budgets values ('total', 20, 500.5, null, now())`);
    await source.release();
    const stage = await startServiceHarness({ database: source });
    onTestFinished(() => stage.close());
    const { service } = stage;
    await service.isReady();
    stage.writes('Hello');
    await stage.says('Hello, world!');
    stage.writes('/remind 2031-05-01 10:00 buy milk');
    await stage.says('buy milk');
    const uploaded = await service.get('/upload/note.txt', { method: 'PUT', body: 'twelve bytes' });
    const { url } = (await uploaded.json()) as { url: string };

    const target = await createTarget();
    const run = (settings: Settings = {}) =>
      runToEnd(toDataDirectory(source), ['--copy-database', target], {
        DATA_DIR: toDataDirectory(source),
        ...settings,
      });
    const refused = await run();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/is in use by another process\. Is Switchboard already running\? Stop it first/);
    await service.stop();

    const before = await openDatabase(source.config);
    const contents = await readContents(before.db);
    await before.close();
    const { code, stdout, stderr } = await run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/Copied \d+ rows in \d+ tables\. Every table has as many as in the source/);
    expect(stdout).toMatch(/ {2}messages +2 rows\n/);
    expect(stdout).toMatch(
      /1\. Set DATABASE_URL.*\n.*Keep DATA_DIR \(.*\) where it is: it has the encryption key, the shared API key and all files\./,
    );
    expect(stdout).not.toMatch(/geheim/);
    const after = await openDatabase({ kind: 'postgres', url: target });
    expect(await readContents(after.db)).toEqual(contents);
    await after.close();
    for (const table of ['budgets', 'messages', 'conversations', 'files', 'parts', 'api_keys', 'tasks', 'deliveries'])
      expect(contents).toHaveProperty(table);

    const moved = await stage.start({ DATABASE_URL: target });
    await moved.isReady();
    expect(moved.apiKey).toBe(service.apiKey);
    const models = await moved.get('/ai/openai/models', { headers: { authorization: `Bearer ${service.apiKey}` } });
    expect(models.status).toBe(200);
    expect(await (await moved.get(new URL(url).pathname)).text()).toBe('twelve bytes');
    stage.writes('Do you remember?');
    await expect.poll(() => stage.provider.chatRequests.length, { timeout: 60_000 }).toBe(2);
    expect(JSON.stringify(stage.provider.chatRequests.at(-1)?.body['messages'])).toMatch(
      /Hello.*Hello, world!.*remember/,
    );
    stage.writes('/tasks');
    await stage.says('buy milk');

    const again = await run();
    expect(again.code).toBe(78);
    expect(again.stderr).toMatch(/^The target is in use by a running service: server process \d+/);
  });

  test('copies 200,000 rows in a small heap, also after kill -9 and Ctrl+C in the middle', EXHAUSTIVE, async () => {
    const source = await createSource();
    await source.db.execute(sql`set session_replication_role = replica`);
    for (const statement of [
      sql`insert into users (telegram_id) values (7)`,
      sql`insert into conversations (chat_id, user_id) values (7, 1)`,
      sql`insert into messages (conversation_id, role, content)
        select 1, 'user', 'message ' || n || repeat(' wörd', n % 40) from generate_series(1, 200000) n`,
      sql`insert into image_jobs (user_id, chat_id, options) values (1, 7, '{}')`,
      sql`insert into images (image_job_id, position, format, bytes)
        select 1, n, 'png', convert_to(repeat('image ' || n, 400000), 'UTF8') from generate_series(1, 40) n`,
    ])
      await source.db.execute(statement);
    await source.release();
    const target = await createTarget();
    const client = postgres(target, { max: 1, onnotice: () => {} });
    onTestFinished(() => client.end());
    const settings = { DATA_DIR: toDataDirectory(source), ...LITTLE_HEAP };
    const begin = async () => {
      const command = startCommand(toDataDirectory(source), ['--copy-database', target], settings);
      // The largest table is next.
      await command.prints(/ {2}images +40 rows/);
      return command;
    };
    const expectNothing = async () => {
      // The server notices the end of the connection by itself.
      const rows = () => client<{ count: number }[]>`select count(*)::int as count from images, messages`;
      await expect.poll(rows).toMatchObject([{ count: 0 }]);
    };

    await (await begin()).kill();
    await expectNothing();
    const interrupted = await begin();
    interrupted.signal('SIGINT');
    const { code, stderr } = await interrupted.ended();
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: 'Interrupted: the target has nothing of the copy. The same command begins it anew\n',
    });
    await expectNothing();
    const whole = await runToEnd(toDataDirectory(source), ['--copy-database', target], settings);
    expect({ code: whole.code, stderr: whole.stderr }).toEqual({ code: 0, stderr: '' });
    expect(whole.stdout).toContain('Copied 200043 rows');
    const lengths = Array.from({ length: 200_000 }, (_, at) => `message ${at + 1}`.length + 5 * ((at + 1) % 40));
    const sum = lengths.reduce((all, length) => all + length);
    expect(await client`select count(*)::int as count, sum(length(content))::int as sum from messages`).toMatchObject([
      { count: 200_000, sum },
    ]);
    expect(await client`select count(*)::int as count, sum(length(bytes))::int as sum from images`).toMatchObject([
      { count: 40, sum: 400_000 * (9 * 'image 1'.length + 31 * 'image 10'.length) },
    ]);
  });

  testByTier<readonly [string, readonly string[], number, RegExp]>(
    [
      ['none', [], 64, /argument missing/],
      ['no address', ['here'], 78, /needs the address of the target/],
      ['one without a database', [`postgres://me:${PASSWORD}@127.0.0.1`], 78, /needs the name of a database/],
      [
        'one where nothing listens',
        [`postgres://me:${PASSWORD}@[::1]:9/one`],
        1,
        /^The target can't be used: .*ECONNREFUSED ::1:9/,
      ],
      [
        'one of a database that does not exist',
        [withDatabase('nowhere')],
        1,
        /^The target can't be used: database "nowhere" does not exist/,
      ],
    ],
    2,
  )('with an address that is %s says so', async ([_name, args, expectedCode, expected]) => {
    const source = await createSource();
    await source.release();
    const { code, stdout, stderr } = await runToEnd(toDataDirectory(source), ['--copy-database', ...args], {
      DATA_DIR: toDataDirectory(source),
    });
    expect({ code, stderr }).toEqual({ code: expectedCode, stderr: expect.stringMatching(expected) });
    expect(stdout + stderr).not.toMatch(/geheim/);
  });
});

/** Returns the address of another database of the server of the tests. */
function withDatabase(name: string): string {
  if (serverUrl === '') return '';
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
}
