import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { locales } from '../../src/bot/texts/locales.ts';
import { eventually, type Launch, type RunningService, runToEnd } from '../support/harness/process.ts';
import { startServiceHarness } from '../support/harness/service.ts';
import { answerAtLength } from '../support/samples/long-answers.ts';
import { createBareServerDatabase, findServerUrl } from '../support/stores/test-database.ts';
import { createAskingUsers } from '../support/storms/answers.ts';

const ROOT = join(import.meta.dirname, '../..');
const KEY = 'sk-sb-key-of-a-rolling-upgrade-0123456789';
const SETTLING_MS = 200_000;

/**
 * The last release, or the checkout that `FORMER_VERSION` names, such as one of `git worktree add`. It runs with the
 * packages of this checkout if it has none.
 */
const former = findFormerVersion();
const serverUrl = findServerUrl() ?? '';

interface FormerVersion {
  readonly launch: Launch;
  remove(): void;
}

function findFormerVersion(): FormerVersion | undefined {
  const named = process.env['FORMER_VERSION'];
  if (named) return toFormerVersion(named, () => {});
  const tag = findLastRelease();
  if (tag === undefined) {
    process.stderr.write(
      'there is no release to upgrade from: name a checkout in FORMER_VERSION; its suite is skipped\n',
    );
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-former-'));
  execFileSync('git', ['-C', ROOT, 'worktree', 'add', '--detach', join(folder, tag), tag], { stdio: 'ignore' });
  return toFormerVersion(join(folder, tag), () => {
    execFileSync('git', ['-C', ROOT, 'worktree', 'remove', '--force', join(folder, tag)], { stdio: 'ignore' });
    rmSync(folder, { recursive: true });
  });
}

/** Returns the tag of the newest release before this commit whose tables have the present names: 0.3 or later. */
function findLastRelease(): string | undefined {
  try {
    const output = execFileSync('git', ['-C', ROOT, 'tag', '--merged', 'HEAD', '--sort=-v:refname', 'v*'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return output.split('\n').find((tag) => /^v\d+\.\d+\.\d+$/.test(tag) && !/^v0\.[012]\./.test(tag));
  } catch {
    // Not a clone of the repository.
    return undefined;
  }
}

function toFormerVersion(root: string, remove: () => void): FormerVersion {
  const packages = join(root, 'node_modules');
  if (!existsSync(packages)) symlinkSync(join(ROOT, 'node_modules'), packages);
  return { launch: { root, node: process.execPath, userId: undefined }, remove };
}

afterAll(() => former?.remove());

describe.skipIf(serverUrl === '' || !former)('a rolling upgrade', () => {
  test('from the last release loses and doubles nothing', async () => {
    const database = await createBareServerDatabase(serverUrl);
    onTestFinished(() => database.close());
    const launch = former?.launch;
    const stage = await startServiceHarness({
      settings: { DATABASE_URL: database.url, UNIVERSAL_API_KEY: KEY },
      ...(launch ? { launch } : {}),
    });
    onTestFinished(() => stage.close());
    stage.provider.behaveUsually(answerAtLength());
    const users = createAskingUsers(stage.telegram.control, { notice: locales.en.failures.interrupted });
    const ask = (round: string) => {
      for (const name of ['one', 'two', 'three']) users.ask(`${round}, ${name}`);
      users.ask(`${round}, four`, `${round}, and five`);
    };
    const services: RunningService[] = [stage.service];
    onTestFinished(async () => void (await Promise.all(services.map((service) => service.kill()))));
    const start = async (program?: Launch) => {
      const service = await stage.start({}, program);
      services.push(service);
      await service.isReady();
      return service;
    };
    const before = [stage.service, await start(launch)] as const;

    ask('before');
    // It migrates the tables while both older processes work.
    const first = await start();
    ask('beside');
    await useTogether(before[1], first);
    await before[0].stop();
    ask('after a stop');
    const second = await start();
    await useTogether(before[1], second);
    ask('before a kill');
    await before[1].kill();
    ask('after');
    await eventually(() => users.findComplaints().length === 0 || undefined, SETTLING_MS).catch(() => {});
    expect(users.findComplaints()).toEqual([]);
    for (const { output } of services) expect(findErrors(output())).toEqual([]);

    await Promise.all([first.stop(), second.stop()]);
    const client = postgres(database.url, { max: 1 });
    onTestFinished(() => client.end());
    expect(await client`select last_error from updates where handled_at is null`).toHaveLength(0);

    // It says that there is no way back, or starts where no migration is between both.
    if (launch && countMigrations(launch.root) < countMigrations(ROOT)) {
      const { code, stderr } = await runToEnd(stage.folder, [], { DATABASE_URL: database.url }, launch);
      expect(code).toBe(78);
      expect(stderr).toMatch(/a newer version of Switchboard has changed it/);
    } else await start(launch);
  });
});

function countMigrations(root: string): number {
  return readdirSync(join(root, 'drizzle')).filter((name) => name.endsWith('.sql')).length;
}

/** Makes both processes read what the other one has written: files, stored responses, keys of idempotent requests. */
async function useTogether(old: RunningService, young: RunningService): Promise<void> {
  for (const [one, other] of [
    [old, young],
    [young, old],
  ] as const) {
    const uploaded = await one.get('/upload/note.txt', { method: 'PUT', body: 'twelve bytes' });
    const { url, owner } = (await uploaded.json()) as { url: string; owner: string };
    expect(await (await other.get(new URL(url).pathname)).text()).toBe('twelve bytes');
    const deleted = await other.get(new URL(url).pathname, { method: 'DELETE', headers: { authorization: owner } });
    expect(deleted.status).toBe(200);

    const request = { model: 'fake-model', input: 'Remember this' };
    const created = await one.post('/ai/openai/responses', request, { key: KEY });
    expect(created.status).toBe(200);
    const { id } = (await created.json()) as { id: string };
    const next = { ...request, previous_response_id: id, background: true };
    const continued = await other.post('/ai/openai/responses', next, { key: KEY });
    expect(continued.status).toBe(200);
    const { id: nextId } = (await continued.json()) as { id: string };
    const read = async () => {
      const answer = await one.get(`/ai/openai/responses/${nextId}`, { headers: { authorization: `Bearer ${KEY}` } });
      const { status } = (await answer.json()) as { status: string };
      return status === 'completed' || undefined;
    };
    await eventually(read, 30_000);
  }
}

/** Returns the messages of errors in a log. */
function findErrors(output: string): readonly string[] {
  return output.split('\n').filter((line) => /^\{"level":[56]0/.test(line));
}
