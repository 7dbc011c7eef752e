import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { usage } from '../../src/database/schema/index.ts';
import { createWorkFolder, eventually, startService } from '../support/harness/process.ts';
import { startServiceHarness } from '../support/harness/service.ts';
import { createBareServerDatabase, createServerTestDatabase, findServerUrl } from '../support/stores/test-database.ts';
import { EXHAUSTIVE, orSkip } from '../support/vitest/tiers.ts';

const run = promisify(execFile);
const serverUrl = findServerUrl();
const tools = orSkip(await findTools(), 'pg_dump and pg_restore are not there: apt-get install postgresql-client');

async function findTools(): Promise<readonly string[] | undefined> {
  const tools = ['pg_dump', 'pg_restore'];
  const versions = await Promise.allSettled(tools.map((tool) => run(tool, ['--version'])));
  return versions.every(({ status }) => status === 'fulfilled') ? tools : undefined;
}

describe.skipIf(!serverUrl || !tools)('a backup', () => {
  test('of a running service restores users, keys, conversations and files on another server', async () => {
    const database = await createServerTestDatabase(serverUrl ?? '');
    onTestFinished(() => database.close());
    const data = await createWorkFolder();
    onTestFinished(() => data.remove());
    const stage = await startServiceHarness({ database, settings: { DATA_DIR: join(data.path, 'data') } });
    onTestFinished(() => stage.close());
    const { service } = stage;
    await service.isReady();
    stage.writes('Hello');
    await stage.says('Hello, world!');
    const uploaded = await service.get('/upload/note.txt', { method: 'PUT', body: 'twelve bytes' });
    const { url, owner } = (await uploaded.json()) as { url: string; owner: string };
    await eventually(async () => (await database.db.select({ id: usage.id }).from(usage)).length === 1 || undefined);

    // In the order of the documentation: the database first, then the files.
    const dump = join(data.path, 'switchboard.dump');
    const from = database.config.kind === 'postgres' ? database.config.url : '';
    await run('pg_dump', ['--format=custom', '--no-owner', `--file=${dump}`, from]);
    await cp(join(data.path, 'data'), join(data.path, 'copy'), { recursive: true });
    await service.stop();

    const target = await createBareServerDatabase(serverUrl ?? '');
    onTestFinished(() => target.close());
    await run('pg_restore', ['--no-owner', '--exit-on-error', `--dbname=${target.url}`, dump]);
    const restored = await stage.start({ DATABASE_URL: target.url, DATA_DIR: join(data.path, 'copy') });
    await restored.isReady();

    // The key of the first start was not created again.
    expect(restored.apiKey).toBe(service.apiKey);
    const answer = await restored.post(
      '/ai/openai/chat/completions',
      { model: 'fake-model', messages: [{ role: 'user', content: 'Hi' }] },
      { key: service.apiKey },
    );
    expect(answer.status).toBe(200);

    const { pathname } = new URL(url);
    expect(await (await restored.get(pathname)).text()).toBe('twelve bytes');
    expect((await restored.get(pathname, { method: 'DELETE', headers: { authorization: owner } })).status).toBe(200);

    stage.writes('Do you remember?');
    await eventually(() => stage.provider.chatRequests.length === 3 || undefined);
    expect(JSON.stringify(stage.provider.chatRequests.at(-1)?.body['messages'])).toMatch(
      /Hello.*Hello, world!.*remember/,
    );
  });

  test('is documented with the same commands', async () => {
    const text = await readFile(new URL('../../docs/backup.md', import.meta.url), 'utf8');
    expect(text).toContain('pg_dump --format=custom --no-owner');
    expect(text).toContain('pg_restore --no-owner --exit-on-error');
  });
});

test('an embedded database is restored by a copy of its folder', EXHAUSTIVE, async () => {
  const folder = await createWorkFolder();
  onTestFinished(() => folder.remove());
  const first = await startService(folder.path);
  const uploaded = await first.get('/upload/note.txt', { method: 'PUT', body: 'twelve bytes' });
  const { url } = (await uploaded.json()) as { url: string };
  await first.stop();
  await cp(join(folder.path, 'data'), join(folder.path, 'copy'), { recursive: true });

  const second = await startService(folder.path, { DATA_DIR: join(folder.path, 'copy') });
  onTestFinished(async () => void (await second.kill()));
  expect(await (await second.get(new URL(url).pathname)).text()).toBe('twelve bytes');
  const models = await second.get('/ai/openai/models', { headers: { authorization: `Bearer ${first.apiKey}` } });
  expect(models.status).toBe(200);
});
