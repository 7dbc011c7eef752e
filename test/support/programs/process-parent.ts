import { systemClock } from '../../../src/lib/clock.ts';
import { runInProcess } from '../../../src/lib/process/run-in-process.ts';

/** Runs an endless loop in a child process, for a test that kills this process. */
const module = new URL('./process-work.ts', import.meta.url);
const limits = { clock: systemClock, timeoutMs: 600_000, maxMemoryBytes: 100_000_000 };
await runInProcess({ module, data: { name: process.argv[2] } }, limits, new AbortController().signal);
