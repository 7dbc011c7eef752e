import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startTestSimulator } from '../../../simulator/test/support/simulator.ts';

/** Open playground page and its simulator. The test acts as the bot. */
export type PlaygroundPage = Awaited<ReturnType<typeof openPlayground>>;

/** Starts a simulator and opens its page. */
export async function openPlayground(browser: Browser, options: BrowserContextOptions = {}) {
  const simulator = await startTestSimulator();
  const chat = simulator.control.createChat({ type: 'private', person: { firstName: 'Anna' } });
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, locale: 'en-GB', ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const problems = watchProblems(page, simulator.url);
  await page.goto(`${simulator.url}/playground`);
  await page.locator('#chat-list .chat').first().waitFor();
  return {
    page,
    simulator,
    /** Private chat of Anna, initially the only user. */
    chat,
    /** Console errors and warnings, blocked content, uncaught errors, and requests to other hosts than the simulator. */
    problems,
    /** Sends a message of the bot to Anna's chat. @throws if the simulator refuses */
    say: (message: string | { text: string; entities: unknown[] }, extra: { [field: string]: unknown } = {}) => {
      const content = typeof message === 'string' ? { text: message } : message;
      return simulator.succeed('sendMessage', { chat_id: chat.id, ...content, ...extra });
    },
    /** Calls a method with files by field name. @throws if the simulator refuses */
    upload: (method: string, params: { [field: string]: unknown }, files: { [field: string]: File }) =>
      upload(`${simulator.url}/bot${simulator.token}/${method}`, params, files),
    async close() {
      await context.close();
      await simulator.close();
    },
  };
}

/** Collects errors that a correct page never causes. */
export function watchProblems(page: Page, origin: string): string[] {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    const isOwn = request.url().startsWith(`${origin}/`) || request.url().startsWith(`blob:${origin}/`);
    if (!isOwn) problems.push(`request to ${request.url()}`);
  });
  return problems;
}

/** Uses the built-in fetch: bodies of the undici package stall in a process that has loaded playwright-core. */
async function upload(url: string, params: { [field: string]: unknown }, files: { [field: string]: File }) {
  const form = new FormData();
  for (const [name, value] of Object.entries(params)) {
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  for (const [field, file] of Object.entries(files)) form.append(field, file);
  const answer = await fetch(url, { method: 'POST', body: form, signal: AbortSignal.timeout(60_000) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
}

/** Part of a text: plain, or with the type of its entity and the entity's own fields. */
export type Part = string | readonly [type: string, text: string, fields?: { readonly [field: string]: unknown }];

/** Builds a text with entities, as a bot sends it. */
export function format(...parts: readonly Part[]): { text: string; entities: { [field: string]: unknown }[] } {
  const entities: { [field: string]: unknown }[] = [];
  let text = '';
  for (const part of parts) {
    const [type, piece, fields] = typeof part === 'string' ? [undefined, part] : part;
    if (type !== undefined) entities.push({ type, offset: text.length, length: piece.length, ...fields });
    text += piece;
  }
  return { text, entities };
}
