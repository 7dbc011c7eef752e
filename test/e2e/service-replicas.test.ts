import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { english } from '../../src/bot/texts/english.ts';
import { createAskingPeople } from '../support/asking-people.ts';
import { type Balancer, startBalancer } from '../support/balancer.ts';
import { answerHello } from '../support/fake-provider.ts';
import { answerAtLength } from '../support/long-answers.ts';
import { eventually, findFreePort, type RunningService, type Settings } from '../support/running-service.ts';
import { type ServiceStage, startServiceStage } from '../support/service-stage.ts';
import { createServerTestDatabase, findServerUrl } from '../support/test-database.ts';

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

  const setStage = async (settings: Settings = {}): Promise<ServiceStage> => {
    const database = await createServerTestDatabase(serverUrl ?? '');
    closers.push(() => database.close());
    await database.release();
    const stage = await startServiceStage({ database, settings });
    closers.push(() => stage.close());
    return stage;
  };

  describe('behind one webhook', () => {
    let balancer: Balancer;
    let stage: ServiceStage;
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

    test('answer each question once while processes are killed, stopped and replaced', async () => {
      const users = createAskingPeople(stage.telegram.control, { notice: english.failures.interrupted });
      stage.provider.behaveUsually(answerAtLength());
      replicas.push(await start());
      toAll();
      const endings: Promise<unknown>[] = [];
      for (const [round, ending] of (['kill', 'stop', 'stop', 'kill', 'stop', 'kill'] as const).entries()) {
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
    }, 600_000);

    test.each([
      ['by its button', () => pressStop()],
      ['by /stop', () => stage.writes('/stop')],
    ])('stop an answer %s, whichever process receives the update', async (_way, stop) => {
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
      await expect.poll(() => stage.buttons(), { timeout: 60_000 }).toEqual([]);
      expect(request.wasAnswered()).toBe(false);
      expect(stage.said()[0]).toMatch(/^word0 word1 .*word\d+\n\n⏹ Stopped$/);
    });

    const pressStop = () => {
      const { message } = stage.telegram.control.transcript(stage.chatId).at(-1) ?? {};
      stage.telegram.control.pressButton(stage.chatId, message?.message_id ?? 0, { row: 0, column: 0 });
    };
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
