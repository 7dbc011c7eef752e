import { vi } from 'vitest';

/** Of whoever waits for a condition: what is late on a busy machine is not wrong. `vitest.config.ts` says the same for `expect.poll`. */
const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 20;

const { waitFor } = vi;
vi.waitFor = (callback) => waitFor(callback, { timeout: PATIENCE_MS, interval: LOOK_EVERY_MS });
