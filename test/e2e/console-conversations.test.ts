import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from '../support/clients/browser.ts';
import { expectGoodLook, startVisits, type Visits } from '../support/clients/console-visits.ts';
import type { ConsoleService } from '../support/harness/http-users.ts';
import { talk } from '../support/harness/library.ts';
import { testByTier } from '../support/vitest/tiers.ts';

const ANN = 100;
const CARL = 300;

/** An answer with all that the console formats, and what it must not. */
const ANSWER = `# Steps

- [x] First
- Second with **bold** text

| Bee | Way |
| --- | --- |
| honey | dance |

~~~js
const x = '${'long '.repeat(40)}';
~~~

The sum \\(a_1 + b_1\\), [a link](https://example.org/a), [a reference][r], [none](javascript:alert(1)),
![a picture](https://example.org/picture.png) and <img src=x onerror=alert(1)>.

[r]: https://example.org/reference
`;

describe.skipIf(findChromium() === undefined)('conversations in the console', () => {
  let visits: Visits;
  let service: ConsoleService;
  beforeAll(async () => {
    visits = await startVisits();
    ({ service } = visits);
  });
  afterAll(() => visits?.close());
  afterEach(() => visits.end());

  testByTier([390, 1280])('finds, reads, renames, saves and deletes a conversation at %i pixels', async (width) => {
    const telegramId = width;
    const { page, userId, open } = await visits.enter(telegramId, { viewport: { width, height: 844 } });
    const question = 'How do <b>bees</b> find their way home?';
    await talk(service.conversations, { userId, chatId: telegramId, question });
    await talk(service.conversations, { userId, chatId: telegramId, question: 'Another' });
    while ((await service.library.index(AbortSignal.timeout(60_000))) > 0);
    await open('conversations');
    await page.getByRole('link', { name: 'Another' }).waitFor();
    await expectGoodLook(page);
    await page.getByLabel('Search').fill('way Re:');
    await page.getByRole('link', { name: 'Another' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: question }).click();
    await page.getByText(`Re: ${question}`).waitFor();
    expect(await page.locator('.messages b').count()).toBe(0);
    await expectGoodLook(page);
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByLabel('Title').fill('<i>Bees</i>');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { name: '<i>Bees</i>' }).waitFor();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as Markdown' }).click(),
    ]);
    expect(await readFile(await saved.path(), 'utf8')).toContain(`Re: ${question}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'Another' }).waitFor();
    expect(await page.getByText('Bees').count()).toBe(0);
    visits.allow(/status of 404/);
    await page.goBack();
    await page.getByText('You have no such conversation.').waitFor();
  });

  test('shows answers with their formatting, and what is dangerous or too complex in them as text', async () => {
    const { page, userId, open } = await visits.enter(ANN, { viewport: { width: 390, height: 844 } });
    const say = (answer: string) => talk(service.conversations, { userId, chatId: ANN, question: 'How?', answer });
    const { id } = await say(ANSWER);
    await open(`conversations/${id}`);
    const answer = page.locator('.message.assistant');
    await answer.getByRole('heading', { name: 'Steps', level: 3 }).waitFor();
    expect(await answer.getByRole('listitem').allTextContents()).toEqual(['☑ First', 'Second with bold text']);
    expect(await answer.getByRole('columnheader').allTextContents()).toEqual(['Bee', 'Way']);
    expect(await answer.getByRole('cell').allTextContents()).toEqual(['honey', 'dance']);
    expect(await answer.locator('code').allTextContents()).toEqual([`const x = '${'long '.repeat(40)}';`, 'a_1 + b_1']);
    expect(
      await answer.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    ).toEqual(['https://example.org/a', 'https://example.org/reference', 'https://example.org/picture.png']);
    await answer.getByText('<img src=x onerror=alert(1)>').waitFor();
    expect(await answer.locator('img, script').count()).toBe(0);
    await expectGoodLook(page);
    const complex = '*_'.repeat(20_000);
    const { id: complexId } = await say(complex);
    await open(`conversations/${complexId}`);
    await page.getByRole('button', { name: 'Show the whole message' }).click();
    await answer.getByText(complex).waitFor();
  });

  test('goes on with the next page of a list after a lost connection', async () => {
    visits.allow(/ERR_INTERNET_DISCONNECTED/);
    const { page, context, userId } = await visits.enter(CARL);
    for (let count = 0; count < 31; count += 1)
      await talk(service.conversations, { userId, chatId: CARL, question: `Question ${count}` });
    await page.getByRole('link', { name: 'Conversations' }).click();
    const links = page.locator('.conversations a');
    await expect.poll(() => links.count()).toBe(30);
    await context.setOffline(true);
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('No connection to the service. Please try again.').waitFor();
    await context.setOffline(false);
    await expect.poll(() => links.count()).toBe(31);
    expect(await page.getByRole('button', { name: 'Load more' }).count()).toBe(0);
  });
});
