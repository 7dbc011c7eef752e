import { defineConfig } from 'vitest/config';

/** No test is decided by how fast the machine is: what does not come at all is what these limits are for. */
const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 20;

function toProject(name: string, limits: { readonly testTimeout: number; readonly maxWorkers?: number }) {
  return {
    test: {
      name,
      include: [`test/${name}/**/*.test.ts`],
      setupFiles: ['test/support/patience.ts'],
      hookTimeout: 120_000,
      expect: { poll: { timeout: PATIENCE_MS, interval: LOOK_EVERY_MS } },
      ...limits,
    },
  };
}

export default defineConfig({
  test: {
    // Many suites wait for timers and sockets: a core of its own would be wasted on the runner.
    maxWorkers: '100%',
    projects: [
      toProject('unit', { testTimeout: 60_000 }),
      toProject('contract', { testTimeout: 120_000 }),
      toProject('http', { testTimeout: 120_000 }),
      toProject('bot', { testTimeout: 120_000 }),
      toProject('simulator', { testTimeout: 120_000 }),
      // Each file starts processes of its own.
      toProject('e2e', { testTimeout: 240_000, maxWorkers: 2 }),
    ],
  },
});
