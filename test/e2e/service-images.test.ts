import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/harness/process.ts';
import { type ServiceHarness, startServiceHarness } from '../support/harness/service.ts';
import { answerJson, hang } from '../support/hosts/fake-provider.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

/** Only the demonstration provider, which generates an image in two seconds. */
const DEMONSTRATION = { OPENAI_BASE_URL: '', OPENAI_API_KEY: '' };

/** Messages of the bot in the chat, one line each. */
function linesOf({ telegram, chatId }: ServiceHarness): string[] {
  return telegram.control.transcript(chatId).flatMap(({ message }) => {
    if (!message.from?.is_bot) return [];
    const what = message.photo ? `(photo) ${message.caption}` : (message.document?.file_name ?? message.text);
    const buttons = message.reply_markup?.inline_keyboard.flat().map(({ text }) => ` [${text}]`) ?? [];
    return [`${what}${buttons.join('')}`];
  });
}

function shows(stage: ServiceHarness, expected: readonly string[]): Promise<void> {
  const isShown = () => JSON.stringify(linesOf(stage).map(withoutSeed)) === JSON.stringify(expected) || undefined;
  return eventually(isShown).then(
    () => {},
    () => expect(linesOf(stage).map(withoutSeed)).toEqual(expected),
  );
}

const withoutSeed = (line: string) => line.replace(/seed \d+/, 'seed …');
const DRAWN = '(photo) a red fox\ndemo-image · 1:1 · seed … [Again] [Vary] [Ratio] [Full size]';
const CUT_SHORT = 'I restarted while creating this image. Press Again to try once more. [Again]';

/** Presses a button of the newest message. */
function press({ telegram, chatId }: ServiceHarness, column: number): void {
  const { message } = telegram.control.transcript(chatId).at(-1) ?? {};
  telegram.control.pressButton(chatId, message?.message_id ?? 0, { row: 0, column });
}

describe('kill -9 during an image request', () => {
  let stage: ServiceHarness;
  beforeAll(async () => {
    stage = await startServiceHarness({ settings: DEMONSTRATION });
  });
  afterAll(() => stage.close());

  test('is reported in its message, and Again repeats the request', async () => {
    stage.writes('/imagine a red fox');
    await shows(stage, ['Creating with demo-image… [Stop]']);
    // Each check asks the database, so the status message is stored by then.
    for (let round = 0; round < 3; round += 1) await stage.service.isReady();
    await stage.service.kill();
    await stage.start();
    await shows(stage, [CUT_SHORT]);
    press(stage, 0);
    await shows(stage, [DRAWN]);
  });

  test('loses no image on the way to the chat', EXHAUSTIVE, async () => {
    stage.telegram.control.injectFault({ method: 'sendPhoto', kind: { type: 'no-answer' } });
    const sent = stage.telegram.control.calls('sendPhoto').length;
    stage.writes('/imagine a red fox');
    await eventually(() => stage.telegram.control.calls('sendPhoto').length > sent || undefined);
    await stage.service.kill();
    await stage.start();
    const offer = 'I restarted while sending this image. Full size sends it as a file, Again creates a new one.';
    await shows(stage, [DRAWN, `${offer} [Full size] [Again]`]);
    press(stage, 0);
    await shows(stage, [DRAWN, `${offer} [Full size] [Again]`, 'a-red-fox.png']);
  });
});

test('SIGTERM ends an image request that takes too long, with a notice in its message', EXHAUSTIVE, async () => {
  const stage = await startServiceHarness({ settings: DEMONSTRATION });
  try {
    stage.provider.behaveAtModels(answerJson(200, { object: 'list', data: [{ id: 'gpt-image-1', object: 'model' }] }));
    stage.provider.behaveElsewhere(hang());
    await stage.service.stop();
    await stage.start({ OPENAI_BASE_URL: stage.provider.baseUrl, OPENAI_API_KEY: 'sk-upstream' });
    stage.writes('/imagine a red fox --model gpt-image-1');
    await shows(stage, ['Creating with gpt-image-1… [Stop]']);
    const { code, durationMs } = await stage.service.stop();
    expect(code).toBe(0);
    expect(durationMs).toBeLessThan(25_000);
    expect(linesOf(stage)).toEqual([CUT_SHORT]);
  } finally {
    await stage.close();
  }
});
