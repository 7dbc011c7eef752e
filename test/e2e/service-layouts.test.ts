import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CHECKOUT,
  eventually,
  LAYOUT,
  type Launch,
  openPlaygroundChat,
  type RunningService,
  runToEnd,
  startService,
} from '../support/harness/process.ts';
import { copyEmbeddedTemplate } from '../support/stores/test-database.ts';

/** `nobody`, who owns nothing of the layout. Only root can run processes of other users. */
const OTHER_USER = process.getuid?.() === 0 ? 65_534 : undefined;

let folder: string;
let launch: Launch;
let service: RunningService;

async function useCheckout(): Promise<Launch> {
  // Creating a database takes seconds. The built layout brings one along.
  await copyEmbeddedTemplate(join(folder, 'work/data/postgres'));
  return { root: CHECKOUT, node: process.execPath, userId: undefined };
}

/** Copies the layout, and makes it one that an unprivileged user can read, and nobody can write to. */
async function copyLayout(): Promise<Launch> {
  const root = join(folder, 'switchboard');
  await cp(LAYOUT, root, { recursive: true });
  // The checkout may be closed to other users.
  await copyFile(process.execPath, join(folder, 'node'));
  await chmod(folder, 0o755);
  await makeReadOnly(root);
  const node = join(folder, 'node');
  if (OTHER_USER === undefined) return { root, node, userId: undefined };
  await chown(join(folder, 'work'), OTHER_USER, OTHER_USER);
  if (spawnSync('unshare', ['--mount', 'true']).status !== 0) {
    process.stderr.write('no mounts can be made here; the built layout runs on a file system that is not read-only\n');
    return { root, node, userId: OTHER_USER };
  }
  return { root, node: await writeContainedNode(node, OTHER_USER), userId: undefined };
}

/** Writes a command that runs Node.js as another user on a read-only root, as in a container with `--read-only`. */
async function writeContainedNode(node: string, user: number): Promise<string> {
  const command = join(folder, 'contained-node');
  const work = join(folder, 'work');
  const steps = [
    'mount --make-rprivate /',
    `mount --bind ${work} ${work}`,
    'mount -o remount,bind,ro /',
    // The working directory is on the mount below.
    'cd "$PWD"',
    `exec setpriv --reuid=${user} --regid=${user} --clear-groups --no-new-privs --bounding-set=-all ${node} "$@"`,
  ];
  const script = `#!/bin/sh\nexec unshare --mount sh -c '${steps.join(' && ')}' node "$@"\n`;
  await writeFile(command, script, { mode: 0o755 });
  return command;
}

async function makeReadOnly(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    if (entry.isSymbolicLink()) continue;
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o555 : 0o444);
  }
  await chmod(path, 0o555);
}

async function start(prepare: () => Promise<Launch>): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-layout-'));
  await mkdir(join(folder, 'work'));
  launch = await prepare();
  service = await startService(join(folder, 'work'), {}, launch);
  await service.isReady();
}

async function close(): Promise<void> {
  await service?.kill();
  await promisify(execFile)('chmod', ['-R', 'u+w', folder]);
  await rm(folder, { recursive: true });
}

async function ask(content: string): Promise<string> {
  const messages = [{ role: 'user', content }];
  const answer = await service.post('/ai/openai/chat/completions', { model: 'demo', messages });
  expect(answer.status).toBe(200);
  const { choices } = (await answer.json()) as { choices: [{ message: { content: string } }] };
  return choices[0].message.content;
}

const LAYOUTS = [
  { title: 'a checkout', prepare: useCheckout, isBuilt: false },
  // Missing in a run of the checkout alone (`test/support/vitest/service-layout.ts`).
  {
    title: 'the built layout, run by an unprivileged user who can write nothing but DATA_DIR,',
    prepare: copyLayout,
    isBuilt: true,
  },
].filter(({ isBuilt }) => !isBuilt || LAYOUT !== CHECKOUT);

describe.each(LAYOUTS)('$title', ({ prepare, isBuilt }) => {
  beforeAll(() => start(prepare));
  afterAll(close);

  test('answers, and writes nothing beside DATA_DIR', async () => {
    expect(await ask('Hello there')).toContain('demonstration');
    expect(await readdir(join(folder, 'work'))).toEqual(['data']);
  });

  test('has child processes that calculate and decode images', async () => {
    const chat = await openPlaygroundChat(service);
    await chat.writes('What is 12.5 * 8?');
    await eventually(async () => JSON.stringify(await chat.messages()).includes('100') || undefined);
    chat.leaves();
    const options = { model: 'demo-image', prompt: 'A lighthouse', size: '512x256' };
    const image = await service.post('/ai/openai/images/generations', options);
    const { data } = (await image.json()) as { data: [{ b64_json: string }] };
    expect(await sharp(Buffer.from(data[0].b64_json, 'base64')).metadata()).toMatchObject({
      width: 512,
      height: 256,
    });
  });

  test('serves the console, the playground and the API reference', async () => {
    for (const page of ['/console/', '/playground/']) {
      const html = await (await service.get(page)).text();
      const names = [...html.matchAll(/(?:src|href)="([\w./-]+\.(?:js|css))"/g)].map(([, name = '']) => name);
      expect(names.length).toBeGreaterThan(1);
      for (const name of names) expect((await service.get(page + name)).status).toBe(200);
    }
    for (const name of ['swagger-ui-bundle.js', 'swagger-ui.css', 'start.js'])
      expect((await service.get(`/docs/${name}`)).status).toBe(200);
  });

  test('names files that exist in --help', async () => {
    const { stdout } = await runToEnd(join(folder, 'work'), ['--help'], {}, launch);
    const names = stdout.match(/\S*(?:\.env\.example|\.md)/g) ?? [];
    expect(names).toHaveLength(2);
    for (const name of names) expect(existsSync(resolve(launch.root, name)), name).toBe(true);
  });

  test('names the version in --check', async () => {
    const { code, stdout } = await runToEnd(
      join(folder, 'work'),
      ['--check'],
      { DATA_DIR: join(folder, 'work/other') },
      launch,
    );
    expect(stdout).toMatch(/^Version +\d+\.\d+\.\d+/m);
    expect(code).toBe(0);
  });

  if (!isBuilt) return;
  test('has the notices of all packages, and refuses an old Node.js in one line', async () => {
    const notices = await readFile(join(launch.root, 'THIRD_PARTY_NOTICES'), 'utf8');
    for (const name of ['sharp-libvips-linux-x64', 'dejavu-fonts-ttf', 'pglite', 'preact'])
      expect(notices).toContain(name);
    const pretend = join(folder, 'pretend.cjs');
    await writeFile(pretend, "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });");
    const command = ['--require', pretend, join(launch.root, 'switchboard.cjs')];
    const ending = promisify(execFile)(process.execPath, command, { env: { PATH: '' } });
    await expect(ending).rejects.toMatchObject({
      code: 78,
      stderr: expect.stringMatching(/^Switchboard needs Node.js 24.*\n$/),
    });
  });
});
