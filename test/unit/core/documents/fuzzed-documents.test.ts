import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import { createDocumentTexts, DocumentUnreadableError } from '../../../../src/core/documents/index.ts';
import { watchChildMemory } from '../../../support/child-processes.ts';
import { type FuzzedDocument, fuzzedDocument } from '../../../support/fuzzed-documents.ts';
import { listFuzzRuns, testByTier } from '../../../support/tiers.ts';

/** `FUZZ_DOCUMENTS=100000` sets the number of documents; `FUZZ_SEED` repeats a failed run. */
const SEED = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 30));
const RUNS = listFuzzRuns({ seed: SEED, short: 15, long: 60, wanted: process.env['FUZZ_DOCUMENTS'] });
/** Number of documents of a test. */
const BATCH = 100;
const BATCHES = RUNS.flatMap(({ seed, count }) =>
  Array.from({ length: Math.ceil(count / BATCH) }, (_, at) => ({
    seed: seed + at * BATCH,
    count: Math.min(BATCH, count - at * BATCH),
  })),
);
const MIB = 1024 * 1024;
const AT_ONCE = 3;
const TIMEOUT_MS = 20_000;
const MAX_MEMORY_BYTES = 128 * MIB;
/** Memory of Node itself, and growth of a child between two measurements. */
const MEMORY_SLACK_BYTES = 512 * MIB;
/** Time for a child to end on a busy machine. */
const TIME_SLACK_MS = 10_000;
/** Maximum uninterrupted processor time of the service's thread, on a busy machine. */
const MAX_BLOCKED_MS = 200;

const texts = createDocumentTexts({ atOnce: AT_ONCE, timeoutMs: TIMEOUT_MS, maxMemoryBytes: MAX_MEMORY_BYTES });

async function read({ name, bytes }: FuzzedDocument, userId: number) {
  let startedAt = 0;
  const load = async () => {
    startedAt = performance.now();
    return bytes;
  };
  const outcome = await texts
    .read({ name }, { userId, load, signal: new AbortController().signal })
    .catch((error: unknown) => error);
  const tookMs = performance.now() - startedAt;
  const isRead = outcome instanceof DocumentUnreadableError || (outcome as { text: string }).text.length <= 400_000;
  return { isRead, isInTime: tookMs < TIMEOUT_MS + TIME_SLACK_MS, outcome };
}

/** Measures the processor time of this thread between two ticks of a timer, which other load does not change. */
function watchThread() {
  let longestMs = 0;
  let before = process.threadCpuUsage();
  const heart = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    longestMs = Math.max(longestMs, (user + system) / 1000);
    before = process.threadCpuUsage();
  }, 5);
  return () => {
    clearInterval(heart);
    return longestMs;
  };
}

testByTier(BATCHES)(
  'hostile documents stay within their time and memory, and do not block the service (FUZZ_SEED=$seed)',
  async ({ seed, count }) => {
    const documents = fc.sample(fuzzedDocument, { seed, numRuns: count });
    await read({ name: 'a.txt', bytes: Buffer.from('warm') }, 0);
    const [endWatch, endLook] = [watchThread(), watchChildMemory()];
    const queue = [...documents.entries()];
    const readers = Array.from({ length: AT_ONCE }, async (_, userId) => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const [at, document] = next;
        const { isRead, isInTime, outcome } = await read(document, userId);
        expect({ at, name: document.name, isRead, isInTime, outcome }).toMatchObject({ isRead: true, isInTime: true });
      }
    });
    await Promise.all(readers);
    expect(endWatch()).toBeLessThan(MAX_BLOCKED_MS);
    expect(endLook()).toBeLessThan(MAX_MEMORY_BYTES + MEMORY_SLACK_BYTES);
  },
);
