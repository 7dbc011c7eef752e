import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

const SHOWN_COUNT = 20;

declare module 'vitest' {
  interface TaskMeta {
    /** What a file took, with its child processes. Set by `setup.ts`. */
    cpuSeconds?: number;
  }
}

/**
 * Prints at the end of a run of several projects what they took, and the slowest files and tests. Fails runs in which a
 * project takes more CPU time than it may.
 */
export class CostReport implements Reporter {
  readonly #maxCpuSeconds: Readonly<Record<string, Readonly<Record<'usual' | 'exhaustive', number>>>>;
  #run: 'usual' | 'exhaustive' = 'exhaustive';

  constructor(maxCpuSeconds: Readonly<Record<string, Readonly<Record<'usual' | 'exhaustive', number>>>>) {
    this.#maxCpuSeconds = maxCpuSeconds;
  }

  onInit({ config }: Vitest): void {
    if (config.tagsFilter !== undefined) this.#run = 'usual';
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const projects = [...Map.groupBy(modules, ({ project }) => project.name)];
    if (projects.length > 1) printCosts(modules);
    for (const [name, files] of projects) {
      const seconds = sumCpuSeconds(files);
      const maxSeconds = this.#maxCpuSeconds[name]?.[this.#run] ?? 0;
      process.stdout.write(`${name} took ${seconds.toFixed(0)} s of CPU time, and may take ${maxSeconds} s\n`);
      if (seconds > maxSeconds) process.exitCode = 1;
    }
  }
}

function printCosts(modules: readonly TestModule[]): void {
  const files = modules.map((module) => {
    const { collectDuration, duration } = module.diagnostic();
    const cpu = `${sumCpuSeconds([module]).toFixed(1)} s of CPU`;
    return { ms: collectDuration + duration, text: `${toPath(module)} (${cpu})` };
  });
  printSlowest('files', files);
  const tests = modules.flatMap((module) =>
    [...module.children.allTests()].map((test) => ({
      ms: test.diagnostic()?.duration ?? 0,
      text: `${toPath(module)}: ${test.fullName}`,
    })),
  );
  printSlowest('tests', tests);
}

function sumCpuSeconds(modules: readonly TestModule[]): number {
  return modules.reduce((sum, module) => sum + (module.meta().cpuSeconds ?? 0), 0);
}

function toPath(module: TestModule): string {
  return relative(module.project.config.root, module.moduleId);
}

function printSlowest(what: string, all: readonly { readonly ms: number; readonly text: string }[]): void {
  const slowest = all.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN_COUNT);
  const lines = slowest.map(({ ms, text }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${text}`);
  process.stdout.write(`\nSlowest ${what}\n${lines.join('\n')}\n\n`);
}
