import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventually } from '../support/harness/process.ts';
import { startServiceStage } from '../support/harness/service.ts';
import { answerHello, answerJson } from '../support/hosts/fake-provider.ts';
import { createEmbeddedTestDatabase } from '../support/stores/test-database.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

/** `KILLS_SEED` repeats the run named in a failed test. */
const SEED = Number(process.env['KILLS_SEED'] ?? randomInt(2 ** 30));
const ROUNDS = 2;
const SETTLING_MS = 90_000;
const TIMEOUT_MS = 600_000;
const MODELS = ['one', 'two', 'three'];

/** Time between the press and the kill. */
const moments = fc.sample(fc.integer({ min: 0, max: 4000 }), { seed: SEED, numRuns: ROUNDS });

test(`kill -9 while models are compared: each answers once, in a message of its own (KILLS_SEED=${SEED})`, {
  ...EXHAUSTIVE,
  timeout: TIMEOUT_MS,
}, async ({ onTestFinished }) => {
  const database = await createEmbeddedTestDatabase();
  onTestFinished(() => database.close());
  await database.release();
  const stage = await startServiceStage({ database });
  onTestFinished(() => stage.close());
  const { control } = stage.telegram;
  stage.provider.behaveAtModels(
    answerJson(200, { object: 'list', data: MODELS.map((id) => ({ id, object: 'model' })) }),
  );
  stage.provider.behaveUsually((exchange) =>
    answerHello({ pieces: Array(30).fill(`${exchange.request.body['model']} `), everyMs: 80 })(exchange),
  );
  await stage.service.kill();
  await stage.start();
  await stage.service.isReady();

  const listBots = (chatId: number) => control.transcript(chatId).filter(({ message }) => message.from?.is_bot);
  const press = async (chatId: number, label: string) => {
    const { message, data } = await eventually(() => {
      for (const { message } of listBots(chatId).toReversed())
        for (const button of message.reply_markup?.inline_keyboard.flat() ?? [])
          if (button.text === label && 'callback_data' in button) return { message, data: button.callback_data };
      return undefined;
    });
    control.pressButton(chatId, message.message_id, { from: chatId, data });
  };
  /** Returns the model above each answer and the models that wrote its text. */
  const listAnswers = (chatId: number) =>
    listBots(chatId).map(({ message }) => (message.text ?? '').split('\n').slice(0, 2).join(': '));

  for (const [round, delayMs] of moments.entries()) {
    const { id: chatId } = control.createChat({ type: 'private', person: { firstName: `Person ${round}` } });
    control.sendMessage(chatId, { text: '/compare Who are you?' });
    for (const model of MODELS) await press(chatId, model);
    await press(chatId, '▶️ Compare (3)');
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await stage.service.kill();
    await stage.start();
    const wanted = MODELS.map((model) => `${model}: ${`${model} `.repeat(30).trim()}`);
    const isWhole = () => JSON.stringify(listAnswers(chatId).toSorted()) === JSON.stringify(wanted.toSorted());
    await eventually(() => isWhole() || undefined, SETTLING_MS).catch(() => {});
    expect(listAnswers(chatId).toSorted()).toEqual(wanted.toSorted());
    const marks = listBots(chatId).filter(({ message }) => JSON.stringify(message.reply_markup).includes('✓'));
    expect(marks).toHaveLength(1);
  }
});
