import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium, launchBrowser } from '../support/clients/browser.ts';
import { watchProblems } from '../support/clients/playground-page.ts';
import { createWorkFolder, type RunningService, startService } from '../support/harness/process.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

describe.skipIf(findChromium() === undefined)('the whole service in a browser', () => {
  let folder: Awaited<ReturnType<typeof createWorkFolder>>;
  let service: RunningService;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  beforeAll(async () => {
    [folder, browser] = await Promise.all([createWorkFolder(), launchBrowser()]);
    service = await startService(folder.path);
    await service.isReady();
    page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    page.setDefaultTimeout(60_000);
    problems = watchProblems(page, service.url);
    await page.goto(`${service.url}/playground`);
    await page.locator('#chat-list').getByText('Switchboard', { exact: true }).click();
  });
  afterAll(async () => {
    await browser.close();
    await service.kill();
    await folder.remove();
  });

  const messages = () => page.getByRole('region', { name: 'Messages' });
  const write = async (text: string) => {
    await page.getByRole('textbox').fill(text);
    await page.keyboard.press('Enter');
  };

  test('answers a question with formatting', async () => {
    await write('Show me a table and some code');
    await page.locator('article pre').first().waitFor();
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    expect(await page.locator('article pre').count()).toBeGreaterThan(0);
  });

  test('shows an image with its caption and buttons', async () => {
    await write('/imagine a red fox in snow --ratio 16:9');
    const photo = page.getByRole('article').filter({ hasText: 'demo-image · 16:9' });
    await photo.locator('img').waitFor();
    expect(await ratioOf(photo.locator('img'))).toBeCloseTo(16 / 9, 2);
    for (const name of ['Again', 'Vary', 'Ratio', 'Full size']) await photo.getByRole('button', { name }).waitFor();
    await expect.poll(() => messages().getByText('Creating with').count()).toBe(0);
  });

  test('shows several images as an album, and sends them in full size as files', EXHAUSTIVE, async () => {
    await write('/imagine a city at night --n 3');
    const album = page.getByRole('article').filter({ hasText: 'demo-image · 1:1' });
    await expect.poll(() => album.locator('img').count()).toBe(3);
    const next = page.getByRole('article').filter({ hasText: '3 images' });
    await next.getByRole('button', { name: 'Full size' }).click();
    for (const number of [1, 2, 3]) await messages().getByText(`a-city-at-night-${number}.png`).first().waitFor();
  });

  test('asks for an image step by step', EXHAUSTIVE, async () => {
    await write('/imagine');
    await messages().getByText('What should the image show?').waitFor();
    await write('a boat on a lake');
    await page.getByRole('button', { name: 'More…' }).click();
    await page.getByRole('button', { name: '9:16' }).click();
    const photo = page.getByRole('article').filter({ hasText: 'demo-image · 9:16' });
    await photo.locator('img').waitFor();
    expect(await ratioOf(photo.locator('img'))).toBeCloseTo(9 / 16, 2);
  });

  test('causes no errors in the browser', () => {
    expect(problems).toEqual([]);
  });
});

function ratioOf(image: ReturnType<Page['locator']>): Promise<number> {
  return image.evaluate((element: { readonly naturalWidth: number; readonly naturalHeight: number }) => {
    return element.naturalWidth / element.naturalHeight;
  });
}
