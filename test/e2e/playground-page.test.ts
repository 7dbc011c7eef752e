import type { BrowserContextOptions, Locator } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { expectNoBarriers, findChromium, launchBrowser } from '../support/clients/browser.ts';
import { format, openPlayground, type PlaygroundPage } from '../support/clients/playground-page.ts';
import { drawPng } from '../support/samples/media.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

describe.skipIf(findChromium() === undefined)('the playground page', () => {
  const opened: PlaygroundPage[] = [];

  const browser = startBeforeAll(() => launchBrowser());
  afterEach(async () => {
    const problems = opened.flatMap((playground) => playground.problems);
    await Promise.all(opened.splice(0).map((playground) => playground.close()));
    expect(problems).toEqual([]);
  });

  async function open(options: BrowserContextOptions = {}): Promise<PlaygroundPage> {
    const playground = await openPlayground(browser, options);
    opened.push(playground);
    return playground;
  }

  test('sends with Enter, and breaks lines with Shift+Enter', async () => {
    const { page, simulator, chat } = await open();
    await page.getByText(`id ${chat.id}`).waitFor();
    const field = page.getByLabel('Message', { exact: true });
    await field.pressSequentially('first line');
    await field.press('Shift+Enter');
    await field.pressSequentially('second line');
    await field.press('Enter');

    await page.locator('.message.is-own', { hasText: 'second line' }).waitFor();
    expect(simulator.control.transcript(chat.id).map(({ message }) => message.text)).toEqual([
      'first line\nsecond line',
    ]);
    expect(await field.inputValue()).toBe('');
  });

  test('is Russian in a Russian browser', async () => {
    const { page, say } = await open({ locale: 'ru-RU', viewport: { width: 390, height: 800 } });
    await page.getByRole('heading', { name: 'Чаты' }).waitFor();
    await page.locator('#chat-list .chat').first().click();
    await page.getByRole('button', { name: 'Начать', exact: true }).waitFor();
    await say('Привет');
    await page.locator('.message.is-other', { hasText: 'Привет' }).waitFor();
    await page.getByLabel('Сообщение', { exact: true }).fill('И тебе привет');
    await page.getByRole('button', { name: 'Отправить', exact: true }).click();
    await page.locator('.message.is-own', { hasText: 'И тебе привет' }).waitFor();
    await page.getByRole('button', { name: 'Действия с чатом' }).click();
    await page.getByRole('menuitem', { name: 'Заблокировать бота' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('ru');
    await expectNoBarriers(page);
    const english = /\b(?:chats?|message|write|send|back|this|the)\b/i;
    expect(english.exec(await page.locator('body').innerText())).toBeNull();
    await page.keyboard.press('Escape');
    await page.locator('.message.is-own', { hasText: 'И тебе привет' }).click({ button: 'right' });
    await page.getByRole('menuitem', { name: 'Показать исходные данные' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Закрыть', exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('sends messages in the order of writing', async () => {
    const { page, simulator, chat } = await open();
    const field = page.getByLabel('Message', { exact: true });
    for (const text of ['one', 'two', 'three', 'four']) {
      await field.fill(text);
      await field.press('Enter');
    }
    await page.locator('.message.is-own', { hasText: 'four' }).waitFor();
    expect(simulator.control.transcript(chat.id).map(({ message }) => message.text)).toEqual([
      'one',
      'two',
      'three',
      'four',
    ]);
  });

  test('starts the bot from an empty chat', async () => {
    const { page, simulator, chat } = await open();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.locator('.message.is-own', { hasText: '/start' }).waitFor();
    expect(simulator.control.transcript(chat.id)[0]?.message.entities?.[0]?.type).toBe('bot_command');
    await eventually(() => page.getByRole('button', { name: 'Start', exact: true }).count()).toBe(0);
  });

  test('updates a message in place while edits arrive', async () => {
    const { page, simulator, chat, say } = await open();
    const sent = await say('The answer');
    const message = page.locator('article', { hasText: 'The answer' });
    await message.waitFor();
    const node = await message.elementHandle();

    for (const text of ['The answer is', 'The answer is forty', 'The answer is forty-two']) {
      await simulator.succeed('editMessageText', { chat_id: chat.id, message_id: sent.message_id, text });
    }
    await page.locator('article', { hasText: 'forty-two' }).waitFor();
    expect(
      await node?.evaluate((element) => [element.isConnected, element.querySelector('.text')?.textContent]),
    ).toEqual([true, 'The answer is forty-two']);
    expect(await page.locator('.meta').textContent()).toContain('edited');
    expect(await page.locator('article').count()).toBe(1);
  });

  test('keeps the scroll position, and offers a button to the end with a count', async () => {
    const { page, say } = await open();
    for (let line = 1; line <= 30; line += 1) await say(`Line ${line}`);
    const scroller = page.locator('#scroller');
    await eventually(() => distanceToEnd(scroller)).toBeLessThan(5);

    await scroller.evaluate((element) => element.scrollTo(0, 100));
    await page.getByRole('button', { name: 'Go to the newest message' }).waitFor();
    await say('News one');
    await say('News two');
    await page.getByRole('button', { name: 'Go to the newest message, 2 unread' }).waitFor();
    expect(await scroller.evaluate((element) => element.scrollTop)).toBe(100);

    await page.getByRole('button', { name: 'Go to the newest message' }).click();
    await eventually(() => distanceToEnd(scroller)).toBeLessThan(5);
    await say('News three');
    await page.locator('article', { hasText: 'News three' }).waitFor();
    await eventually(() => distanceToEnd(scroller)).toBeLessThan(5);
    expect(await page.locator('#down').isHidden()).toBe(true);
  });

  test('keeps a pressed button busy until the bot answers, and shows the answer', async () => {
    const { page, simulator, say } = await open();
    const keyboard = [
      [
        { text: 'Quiet', callback_data: 'quiet' },
        { text: 'Loud', callback_data: 'loud' },
      ],
    ];
    await say('Choose', { reply_markup: { inline_keyboard: keyboard } });
    const quiet = page.getByRole('button', { name: 'Quiet' });
    await quiet.click();
    await eventually(() => quiet.getAttribute('aria-busy')).toBe('true');
    await simulator.succeed('answerCallbackQuery', { callback_query_id: await nextQueryId(simulator), text: 'Noted' });
    await page.locator('.toast', { hasText: 'Noted' }).waitFor();
    await eventually(() => quiet.getAttribute('aria-busy')).toBeNull();

    await page.getByRole('button', { name: 'Loud' }).click();
    const answer = { callback_query_id: await nextQueryId(simulator), text: 'Hear me', show_alert: true };
    await simulator.succeed('answerCallbackQuery', answer);
    await page.getByRole('dialog').getByText('Hear me').waitFor();
    await page.keyboard.press('Enter');
    await eventually(() => page.getByRole('dialog').count()).toBe(0);
  });

  test('has buttons for links and for copying', async () => {
    const { page, say } = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const keyboard = [
      [{ text: 'Site', url: 'https://example.org/a' }],
      [{ text: 'Key', copy_text: { text: 'sk-123' } }],
    ];
    await say('Take', { reply_markup: { inline_keyboard: keyboard } });
    const link = page.getByRole('link', { name: 'Site' });
    expect(await link.getAttribute('href')).toBe('https://example.org/a');
    expect(await link.getAttribute('rel')).toContain('noopener');
    await page.getByRole('button', { name: 'Key' }).click();
    await page.locator('.toast', { hasText: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('sk-123');
  });

  test('opens links to the bot itself in the chat', async () => {
    const { page, simulator, chat, say } = await open();
    await say('Shared: https://t.me/test_bot?start=file_42');
    await page.getByRole('link', { name: 'https://t.me/test_bot?start=file_42', exact: true }).click();
    await page.locator('.message.is-own', { hasText: '/start file_42' }).waitFor();
    expect(simulator.control.transcript(chat.id).at(-1)?.message.text).toBe('/start file_42');
  });

  test('replaces t.me: a link from elsewhere opens the chat and offers to start the bot', async () => {
    const { page, simulator, chat, say } = await open();
    await say('Hello');
    await page.goto(`${simulator.url}/playground/t.me/test_bot?start=file_42`);
    await page.locator('article', { hasText: 'Hello' }).waitFor();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await page.locator('.message.is-own', { hasText: '/start file_42' }).waitFor();
    await eventually(() => page.getByRole('button', { name: 'Start', exact: true }).count()).toBe(0);
    expect(page.url()).not.toContain('start=');

    await say(format(['text_link', 'Shared', { url: `${simulator.url}/playground/t.me/test_bot?start=file_43` }]));
    await page.getByRole('link', { name: 'Shared', exact: true }).click();
    await page.locator('.message.is-own', { hasText: '/start file_43' }).waitFor();
    expect(simulator.control.transcript(chat.id).at(-1)?.message.text).toBe('/start file_43');
  });

  test('shows the reply keyboard of the bot and sends the text of its buttons', async () => {
    const { page, say } = await open();
    await say('Language?', {
      reply_markup: {
        keyboard: [['English', 'Русский']],
        one_time_keyboard: true,
        input_field_placeholder: 'Choose one',
      },
    });
    await page.getByPlaceholder('Choose one').waitFor();
    await page.getByRole('button', { name: 'Русский' }).click();
    await page.locator('.message.is-own', { hasText: 'Русский' }).waitFor();
    await eventually(() => page.getByRole('button', { name: 'English' }).count()).toBe(0);

    await say('Done', { reply_markup: { remove_keyboard: true } });
    await page.locator('article', { hasText: 'Done' }).waitFor();
    await eventually(() => page.getByRole('button', { name: 'The bot’s keyboard' }).count()).toBe(0);
  });

  test('starts a reply when the bot forces one', async () => {
    const { page, simulator, chat, say } = await open();
    const question = await say('Your name?', { reply_markup: { force_reply: true, input_field_placeholder: 'Name' } });
    await page.getByText('Reply to Test Bot').waitFor();
    await page.getByPlaceholder('Name').fill('Anna');
    await page.keyboard.press('Enter');
    await page.locator('.message.is-own .quote', { hasText: 'Your name?' }).waitFor();
    const last = simulator.control.transcript(chat.id).at(-1);
    expect(last?.message.reply_to_message?.message_id).toBe(question.message_id);
  });

  test('previews a photo by its caption', async () => {
    const { page, chat, upload } = await open();
    const photo = new File([drawPng(40, 30)], 'a.png', { type: 'image/png' });
    await upload('sendPhoto', { chat_id: chat.id, caption: 'Today: 33 requests' }, { photo });
    await page.locator('.chat', { hasText: /🖼️ Today: 33 requests$/ }).waitFor();
    await upload('sendPhoto', { chat_id: chat.id }, { photo });
    await page.locator('.chat', { hasText: /Photo$/ }).waitFor();
  });

  test('shows photos enlarged, and albums as a grid', async () => {
    const { page, chat, upload } = await open();
    const photo = new File([drawPng(400, 300)], 'a.png', { type: 'image/png' });
    const media = ['one', 'two', 'three'].map((name) => ({ type: 'photo', media: `attach://${name}` }));
    await upload('sendMediaGroup', { chat_id: chat.id, media }, { one: photo, two: photo, three: photo });
    const tiles = page.locator('.album .photo');
    await eventually(() => tiles.count()).toBe(3);
    expect(await page.locator('article').count()).toBe(1);
    await eventually(() =>
      tiles
        .first()
        .locator('img')
        .evaluate((image) => Reflect.get(image, 'naturalWidth')),
    ).toBe(400);

    await tiles.nth(1).click();
    const viewer = page.getByRole('dialog', { name: 'Photo' });
    await viewer.getByText('2 of 3').waitFor();
    await page.keyboard.press('ArrowRight');
    await viewer.getByText('3 of 3').waitFor();
    await page.keyboard.press('Escape');
    await eventually(() => viewer.count()).toBe(0);
    expect(await tiles.nth(1).evaluate((element) => element.matches(':focus'))).toBe(true);
  });

  test('keeps images and players in place while their message changes', async () => {
    const { page, simulator, chat, upload } = await open();
    const photo = new File([drawPng(40, 30)], 'a.png', { type: 'image/png' });
    await upload('sendPhoto', { chat_id: chat.id, caption: 'Before' }, { photo });
    const voice = new File([new Uint8Array(100)], 'a.ogg', { type: 'audio/ogg' });
    await upload('sendVoice', { chat_id: chat.id }, { voice });
    await page.locator('article audio').waitFor();
    const image = await page.locator('article img').elementHandle();
    const player = await page.locator('article audio').elementHandle();

    const keyboard = { inline_keyboard: [[{ text: 'More', callback_data: 'more' }]] };
    const edit = { chat_id: chat.id, message_id: 1, caption: 'After', reply_markup: keyboard };
    await simulator.succeed('editMessageCaption', edit);
    await simulator.succeed('editMessageReplyMarkup', { chat_id: chat.id, message_id: 2, reply_markup: keyboard });
    await eventually(() => page.getByRole('button', { name: 'More' }).count()).toBe(2);
    await page.locator('article', { hasText: 'After' }).waitFor();
    expect(await image?.evaluate((element) => element.isConnected)).toBe(true);
    expect(await player?.evaluate((element) => element.isConnected)).toBe(true);
  });

  test('downloads documents with their name and bytes', async () => {
    const { page, chat, upload } = await open();
    const document = new File(['{"answer":42}'], 'отчёт 1.json', { type: 'application/json' });
    await upload('sendDocument', { chat_id: chat.id }, { document });
    const link = page.getByRole('link', { name: /Download отчёт 1\.json/ });
    expect(await link.textContent()).toContain('13 B');
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(download.suggestedFilename()).toBe('отчёт 1.json');
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(Buffer.from(chunk));
    expect(Buffer.concat(chunks).toString()).toBe('{"answer":42}');
  });

  test('sends selected files: images as photos or files, several as an album', async () => {
    const { page, simulator, chat } = await open();
    const image = (name: string) => ({ name, mimeType: 'image/png', buffer: drawPng(40, 30) });
    await page.locator('#file-picker').setInputFiles([image('a.png'), image('b.png')]);
    await page.getByLabel('Message', { exact: true }).fill('Two pictures');
    await page.keyboard.press('Enter');
    await eventually(() => page.locator('.album .photo').count()).toBe(2);
    const [first, second] = simulator.control.transcript(chat.id);
    expect(first?.message.caption).toBe('Two pictures');
    expect(first?.message.media_group_id).toBe(second?.message.media_group_id);

    await page.locator('#file-picker').setInputFiles([image('c.png')]);
    await page.getByLabel('as file').check();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('link', { name: /Download c\.png/ }).waitFor();
    expect(simulator.control.transcript(chat.id).at(-1)?.message.document?.file_name).toBe('c.png');
  });

  test.each([
    ['paste', 'ClipboardEvent', 'clipboardData'],
    ['drop', 'DragEvent', 'dataTransfer'],
  ])('accepts images by %s', async (type, kind, field) => {
    const { page, simulator, chat } = await open();
    await page.evaluate(`{
      const bytes = Uint8Array.from(atob('${drawPng(20, 20).toString('base64')}'), (letter) => letter.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], 'view.png', { type: 'image/png' }));
      const event = new ${kind}('${type}', { bubbles: true, cancelable: true, ${field}: data });
      document.getElementById('text').dispatchEvent(event);
    }`);
    await page.locator('.attachment', { hasText: 'view.png' }).waitFor();
    await page.keyboard.press('Enter');
    await eventually(() => simulator.control.transcript(chat.id).filter(({ message }) => message.photo).length).toBe(1);
  });

  test('records voice messages', async () => {
    const { page, simulator, chat } = await open({ permissions: ['microphone'] });
    await page.getByRole('button', { name: 'Record a voice message' }).click();
    await page.getByText('Recording 0:00').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Record a voice message' }).click();
    await page.getByText('Recording 0:01').waitFor();
    await page.getByRole('button', { name: 'Send the voice message' }).click();
    await page.getByLabel(/^Voice message, 0:0[1-9]/).waitFor();
    const sent = simulator.control.transcript(chat.id);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.message.voice).toMatchObject({ mime_type: expect.stringMatching(/^audio\/(ogg|webm|mp4)$/) });
    expect(sent[0]?.message.voice?.file_size).toBeGreaterThan(1000);
    expect(sent[0]?.message.voice?.duration).toBeGreaterThan(0);
  });

  test('suggests names after @: the bot, and members in groups', async () => {
    const { page, simulator, chat } = await open();
    const boris = simulator.control.createPerson({ firstName: 'Boris' });
    const vera = simulator.control.createPerson({ firstName: 'Vera', username: 'vera_v' });
    const memberIds = [chat.id, boris.id, vera.id];
    const group = simulator.control.createChat({ type: 'supergroup', title: 'Trip', memberIds });
    const field = page.getByLabel('Message', { exact: true });
    const names = page.getByRole('listbox', { name: 'Names' }).getByRole('option');
    await field.pressSequentially('@');
    await eventually(() => names.count()).toBe(1);

    await page.locator('.chat', { hasText: 'Trip' }).click();
    await field.pressSequentially('Hello @');
    await eventually(() => names.count()).toBe(3);
    await field.pressSequentially('bo');
    await eventually(() => names.count()).toBe(1);
    await field.press('Enter');
    await field.pressSequentially('and @VERA');
    await field.press('Enter');
    expect(await field.inputValue()).toBe('Hello Boris and @vera_v ');
    await field.press('Enter');
    await page.locator('.message.is-own', { hasText: 'Hello Boris and @vera_v' }).waitFor();
    expect(simulator.control.transcript(group.id)[0]?.message.entities).toMatchObject([
      { type: 'text_mention', offset: 6, length: 5, user: { id: boris.id } },
      { type: 'mention', offset: 16, length: 7 },
    ]);
  });

  test('suggests the commands of the bot in the language of the user', async () => {
    const { page, simulator, chat } = await open();
    const commands = (model: string, help: string) => [
      { command: 'model', description: model },
      { command: 'help', description: help },
    ];
    await simulator.succeed('setMyCommands', { commands: commands('Choose a model', 'What I can do') });
    await simulator.succeed('setMyCommands', {
      commands: commands('Выбрать модель', 'Что я умею'),
      language_code: 'ru',
    });

    const options = page.getByRole('listbox', { name: 'Commands' });
    const field = page.getByLabel('Message', { exact: true });
    await field.pressSequentially('/');
    await options.getByRole('option', { name: /Choose a model/ }).waitFor();
    expect(await options.getByRole('option').count()).toBe(2);
    await field.pressSequentially('he');
    await eventually(() => options.getByRole('option').count()).toBe(1);
    await field.press('Enter');
    await page.locator('.message.is-own', { hasText: '/help' }).waitFor();

    await page.getByLabel('Your language').selectOption('ru');
    await eventually(() => simulator.control.state().people[0]?.languageCode).toBe('ru');
    await field.pressSequentially('/');
    await options.getByRole('option', { name: /Выбрать модель/ }).waitFor();
    await field.press('ArrowDown');
    await field.press('Enter');
    await eventually(() => simulator.control.transcript(chat.id).at(-1)?.message.from?.language_code).toBe('ru');
    expect(simulator.control.transcript(chat.id).at(-1)?.message.text).toBe('/help');
  });

  test('turns a draft into the finished message', async () => {
    const { page, simulator, chat, say } = await open();
    const draft = { chat_id: chat.id, draft_id: 7 };
    await simulator.succeed('sendMessageDraft', { ...draft, text: '' });
    await page.locator('.is-draft', { hasText: 'Thinking' }).waitFor();
    const node = await page.locator('.is-draft').elementHandle();
    await simulator.succeed('sendMessageDraft', { ...draft, text: 'Once upon' });
    await page.locator('.is-draft', { hasText: 'Once upon' }).waitFor();
    expect(await page.locator('#chat-status').textContent()).toBe('writing…');

    await say('Once upon a time.');
    await page.locator('article[data-message]', { hasText: 'Once upon a time.' }).waitFor();
    await eventually(() => page.locator('.is-draft').count()).toBe(0);
    expect(await page.locator('article').count()).toBe(1);
    expect(await node?.evaluate((element) => element.isConnected)).toBe(true);
  });

  test('stops a draft that the bot allows to be stopped', async () => {
    const { page, simulator, chat } = await open();
    await simulator.succeed('sendMessageDraft', {
      chat_id: chat.id,
      draft_id: 8,
      text: 'A long story',
      can_stop: true,
    });
    await page.getByRole('button', { name: 'Stop' }).click();
    const isAsked = () => simulator.control.pendingUpdates().some((update) => 'stopped_message_generation' in update);
    await eventually(isAsked).toBe(true);
    await eventually(() => page.locator('.is-draft').count()).toBe(0);
  });

  test('shows the chat action of the bot until its message arrives', async () => {
    const { page, simulator, chat, say } = await open();
    await simulator.succeed('sendChatAction', { chat_id: chat.id, action: 'typing' });
    await eventually(() => page.locator('#chat-status').textContent()).toBe('typing…');
    await simulator.succeed('sendChatAction', { chat_id: chat.id, action: 'upload_photo' });
    await eventually(() => page.locator('#chat-status').textContent()).toBe('sending a photo…');
    await say('Here');
    await eventually(() => page.locator('#chat-status').textContent()).toBe('bot');
  });

  test('replies, edits, reacts and deletes through a menu with keyboard access', async () => {
    const { page, simulator, chat, say } = await open();
    await say('Question?');
    const field = page.getByLabel('Message', { exact: true });
    const question = page.locator('.message.is-other', { hasText: 'Question?' });
    await question.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Reply' }).press('Enter');
    await page.keyboard.type('Answr');
    await page.keyboard.press('Enter');
    const answer = page.locator('.message.is-own');
    await answer.locator('.quote', { hasText: 'Question?' }).waitFor();

    await field.press('ArrowUp');
    expect(await field.inputValue()).toBe('Answr');
    await field.fill('Answer');
    await field.press('Enter');
    await answer.getByText('Answer').waitFor();
    expect(simulator.control.transcript(chat.id).at(-1)?.message.text).toBe('Answer');

    await question.focus();
    await page.keyboard.press('Shift+F10');
    await page.getByRole('menuitem', { name: 'React with 🔥' }).click();
    await page.getByRole('button', { name: 'Reaction 🔥, 1' }).click();
    await eventually(() => page.getByRole('button', { name: 'Reaction 🔥, 1' }).count()).toBe(0);

    await answer.click({ button: 'right', position: { x: 5, y: 5 } });
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await eventually(() => answer.count()).toBe(0);
    expect(simulator.control.transcript(chat.id)).toHaveLength(1);
  });

  test('creates groups where messages have names and commands name the bot', async () => {
    const { page, simulator } = await open();
    simulator.control.createPerson({ firstName: 'Boris' });
    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByRole('dialog').getByText('New group').click();
    await page.getByLabel('Title').fill('Hikers');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Hikers' }).waitFor();
    const group = simulator.control.state().chats.find((chat) => chat.title === 'Hikers');
    expect(group?.memberIds).toHaveLength(2);
    if (!group) return;

    await page.getByLabel('Write as').selectOption({ label: 'Boris' });
    await page.getByLabel('Message', { exact: true }).fill('/help');
    await page.keyboard.press('Enter');
    await page.locator('.message.is-own', { hasText: '/help@test_bot' }).waitFor();
    expect(simulator.control.transcript(group.id).at(-1)?.message.from?.first_name).toBe('Boris');

    await page.getByLabel('Write as').selectOption({ label: 'Anna' });
    await page.locator('.message.is-other .sender', { hasText: 'Boris' }).waitFor();
  });

  test('switches topics of private chats on, and follows the bot into a new topic', async () => {
    const { page, simulator, chat, say } = await open();
    await say('Before');
    await page.getByRole('button', { name: 'Chat actions' }).click();
    await page.getByRole('menuitem', { name: 'Switch topics on' }).click();
    await page.getByRole('button', { name: 'General' }).waitFor();
    const { message_thread_id } = await simulator.succeed('createForumTopic', { chat_id: chat.id, name: 'Bells' });
    await say('In the topic', { message_thread_id });
    await page.locator('article', { hasText: 'In the topic' }).waitFor();
    expect(await page.locator('article', { hasText: 'Before' }).count()).toBe(0);

    await page.getByRole('button', { name: 'Chat actions' }).click();
    await page.getByRole('menuitem', { name: 'Switch topics off' }).click();
    await page.locator('article', { hasText: 'Before' }).waitFor();
    await page.locator('article', { hasText: 'In the topic' }).waitFor();
  });

  test('clears the history of a private chat', async () => {
    const { page, chat, say } = await open();
    await say('Old news');
    await page.locator('article', { hasText: 'Old news' }).waitFor();
    await page.getByRole('button', { name: 'Chat actions' }).click();
    await page.getByRole('menuitem', { name: 'Clear history' }).click();
    await eventually(() => page.locator('article').count()).toBe(0);
    await say('New');
    await page.reload();
    await page.locator('article', { hasText: 'New' }).waitFor();
    expect(await page.locator('article').count()).toBe(1);
    expect(page.url()).toContain(`#${chat.id}`);
  });

  test('separates the topics of a forum', async () => {
    const { page, simulator } = await open();
    const forum = simulator.control.createChat({ type: 'forum', title: 'Project' });
    await page.locator('.chat', { hasText: 'Project' }).click();
    await page.getByRole('button', { name: 'New topic' }).click();
    await page.getByLabel('Name').fill('Ideas');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.locator('.topic.is-open', { hasText: 'Ideas' }).waitFor();
    await page.getByLabel('Message', { exact: true }).fill('In the topic');
    await page.keyboard.press('Enter');
    await page.locator('.message.is-own', { hasText: 'In the topic' }).waitFor();
    const topicId = simulator.control.transcript(forum.id).at(-1)?.message.message_thread_id;
    expect(topicId).toBeTypeOf('number');

    await page.getByRole('button', { name: 'General' }).click();
    await eventually(() => page.getByText('In the topic').count()).toBe(1); // In the list of chats only.
    await simulator.succeed('sendMessage', {
      chat_id: forum.id,
      message_thread_id: topicId,
      text: 'Reply in the topic',
    });
    await page.getByRole('button', { name: 'Ideas 1' }).click();
    await page.locator('article', { hasText: 'Reply in the topic' }).waitFor();
  });

  /** Sends a photo of the user. @returns its file id for the bot. */
  const sendSun = ({ control }: PlaygroundPage['simulator'], chat: PlaygroundPage['chat']) => {
    control.sendFile(chat.id, { kind: 'photo', bytes: drawPng(40, 30), fileName: 'sun.png', mimeType: 'image/png' });
    return control
      .pendingUpdates()
      .findLast(({ message }) => message?.photo)
      ?.message?.photo?.at(-1)?.file_id;
  };

  test('shows inline results after the name of the bot, page by page', async () => {
    const { page, simulator, chat } = await open();
    const photo = sendSun(simulator, chat);
    await page.getByLabel('Message', { exact: true }).pressSequentially('@test_bot sun');
    const findQuery = (offset: string) =>
      simulator.control
        .pendingUpdates()
        .findLast(({ inline_query: query }) => query?.query === 'sun' && query.offset === offset)?.inline_query?.id;
    const answer = async (offset: string, results: readonly object[], more: object) => {
      await eventually(() => findQuery(offset)).not.toBeUndefined();
      await simulator.succeed('answerInlineQuery', { inline_query_id: findQuery(offset), results, ...more });
    };
    const toResult = (number: number) => ({
      type: 'article',
      id: `r${number}`,
      title: `Sunrise ${number}`,
      description: '06:12',
      input_message_content: { message_text: `Sunrise ${number} at 06:12` },
    });
    const first = [{ type: 'photo', id: 'p', photo_file_id: photo, title: 'The sun', caption: 'Here it is' }];
    const button = { text: 'Set a place', start_parameter: 'place' };
    await answer('', [...first, ...Array.from({ length: 20 }, (_, at) => toResult(at))], { button, next_offset: '20' });
    const options = page.getByRole('listbox', { name: 'Inline results' }).getByRole('option');
    await options.nth(21).waitFor();
    await eventually(() => options.first().textContent()).toBe('Set a place');
    await options.filter({ hasText: 'The sun' }).locator('img').waitFor();
    await eventually(() => page.evaluate("document.querySelector('img.inline-thumbnail').naturalWidth")).toBe(40);
    // Enter selects the first result, not the button above it.
    expect(await options.nth(1).getAttribute('aria-selected')).toBe('true');
    expect(findQuery('20')).toBeUndefined();
    await options.nth(21).scrollIntoViewIfNeeded();
    await answer('20', [toResult(20)], {});
    await options.nth(22).click();
    await page.locator('.message.is-own', { hasText: 'Sunrise 20 at 06:12' }).waitFor();
    expect(simulator.control.transcript(chat.id).at(-1)?.message.via_bot?.username).toBe('test_bot');
    expect(await options.count()).toBe(0);
  });

  test('sends a mention in a group with Enter, even if inline results are shown', async () => {
    const { page, simulator, chat } = await open();
    const group = simulator.control.createChat({ type: 'supergroup', title: 'Trip', memberIds: chat.memberIds });
    await page.locator('#chat-list .chat', { hasText: 'Trip' }).click();
    await page.getByLabel('Message', { exact: true }).pressSequentially('@test_bot hello');
    const findQuery = () =>
      simulator.control.pendingUpdates().findLast(({ inline_query: asked }) => asked?.query === 'hello')?.inline_query;
    await eventually(findQuery).not.toBeUndefined();
    const input_message_content = { message_text: 'Inline text' };
    const results = [{ type: 'article', id: 'r', title: 'An offer', input_message_content }];
    await simulator.succeed('answerInlineQuery', { inline_query_id: findQuery()?.id, results });
    const offer = page.getByRole('option', { name: 'An offer' });
    await offer.waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.message.is-own', { hasText: '@test_bot hello' }).waitFor();
    expect(await offer.count()).toBe(0);
    expect(simulator.control.transcript(group.id).at(-1)?.message.via_bot).toBeUndefined();
  });

  test('sends an inline photo of the bot, and follows the button above the results', async () => {
    const { page, simulator, chat } = await open();
    const photo = sendSun(simulator, chat);
    const offer = async (query: string, more: object) => {
      await page.getByLabel('Message', { exact: true }).fill(`@test_bot ${query}`);
      const findQuery = () =>
        simulator.control.pendingUpdates().findLast(({ inline_query: asked }) => asked?.query === query)?.inline_query;
      await eventually(findQuery).not.toBeUndefined();
      await simulator.succeed('answerInlineQuery', { inline_query_id: findQuery()?.id, results: [], ...more });
    };
    await offer('sun', { results: [{ type: 'photo', id: 'p', photo_file_id: photo, caption: 'Here it is' }] });
    await page.getByRole('option', { name: 'sun.png' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.message.is-own', { hasText: 'Here it is' }).locator('img').waitFor();
    await offer('moon', { button: { text: 'Set a place', start_parameter: 'place' } });
    await page.getByRole('option', { name: 'Set a place' }).click();
    await page.locator('.message.is-own', { hasText: '/start place' }).waitFor();
  });

  test('shows list and conversation one at a time on a phone', async () => {
    const { page, say } = await open({ viewport: { width: 360, height: 640 }, hasTouch: true });
    await say('A message with averyveryverylongwordthatdoesnotfitintoasinglelineofaphone and `code`');
    expect(await page.locator('#conversation').isVisible()).toBe(false);
    await page.locator('.chat').first().click();
    await page.locator('article').waitFor();
    expect(await page.locator('#sidebar').isVisible()).toBe(false);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await page.getByRole('button', { name: 'Back to the chats' }).click();
    await page.locator('#sidebar').waitFor();
    await page.goBack();
    await page.locator('article').waitFor();
  });

  test('remembers the light or dark theme', async () => {
    const { page } = await open({ colorScheme: 'dark' });
    const theme = () => page.locator('html').getAttribute('data-theme');
    expect(await theme()).toBe('dark');
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    expect(await theme()).toBe('light');
    await page.reload();
    await page.locator('.chat').first().waitFor();
    expect(await theme()).toBe('light');
  });

  test('counts unread messages of other chats', async () => {
    const { page, simulator } = await open();
    const group = simulator.control.createChat({ type: 'supergroup', title: 'Elsewhere' });
    await simulator.succeed('sendMessage', { chat_id: group.id, text: 'Psst' });
    const entry = page.locator('.chat', { hasText: 'Elsewhere' });
    await entry.getByLabel('1 unread').waitFor();
    expect(await page.title()).toMatch(/^\(1\)/);
    await entry.click();
    await eventually(() => entry.getByLabel('1 unread').count()).toBe(0);
  });
});

/** Polls a value of the page until it matches, because machines under load are slow. */
function eventually<Value>(look: () => Promise<Value> | Value) {
  return expect.poll(look);
}

function distanceToEnd(scroller: Locator): Promise<number> {
  return scroller.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
}

/** Takes the pending callback query, and all updates before it. */
async function nextQueryId({ control, call }: PlaygroundPage['simulator']): Promise<string> {
  const update = await control.waitFor(
    () => control.pendingUpdates().find((pending) => pending.callback_query),
    60_000,
  );
  await call('getUpdates', { offset: update.update_id + 1, timeout: 0 });
  return update.callback_query?.id ?? '';
}
