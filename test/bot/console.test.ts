import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';

const LOCAL_URL = 'http://127.0.0.1:8080/console/';
const BROWSER = 'Mozilla/5.0';

let harness: BotHarness;
let localHarness: BotHarness;
beforeAll(async () => {
  [harness, localHarness] = await Promise.all([
    createBotHarness(),
    createBotHarness({ change: (deps) => ({ ...deps, consoleUrl: LOCAL_URL }) }),
  ]);
});
afterAll(() => Promise.all([harness.close(), localHarness.close()]));

const readCode = (link: string) => new URLSearchParams(new URL(link).hash.slice(1)).get('code') ?? '';

test('opens in Telegram and, by a link that works once, in a browser', async () => {
  const ann = harness.user('Ann');
  ann.writes('/console');
  const { message } = await harness.sees(ann.chatId, /works once/);
  const buttons = message.reply_markup?.inline_keyboard.flat() ?? [];
  expect(buttons[0]).toMatchObject({ web_app: { url: 'https://ai.example.org/console/' } });
  const link = buttons[1] && 'url' in buttons[1] ? buttons[1].url : '';
  expect(link).toMatch(/^https:\/\/ai\.example\.org\/console\/#code=/);
  const session = await harness.sessions.signIn(readCode(link), BROWSER);
  const user = await harness.accounts.findTelegramUser(ann.id);
  // The console does not know the language of the user's app.
  expect(user?.settings.guessedTimeZone).toBe('Europe/London');
  expect(await harness.sessions.find(session?.token ?? '', BROWSER)).toMatchObject({ userId: user?.id });
  expect(await harness.sessions.signIn(readCode(link), BROWSER)).toBeUndefined();
  expect(harness.log.join('')).not.toContain(readCode(link));
});

test('has a button beside the input field, as far as Telegram can open the page', async () => {
  expect(await readMenuButton(harness)).toEqual({
    type: 'web_app',
    text: 'Console',
    web_app: { url: 'https://ai.example.org/console/' },
  });
  expect(await readMenuButton(localHarness)).toEqual({ type: 'commands' });
});

test('opens in a browser only without an https address, and says why', async () => {
  const ann = localHarness.user('Ann');
  ann.writes('/console');
  const { message } = await localHarness.sees(ann.chatId, /https address/);
  expect(message.reply_markup).toBeUndefined();
  const link = message.text?.split('\n').find((line) => line.startsWith('http')) ?? '';
  expect(link.startsWith(`${LOCAL_URL}#code=`)).toBe(true);
  expect(await localHarness.sessions.signIn(readCode(link), BROWSER)).toBeDefined();
});

test('gives no link in a group', async () => {
  const { Ann } = harness.group(['Ann']);
  Ann.writes('/console');
  const { message } = await harness.sees(Ann.chatId, /our private chat/);
  expect(JSON.stringify(message)).not.toContain('code=');
});

function readMenuButton({ client }: BotHarness) {
  return client.api.getChatMenuButton();
}
