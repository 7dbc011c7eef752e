import { createSimulator, listenSimulator } from 'telegram-bot-simulator';
import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createTelegramClient } from '../../src/telegram/telegram-client.ts';
import { pollUpdates, UnauthorizedError } from '../../src/telegram/updates/poll-updates.ts';
import { createRecordingLogger } from '../support/harness/foundation.ts';

const TOKEN = '424242:AAsimulatedsimulatedsimulatedsimulated';
const closers: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function createStage() {
  const simulator = createSimulator({ bots: [{ token: TOKEN, username: 'test_bot', firstName: 'Test' }] });
  const server = await listenSimulator(simulator);
  closers.push(() => server.close());
  const { logger, lines } = createRecordingLogger();
  const seen: string[] = [];

  /** Starts a poller that records the texts it receives. */
  const startPolling = (token = TOKEN) => {
    const client = createTelegramClient({ token, apiRoot: server.url, clock: systemClock, logger });
    const controller = new AbortController();
    const ended = pollUpdates(
      { api: client.api, clock: systemClock, logger },
      {
        allowedUpdates: ['message'],
        signal: controller.signal,
        timeoutSeconds: 20,
        accept: async (updates) => {
          seen.push(...updates.flatMap(({ message }) => message?.text ?? []));
          return updates.length;
        },
      },
    );
    const stop = async () => {
      controller.abort();
      await ended.catch(() => undefined);
      client.close();
    };
    closers.push(stop);
    return { client, ended, stop };
  };
  const waitForSeen = (count: number) => expect.poll(() => seen.length).toBe(count);
  return { control: simulator.control, seen, lines, startPolling, waitForSeen };
}

it('updates arrive in order, and a restart neither repeats nor loses one', async () => {
  const { control, seen, startPolling, waitForSeen } = await createStage();
  const { id } = control.createChat({ type: 'private' });
  for (let n = 0; n < 120; n++) control.sendMessage(id, { text: `m${n}` });
  const first = startPolling();
  await waitForSeen(120);
  await first.stop();
  expect(control.pendingUpdates()).toHaveLength(0);
  for (let n = 120; n < 140; n++) control.sendMessage(id, { text: `m${n}` });
  startPolling();
  await waitForSeen(140);
  expect(seen).toEqual(Array.from({ length: 140 }, (_, n) => `m${n}`));
});

it('an existing webhook is deleted, and its pending updates arrive', async () => {
  const { control, seen, startPolling, waitForSeen } = await createStage();
  const { id } = control.createChat({ type: 'private' });
  const earlier = startPolling();
  await earlier.stop();
  await earlier.client.api.setWebhook('http://127.0.0.1:1/nobody');
  control.sendMessage(id, { text: 'waiting' });
  const { client } = startPolling();
  await waitForSeen(1);
  expect(seen).toEqual(['waiting']);
  expect((await client.api.getWebhookInfo()).url).toBe('');
});

it('two pollers of one token log the conflict', async () => {
  const { startPolling, lines } = await createStage();
  startPolling();
  startPolling();
  await expect.poll(() => lines.some((line) => line.includes('only one may run'))).toBe(true);
});

it('a wrong token ends polling with an explanation', async () => {
  const { startPolling } = await createStage();
  const { ended } = startPolling('1:AAwrongwrongwrongwrongwrongwrongwrong');
  await expect(ended).rejects.toThrow(UnauthorizedError);
  await expect(ended).rejects.toThrow(/BotFather/);
});

it('polling survives broken connections and server errors', async () => {
  const { control, seen, startPolling, waitForSeen } = await createStage();
  const { id } = control.createChat({ type: 'private' });
  control.injectFault({ method: 'getUpdates', kind: { type: 'reset-after' } });
  control.injectFault({ method: 'getUpdates', kind: { type: 'error', status: 502 } });
  control.sendMessage(id, { text: 'hello' });
  startPolling();
  await waitForSeen(1);
  expect(seen).toEqual(['hello']);
});
