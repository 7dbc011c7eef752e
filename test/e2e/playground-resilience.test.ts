import fastify, { type FastifyInstance } from 'fastify';
import type { Page } from 'playwright-core';
import { createSimulator, type Simulator } from 'telegram-bot-simulator';
import { afterEach, describe, expect, test } from 'vitest';
import { findChromium, launchBrowser } from '../support/clients/browser.ts';
import { watchProblems } from '../support/clients/playground-page.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const BOT = { token: '7000002:AAtestTokenOfASimulatedBot_0123456789ab', username: 'test_bot', firstName: 'Test Bot' };

describe.skipIf(findChromium() === undefined)('a broken connection of the playground page', () => {
  const closing: (() => Promise<void>)[] = [];

  const browser = startBeforeAll(() => launchBrowser());
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  function start(): Simulator {
    const simulator = createSimulator({ bots: [BOT] });
    closing.push(async () => simulator.close());
    return simulator;
  }

  async function serve(simulator: Simulator, port = 0): Promise<FastifyInstance> {
    const server = fastify({ forceCloseConnections: true });
    await server.register(simulator.playground, { prefix: '/playground' });
    await server.listen({ host: '127.0.0.1', port });
    closing.push(() => server.close());
    return server;
  }

  async function open(server: FastifyInstance, allowed = /net::ERR_/): Promise<Page> {
    const page = await browser.newPage();
    const origin = `http://127.0.0.1:${portOf(server)}`;
    const problems = watchProblems(page, origin);
    closing.push(async () => {
      await page.close();
      expect(problems.filter((problem) => !allowed.test(problem))).toEqual([]);
    });
    await page.goto(`${origin}/playground/`);
    await page.locator('.chat').first().waitFor();
    return page;
  }

  test('is reported, and the page reconnects and catches up', async () => {
    const simulator = start();
    const chat = simulator.control.createChat({ type: 'private', person: { firstName: 'Anna' } });
    simulator.control.sendMessage(chat.id, { text: 'Before the break' });
    const server = await serve(simulator);
    const page = await open(server);
    await page.locator('article', { hasText: 'Before the break' }).waitFor();

    await server.close();
    await page.getByRole('alert').waitFor();
    expect(await page.locator('#chat-status').textContent()).toBe('connecting…');
    await page.getByLabel('Message', { exact: true }).fill('Written while offline');
    await page.keyboard.press('Enter');
    await page.locator('.toast', { hasText: 'can’t be reached' }).waitFor();
    expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('Written while offline');

    simulator.control.sendMessage(chat.id, { text: 'During the break' });
    simulator.control.editMessage(chat.id, 1, { text: 'Edited meanwhile' });
    const again = await serve(simulator, portOf(server));
    await page.locator('article', { hasText: 'During the break' }).waitFor();
    await page.locator('article', { hasText: 'Edited meanwhile' }).waitFor();
    await page.getByRole('alert').waitFor({ state: 'hidden' });

    simulator.control.sendMessage(chat.id, { text: 'After the break' });
    await page.locator('article', { hasText: 'After the break' }).waitFor();
    expect(await page.locator('article').count()).toBe(3);
    expect(portOf(again)).toBe(portOf(server));
  });

  test('to a server without the playground ends the page', async () => {
    const simulator = start();
    simulator.control.createChat({ type: 'private', person: { firstName: 'Anna' } });
    const server = await serve(simulator);
    const page = await open(server, /net::ERR_|status of 404/);
    await server.close();
    await page.getByText('Reconnecting…').waitFor();
    const bare = fastify({ forceCloseConnections: true });
    bare.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: { code: 'not_found', message: '' } }));
    closing.push(() => bare.close());
    await bare.listen({ host: '127.0.0.1', port: portOf(server) });
    await page.getByText('The playground has ended').waitFor();
    expect(await page.getByText('Reconnecting…').isVisible()).toBe(false);
  });

  test('to a restarted simulator without the old state resets the page', async () => {
    const first = start();
    const chat = first.control.createChat({ type: 'private', person: { firstName: 'Anna' } });
    first.control.sendMessage(chat.id, { text: 'In the old world' });
    const server = await serve(first);
    const page = await open(server);
    await page.locator('article', { hasText: 'In the old world' }).waitFor();

    await server.close();
    const second = start();
    const newChat = second.control.createChat({ type: 'private', person: { firstName: 'Boris' } });
    for (let line = 1; line <= 20; line += 1) second.control.sendMessage(newChat.id, { text: `Line ${line} is new` });
    await serve(second, portOf(server));
    await page.locator('article', { hasText: 'Line 20 is new' }).waitFor();
    expect(await page.getByText('In the old world').count()).toBe(0);
  });
});

function portOf(server: FastifyInstance): number {
  const address = server.server.address();
  // A closed server no longer knows its port.
  const port = ports.get(server) ?? (typeof address === 'object' ? address?.port : undefined) ?? 0;
  ports.set(server, port);
  return port;
}

const ports = new WeakMap<FastifyInstance, number>();
