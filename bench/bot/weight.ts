import { setTimeout as sleep } from 'node:timers/promises';
import { readMemory } from '../gateway/process-usage.ts';
import type { Conversation } from './conversation.ts';
import { type Finding, median } from './report.ts';
import type { Scale } from './scenario.ts';
import { openStage } from './stage.ts';

const PEOPLE = 1000;
const KIB_PER_MIB = 1024;
/** Long enough that the first answer is still growing when the last one starts. */
const LONG_ANSWER = { durationMs: 120_000, everyMs: 500 };
const REST_MS = 5000;
const ENDLESS_ANSWER = { durationMs: 300_000, everyMs: 50 };
const STREAMS_AT_END = 100;

/** Measures Switchboard's memory during a thousand concurrent answers, without flood limits of Telegram. */
export async function measureMemory({ isQuick, databaseUrl }: Scale): Promise<readonly Finding[]> {
  const stage = await openStage({ kinds: ['switchboard'], limits: 'off', databaseUrl });
  try {
    const [contestant] = stage.contestants;
    if (!contestant) throw new Error('nobody answers');
    const ask = (count: number, plan: typeof LONG_ANSWER) =>
      Array.from({ length: count }, () => stage.ask(contestant, plan));
    // Warm-up: memory kept by the first answers does not count as memory of a stream.
    const first = ask(100, { durationMs: 2000, everyMs: 100 });
    await Promise.all(first.map((conversation) => conversation.untilRight(30_000)));
    await sleep(REST_MS);
    const idle = readMemory(contestant.pid).now;
    const conversations = ask(isQuick ? PEOPLE / 4 : PEOPLE, LONG_ANSWER);
    const samples: number[] = [];
    const counts: number[] = [];
    for (let second = 0; second < LONG_ANSWER.durationMs / 1000 - 20; second++) {
      await sleep(1000);
      samples.push(readMemory(contestant.pid).now);
      counts.push(conversations.filter(isUnderWay).length);
    }
    const active = Math.max(...counts);
    const whileAll = samples.filter((_, index) => (counts[index] ?? 0) >= 0.95 * active);
    return [
      { measure: 'answers under way at once', values: { switchboard: active } },
      {
        measure: 'memory of each, KiB',
        values: { switchboard: ((median(whileAll) - idle) * KIB_PER_MIB) / active },
      },
      { measure: 'memory at rest before, MiB', values: { switchboard: idle } },
    ];
  } finally {
    await stage.close();
  }
}

function isUnderWay({ answer }: Conversation): boolean {
  return answer.writings.some(({ endedAt }) => endedAt === undefined);
}

/** Measures a SIGTERM during answers that would take minutes. */
export async function measureEnd({ databaseUrl }: Scale): Promise<readonly Finding[]> {
  const stage = await openStage({ kinds: ['switchboard'], limits: 'telegram', databaseUrl });
  try {
    const [contestant] = stage.contestants;
    if (!contestant) throw new Error('nobody answers');
    for (let count = 0; count < STREAMS_AT_END; count++) stage.ask(contestant, ENDLESS_ANSWER);
    await sleep(8000);
    const durationMs = await contestant.end('SIGTERM');
    return [{ measure: 'SIGTERM to exit, s', values: { switchboard: durationMs / 1000 }, goal: { atMost: 20 } }];
  } finally {
    await stage.close();
  }
}
