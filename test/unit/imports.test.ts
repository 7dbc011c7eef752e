import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const run = promisify(execFile);
const depcruise = async (...paths: string[]) => {
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
    },
  ).catch((error: { stdout: string }) => error);
  return JSON.parse(stdout) as {
    modules: { source: string; dependencies: { resolved: string }[] }[];
    summary: { violations: { rule: { name: string } }[] };
  };
};

describe('the import rules', () => {
  it('cover the whole source: the tool has read the modules and their imports', async () => {
    const { modules } = await depcruise('src', 'demo', 'simulator');
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
      const scratch = await mkdtemp(join(folder, 'import-rule-'));
      try {
        // One folder deeper than the module, so the path gets one step longer.
        await writeFile(join(scratch, 'probe.ts'), source.replace("'../", "'../../"));
        const { summary } = await depcruise(scratch);
        expect(summary.violations.map((violation) => violation.rule.name)).toContain(rule);
      } finally {
        await rm(scratch, { recursive: true });
      }
    },
    60_000,
  );
});

it('no module imports the program of a child process, which would take over the process', async () => {
  const isProgram = (path: string) => /^(?:await |void )?answerParent\(/m.test(readFileSync(path, 'utf8'));
  const programs = new Set(globSync('{src,test}/**/*.ts').filter(isProgram));
  expect(programs).toContain('src/core/documents/read-document.ts');
  const { modules } = await depcruise('src', 'test');
  expect(modules.filter(({ source }) => programs.has(source))).toHaveLength(programs.size);
  const imports = modules.flatMap(({ source, dependencies }) => dependencies.map(({ resolved }) => [source, resolved]));
  expect(imports.filter(([, resolved]) => programs.has(resolved ?? ''))).toEqual([]);
}, 120_000);
