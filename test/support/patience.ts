import { vi } from 'vitest';

/** Timeout for conditions, long because busy machines are slow. `vitest.config.ts` sets the same for `expect.poll`. */
const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 20;

const { waitFor } = vi;
vi.waitFor = (callback) => waitFor(callback, { timeout: PATIENCE_MS, interval: LOOK_EVERY_MS });
