import { setTimeout as sleep } from 'node:timers/promises';
import { type Contestant, type ContestantName, contestantNames } from './contestants.ts';
import type { Finding } from './report.ts';
import { type Scale, USUAL_ANSWER } from './scenario.ts';
import { openStage, type Stage } from './stage.ts';

/**
 * Times of the kill after the model's first word: at the first words in the chat, in the middle of the answer, at its
 * end.
 */
const MOMENTS_MS = [600, 3000, USUAL_ANSWER.durationMs];
const PATIENCE_MS = 40_000;
/** Time to wait for a duplicate after the answer is right. */
const AFTERWARDS_MS = 5000;

/** Kills the process (`kill -9`) during an answer and starts a new one on the same data. */
export async function measureCrashes({ databaseUrl }: Scale): Promise<readonly Finding[]> {
  const stage = await openStage({ kinds: contestantNames, limits: 'telegram', databaseUrl });
  try {
    const counts = await Promise.all(
      stage.contestants.map(async (contestant) => {
        const rights: (number | undefined)[] = [];
        for (const momentMs of MOMENTS_MS) rights.push(await crash(stage, contestant, momentMs));
        return [contestant.name, rights] as const;
      }),
    );
    const values = (read: (rights: readonly (number | undefined)[]) => number): Finding['values'] =>
      Object.fromEntries(counts.map(([name, rights]) => [name, read(rights)]));
    return [
      {
        measure: `exactly once, of ${MOMENTS_MS.length} crashes`,
        values: values((rights) => rights.filter((right) => right !== undefined).length),
        goal: { atLeast: MOMENTS_MS.length },
      },
      {
        measure: 'from kill -9 to right, worst, s',
        values: values((rights) => Math.max(...rights.map((right) => right ?? Number.POSITIVE_INFINITY)) / 1000),
      },
    ];
  } finally {
    await stage.close();
  }
}

/** @returns time from the kill until the chat was finally right, in milliseconds; undefined if it never was. */
async function crash(
  stage: Stage<ContestantName>,
  contestant: Contestant,
  momentMs: number,
): Promise<number | undefined> {
  const conversation = stage.ask(contestant, USUAL_ANSWER);
  while (conversation.answer.writings.length === 0) await sleep(5);
  await sleep(momentMs);
  await contestant.end('SIGKILL');
  const diedAt = performance.now();
  await contestant.restart();
  await conversation.untilRight(PATIENCE_MS);
  await sleep(AFTERWARDS_MS);
  conversation.leave();
  const rightSince = conversation.rightSince();
  return rightSince === undefined ? undefined : Math.max(0, rightSince - diedAt);
}
