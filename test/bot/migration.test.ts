import { expect, test, vi } from 'vitest';
import { createBotHarness } from '../support/harness/bot.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const harness = startBeforeAll(() => createBotHarness());

const contents = () => harness.models.requests.at(-1)?.messages.map(({ content }) => content);

test('a group that becomes a supergroup keeps its conversation', async () => {
  const { Ann } = harness.group(['Ann'], { type: 'group' });
  Ann.writes('@switch_bot One');
  await harness.sees(Ann.chatId, 'You said: One');
  const { id: supergroupId } = harness.telegram.upgradeGroup(Ann.chatId);
  harness.telegram.sendMessage(supergroupId, { text: '@switch_bot Two', from: Ann.id });
  await harness.sees(supergroupId, 'You said: Two');
  expect(contents()).toEqual(['One', 'You said: One', 'Two']);
});

test('an answer that is running when the group becomes a supergroup is complete in the supergroup', async () => {
  const { Bob } = harness.group(['Bob'], { type: 'group' });
  let supergroupId = 0;
  const words = 'This answer moves house with everything that is in it.';
  harness.models.scripts.push(async (write) => {
    write(words.slice(0, 20));
    await harness.sees(Bob.chatId, words.slice(0, 20).trim());
    supergroupId = harness.telegram.upgradeGroup(Bob.chatId).id;
    write(words.slice(20));
    return 'stop';
  });
  Bob.writes('@switch_bot Move!');
  await vi.waitFor(() => expect(supergroupId).not.toBe(0));
  await harness.sees(supergroupId, words);
  await harness.settles(supergroupId);
  expect(harness.lines(supergroupId).filter((line) => line.includes('Bot'))).toEqual([`Bot: ${words}`]);
});
