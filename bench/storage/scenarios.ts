import { setTimeout as sleep } from 'node:timers/promises';
import { forgetPeakMemory, readCpuSeconds, readMemory } from '../gateway/process-usage.ts';
import { median } from '../statistics.ts';
import { measurePace } from './pace.ts';
import type { Finding } from './report.ts';
import { openStage, type Place, type Stage } from './stage.ts';
import type { Transfer } from './transfer.ts';

/** Options of a scenario. */
export interface Scale {
  readonly isQuick: boolean;
  /** Empty database on a Postgres server; undefined: the embedded one. */
  readonly databaseUrl: string | undefined;
}

/** Self-contained measurement. */
export interface Scenario {
  readonly name: string;
  measure(scale: Scale): Promise<readonly Finding[]>;
}

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const PART_BYTES = 19 * MIB;
const GET_FILE_MS = 150;
/** Bandwidth of 320 Mbit/s: fast, but slow enough that latency can be hidden. */
const LINK_BYTES_PER_SECOND = 40 * MIB;
const DOWNLOADS = 20;
const MEMORY_GOAL_MIB = 150;
const REST_MIB = 2;
const REST_SECONDS = 5;
const MAX_REST_SECONDS = 60;

export const scenarios: readonly Scenario[] = [
  { name: 'throughput, telegram', measure: onStage('telegram', measureThroughput) },
  { name: 'throughput, disk', measure: onStage('disk', measureThroughput) },
  { name: 'reading', measure: onStage('telegram', measureReading) },
  ...[
    { botCount: 1, channelCount: 1, speed: 8 },
    { botCount: 1, channelCount: 4, speed: 5 },
    { botCount: 3, channelCount: 4, speed: 3 },
  ].map(
    (order): Scenario => ({
      name: `pace, ${order.botCount} x ${order.channelCount}`,
      measure: ({ isQuick }) => findPace({ ...order, minutes: isQuick ? 1 : 3 }),
    }),
  ),
  { name: 'memory, telegram', measure: onStage('telegram', measureMemory) },
  { name: 'memory, disk', measure: onStage('disk', measureMemory) },
];

function onStage(
  place: Place,
  measure: (stage: Stage, scale: Scale) => Promise<readonly Finding[]>,
): Scenario['measure'] {
  return async (scale) => {
    const stage = await openStage(place, scale.databaseUrl);
    try {
      return await measure(stage, scale);
    } finally {
      await stage.close();
    }
  };
}

/** Measures one file at a time, alternating between the service and the bare server. */
async function measureThroughput(stage: Stage, { isQuick }: Scale): Promise<readonly Finding[]> {
  const sizeBytes = (isQuick ? 128 : 512) * MIB;
  const rounds = isQuick ? 1 : 3;
  const speeds = { up: [] as number[], down: [] as number[], bareUp: [] as number[], bareDown: [] as number[] };
  const costs = { up: [] as number[], down: [] as number[], bareUp: [] as number[], bareDown: [] as number[] };
  // The first round is a warm-up for the compiler and does not count.
  for (let round = -1; round < rounds; round++) {
    const move = async (what: keyof typeof speeds, transfer: Omit<Transfer, 'sizeBytes'>) => {
      const pid = what.startsWith('bare') ? stage.barePid : stage.servicePid;
      const cpuBefore = readCpuSeconds(pid);
      const { durationMs, path } = await moveOne(stage, { ...transfer, sizeBytes });
      if (round >= 0) {
        speeds[what].push(sizeBytes / MIB / (durationMs / 1000));
        costs[what].push((readCpuSeconds(pid) - cpuBefore) / (sizeBytes / GIB));
      }
      return path;
    };
    await move('bareUp', { kind: 'upload', url: stage.bareUrl });
    const path = await move('up', { kind: 'upload', url: `${stage.serviceUrl}/upload/bench.bin` });
    await move('bareDown', { kind: 'download', url: `${stage.bareUrl}/${sizeBytes}` });
    await move('down', { kind: 'download', url: `${stage.serviceUrl}${path}` });
  }
  const toSpeed = (measure: string, own: readonly number[], bare: readonly number[]): Finding => ({
    ...{ scenario: '', measure, value: median(own), reference: median(bare) },
    goal: { atLeast: 0.1 },
  });
  const toCost = (measure: string, own: readonly number[], bare: readonly number[]): Finding => ({
    ...{ scenario: '', measure, value: median(own), reference: median(bare) },
  });
  return [
    toSpeed('upload, MiB/s', speeds.up, speeds.bareUp),
    toSpeed('download, MiB/s', speeds.down, speeds.bareDown),
    toCost('CPU of upload, s/GiB', costs.up, costs.bareUp),
    toCost('CPU of download, s/GiB', costs.down, costs.bareDown),
  ];
}

async function moveOne(stage: Stage, transfer: Transfer) {
  const [sample] = (await stage.move([transfer])).samples;
  if (!sample) throw new Error('the client has forgotten a file');
  return sample;
}

/** Measures the time to the first byte, and whether Telegram's latency for each part is hidden by prefetching. */
async function measureReading(stage: Stage, { isQuick }: Scale): Promise<readonly Finding[]> {
  const sizeBytes = (isQuick ? 3 : 8) * PART_BYTES;
  const paths: string[] = [];
  for (let file = 0; file < 5; file++) {
    paths.push((await moveOne(stage, { kind: 'upload', url: `${stage.serviceUrl}/upload/bench.bin`, sizeBytes })).path);
  }
  const read = (path: string | undefined, bytesPerSecond?: number) =>
    moveOne(stage, { kind: 'download', url: `${stage.serviceUrl}${path}`, sizeBytes, bytesPerSecond });
  await read(paths[0]);
  const warm = await read(paths[0]);
  const link = await read(paths[1], LINK_BYTES_PER_SECOND);
  const fast = await read(paths[2]);
  await stage.delayGetFile(GET_FILE_MS);
  const delayedLink = await read(paths[3], LINK_BYTES_PER_SECOND);
  const delayedFast = await read(paths[4]);
  const scenario = '';
  return [
    { scenario, measure: 'first byte, warm, ms', value: warm.firstByteMs, goalOf: 'value', goal: { atMost: 50 } },
    {
      scenario,
      measure: `first byte, cold, ms`,
      value: delayedLink.firstByteMs,
      reference: GET_FILE_MS,
      goal: { atMost: 1.4 },
    },
    {
      scenario,
      measure: 'getFile 150 ms, 40 MiB/s, s',
      value: delayedLink.durationMs / 1000,
      reference: link.durationMs / 1000,
      goal: { atMost: 1.1 },
    },
    {
      scenario,
      measure: 'getFile 150 ms, no limit, s',
      value: delayedFast.durationMs / 1000,
      reference: fast.durationMs / 1000,
    },
  ];
}

async function findPace(order: Parameters<typeof measurePace>[0]): Promise<readonly Finding[]> {
  const { partsPerMinute, allowedPerMinute, refusals } = await measurePace(order);
  return [
    {
      scenario: '',
      measure: 'parts a minute',
      value: partsPerMinute,
      reference: allowedPerMinute,
      goal: { atLeast: 0.85 },
    },
    { scenario: '', measure: 'refusals', value: refusals, goalOf: 'value', goal: { atMost: 0 } },
  ];
}

/**
 * Returns the memory of a process once it is stable: during its start, the embedded database briefly takes twice as
 * much.
 */
async function awaitRest(pid: number): Promise<number> {
  let rest = readMemory(pid).now;
  for (let quietSeconds = 0, seconds = 0; quietSeconds < REST_SECONDS && seconds < MAX_REST_SECONDS; seconds++) {
    await sleep(1000);
    const { now } = readMemory(pid);
    quietSeconds = Math.abs(now - rest) < REST_MIB ? quietSeconds + 1 : 0;
    rest = now;
  }
  return rest;
}

/** Measures one upload and 20 downloads of 1 GiB, concurrently. */
async function measureMemory(stage: Stage, { isQuick }: Scale): Promise<readonly Finding[]> {
  const sizeBytes = isQuick ? GIB / 8 : GIB;
  const upload: Transfer = { kind: 'upload', url: `${stage.serviceUrl}/upload/bench.bin`, sizeBytes };
  const { path } = await moveOne(stage, upload);
  // Restarted, because memory kept after the first upload does not count as idle memory.
  await stage.restartService();
  await stage.move([{ ...upload, sizeBytes: MIB }]);
  const idle = await awaitRest(stage.servicePid);
  forgetPeakMemory(stage.servicePid);
  const downloads = Array.from(
    { length: DOWNLOADS },
    (): Transfer => ({ kind: 'download', url: `${stage.serviceUrl}${path}`, sizeBytes }),
  );
  const { durationMs } = await stage.move([upload, ...downloads]);
  const { peak } = readMemory(stage.servicePid);
  const totalMib = ((DOWNLOADS + 1) * sizeBytes) / MIB;
  return [
    {
      scenario: '',
      measure: 'peak above idle, MiB',
      value: peak - idle,
      goalOf: 'value',
      goal: { atMost: MEMORY_GOAL_MIB },
    },
    { scenario: '', measure: 'idle, MiB', value: idle },
    { scenario: '', measure: 'all together, MiB/s', value: totalMib / (durationMs / 1000) },
  ];
}
