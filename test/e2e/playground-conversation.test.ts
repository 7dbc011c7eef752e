import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium, launchBrowser } from '../support/clients/browser.ts';
import { watchProblems } from '../support/clients/playground-page.ts';
import { type ServiceHarness, startServiceHarness } from '../support/harness/service.ts';
import { answerHello, type Behaviour, streamEventsOf } from '../support/hosts/fake-provider.ts';

/** Sends this text and never finishes, so that only Stop ends it. */
function beginWith(text: string): Behaviour {
  return async ({ request, response, wait }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(
      streamEventsOf(request, { pieces: [text] })
        .slice(0, 2)
        .join(''),
    );
    await wait(120_000);
  };
}

describe.skipIf(findChromium() === undefined)('a conversation in the browser', () => {
  let stage: ServiceHarness;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  beforeAll(async () => {
    [stage, browser] = await Promise.all([startServiceHarness(), launchBrowser()]);
    page = await browser.newPage({ viewport: { width: 1000, height: 800 } });
    page.setDefaultTimeout(30_000);
    problems = watchProblems(page, stage.telegram.url);
    await page.goto(`${stage.telegram.url}/playground#${stage.chatId}`);
  });
  afterAll(async () => {
    await browser?.close();
    await stage?.close();
  });

  const write = async (text: string) => {
    await page.getByRole('textbox').fill(text);
    await page.keyboard.press('Enter');
  };
  const press = (name: string) => page.getByRole('button', { name, exact: true }).last().click();
  const shows = (text: string) => page.getByRole('article').filter({ hasText: text }).last().waitFor();

  test('streams the answer, and Stop keeps the text so far', async () => {
    stage.provider.behave(beginWith('Bells ring because'));
    await write('Why do bells ring?');
    await shows('Bells ring because');
    await press('Stop');
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
    await shows('Bells ring because');
    await shows('⏹ Stopped');
  });

  test('continues a stopped answer', async () => {
    stage.provider.behave(answerHello({ pieces: ['because their metal swings.'] }));
    await press('▶️ Continue');
    await shows('Bells ring because their metal swings.');
  });

  test('replaces an answer by a variant and switches back', async () => {
    stage.provider.behave(answerHello({ pieces: ['It is the clapper.'] }));
    await press('🔄 Again');
    await shows('It is the clapper.');
    await press('‹');
    await shows('Bells ring because their metal swings.');
    await page.getByRole('button', { name: '1/2' }).waitFor();
  });

  test('replaces the answer to an edited question', async () => {
    stage.provider.behave(answerHello({ pieces: ['Cups are thin.'] }));
    await page.getByRole('textbox').focus();
    await page.keyboard.press('ArrowUp');
    await write('Why do cups ring?');
    await shows('Cups are thin.');
    expect(await page.getByRole('article').filter({ hasText: 'Why do bells ring?' }).count()).toBe(0);
  });

  test('lists the conversation under its question and starts a new one', async () => {
    await write('/threads');
    await shows('Your conversations (1)');
    await press('New conversation');
    await shows('New conversation started.');
  });

  test('answers an inline question in the sent message, with working buttons', async () => {
    stage.provider.behave(beginWith('Their voice box'));
    await page.getByRole('textbox').pressSequentially('@test_bot Why do cats purr?');
    const offers = page.getByRole('listbox', { name: 'Inline results' }).getByRole('option');
    await offers.filter({ hasText: 'Why do cats purr?' }).waitFor();
    await page.keyboard.press('Enter');
    const message = page.locator('.message.is-own').filter({ hasText: 'via @test_bot' });
    await message.filter({ hasText: 'Their voice box' }).waitFor();
    await press('Stop');
    await message.getByText('Continue in the chat').click();
    await shows('/start i_');
    await shows('Why do cats purr?');
    expect(await offers.count()).toBe(0);
  });

  test('causes no errors in the browser', () => {
    expect(problems).toEqual([]);
  });
});
