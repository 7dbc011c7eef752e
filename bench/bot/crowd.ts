import { type ContestantName, contestantNames } from './contestants.ts';
import { type Finding, median } from './report.ts';
import { type Scale, toValues, turned, USUAL_ANSWER } from './scenario.ts';
import { openStage } from './stage.ts';

interface Sample {
  readonly wrong: number;
  readonly doneMs: number;
  readonly refused: number;
  readonly calls: number;
  readonly firstWordsMs: number;
}

const PEOPLE = 100;
const PATIENCE_S = 40;

/** Measures a hundred users who ask at the same moment, for one bot after another. */
export async function measureCrowd({ rounds, isQuick, databaseUrl }: Scale): Promise<readonly Finding[]> {
  const taken = new Map<ContestantName, Sample[]>(contestantNames.map((name) => [name, []]));
  const roundCount = isQuick ? 1 : Math.min(rounds, 2);
  for (let round = 0; round < roundCount; round++) {
    // Frequent refusals restrict a bot for longer than a round, so each round uses a new Telegram.
    const stage = await openStage({ kinds: contestantNames, limits: 'telegram', databaseUrl });
    try {
      for (const contestant of turned(stage.contestants, round)) {
        const startedAt = performance.now();
        const conversations = Array.from({ length: PEOPLE }, () => stage.ask(contestant, USUAL_ANSWER));
        const patienceMs = PATIENCE_S * 1000 - (performance.now() - startedAt);
        const rightAt = await Promise.all(conversations.map((one) => one.untilRight(patienceMs)));
        const { calls, refused } = contestant.telegram.counts;
        // It would otherwise continue its calls during the following measurements.
        await contestant.end('SIGKILL');
        const wrong = conversations.filter((one) => one.rightSince() === undefined).length;
        const firstWordsMs = conversations.map(
          ({ views, answer }) =>
            (views.find(({ text }) => text.startsWith('Answer'))?.at ?? Number.POSITIVE_INFINITY) -
            (answer.writings.at(-1)?.words[0]?.at ?? 0),
        );
        const doneMs = wrong > 0 ? Number.POSITIVE_INFINITY : Math.max(...rightAt.map((at) => (at ?? 0) - startedAt));
        taken.get(contestant.name)?.push({ wrong, doneMs, refused, calls, firstWordsMs: median(firstWordsMs) });
        for (const conversation of conversations) conversation.leave();
      }
    } finally {
      await stage.close();
    }
  }
  const find = (measure: string, read: (sample: Sample) => number, atMost?: number): Finding => ({
    ...{ measure, values: toValues(taken, (samples) => median(samples.map(read))) },
    ...(atMost === undefined ? {} : { goal: { atMost } }),
  });
  return [
    find(`wrong chats of ${PEOPLE} after ${PATIENCE_S} s at most`, ({ wrong }) => wrong, 0),
    find('until the last answer is there, s', ({ doneMs }) => doneMs / 1000, 12),
    find('calls refused with 429', ({ refused }) => refused, 20),
    find('calls', ({ calls }) => calls),
    find('first words to be read, median, s', ({ firstWordsMs }) => firstWordsMs / 1000),
  ];
}
