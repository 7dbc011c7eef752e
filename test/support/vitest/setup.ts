import fc from 'fast-check';
import { afterAll, vi } from 'vitest';
import { readCpuSeconds } from './cpu-time.ts';
import { countInputs } from './tiers.ts';

/** Timeout for conditions, long because busy machines are slow. `vitest.config.ts` sets the same for `expect.poll`. */
const PATIENCE_MS = 30_000;
const LOOK_EVERY_MS = 20;
/** Property tests try the same inputs in each run, so that a change fails by its own faults only. `FAST_CHECK_SEED` tries others. */
const SEED = Number(process.env['FAST_CHECK_SEED'] ?? 1);

const { waitFor, waitUntil } = vi;
vi.waitFor = (callback) => waitFor(callback, { timeout: PATIENCE_MS, interval: LOOK_EVERY_MS });
vi.waitUntil = (callback, options) =>
  waitUntil(callback, { timeout: PATIENCE_MS, interval: LOOK_EVERY_MS, ...Object(options) });
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED, numRuns: countInputs(100) });

const cpuSecondsBefore = readCpuSeconds();
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads here which fixtures a hook needs.
afterAll(({}, file) => {
  file.meta.cpuSeconds = readCpuSeconds() - cpuSecondsBefore;
});
