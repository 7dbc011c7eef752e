import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type BotPlay, createBotPlay } from '../support/bot-play.ts';

let play: BotPlay;
beforeAll(async () => {
  play = await createBotPlay();
});
afterAll(() => play.close());

const contents = () => play.models.requests.at(-1)?.messages.map(({ content }) => content);

test('a group that becomes a supergroup keeps its conversation', async () => {
  const { Ann } = play.group(['Ann'], { type: 'group' });
  Ann.writes('@switch_bot One');
  await play.sees(Ann.chatId, 'You said: One');
  const { id: supergroupId } = play.telegram.upgradeGroup(Ann.chatId);
  play.telegram.sendMessage(supergroupId, { text: '@switch_bot Two', from: Ann.id });
  await play.sees(supergroupId, 'You said: Two');
  expect(contents()).toEqual(['One', 'You said: One', 'Two']);
});

test('an answer that is running when the group becomes a supergroup is complete in the supergroup', async () => {
  const { Bob } = play.group(['Bob'], { type: 'group' });
  let supergroupId = 0;
  const words = 'This answer moves house with everything that is in it.';
  play.models.scripts.push(async (write) => {
    write(words.slice(0, 20));
    await play.sees(Bob.chatId, words.slice(0, 20).trim());
    supergroupId = play.telegram.upgradeGroup(Bob.chatId).id;
    write(words.slice(20));
    return 'stop';
  });
  Bob.writes('@switch_bot Move!');
  await vi.waitFor(() => expect(supergroupId).not.toBe(0));
  await play.sees(supergroupId, words);
  await play.settles(supergroupId);
  expect(play.lines(supergroupId).filter((line) => line.includes('Bot'))).toEqual([`Bot: ${words}`]);
});
