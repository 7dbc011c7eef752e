import type { Page } from 'playwright-core';
import { afterEach, describe, expect, test } from 'vitest';
import { expectNoBarriers, findChromium, launchBrowser } from '../support/clients/browser.ts';
import { format, openPlayground, type PlaygroundPage } from '../support/clients/playground-page.ts';
import { drawPng } from '../support/samples/media.ts';
import { startBeforeAll, testByTier } from '../support/vitest/tiers.ts';

describe.skipIf(findChromium() === undefined)('accessibility of the playground page', () => {
  const opened: PlaygroundPage[] = [];

  const browser = startBeforeAll(() => launchBrowser());
  afterEach(async () => {
    const problems = opened.flatMap((playground) => playground.problems);
    await Promise.all(opened.splice(0).map((playground) => playground.close()));
    expect(problems).toEqual([]);
  });

  testByTier(['light', 'dark'] as const)('has no serious violations in %s mode', async (colorScheme) => {
    const playground = await openPlayground(browser, { colorScheme, reducedMotion: 'reduce' });
    opened.push(playground);
    const { page } = playground;
    await fill(playground);
    await expectNoBarriers(page);

    await page.locator('.message.is-own').first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    await expectNoBarriers(page);
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'New chat' }).click();
    await page.getByRole('dialog').waitFor();
    await expectNoBarriers(page);
  });

  test('has no serious violations on a phone', async () => {
    const playground = await openPlayground(browser, {
      viewport: { width: 360, height: 640 },
      reducedMotion: 'reduce',
    });
    opened.push(playground);
    await fill(playground);
    await expectNoBarriers(playground.page);
    await playground.page.locator('.chat').first().click();
    await playground.page.locator('article').first().waitFor();
    await expectNoBarriers(playground.page);
  });

  test('works with the keyboard alone', async () => {
    const playground = await openPlayground(browser);
    opened.push(playground);
    const { page, simulator, say } = playground;
    const group = simulator.control.createChat({ type: 'supergroup', title: 'Keyboard club' });
    await say('First');
    await say('Second', { reply_markup: { inline_keyboard: [[{ text: 'Press', callback_data: 'x' }]] } });
    await page.locator('article', { hasText: 'Second' }).waitFor();

    // Backwards from the field: the newest message, then the one above it.
    await page.getByLabel('Message', { exact: true }).focus();
    await tabUntil(page, 'article[data-message]', 'Shift+Tab');
    expect(await page.locator(':focus').textContent()).toContain('Second');
    await page.keyboard.press('ArrowUp');
    expect(await page.locator(':focus').textContent()).toContain('First');
    await page.keyboard.press('Escape');
    expect(await page.locator('#text:focus').count()).toBe(1);

    await tabUntil(page, '.inline-button', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.locator('.inline-button[aria-busy]').waitFor();

    await tabUntil(page, '.chat', 'Shift+Tab');
    const titles = await page.locator('.chat-title').allTextContents();
    const steps = titles.indexOf(group.title);
    await page.locator('.chat').first().focus();
    for (let step = 0; step < steps; step += 1) await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Keyboard club' }).waitFor();
  });

  test('announces a message once, after its last edit', async () => {
    const playground = await openPlayground(browser);
    opened.push(playground);
    const { page, simulator, chat, say } = playground;
    const sent = await say('Thinking');
    for (const text of ['Thinking hard', 'Thinking harder', 'Here is the answer']) {
      await simulator.succeed('editMessageText', { chat_id: chat.id, message_id: sent.message_id, text });
    }
    const log = page.getByRole('log');
    await expect.poll(() => log.textContent()).toBe('Test Bot: Here is the answer');
  });
});

/** Fills the chat with one message of each appearance. */
async function fill({ page, simulator, chat, say, upload }: PlaygroundPage): Promise<void> {
  simulator.control.sendMessage(chat.id, { text: 'Hello /start https://example.org' });
  const keyboard = [
    [
      { text: 'Do', callback_data: 'x' },
      { text: 'Danger', callback_data: 'y', style: 'danger' },
    ],
    [{ text: 'Link', url: 'https://example.org' }],
  ];
  const quotes = [['blockquote', 'Quote'], '\n', ['expandable_blockquote', 'A long\nquote']] as const;
  const code = ['pre', 'let a = 1;', { language: 'js' }] as const;
  const styles = [['bold', 'Bold'], ' ', ['code', 'code'], ' ', ['spoiler', 'secret'], '\n'] as const;
  await say(format(...styles, ...quotes, '\n', code), { reply_markup: { inline_keyboard: keyboard } });
  simulator.control.sendMessage(chat.id, { text: 'An answer with `code`', replyTo: 2 });
  simulator.control.react(chat.id, 2, { emoji: ['👍'] });
  const photo = new File([drawPng(200, 150)], 'a.png', { type: 'image/png' });
  await upload('sendPhoto', { chat_id: chat.id, caption: 'A photo' }, { photo });
  await upload(
    'sendDocument',
    { chat_id: chat.id },
    { document: new File(['x'], 'notes.txt', { type: 'text/plain' }) },
  );
  const cells = [
    [{ text: 'Name', is_header: true, align: 'left', valign: 'top' }],
    [{ text: 'value', align: 'left', valign: 'top' }],
  ];
  await simulator.succeed('sendRichMessage', {
    chat_id: chat.id,
    rich_message: {
      blocks: [
        { type: 'heading', size: 1, text: 'Title' },
        { type: 'table', cells },
        { type: 'footer', text: 'small print' },
      ],
    },
  });
  await simulator.succeed('setMyCommands', { commands: [{ command: 'help', description: 'What I can do' }] });
  await say('Choose', { reply_markup: { keyboard: [['One', 'Two']] } });
  await page.locator('.chat-preview', { hasText: 'Choose' }).waitFor();
}

async function tabUntil(page: Page, selector: string, key: string): Promise<void> {
  for (let step = 0; step < 40; step += 1) {
    await page.keyboard.press(key);
    if ((await page.locator(`${selector}:focus`).count()) > 0) return;
  }
  throw new Error(`${key} never reached ${selector}`);
}
