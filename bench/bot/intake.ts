import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { findFreePort } from '../../test/support/harness/process.ts';
import { readCpuSeconds } from '../gateway/process-usage.ts';
import { percentile } from '../statistics.ts';
import { type Finding, median } from './report.ts';
import type { Scale } from './scenario.ts';
import { openStage } from './stage.ts';

const SECRET = 'a-secret-of-the-benchmark_0123456789';
/** Value of `max_connections` of `setWebhook`. */
const CONNECTIONS = 40;
const CHATS = 200;
const SETTLE_MS = 1500;
/** Fixed rate: twenty times the number of messages that a bot may send per second. */
const SET_PACE_PER_SECOND = 600;

interface Sample {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
}

/**
 * Posts updates that cause no answer, so that rate limits of messages do not matter: messages between users in groups,
 * and reactions, which are stored and looked up. The reference is a bot that stores nothing.
 */
export async function measureIntake({ isQuick, rounds, databaseUrl }: Scale): Promise<readonly Finding[]> {
  const peer = await openReceiver('webhook', '/', databaseUrl);
  const own = await openReceiver('switchboard', '/telegram/webhook', databaseUrl).catch(async (error: unknown) => {
    await peer.close();
    throw error;
  });
  const count = isQuick ? 1000 : 3000;
  const series = LOADS.map((load) => ({ ...load, samples: { edits: [] as Sample[], switchboard: [] as Sample[] } }));
  let nextId = 1;
  try {
    // Updates that are stored cause later work, so they come last.
    for (const { samples, ...load } of series) {
      for (let round = -1; round < rounds; round++) {
        for (const name of ['edits', 'switchboard'] as const) {
          const sample = await bring(name === 'edits' ? peer : own, { ...load, firstId: nextId, count });
          nextId += count;
          // The first round is a warm-up for the compiler and does not count.
          if (round >= 0) samples[name].push(sample);
        }
      }
    }
  } finally {
    await Promise.all([peer.close(), own.close()]);
  }
  return series.flatMap(({ kind, paceMs, samples }) => {
    const find = (measure: string, field: keyof Sample): Finding => ({
      measure: `${kind}: ${measure}`,
      values: {
        edits: median(samples.edits.map((sample) => sample[field])),
        switchboard: median(samples.switchboard.map((sample) => sample[field])),
      },
    });
    const isPaced = paceMs > 0;
    const latency = find(
      `200 at ${isPaced ? `${SET_PACE_PER_SECOND} a second` : 'full pace'}, 99th percentile, ms`,
      'p99Ms',
    );
    if (isPaced) return [{ ...latency, goal: { atMost: 50 } }];
    return [find('updates a second, full pace', 'perSecond'), latency, find('CPU time of an update, ms', 'cpuMs')];
  });
}

/** Kind of updates, and the interval between two of them. */
interface Load {
  readonly kind: 'talk' | 'reactions';
  /** 0: each connection sends the next update as soon as it has its response. */
  readonly paceMs: number;
}

const LOADS: readonly Load[] = (['talk', 'reactions'] as const).flatMap((kind) => [
  { kind, paceMs: 1000 / SET_PACE_PER_SECOND },
  { kind, paceMs: 0 },
]);

interface Receiver {
  readonly origin: string;
  readonly path: string;
  readonly pid: number;
  close(): Promise<void>;
}

async function openReceiver(
  kind: 'webhook' | 'switchboard',
  path: string,
  databaseUrl: string | undefined,
): Promise<Receiver> {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const settings = { PORT: String(port), PUBLIC_URL: origin, WEBHOOK_SECRET: SECRET };
  const stage = await openStage({ kinds: [kind], limits: 'off', settings, databaseUrl });
  return { origin, path, pid: stage.contestants[0]?.pid ?? 0, close: () => stage.close() };
}

/**
 * Posts updates over 40 connections. At a fixed rate, latency counts from the scheduled time, even if all connections
 * were busy then.
 * @throws if a status is not 200
 */
async function bring(
  { origin, path, pid }: Receiver,
  { kind, paceMs, firstId, count }: Load & { readonly firstId: number; readonly count: number },
): Promise<Sample> {
  const pool = new Pool(origin, { connections: CONNECTIONS });
  const headers = { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': SECRET };
  const latencies: number[] = [];
  let next = 0;
  const cpuBefore = readCpuSeconds(pid);
  const startedAt = performance.now();
  const work = async () => {
    while (next < count) {
      const index = next++;
      const body = JSON.stringify(toUpdate(kind, firstId + index));
      const dueAt = paceMs > 0 ? startedAt + index * paceMs : performance.now();
      const earlyMs = dueAt - performance.now();
      if (earlyMs > 0) await sleep(earlyMs);
      const answer = await pool.request({ path, method: 'POST', headers, body });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`an update was answered with ${answer.statusCode}`);
      latencies.push(performance.now() - dueAt);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  const perSecond = count / ((performance.now() - startedAt) / 1000);
  await pool.close();
  // Work after the responses is part of the cost.
  await sleep(SETTLE_MS);
  const cpuMs = ((readCpuSeconds(pid) - cpuBefore) * 1000) / count;
  return { perSecond, p99Ms: percentile(latencies, 0.99), cpuMs };
}

function toUpdate(kind: Load['kind'], id: number): object {
  const chat = { id: -1_000_000_000_000 - (id % CHATS), type: 'supergroup', title: 'Friends' };
  const from = { id: 1000 + (id % 1000), is_bot: false, first_name: 'Ann', language_code: 'en' };
  const date = Math.floor(Date.now() / 1000);
  if (kind === 'reactions') {
    const reactions = { old_reaction: [], new_reaction: [{ type: 'emoji', emoji: '👍' }] };
    return { update_id: id, message_reaction: { chat, message_id: id, user: from, date, ...reactions } };
  }
  return {
    update_id: id,
    message: { message_id: id, date, chat, from, text: 'See you at the station at seven then!' },
  };
}
