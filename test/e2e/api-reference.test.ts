import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findChromium, launchBrowser } from '../support/clients/browser.ts';
import { watchProblems } from '../support/clients/playground-page.ts';
import { type HttpService, startHttpService } from '../support/harness/http.ts';

/** Path for a screenshot of the page, if one is wanted. */
const picturePath = process.env['API_REFERENCE_PICTURE'];

describe.skipIf(findChromium() === undefined)('the API reference at /docs', () => {
  let service: HttpService;
  let browser: Browser;
  let page: Page;
  let problems: string[];
  const asked: string[] = [];
  beforeAll(async () => {
    service = await startHttpService();
    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 1200, height: 1500 } });
    page.setDefaultTimeout(60_000);
    page.on('request', (request) => asked.push(request.url()));
    problems = watchProblems(page, service.url);
    await page.goto(`${service.url}/docs`);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  test('lists all routes and loads files of this service only', async () => {
    await page.getByRole('heading', { name: /Switchboard/ }).waitFor();
    const routes = page.locator('.opblock-summary');
    await expect.poll(() => routes.count()).toBeGreaterThan(15);
    expect(await page.locator('.opblock-summary-path').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining('completions'), expect.stringContaining('imagen')]),
    );
    const strangers = asked.filter((url) => !url.startsWith(`${service.url}/`) && !url.startsWith('data:'));
    expect(strangers).toEqual([]);
    if (picturePath !== undefined) await page.screenshot({ path: picturePath });
  });

  test('describes a route and calls it', async () => {
    await page.getByRole('button', { name: 'Authorize' }).click();
    const dialog = page.locator('.modal-ux');
    await dialog.locator('input').first().fill(service.apiKey);
    await dialog.getByRole('button', { name: 'Apply credentials' }).first().click();
    await dialog.getByRole('button', { name: 'Close' }).first().click();
    const route = page.locator('#operations-OpenAI-getAiOpenaiModels');
    await route.locator('.opblock-summary').click();
    await route.getByRole('button', { name: 'Try it out' }).click();
    await route.getByRole('button', { name: 'Execute' }).click();
    await expect.poll(() => route.locator('.live-responses-table').innerText()).toContain('fake-model');
    expect(problems).toEqual([]);
  });

  test('forbids scripts of other origins', async () => {
    const policy = (await fetch(`${service.url}/docs`)).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
  });
});
