import { afterEach, describe, expect, test } from 'vitest';
import { type BotHarness, createBotHarness } from '../support/harness/bot.ts';
import { keepFile } from '../support/harness/files.ts';

let harness: BotHarness;
afterEach(() => harness.close());

const BANNED = 'The operator of this bot has banned you, so I can’t answer.';

describe('/ban', () => {
  test('sends one notice, ignores all later messages, and ends with /unban', async () => {
    harness = await createBotHarness();
    const [ann, chief] = [harness.user('Ann'), harness.operator('Chief')];
    chief.writes(`/ban ${ann.id} spam`);
    await harness.sees(chief.chatId, new RegExp(`^Ann \\(${ann.id}\\) is banned`));
    ann.writes('Hello');
    await harness.sees(ann.chatId, BANNED);
    ann.writes('Hello again');
    ann.writes('/help');
    ann.writes('/new');
    await harness.hasHandledAll();
    chief.writes(`/unban ${ann.id}`);
    await harness.sees(chief.chatId, `Ann (${ann.id}) is no longer banned.`);
    ann.writes('Am I back?');
    await harness.sees(ann.chatId, 'You said: Am I back?');
    expect(harness.lines(ann.chatId).filter((line) => line.startsWith('Bot:'))).toEqual([
      `Bot: ${BANNED}`,
      'Bot: You said: Am I back?',
    ]);
    expect(harness.models.requests).toHaveLength(1);
  });

  test('answers callback queries of old menus with the notice and runs no action', async () => {
    harness = await createBotHarness();
    const [ann, chief] = [harness.user('Ann'), harness.operator('Chief')];
    ann.writes('/settings');
    await harness.sees(ann.chatId, /Settings/);
    chief.writes(`/ban ${ann.id}`);
    await harness.sees(chief.chatId, /is banned\./);
    expect(await ann.presses('Language')).toBe(BANNED);
    expect(await ann.presses('Language')).toBe(BANNED);
    await harness.sees(ann.chatId, /Settings/);
  });

  test('works as a reply in a group and shows the banned user nothing there', async () => {
    harness = await createBotHarness();
    const chief = harness.operator('Chief');
    const { Ann } = harness.group(['Ann']);
    const chat = harness.telegram;
    chat.changeMember(Ann.chatId, { action: 'join', personId: chief.id });
    const spam = Ann.writes('@switch_bot buy this');
    await harness.sees(Ann.chatId, /You said: buy this/);
    // Notes are for admins, not for the group.
    chief.writes(`/note ${Ann.id} Ann, difficult`);
    await harness.sees(chief.chatId, /is now called: Ann, difficult$/);
    chat.sendMessage(Ann.chatId, { text: '/ban advertising', from: chief.id, replyTo: spam });
    await harness.sees(Ann.chatId, `Ann (${Ann.id}) is banned. Their API keys stop working within a second.`);
    Ann.writes('@switch_bot and this');
    await harness.hasHandledAll();
    chief.writes('/audit');
    await harness.sees(
      chief.chatId,
      new RegExp(`Chief \\(${chief.id}\\) banned Ann, difficult \\(${Ann.id}\\): advertising$`, 'm'),
    );
    expect(harness.lines(Ann.chatId).at(-1)).toBe('Ann: @switch_bot and this');
  });

  test('warns when the id has never written to the bot, and offers Undo', async () => {
    harness = await createBotHarness();
    const chief = harness.operator('Chief');
    chief.writes('/ban 5');
    await harness.sees(chief.chatId, '5 is banned, but no user with this id has written to me yet. Check the id.');
    await chief.presses('Undo');
    await harness.sees(chief.chatId, '5 is no longer banned.');
    expect(await harness.administration.admit(5)).toBe('welcome');
    chief.writes('/audit');
    // Telegram has no name for this id.
    await harness.sees(chief.chatId, /: Chief \(\d+\) unbanned 5\n.*: Chief \(\d+\) banned 5$/);
  });

  test('refuses to ban admins, asks for an id without one, and is hidden from users', async () => {
    harness = await createBotHarness();
    const [ann, chief, other] = [harness.user('Ann'), harness.operator('Chief'), harness.operator('Other')];
    chief.writes('/ban');
    await harness.sees(chief.chatId, /^Which user\? Send \/ban with a Telegram id/);
    chief.writes(`/ban ${other.id}`);
    await harness.sees(chief.chatId, 'Admins can’t be banned. They are listed in ADMIN_IDS.');
    ann.writes(`/ban ${other.id}`);
    await harness.sees(ann.chatId, /I don’t know \/ban/);
    ann.writes('/audit');
    await harness.sees(ann.chatId, /I don’t know \/audit/);
    ann.writes('/stats');
    await harness.sees(ann.chatId, /I don’t know \/stats/);
    chief.writes('/audit');
    await harness.sees(chief.chatId, 'No admin actions yet.');
  });
});

describe('a private bot', () => {
  test('tells strangers their id once, and answers allowed users until /disallow', async () => {
    harness = await createBotHarness({ allowedIds: [1] });
    const [ann, chief] = [harness.user('Ann'), harness.operator('Chief')];
    const refusal = new RegExp(`^This bot is private\\. Press the button, .* your Telegram id, ${ann.id}\\.`);
    ann.writes('Hello');
    await harness.sees(ann.chatId, refusal);
    ann.writes('Hello?');
    await harness.hasHandledAll();
    expect(await harness.accounts.findTelegramUser(ann.id)).toBeUndefined();
    chief.writes(`/allow ${ann.id} a colleague`);
    await harness.sees(chief.chatId, `Ann (${ann.id}) now has access.`);
    ann.writes('Thanks');
    await harness.sees(ann.chatId, 'You said: Thanks');
    expect(harness.lines(ann.chatId).filter((line) => line.startsWith('Bot: This bot is private.'))).toHaveLength(1);
    chief.writes(`/disallow ${ann.id}`);
    await harness.sees(chief.chatId, new RegExp(`^Ann \\(${ann.id}\\) no longer has access\\.`));
    ann.writes('And now?');
    await harness.hasHandledAll();
    chief.writes('/audit');
    await harness.sees(
      chief.chatId,
      /: Chief \(\d+\) disallowed Ann \(\d+\)\n.*: Chief \(\d+\) allowed Ann \(\d+\): a colleague$/,
    );
    expect(harness.models.requests).toHaveLength(1);
  });

  test('rejects /allow when the bot is open to everyone', async () => {
    harness = await createBotHarness();
    const chief = harness.operator('Chief');
    chief.writes('/allow 5');
    await harness.sees(chief.chatId, /The bot is open to everyone/);
  });
});

test('/audit lists take-downs and changes of plans', async () => {
  harness = await createBotHarness();
  const [ann, chief] = [harness.user('Ann'), harness.operator('Chief')];
  const file = await keepFile(harness, ann, { bytes: Buffer.from('something') });
  chief.writes(`/takedown ${file.id} a letter`);
  await harness.sees(chief.chatId, /^Take note\.txt down/);
  await chief.presses('Take down');
  await harness.sees(chief.chatId, /file taken down/);
  chief.writes(`/plan ${ann.id} admin`);
  await harness.sees(chief.chatId, /is now on the plan admin/);
  chief.writes('/audit');
  await harness.sees(
    chief.chatId,
    new RegExp(`changed the plan of Ann \\(${ann.id}\\): admin\\n.*took down file ${file.id}: a letter$`),
  );
});

describe('admin commands', () => {
  const menu = async (chatId: number) => {
    const commands = await harness.client.api.getMyCommands({ scope: { type: 'chat', chat_id: chatId } });
    return commands.map(({ command }) => command);
  };

  test('appear in /help and in the command menu of admins, in private chats only', async () => {
    harness = await createBotHarness();
    const [ann, chief] = [harness.user('Ann'), harness.operator('Chief')];
    const { Bob } = harness.group(['Bob']);
    harness.telegram.changeMember(Bob.chatId, { action: 'join', personId: chief.id });
    chief.writes('/help');
    const { message } = await harness.sees(chief.chatId, /For admins:/);
    expect(message.text).toContain('/stats – Usage of the service');
    expect(message.text).not.toContain('/allow');
    await expect.poll(() => menu(chief.chatId)).toEqual(expect.arrayContaining(['new', 'stats', 'takedown']));
    ann.writes('/help');
    harness.telegram.sendMessage(Bob.chatId, { text: '/help@switch_bot', from: chief.id });
    for (const chatId of [ann.chatId, Bob.chatId]) {
      const help = await harness.sees(chatId, /\/settings/);
      expect(help.message.text).not.toContain('/stats');
    }
    await harness.hasHandledAll();
    expect(await menu(ann.chatId)).toEqual([]);
    expect(await menu(Bob.chatId)).toEqual([]);
  });

  test('are in the command menu from the start, with /allow and /disallow if the bot is private', async () => {
    harness = await createBotHarness({ allowedIds: [1] });
    const chief = harness.operator('Chief');
    await harness.bot.setUp(AbortSignal.timeout(60_000));
    expect(await menu(chief.chatId)).toEqual(expect.arrayContaining(['stats', 'allow', 'disallow']));
  });
});
