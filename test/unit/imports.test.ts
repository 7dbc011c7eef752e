import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const run = promisify(execFile);
/** Returns what the tool reads of paths below `root`, by default the checkout. */
const depcruise = async (paths: readonly string[], root = '.') => {
  const { stdout } = await run(
    process.execPath,
    [
      'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
      ...paths,
      '--config',
      '.dependency-cruiser.cjs',
      '--output-type',
      'json',
    ],
    {
      maxBuffer: 64 * 1024 * 1024,
      cwd: root,
    },
  ).catch((error: { stdout: string }) => error);
  return JSON.parse(stdout) as {
    modules: { source: string; dependencies: { resolved: string }[] }[];
    summary: { violations: { rule: { name: string } }[] };
  };
};

/** Copies the checkout, so that no other test sees a module that breaks a rule. */
async function copyCheckout() {
  const root = await mkdtemp(join(tmpdir(), 'switchboard-imports-'));
  for (const name of ['src', 'demo', 'test', 'simulator', 'package.json', 'tsconfig.json', '.dependency-cruiser.cjs'])
    await cp(name, join(root, name), { recursive: true, filter: (path) => !path.includes('node_modules') });
  await mkdir(join(root, 'node_modules'));
  for (const name of await readdir('node_modules')) {
    // The simulator is a folder of the copy, as it is one of the checkout.
    const place = name === 'telegram-bot-simulator' ? '../simulator' : resolve('node_modules', name);
    await symlink(place, join(root, 'node_modules', name));
  }
  return { root, close: () => rm(root, { recursive: true }) };
}

describe('the import rules', () => {
  const checkout = startBeforeAll(copyCheckout);

  it('cover the whole source: the tool has read the modules and their imports', async () => {
    const { modules } = await depcruise(['src', 'demo', 'simulator']);
    const ours = modules.filter((module) => /^(simulator\/)?src\//.test(module.source));
    expect(ours.length).toBeGreaterThan(100);
    expect(ours.reduce((sum, module) => sum + module.dependencies.length, 0)).toBeGreaterThan(ours.length);
  });

  it.each([
    ['src/core', "import '../telegram/telegram-client.ts';", 'core-has-no-face'],
    ['src/lib', "import '../core/models/index.ts';", 'lib-knows-nothing'],
    ['src/http', "import '../database/connect.ts';", 'http-sees-modules-by-their-index'],
    ['src/bot', "import '../core/accounts/accounts.ts';", 'bot-sees-modules-by-their-index'],
    ['simulator/src', "import '../../src/bot/bot.ts';", 'simulator-is-a-stranger'],
    ['src/bot', "import 'telegram-bot-simulator';", 'only-the-playground-sees-the-simulator'],
    ['test/bot', "import '../../simulator/src/world/world.ts';", 'simulator-is-seen-by-its-index'],
    ['src/http', "import '../../demo/demo-provider.ts';", 'only-app-and-command-line-see-the-demonstration'],
    ['src/http', "import 'grammy';", 'grammy-stays-in-telegram-and-bot'],
  ])(
    'report an import that %s must not have: %s',
    async (folder, source, rule) => {
      await writeFile(join(checkout.root, folder, 'probe.ts'), source);
      const { summary } = await depcruise([join(folder, 'probe.ts')], checkout.root);
      expect(summary.violations.map((violation) => violation.rule.name)).toContain(rule);
    },
    60_000,
  );
});

it('no module imports the program of a child process, which would take over the process', async () => {
  const isProgram = (path: string) => /^(?:await |void )?answerParent\(/m.test(readFileSync(path, 'utf8'));
  const programs = new Set(globSync('{src,test}/**/*.ts').filter(isProgram));
  expect(programs).toContain('src/core/documents/read-document.ts');
  const { modules } = await depcruise(['src', 'test']);
  expect(modules.filter(({ source }) => programs.has(source))).toHaveLength(programs.size);
  const imports = modules.flatMap(({ source, dependencies }) => dependencies.map(({ resolved }) => [source, resolved]));
  expect(imports.filter(([, resolved]) => programs.has(resolved ?? ''))).toEqual([]);
}, 120_000);
