import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { describe, test } from 'vitest';
import { ACCESS_OPTIONS, createDecisions } from '../support/storms/access.ts';
import { createAnswers } from '../support/storms/answers.ts';
import { BROADCAST_OPTIONS, createBroadcast, createComparisons, createVariants } from '../support/storms/chats.ts';
import { atCall, atTime, hasPlace, type Moment, type Storm, several, weather } from '../support/storms/storm.ts';
import { createTaskRuns } from '../support/storms/tasks.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

/** `KILLS=200` sets the number of kills during answers, for about ten minutes. `KILLS_SEED` repeats the run named in a failed test. */
const KILLS = Number(process.env['KILLS'] ?? 20);
const FIRST_SEED = Number(process.env['KILLS_SEED'] ?? randomInt(2 ** 30));
const TIMEOUT_MS = 900_000;
const ROUNDS = 5;
const COUNT = Math.ceil(KILLS / ROUNDS / 2);
/** An answer that crashes the process repeatedly is given up. That is not tested here, so no answer is interrupted more often. */
const ROUNDS_UNTIL_CALM = 3;

const answers = { moments: several(ROUNDS, atTime(0, 4500), atCall(8)), roundsUntilCalm: ROUNDS_UNTIL_CALM };
/** Most of them while runs are claimed, handed over and asked. */
const aroundDueTimes = [atTime(-200, 2000), atTime(0, 6000), atCall(6)];
const ofSomeProcesses = aroundDueTimes.map((moments) =>
  fc.tuple(moments, fc.subarray([0, 1, 2], { minLength: 1 })).map(([moment, victims]) => ({ ...moment, victims })),
);
const inSecondCopy = (takesEffect: boolean): Moment => ({ kind: 'call', method: 'copyMessage', skip: 1, takesEffect });

const atSending = (method: string, takesEffect: boolean): Moment => ({ kind: 'call', method, skip: 0, takesEffect });

const STORMS: readonly Storm[] = [
  {
    running: 'long answers',
    killed: 'the only process at any time or call',
    holds: 'nothing is lost or repeated',
    processes: 1,
    count: COUNT,
    ...answers,
    createWork: createAnswers,
  },
  {
    running: 'long answers',
    killed: 'the leader of two processes at any time or call',
    holds: 'nothing is lost or repeated',
    processes: 2,
    count: COUNT,
    ...answers,
    overlaps: true,
    createWork: createAnswers,
  },
  {
    running: 'a comparison of models',
    killed: 'the only process within 4 s',
    holds: 'each model answers once, in a message of its own',
    processes: 1,
    moments: several(2, atTime(0, 4000)),
    roundsUntilCalm: 1,
    createWork: createComparisons,
  },
  {
    running: 'another variant, and a switch to the first',
    killed: 'the only process within 4 s, and within 400 ms',
    holds: 'the chat shows the variant and its buttons',
    processes: 1,
    moments: several(3, atTime(0, 4000)).map((moments) => moments.flatMap((moment) => [moment, sooner(moment)])),
    roundsUntilCalm: 1,
    createWork: createVariants,
  },
  {
    running: 'tasks around their due times',
    killed: 'one, two or all of three processes',
    holds: 'every run happens exactly once',
    processes: 3,
    count: COUNT,
    roundsUntilCalm: ROUNDS_UNTIL_CALM,
    moments: several(ROUNDS, ...ofSomeProcesses),
    createWork: createTaskRuns,
  },
  {
    running: 'tasks that were made while the process was down',
    killed: 'the only process',
    holds: 'every run happens exactly once',
    processes: 1,
    moments: several(2, ...aroundDueTimes),
    createWork: (place) => createTaskRuns(place, { isDown: true }),
  },
  {
    running: 'tasks',
    killed: 'the only process by SIGTERM',
    holds: 'the next process completes them',
    processes: 1,
    moments: fc.constant([{ kind: 'SIGTERM' }]),
    createWork: (place) => createTaskRuns(place, { isDown: true }),
  },
  {
    running: 'a broadcast',
    killed: 'the only process in a send that took effect, and in one that did not',
    holds: 'the next process sends to the remaining users once, and repeats no unclear send',
    processes: 1,
    moments: fc.constant([inSecondCopy(true), inSecondCopy(false)]),
    options: BROADCAST_OPTIONS,
    createWork: (place) => createBroadcast(place, { unclear: 2, copies: 6 }),
  },
  {
    running: 'a broadcast',
    killed: 'the sending one of two processes in a send that took effect',
    holds: 'the other one continues',
    processes: 2,
    moments: fc.constant([inSecondCopy(true)]),
    options: BROADCAST_OPTIONS,
    createWork: (place) => createBroadcast(place, { unclear: 1, copies: 7 }),
  },
  {
    running: 'decisions about requests for access',
    killed:
      'the only process in the message to the user and in that to the admin, with and without effect, and within 400 ms',
    holds: 'each user is told once, and the admin reads the decision',
    processes: 1,
    moments: fc
      .tuple(atTime(0, 400), atTime(0, 4000))
      .map((atTimes) => [
        ...[atSending('sendMessage', true), atSending('sendMessage', false)],
        ...[atSending('editMessageText', true), atSending('editMessageText', false)],
        ...atTimes,
      ]),
    options: ACCESS_OPTIONS,
    createWork: createDecisions,
  },
];

describe('kill -9', EXHAUSTIVE, () => {
  for (const storm of STORMS) {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + (storm.count ?? 1); seed++) {
      test
        .skipIf(!hasPlace(storm))
        .concurrent(
          `${storm.running}: ${storm.killed}: ${storm.holds} (KILLS_SEED=${seed})`,
          (context) => weather(storm, seed, context),
          TIMEOUT_MS,
        );
    }
  }
});

function sooner(moment: Moment): Moment {
  return moment.kind === 'time' ? { ...moment, afterMs: moment.afterMs / 10 } : moment;
}
