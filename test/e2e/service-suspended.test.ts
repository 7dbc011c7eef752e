import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { messages } from '../../src/database/schema/index.ts';
import { type ServiceHarness, startServiceHarness } from '../support/harness/service.ts';
import { answerHello, answerJson } from '../support/hosts/fake-provider.ts';
import { createServerTestDatabase, findServerUrl, type TestDatabase } from '../support/stores/test-database.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

const TIMEOUT_MS = 300_000;
/** Long enough for all that a process does when it wakes up, with the 5 s between its heartbeats. */
const AWAKE_MS = 8000;
const serverUrl = findServerUrl();

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Starts two processes; the first one has the chats. */
const startBoth = async (models: readonly string[]) => {
  const database = await createServerTestDatabase(serverUrl ?? '');
  closers.push(() => database.close());
  const stage = await startServiceHarness({ database });
  closers.push(() => stage.close());
  stage.provider.behaveAtModels(
    answerJson(200, { object: 'list', data: models.map((id) => ({ id, object: 'model' })) }),
  );
  // Models are listed at the start.
  await stage.service.kill();
  const first = await stage.start();
  closers.push(() => first.kill());
  await first.isReady();
  await first.prints(/the bot is ready to receive updates/);
  return { database, stage, first };
};
/** Suspends the first process until the second one has done its work, and lets it go on. */
const suspend = async (
  { stage, first }: { readonly stage: ServiceHarness; readonly first: ServiceHarness['service'] },
  untilDone: () => Promise<unknown>,
) => {
  const second = await stage.start();
  await second.prints(/the bot is ready to receive updates/);
  process.kill(first.pid, 'SIGSTOP');
  await untilDone();
  process.kill(first.pid, 'SIGCONT');
  await first.prints(/another process has taken over a chat queue/);
  await sleep(AWAKE_MS);
};
const readAnswers = async ({ db }: TestDatabase) => {
  const rows = await db.select().from(messages).orderBy(messages.id);
  return rows.filter(({ role }) => role === 'assistant').map(({ content, settledAt }) => [content, settledAt !== null]);
};
const slowly = (words: string, everyMs: number) => answerHello({ pieces: Array(300).fill(`${words} `), everyMs });

describe.skipIf(!serverUrl)(
  'a process that is suspended until another one has taken over its chats',
  EXHAUSTIVE,
  () => {
    test('neither loses nor doubles an answer', { timeout: TIMEOUT_MS }, async () => {
      const { database, stage, first } = await startBoth(['fake-model']);
      stage.provider.behave(slowly('former', 100));
      stage.provider.behaveUsually(answerHello({ pieces: ['The ', 'whole ', 'answer.'] }));
      stage.writes('Tell me');
      await stage.says('former former');
      const whole = ['The whole answer.'];
      await suspend({ stage, first }, () => expect.poll(() => stage.said(), { timeout: 60_000 }).toEqual(whole));
      expect(stage.said()).toEqual(whole);
      expect(stage.labels()).toEqual([]);
      expect(await readAnswers(database)).toEqual([['The whole answer.', true]]);
      stage.writes('And now?');
      await expect.poll(() => stage.said(), { timeout: 60_000 }).toEqual([...whole, ...whole]);
    });

    test('neither loses nor doubles the answers of a comparison', { timeout: TIMEOUT_MS }, async () => {
      const models = ['one', 'two'];
      const { database, stage, first } = await startBoth(models);
      stage.provider.behave(slowly('former', 100), slowly('former', 100));
      stage.provider.behaveUsually((exchange) => {
        const pieces = ['Said ', 'by ', `${exchange.request.body['model']}.`];
        return answerHello({ pieces })(exchange);
      });
      const ann = stage.user('Ann');
      ann.writes('/compare Who are you?');
      for (const model of models) await ann.taps(model);
      await ann.taps('▶️ Compare (2)');
      const said = () =>
        stage.telegram.control
          .transcript(ann.chatId)
          .flatMap(({ message }) => (message.from?.is_bot ? [message.text?.split('\n').slice(0, 2).join(': ')] : []));
      await expect.poll(() => said().filter((text) => text?.includes('former')).length, { timeout: 60_000 }).toBe(2);
      const whole = models.map((model) => `${model}: Said by ${model}.`);
      const isShown = () => expect.poll(said, { timeout: 60_000 }).toEqual(whole);
      const isSettled = () =>
        expect
          .poll(() => readAnswers(database), { timeout: 60_000 })
          .toEqual(models.map((model) => [`Said by ${model}.`, true]));
      await suspend({ stage, first }, async () => {
        await isShown();
        await isSettled();
      });
      expect(said()).toEqual(whole);
      expect(await readAnswers(database)).toEqual(models.map((model) => [`Said by ${model}.`, true]));
      expect(JSON.stringify(stage.telegram.control.transcript(ann.chatId)).match(/✓/g)).toHaveLength(1);
    });
  },
);
