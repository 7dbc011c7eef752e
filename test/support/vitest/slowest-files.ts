import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const SHOWN_COUNT = 20;

/** Prints the slowest files at the end of a run of several projects, with their seconds of loading and testing. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (new Set(modules.map(({ project }) => project.name)).size < 2) return;
    const files = modules.map((module) => {
      const { collectDuration, duration } = module.diagnostic();
      return { path: relative(module.project.config.root, module.moduleId), ms: collectDuration + duration };
    });
    const slowest = files.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN_COUNT);
    const lines = slowest.map(({ path, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${path}`);
    process.stdout.write(`\nSlowest files\n${lines.join('\n')}\n`);
  }
}
