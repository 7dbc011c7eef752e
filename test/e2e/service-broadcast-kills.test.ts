import { describe, expect, type TestContext, test } from 'vitest';
import { eventually, type RunningService } from '../support/harness/process.ts';
import { startServiceStage } from '../support/harness/service.ts';
import {
  createEmbeddedTestDatabase,
  createServerTestDatabase,
  findServerUrl,
  type TestDatabase,
} from '../support/stores/test-database.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

const PEOPLE = 7;
const TEXT = 'Maintenance tonight';
const TIMEOUT_MS = 240_000;

const serverUrl = findServerUrl();

describe('kill -9 during a broadcast', EXHAUSTIVE, () => {
  test.concurrent(
    'of the only process: the next one sends to the remaining users once, and repeats no unclear send',
    async ({ onTestFinished }) => {
      const { stage, begin, killIn, countCopies, ends } = await setStage(
        onTestFinished,
        await createEmbeddedTestDatabase(),
      );
      await begin();
      // One of these two sends took effect.
      for (const takesEffect of [true, false]) {
        await killIn(stage.service, takesEffect);
        await stage.start();
      }
      expect(await ends()).toMatch(
        new RegExp(`^The announcement is sent\\.\n\nSent: ${PEOPLE - 2}\nDelivery unknown: 2`),
      );
      expect(countCopies().toSorted()).toEqual([0, ...Array(PEOPLE - 1).fill(1)]);
    },
    TIMEOUT_MS,
  );

  test.skipIf(!serverUrl).concurrent(
    `of the sending one of two processes: the other one continues`,
    async ({ onTestFinished }) => {
      const database = await createServerTestDatabase(serverUrl ?? '');
      const { stage, begin, killIn, countCopies, ends } = await setStage(onTestFinished, database);
      const sending = stage.service;
      const other = await stage.start();
      onTestFinished(async () => void (await Promise.all([sending.kill(), other.kill()])));
      await begin();
      await killIn(sending, true);
      expect(await ends()).toMatch(
        new RegExp(`^The announcement is sent\\.\n\nSent: ${PEOPLE - 1}\nDelivery unknown: 1`),
      );
      expect(countCopies()).toEqual(Array(PEOPLE).fill(1));
    },
    TIMEOUT_MS,
  );
});

/** Creates an admin and users who have written to the bot. */
async function setStage(onTestFinished: TestContext['onTestFinished'], database: TestDatabase) {
  onTestFinished(() => database.close());
  await database.release();
  // The first user of the simulator, so that the id of the admin is known before the process starts.
  const stage = await startServiceStage({
    database,
    settings: { ADMIN_IDS: `${ADMIN_ID}` },
    simulator: { firstNumber: FIRST_NUMBER },
  });
  onTestFinished(() => stage.close());
  const { control } = stage.telegram;
  await stage.service.isReady();
  const chats = Array.from(
    { length: PEOPLE },
    (_, at) => control.createChat({ type: 'private', person: { firstName: `Person ${at}` } }).id,
  );
  for (const chatId of chats) control.sendMessage(chatId, { text: '/privacy' });
  const messages = (chatId: number) => control.transcript(chatId).map(({ message }) => message);
  await eventually(() => chats.every((chatId) => messages(chatId).length > 1) || undefined);

  const findButton = () =>
    messages(stage.chatId).flatMap(({ message_id: messageId, reply_markup: keyboard }) => {
      const button = keyboard?.inline_keyboard.flat().find(({ text }) => text.startsWith('Send ('));
      return button && 'callback_data' in button ? [{ messageId, data: button.callback_data }] : [];
    })[0];
  return {
    stage,
    async begin() {
      stage.writes(`/announce ${TEXT}`);
      const { messageId, data } = await eventually(findButton);
      control.pressButton(stage.chatId, messageId, { data });
    },
    /** Kills the process while it waits for the response to its send after the next. */
    async killIn(service: RunningService, takesEffect: boolean) {
      const before = control.calls('copyMessage').length;
      control.injectFault({ method: 'copyMessage', skip: 1, kind: { type: 'no-answer', takesEffect } });
      await eventually(
        () =>
          control
            .calls('copyMessage')
            .slice(before)
            .some(({ status }) => status === undefined) || undefined,
      );
      await service.kill();
      control.clearFaults();
    },
    /** Number of copies that each user has received. */
    countCopies: () => chats.map((chatId) => messages(chatId).filter(({ text }) => text === TEXT).length),
    ends: async () => {
      await stage.says('Announcement finished');
      return eventually(() => stage.said().find((text) => text.startsWith('The announcement is sent.')));
    },
  };
}

const FIRST_NUMBER = 70_000;
/** Id of the first user, as the simulator counts. */
const ADMIN_ID = 1_000_000 + FIRST_NUMBER;
