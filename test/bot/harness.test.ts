import { expect, test } from 'vitest';
import { createBotHarness } from '../support/harness/bot.ts';
import { startStopwatch } from '../support/machine/measure.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

/** A failed expectation must not cost more than a few seconds, and must say what the chat shows. */
const harness = startBeforeAll(() => createBotHarness());

test.each<[string, (chatId: number) => Promise<unknown>]>([
  ['shows', (chatId) => harness.shows(chatId, ['Ann: Hello', 'Bot: Good morning'])],
  ['sees', (chatId) => harness.sees(chatId, 'Good morning')],
])('%s fails when the bot is idle, and says what the chat shows', async (_, expectation) => {
  const ann = harness.user('Ann');
  ann.writes('Hello');
  const stop = startStopwatch();
  const failure = await expectation(ann.chatId).catch((error: unknown) => error);
  expect(stop()).toBeLessThan(4000);
  expect(String(failure)).toMatch(/the bot is idle/);
  expect(`${failure}${JSON.stringify(failure)}`).toContain('Bot: You said: Hello');
});

test('presses fails when there is no such button, and says what the chat shows', async () => {
  const ann = harness.user('Ann');
  ann.writes('Hello');
  await harness.sees(ann.chatId, 'You said: Hello');
  await expect(ann.presses('Good morning')).rejects.toThrow(/the bot is idle\nno button Good morning:\nAnn: Hello\n/);
});

test('shows waits as long as a model answers', async () => {
  const ann = harness.user('Ann');
  const answering = Promise.withResolvers<void>();
  harness.models.scripts.push(async (write) => {
    await answering.promise;
    write('Good morning');
    return 'stop';
  });
  ann.writes('Hello');
  setTimeout(answering.resolve, 1500);
  await harness.shows(ann.chatId, ['Ann: Hello', 'Bot: Good morning']);
});
