/**
 * Measures what many requests, and clients that disconnect during a stream, leave behind:
 *
 *   npm run bench:steady -- [--quick]
 *
 * Memory is compared with that of the warm service before. Afterwards the usage ledger must contain each answer and
 * each aborted stream exactly once, and no socket may be open; otherwise the exit code is 1.
 */
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openDatabase } from '../../src/database/connect.ts';
import { usage } from '../../src/database/schema/index.ts';
import type { LoadOrder } from './load-order.ts';
import { readMemory } from './process-usage.ts';
import { openStage, type Stage, type Target } from './targets.ts';

const { values: options } = parseArgs({ options: { quick: { type: 'boolean', default: false } } });
const SHARE = options.quick ? 0.02 : 1;
const ANSWERS = { kind: 'whole', textBytes: 400, concurrency: 64, count: 200_000 * SHARE } as const;
const LEFT_STREAMS = {
  kind: 'stream-paced',
  textBytes: 400,
  concurrency: 64,
  count: 20_000 * SHARE,
  leaves: true,
} as const;
/** Requests that each order sends in addition, to open its connections before the measured time. */
const OPENING = 64;
const WARM_UP = 0.1;
const MEMORY_GOAL = 1.15;
/** V8 returns memory some ten seconds after the last work. */
const SETTLE_MS = 20_000;
const TIME_LIMIT_MS = 20 * 60_000;

process.exitCode = await main();

async function main(): Promise<number> {
  const nowhere = { target: undefined, client: undefined, provider: undefined };
  const stage = await openStage({
    cores: nowhere,
    switchboardNodeOptions: [],
    databaseUrl: undefined,
    portkeyProgram: undefined,
  });
  let expectedRows = 0;
  try {
    const target = stage.targets.find(({ name }) => name === 'switchboard');
    if (!target) throw new Error('there is no Switchboard');
    const load = async (share: number) => {
      for (const order of [ANSWERS, LEFT_STREAMS]) {
        const count = Math.ceil(order.count * share);
        await stage.run(toSaveOptions(stage, target, { ...order, count }));
        expectedRows += count + OPENING;
      }
      await sleep(SETTLE_MS);
    };
    await load(WARM_UP);
    const [warm, socketsBefore] = [readMemory(target.pid).now, countSockets(target.pid)];
    await load(1);
    const [now, socketsAfter] = [readMemory(target.pid).now, countSockets(target.pid)];
    const ratio = now / warm;
    console.log(`${ANSWERS.count} answers and ${LEFT_STREAMS.count} streams that were left`);
    console.log(
      `memory: ${warm.toFixed(0)} MiB warm, ${now.toFixed(0)} MiB after, ratio ${ratio.toFixed(2)}, goal <= ${MEMORY_GOAL}: ${ratio <= MEMORY_GOAL ? 'met' : 'MISSED'}`,
    );
    console.log(`sockets: ${socketsBefore} before, ${socketsAfter} after`);
    await stage.endSwitchboard();
    const rows = await countUsage(stage.dataDirectory);
    console.log(`books: ${rows} rows for ${expectedRows} answers and broken off streams`);
    return rows === expectedRows && socketsAfter <= socketsBefore ? 0 : 1;
  } finally {
    await stage.close();
  }
}

function toSaveOptions(
  stage: Stage,
  { url, headers, pid }: Target,
  order: Pick<LoadOrder, 'kind' | 'textBytes' | 'concurrency' | 'count'>,
): LoadOrder {
  return { ...order, url, headers, apiKeys: [stage.apiKey], targetPid: pid, settleMs: 0, timeLimitMs: TIME_LIMIT_MS };
}

function countSockets(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(join(folder, name)).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
}

async function countUsage(dataDirectory: string): Promise<number> {
  const database = await openDatabase({ kind: 'embedded', directory: join(dataDirectory, 'postgres') });
  try {
    return await database.db.$count(usage);
  } finally {
    await database.close();
  }
}
