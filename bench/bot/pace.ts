import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../statistics.ts';
import { type ContestantName, contestantNames } from './contestants.ts';
import { measureFirstWords, measureLags } from './conversation.ts';
import { type Finding, median } from './report.ts';
import { type Scale, toValues, turned, USUAL_ANSWER } from './scenario.ts';
import { openStage } from './stage.ts';

interface Samples {
  readonly firstWordsMs: number[];
  readonly lagsMs: number[];
  readonly calls: number[];
  readonly chatActions: number[];
}

const PATIENCE_MS = 30_000;
/** The last call of an answer may follow shortly after its last word. */
const AFTERWARDS_MS = 1500;

/** Measures single replies, alternating between the bots: the delay of the visible text relative to the model. */
export async function measurePace({ rounds, databaseUrl }: Scale): Promise<readonly Finding[]> {
  const stage = await openStage({ kinds: contestantNames, limits: 'telegram', databaseUrl });
  const samples = new Map<ContestantName, Samples>(
    contestantNames.map((name) => [name, { firstWordsMs: [], lagsMs: [], calls: [], chatActions: [] }]),
  );
  try {
    // The first round is a warm-up for the compiler and does not count.
    for (let round = -1; round < rounds; round++) {
      for (const contestant of turned(stage.contestants, round + 1)) {
        const conversation = stage.ask(contestant, round < 0 ? { durationMs: 1000, everyMs: 50 } : USUAL_ANSWER);
        await conversation.untilRight(PATIENCE_MS);
        await sleep(AFTERWARDS_MS);
        conversation.leave();
        const sample = round < 0 ? undefined : samples.get(contestant.name);
        const calls = contestant.telegram.control
          .calls()
          .filter(({ params }) => params['chat_id'] === conversation.chatId);
        const isAction = ({ method }: { method: string }) => method === 'sendChatAction';
        sample?.firstWordsMs.push(measureFirstWords(conversation));
        sample?.lagsMs.push(...measureLags(conversation));
        sample?.calls.push(calls.filter((call) => !isAction(call)).length);
        sample?.chatActions.push(calls.filter(isAction).length);
      }
    }
  } finally {
    await stage.close();
  }
  const find = (measure: string, read: (sample: Samples) => number, atMost?: number): Finding => ({
    ...{ measure, values: toValues(samples, read) },
    ...(atMost === undefined ? {} : { goal: { atMost } }),
  });
  return [
    find('first words to be read, median, s', ({ firstWordsMs }) => median(firstWordsMs) / 1000, 0.3),
    find('behind the model, median, s', ({ lagsMs }) => median(lagsMs) / 1000, 0.45),
    find('behind the model, 99th percentile, s', ({ lagsMs }) => percentile(lagsMs, 0.99) / 1000, 1.05),
    find('sends, edits and drafts of a reply', ({ calls }) => median(calls), 9),
    find('chat actions of a reply', ({ chatActions }) => median(chatActions)),
  ];
}
