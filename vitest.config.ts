import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // Many suites wait for timers and sockets: a core of its own would be wasted on the runner.
    maxWorkers: '100%',
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'], testTimeout: 20_000 } },
      { test: { name: 'contract', include: ['test/contract/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 } },
      { test: { name: 'http', include: ['test/http/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 } },
      { test: { name: 'bot', include: ['test/bot/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 } },
      {
        test: { name: 'simulator', include: ['test/simulator/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Each file starts processes of its own.
          maxWorkers: 2,
        },
      },
    ],
  },
});
