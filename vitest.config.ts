import { defineConfig } from 'vitest/config';
import { CostReport } from './test/support/vitest/cost-report.ts';

/** Generous timeouts, so that no result depends on the speed of the machine. They end only tests that hang. */
const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 20;
const TEST_TIMEOUT_MS = 240_000;

/** CPU seconds of projects, with their child processes: about twice what they take, in `npm test` and with exhaustive tests. */
const MAX_CPU_SECONDS = {
  unit: { usual: 500, exhaustive: 1000 },
  contract: { usual: 200, exhaustive: 1000 },
  http: { usual: 450, exhaustive: 1000 },
  bot: { usual: 650, exhaustive: 1500 },
  simulator: { usual: 60, exhaustive: 100 },
  e2e: { usual: 800, exhaustive: 2000 },
};

/**
 * One retry of failed tests in CI, for projects in which browsers, processes and tests share the cores of the machine. Vitest marks retried
 * tests with `(retry x1)`.
 */
const ANOTHER_TRY = process.env['CI'] === 'true' ? { retry: 1 } : {};

/** Test files share a process and its loaded modules, which halves their time. They must not leave state in shared modules. */
const SHARED = { isolate: false };

function toProject(
  name: string,
  options: {
    readonly include?: string[];
    readonly globalSetup?: string;
    readonly isolate?: boolean;
    readonly maxWorkers?: number;
    readonly retry?: number;
    readonly sequence?: { readonly groupOrder: number };
  } = {},
) {
  return {
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      setupFiles: ['test/support/vitest/setup.ts'],
      testTimeout: TEST_TIMEOUT_MS,
      hookTimeout: TEST_TIMEOUT_MS,
      expect: { poll: { timeout: PATIENCE_MS, interval: LOOK_EVERY_MS } },
      ...options,
    },
  };
}

export default defineConfig({
  test: {
    // Many suites wait for timers and sockets, so the runner needs no core of its own.
    maxWorkers: '100%',
    reporters: ['default', new CostReport(MAX_CPU_SECONDS)],
    globalSetup: 'test/support/vitest/prepare-run.ts',
    tags: [
      {
        name: 'exhaustive',
        description:
          'More cases of behavior that other tests check once. Excluded from `npm test`, included in `npm run test:all`.',
      },
    ],
    projects: [
      toProject('unit', SHARED),
      toProject('contract', SHARED),
      toProject('http', SHARED),
      toProject('bot', { ...SHARED, ...ANOTHER_TRY }),
      toProject('simulator', { ...SHARED, include: ['simulator/test/**/*.test.ts'] }),
      // Each file starts its own processes and waits for them much of the time.
      toProject('e2e', {
        ...SHARED,
        globalSetup: 'test/support/vitest/service-layout.ts',
        maxWorkers: 3,
        sequence: { groupOrder: 1 },
        ...ANOTHER_TRY,
      }),
    ],
  },
});
