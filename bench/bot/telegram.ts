import { randomInt } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { type Control, createSimulator } from 'telegram-bot-simulator';

/** Simulated Telegram for one bot; its events cover the chats of the first bot only. */
export interface Telegram {
  readonly url: string;
  readonly token: string;
  readonly control: Control;
  /** Number of calls of the bot without polls, and how many of them got a 429. */
  readonly counts: { readonly calls: number; readonly refused: number };
  close(): Promise<void>;
}

const TOKEN = '7400001:AAtokenOfABotOfTheBenchmark_0123456789';

/** Starts the server on a loopback port. */
export async function startTelegram(limits: 'telegram' | 'off'): Promise<Telegram> {
  const simulator = createSimulator({
    bots: [{ token: TOKEN, username: 'bench_bot', firstName: 'Bench' }],
    limits,
    // A database of an earlier run may contain users with lower ids.
    firstNumber: randomInt(1_000_000_000),
  });
  const counts = { calls: 0, refused: 0 };
  const server = fastify({ forceCloseConnections: true });
  server.addHook('onResponse', async (request, reply) => {
    if (request.url.includes('/getUpdates')) return;
    counts.calls += 1;
    if (reply.statusCode === 429) counts.refused += 1;
  });
  await server.register(simulator.botApi);
  await server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    token: TOKEN,
    control: simulator.control,
    counts,
    async close() {
      simulator.close();
      await server.close();
    },
  };
}
