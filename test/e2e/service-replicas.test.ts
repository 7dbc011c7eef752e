import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { locales } from '../../src/bot/texts/locales.ts';
import { eventually, findFreePort, type RunningService, type Settings } from '../support/harness/process.ts';
import { type ServiceHarness, startServiceHarness } from '../support/harness/service.ts';
import { answerHello } from '../support/hosts/fake-provider.ts';
import { answerAtLength } from '../support/samples/long-answers.ts';
import { createServerTestDatabase, findServerUrl } from '../support/stores/test-database.ts';
import { createAskingUsers } from '../support/storms/answers.ts';
import { testByTier } from '../support/vitest/tiers.ts';

/** Round-robin load balancer in front of several processes. */
interface Balancer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Sets the addresses that requests are distributed to. Unreachable ones are skipped. */
  balance(backendUrls: readonly string[]): void;
  close(): Promise<void>;
}

/** One of several processes behind a balancer, with its address. */
interface Replica {
  readonly service: RunningService;
  readonly url: string;
}

const SETTLING_MS = 200_000;
const serverUrl = findServerUrl();

describe.skipIf(!serverUrl)('several processes', () => {
  let closers: (() => Promise<unknown>)[];
  beforeEach(() => {
    closers = [];
  });
  afterEach(async () => {
    for (const close of closers.reverse()) await close();
  });

  const setStage = async (settings: Settings = {}): Promise<ServiceHarness> => {
    const database = await createServerTestDatabase(serverUrl ?? '');
    closers.push(() => database.close());
    await database.release();
    const stage = await startServiceHarness({ database, settings });
    closers.push(() => stage.close());
    return stage;
  };

  describe('behind one webhook', () => {
    let balancer: Balancer;
    let stage: ServiceHarness;
    let replicas: Replica[];
    beforeEach(async () => {
      balancer = await startBalancer();
      closers.push(() => balancer.close());
      const settings = { PUBLIC_URL: balancer.url, WEBHOOK_SECRET: 'a-secret-of-Telegram_and-us-0123456789' };
      const port = await findFreePort();
      stage = await setStage({ ...settings, PORT: String(port) });
      replicas = [{ service: stage.service, url: `http://127.0.0.1:${port}` }];
      closers.push(() => Promise.all(replicas.map(({ service }) => service.kill())));
      replicas.push(await start());
      toAll();
    });

    const start = async (): Promise<Replica> => {
      const port = await findFreePort();
      const service = await stage.start({ PORT: String(port) });
      await service.prints(/the bot is ready to receive updates/);
      return { service, url: `http://127.0.0.1:${port}` };
    };
    const toAll = () => balancer.balance(replicas.map(({ url }) => url));

    testByTier([
      { times: 2, endings: ['kill', 'stop'] },
      { times: 6, endings: ['kill', 'stop', 'stop', 'kill', 'stop', 'kill'] },
    ] as const)(
      'answer each question once while processes are killed, stopped and replaced $times times',
      async (storm) => {
        const users = createAskingUsers(stage.telegram.control, { notice: locales.en.failures.interrupted });
        stage.provider.behaveUsually(answerAtLength());
        replicas.push(await start());
        toAll();
        const endings: Promise<unknown>[] = [];
        for (const [round, ending] of storm.endings.entries()) {
          for (const name of ['one', 'two', 'three', 'four']) users.ask(`round ${round}, ${name}`);
          users.ask(`round ${round}, five`, `round ${round}, and six`);
          await new Promise((resolve) => setTimeout(resolve, 700));
          const leaving = replicas.shift();
          if (leaving) endings.push(leaving.service[ending]());
          replicas.push(await start());
          toAll();
        }
        await Promise.all(endings);
        await eventually(() => users.findComplaints().length === 0 || undefined, SETTLING_MS).catch(() => {});
        expect(users.findComplaints()).toEqual([]);
      },
      { timeout: 600_000 },
    );

    const pressStop = () => {
      const { message } = stage.telegram.control.transcript(stage.chatId).at(-1) ?? {};
      stage.telegram.control.pressButton(stage.chatId, message?.message_id ?? 0, { row: 0, column: 0 });
    };
    testByTier([
      ['by its button', (): void => pressStop()],
      ['by /stop', (): void => stage.writes('/stop')],
    ] as const)('stop an answer %s, whichever process receives the update', async ([, stop]) => {
      const [first, second] = replicas;
      balancer.balance([first?.url ?? '']);
      stage.provider.behave(
        answerHello({ pieces: Array.from({ length: 600 }, (_, at) => `word${at} `), everyMs: 100 }),
      );
      stage.writes('Tell me a story');
      const request = await stage.provider.chatRequest(0);
      await stage.says('word5');
      balancer.balance([second?.url ?? '']);
      stop();
      await request.closed;
      await expect.poll(() => stage.labels(), { timeout: 60_000 }).toEqual([]);
      expect(request.wasAnswered()).toBe(false);
      expect(stage.said()[0]).toMatch(/^word0 word1 .*word\d+\n\n⏹ Stopped$/);
    });
  });

  test('that start polling at the same time do not conflict', async () => {
    const stage = await setStage();
    await stage.service.prints(/this process leads/);
    await stage.service.stop();
    const services = await Promise.all([stage.start(), stage.start(), stage.start()]);
    closers.push(() => Promise.all(services.map((service) => service.kill())));
    await Promise.all(services.map((service) => service.prints(/(this|another) process leads/)));
    stage.writes('Hello?');
    await stage.says('Hello, world!');
    // The conflict that Telegram reports for parallel polling. One process may poll while another sends broadcasts.
    const outputs = services.map((service) => service.output());
    expect(outputs.filter((output) => output.includes('another program fetches'))).toEqual([]);
    const polls = stage.telegram.control.calls('getUpdates');
    expect(polls.filter(({ status }) => status === 409)).toEqual([]);
  });
});

/** Starts without backends, which gives 503. If a backend dies before it responds, the response is 502. */
async function startBalancer(): Promise<Balancer> {
  let backends: readonly string[] = [];
  let turn = 0;
  const server = createServer((incoming, response) => {
    const first = turn++;
    const order = backends.map((_, at) => backends[(first + at) % backends.length] ?? '');
    void readBody(incoming).then((body) => forward(incoming, body, order, response));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    balance(backendUrls) {
      backends = backendUrls;
    },
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

function forward(
  incoming: IncomingMessage,
  body: Buffer,
  [backend, ...others]: readonly string[],
  response: ServerResponse,
): void {
  if (backend === undefined) return void response.writeHead(503).end();
  const { method, headers, url } = incoming;
  // Connections are not reused: a process may be gone before the next request.
  const outgoing = request(`${backend}${url}`, { method, headers, agent: false }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on('error', () => response.destroy()).pipe(response);
  });
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED') forward(incoming, body, others, response);
    else if (response.headersSent) response.destroy();
    else response.writeHead(502).end();
  });
  outgoing.end(body);
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of incoming) pieces.push(piece);
  } catch {
    // The client has disconnected.
  }
  return Buffer.concat(pieces);
}
