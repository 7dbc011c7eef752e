import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isOpinionButton } from '../support/harness/chats.ts';
import { eventually } from '../support/harness/process.ts';
import { startServiceStage } from '../support/harness/service.ts';
import { answerAtLength, toAnswerPages } from '../support/samples/long-answers.ts';
import { createEmbeddedTestDatabase } from '../support/stores/test-database.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

/** `KILLS_SEED` repeats the run named in a failed test. */
const SEED = Number(process.env['KILLS_SEED'] ?? randomInt(2 ** 30));
const ROUNDS = 3;
/** Time until the process has stored what the chat shows. */
const CALM_MS = 3000;
const SETTLING_MS = 90_000;
const TIMEOUT_MS = 600_000;

/** Time between the press and the kill. */
const moments = fc.sample(fc.integer({ min: 0, max: 4000 }), { seed: SEED, numRuns: ROUNDS });

test(`kill -9 while a variant is written and while variants are switched (KILLS_SEED=${SEED})`, {
  ...EXHAUSTIVE,
  timeout: TIMEOUT_MS,
}, async ({ onTestFinished }) => {
  const database = await createEmbeddedTestDatabase();
  onTestFinished(() => database.close());
  await database.release();
  const stage = await startServiceStage({ database });
  onTestFinished(() => stage.close());
  const { control } = stage.telegram;
  let isAgain = false;
  stage.provider.behaveUsually(
    answerAtLength({ toTopic: (question) => (isAgain ? `${question}, once more` : question) }),
  );
  await stage.service.isReady();

  const look = (chatId: number) => control.transcript(chatId).filter(({ message }) => message.from?.is_bot);
  const labels = (chatId: number) =>
    look(chatId).flatMap(({ message }) => message.reply_markup?.inline_keyboard.flat() ?? []);
  const shows = async (chatId: number, topic: string, buttons: string) => {
    const seen = () => [
      ...look(chatId).map(({ message }) => message.text),
      labels(chatId)
        .map(({ text }) => text)
        .filter((label) => !isOpinionButton(label))
        .join(' '),
    ];
    const wanted = [...toAnswerPages(topic), buttons];
    await eventually(() => JSON.stringify(seen()) === JSON.stringify(wanted) || undefined, SETTLING_MS).catch(() => {});
    expect(seen()).toEqual(wanted);
  };
  const press = async (chatId: number, label: string) => {
    await new Promise((resolve) => setTimeout(resolve, CALM_MS));
    const last = look(chatId).at(-1)?.message;
    const button = labels(chatId).find(({ text }) => text === label);
    if (!last || !button || !('callback_data' in button)) throw new Error(`no button ${label}`);
    control.pressButton(chatId, last.message_id, { from: chatId, data: button.callback_data });
  };
  const isKilledAfter = async (delayMs: number) => {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await stage.service.kill();
    await stage.start();
  };

  for (const [round, delayMs] of moments.entries()) {
    isAgain = false;
    const question = `round ${round}`;
    const { id: chatId } = control.createChat({ type: 'private', person: { firstName: `Person ${round}` } });
    control.sendMessage(chatId, { text: question });
    await shows(chatId, question, '🔄 Again Other model ⋯');
    isAgain = true;
    await press(chatId, '🔄 Again');
    await isKilledAfter(delayMs);
    await shows(chatId, `${question}, once more`, '‹ 2/2 · fake-model › ⋯');
    await press(chatId, '‹');
    await isKilledAfter(delayMs / 10);
    await shows(chatId, question, '‹ 1/2 · fake-model › ⋯');
  }
});
