/**
 * Client of all measurements, in a separate process: executes one `LoadOrder` of its parent at a time and returns a
 * `LoadReport`. Every answer is checked by its dialect; one that is wrong or incomplete invalidates the run.
 */
import './end-with-parent.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import { percentile } from '../statistics.ts';
import { dialects } from './dialect-requests.ts';
import type { LoadOrder, LoadReport, LoadSample } from './load-order.ts';
import { readCpuSeconds } from './process-usage.ts';

interface Timing {
  readonly totalMs: number;
  readonly firstChunkMs: number;
}

// Only the IPC channel keeps this process alive.
process.channel?.ref();
process.on('message', (order: LoadOrder) => {
  runLoad(order).then(
    (sample) => report({ sample }),
    (error: unknown) => report({ problem: error instanceof Error ? error.message : String(error) }),
  );
});

function report(message: LoadReport): void {
  process.send?.(message);
}

async function runLoad(order: LoadOrder): Promise<LoadSample> {
  const { origin } = new URL(order.url);
  const timeouts = { headersTimeout: order.timeLimitMs, bodyTimeout: order.timeLimitMs };
  const pool = new Pool(origin, { connections: order.concurrency, pipelining: 1, ...timeouts });
  const giveUp = () => void pool.destroy(new Error(`not ready after ${order.timeLimitMs} ms`));
  const timer = setTimeout(giveUp, order.timeLimitMs);
  try {
    // Opens the connections before the measured time.
    await runRequests(pool, { ...order, kind: 'whole', textBytes: 100, count: order.concurrency, leaves: false });
    const cpuBefore = readCpuSeconds(order.targetPid);
    const startedAt = performance.now();
    const timings = await runRequests(pool, order);
    const elapsedMs = performance.now() - startedAt;
    await sleep(order.settleMs);
    const cpuMs = (readCpuSeconds(order.targetPid) - cpuBefore) * 1000;
    return toSample(timings, elapsedMs, cpuMs);
  } finally {
    clearTimeout(timer);
    if (!pool.destroyed) await pool.destroy();
  }
}

/** Sends `count` requests, with `concurrency` of them in flight. */
async function runRequests(pool: Pool, order: LoadOrder): Promise<Timing[]> {
  const path = new URL(order.url).pathname;
  const { toHeaders, toBody, createCheck } = dialects[order.dialect ?? 'chat completions'];
  const headers = order.apiKeys.map((key) => ({
    'content-type': 'application/json',
    ...toHeaders(key),
    ...order.headers,
  }));
  const bodies = Array.from({ length: order.modelCount ?? 1 }, (_, number) =>
    Buffer.from(toBody(order.kind, order.textBytes, number)),
  );
  const toRequest = (number: number): Dispatcher.DispatchOptions => ({
    path,
    method: 'POST',
    headers: headers[number % headers.length] ?? {},
    body: bodies[number % bodies.length] ?? null,
  });
  const isRight = createCheck(order.kind);
  const timings: Timing[] = [];
  let left = order.count;
  const work = async () => {
    while (left-- > 0) timings.push(await ask(pool, toRequest(left), { isRight, leaves: order.leaves ?? false }));
  };
  await Promise.all(Array.from({ length: order.concurrency }, work));
  return timings;
}

/** Sends one request. Rejects unless the answer is complete and right, as far as it is read. */
function ask(
  pool: Pool,
  request: Dispatcher.DispatchOptions,
  { isRight, leaves }: { readonly isRight: (body: Buffer) => boolean; readonly leaves: boolean },
): Promise<Timing> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const pieces: Buffer[] = [];
    let firstChunkMs = 0;
    let status = 0;
    pool.dispatch(request, {
      onRequestStart() {},
      onResponseStart(_controller, responseStatus) {
        status = responseStatus;
      },
      onResponseData(controller, piece) {
        if (pieces.length === 0) firstChunkMs = performance.now() - startedAt;
        pieces.push(piece);
        if (!leaves || status !== 200) return;
        resolve({ totalMs: firstChunkMs, firstChunkMs });
        controller.abort(new Error('the client leaves'));
      },
      onResponseEnd() {
        const totalMs = performance.now() - startedAt;
        const body = Buffer.concat(pieces);
        if (status === 200 && isRight(body)) resolve({ totalMs, firstChunkMs });
        else reject(new Error(`${status}, ${body.length} bytes: ${body.toString('utf8', 0, 200)}`));
      },
      onResponseError: (_controller, error) => reject(error),
    });
  });
}

function toSample(timings: readonly Timing[], elapsedMs: number, cpuMs: number): LoadSample {
  const totals = timings.map(({ totalMs }) => totalMs);
  const firstChunks = timings.map(({ firstChunkMs }) => firstChunkMs);
  return {
    perSecond: (timings.length / elapsedMs) * 1000,
    medianMs: percentile(totals, 0.5),
    p99Ms: percentile(totals, 0.99),
    firstChunkMs: percentile(firstChunks, 0.5),
    cpuMs: cpuMs / timings.length,
  };
}
