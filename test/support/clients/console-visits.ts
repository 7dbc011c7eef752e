import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { HttpServiceOptions } from '../harness/http.ts';
import { startConsoleService } from '../harness/http-users.ts';
import { expectNoBarriers, launchBrowser } from './browser.ts';
import { watchProblems } from './playground-page.ts';

/** Impacts of all violations of axe. */
const IMPACTS = ['minor', 'moderate', 'serious', 'critical'];

/** A user who has signed in to the console. */
export interface Visit {
  readonly userId: number;
  readonly page: Page;
  readonly context: BrowserContext;
  /** Path of the link that has signed the user in. */
  readonly link: string;
  /** Opens a page of the console by its address, such as `keys`. */
  open(address: string): Promise<unknown>;
  /** Clicks the button of this name. */
  press(name: string): Promise<void>;
  /** Clicks the button of this name in the open dialog. */
  confirm(name: string): Promise<void>;
}

/** Visits of users to the console in a browser. */
export type Visits = Awaited<ReturnType<typeof startVisits>>;

/** Starts the service and a browser. */
export async function startVisits(options?: HttpServiceOptions) {
  const [browser, service] = await Promise.all([launchBrowser(), startConsoleService(options)]);
  let contexts: BrowserContext[] = [];
  let problems: string[][] = [];
  let allowed: RegExp[] = [];
  const openContext = async (options?: BrowserContextOptions) => {
    const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options });
    contexts.push(context);
    return context;
  };
  const openTab = async (context: BrowserContext, path: string) => {
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    problems.push(watchProblems(page, service.url));
    await page.goto(service.url + path);
    return page;
  };
  return {
    service,
    openContext,
    /** Opens a path of the service in a new tab. */
    openTab,
    /** Signs in a Telegram account by a link of the bot. */
    async enter(telegramId: number, options?: BrowserContextOptions): Promise<Visit> {
      const { id: userId } = await service.accounts.ensureTelegramUser(telegramId);
      const { code } = await service.sessions.createCode(userId);
      const link = `/console/#code=${code}`;
      const context = await openContext(options);
      const page = await openTab(context, link);
      await page.locator('main.content').waitFor();
      const open = (address: string) => page.goto(`${service.url}/console/#/${address}`);
      const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
      const confirm = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
      return { userId, page, context, link, open, press, confirm };
    },
    /** Allows problems until `end`. */
    allow: (problem: RegExp) => void allowed.push(problem),
    /** Closes all contexts, and expects that no page has reported problems that are not allowed. */
    async end() {
      await Promise.all(contexts.map((context) => context.close()));
      const found = problems.flat().filter((problem) => !allowed.some((pattern) => pattern.test(problem)));
      [contexts, problems, allowed] = [[], [], []];
      expect(found).toEqual([]);
    },
    /** Stops the browser and the service. */
    async close() {
      await Promise.all([browser.close(), service.close()]);
    },
  };
}

/** Checks a page with axe, and that it is not wider than the window. */
export async function expectGoodLook(page: Page): Promise<void> {
  await expectNoBarriers(page, IMPACTS);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
}
