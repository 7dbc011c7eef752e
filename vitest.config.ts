import { defineConfig } from 'vitest/config';

/** No test is decided by how fast the machine is: what does not come at all is what these limits are for. */
const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 20;
const TEST_TIMEOUT_MS = 240_000;

/**
 * In these parts browsers, processes and tests share the cores of the machine: in CI a test that fails is tried once more. Vitest marks those
 * that needed it with `(retry x1)`.
 */
const ANOTHER_TRY = process.env['CI'] === 'true' ? { retry: 1 } : {};

/** Files share a process and the modules it has read, which halves their time. A file leaves nothing behind in a module that others use. */
const SHARED = { isolate: false };

function toProject(
  name: string,
  options: {
    readonly include?: string[];
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
      setupFiles: ['test/support/patience.ts'],
      testTimeout: TEST_TIMEOUT_MS,
      hookTimeout: TEST_TIMEOUT_MS,
      expect: { poll: { timeout: PATIENCE_MS, interval: LOOK_EVERY_MS } },
      ...options,
    },
  };
}

export default defineConfig({
  test: {
    // Many suites wait for timers and sockets: a core of its own would be wasted on the runner.
    maxWorkers: '100%',
    globalSetup: 'test/support/temporary-folder.ts',
    tags: [
      {
        name: 'exhaustive',
        description: 'Multiplies what other tests show once. Left out of `npm test`, part of `npm run test:all`.',
      },
    ],
    projects: [
      toProject('unit', SHARED),
      toProject('contract', SHARED),
      toProject('http', SHARED),
      toProject('bot', { ...SHARED, ...ANOTHER_TRY }),
      toProject('simulator', { include: ['simulator/test/**/*.test.ts'] }),
      // Each file starts processes of its own and waits for them much of the time.
      toProject('e2e', { maxWorkers: 3, sequence: { groupOrder: 1 }, ...ANOTHER_TRY }),
    ],
  },
});
