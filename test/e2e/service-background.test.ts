import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, test } from 'vitest';
import { jobs, responses, usage } from '../../src/database/schema/index.ts';
import type { JsonObject } from '../../src/lib/json/json.ts';
import { eventually, type RunningService } from '../support/harness/process.ts';
import { type ServiceHarness, startServiceHarness } from '../support/harness/service.ts';
import { createServerTestDatabase, findServerUrl, type TestDatabase } from '../support/stores/test-database.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

const PATH = '/ai/openai/responses';
const KEY = 'sk-sb-key-of-this-suite';
const TIMEOUT_MS = 300_000;
const serverUrl = findServerUrl();

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const setStage = async (database: TestDatabase | undefined): Promise<ServiceHarness> => {
  const settings = { UNIVERSAL_API_KEY: KEY };
  const stage = await startServiceHarness(database ? { settings, database } : { settings });
  closers.push(() => stage.close());
  return stage;
};
const openServer = async (): Promise<TestDatabase> => {
  const database = await createServerTestDatabase(serverUrl ?? '');
  closers.push(() => database.close());
  return database;
};
/** Starts a second process beside the first one. */
const startBeside = async (stage: ServiceHarness): Promise<RunningService> => {
  const first = stage.service;
  closers.push(() => first.kill());
  return stage.start();
};
/** Sends a request whose response the provider does not finish. @returns its id */
const beginSlowly = async ({ provider, service }: ServiceHarness): Promise<string> => {
  const asked = provider.chatRequests.length;
  provider.behave(() => {});
  const answer = await service.post(PATH, { model: 'fake-model', input: 'Take your time', background: true });
  const { id, status } = (await answer.json()) as JsonObject;
  expect(status).toBe('in_progress');
  await provider.chatRequest(asked);
  return String(id);
};
const read = async (service: RunningService, id: string): Promise<JsonObject> => {
  const answer = await service.get(`${PATH}/${id}`, { headers: { authorization: `Bearer ${KEY}` } });
  return (await answer.json()) as JsonObject;
};
const reaches = (service: RunningService, id: string, status: string): Promise<JsonObject> =>
  eventually(async () => {
    const body = await read(service, id);
    if (body['status'] === 'in_progress' || body['status'] === 'queued') return undefined;
    expect(body).toMatchObject({ status });
    return body;
  });
const ANSWERED = { output: [{ type: 'message', status: 'completed' }], background: true, error: null };

interface Place {
  readonly place: string;
  readonly options: { readonly timeout: number; readonly tags?: string[]; readonly skip?: boolean };
  readonly open: () => Promise<TestDatabase | undefined>;
}

const PLACES: readonly Place[] = [
  { place: 'the embedded database', options: { timeout: TIMEOUT_MS }, open: async () => undefined },
  {
    place: 'a server',
    options: { timeout: TIMEOUT_MS, ...EXHAUSTIVE, skip: serverUrl === undefined },
    open: openServer,
  },
];

describe.each(PLACES)('a background response on $place', ({ options, open }) => {
  test('goes on in the next process after a kill', options, async () => {
    const stage = await setStage(await open());
    const id = await beginSlowly(stage);
    await stage.service.kill();
    const next = await stage.start();
    expect(await reaches(next, id, 'completed')).toMatchObject({ id, ...ANSWERED });
    expect(stage.provider.chatRequests).toHaveLength(2);
    expect(stage.provider.chatRequests[1]?.body).toEqual(stage.provider.chatRequests[0]?.body);
  });

  test('goes on in the next process after a stop', options, async () => {
    const stage = await setStage(await open());
    const id = await beginSlowly(stage);
    expect(await stage.service.stop()).toMatchObject({ code: 0 });
    expect(await reaches(await stage.start(), id, 'completed')).toMatchObject(ANSWERED);
  });

  test('fails when its process was killed three times', { ...options, ...EXHAUSTIVE }, async () => {
    const stage = await setStage(await open());
    stage.provider.behaveUsually(() => {});
    const id = await beginSlowly(stage);
    await stage.service.kill();
    for (const attempt of [1, 2]) {
      const next = await stage.start();
      await stage.provider.chatRequest(attempt);
      expect(await read(next, id)).toMatchObject({ status: 'in_progress' });
      await next.kill();
    }
    const { error } = await reaches(await stage.start(), id, 'failed');
    const message = 'The service stopped or was overloaded 3 times while it generated this response.';
    expect(error).toEqual({ code: 'server_error', message });
    expect(stage.provider.chatRequests).toHaveLength(3);
  });
});

describe.skipIf(!serverUrl)('a background response of one of two processes', EXHAUSTIVE, () => {
  test(
    'is taken over when its process is killed, and costs once',
    async () => {
      const database = await openServer();
      const stage = await setStage(database);
      const first = stage.service;
      const id = await beginSlowly(stage);
      const second = await startBeside(stage);
      expect(await read(second, id)).toMatchObject({ status: 'in_progress' });
      await first.kill();
      expect(await reaches(second, id, 'completed')).toMatchObject(ANSWERED);
      await second.stop();
      expect(await database.db.select().from(usage).where(eq(usage.replyId, id))).toHaveLength(1);
      expect(await database.db.select().from(jobs)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    'is taken over at once when its process stops',
    async () => {
      const stage = await setStage(await openServer());
      const first = stage.service;
      const id = await beginSlowly(stage);
      const second = await startBeside(stage);
      await first.stop();
      const stoppedAt = Date.now();
      expect(await reaches(second, id, 'completed')).toMatchObject(ANSWERED);
      // Without waiting for the end of a lease.
      expect(Date.now() - stoppedAt).toBeLessThan(15_000);
    },
    TIMEOUT_MS,
  );

  test(
    'is cancelled by the process that does not generate it, also after a takeover',
    async () => {
      const database = await openServer();
      const stage = await setStage(database);
      const first = stage.service;
      const ids = [await beginSlowly(stage), await beginSlowly(stage)];
      const second = await startBeside(stage);
      const cancel = async (service: RunningService, id: string) => {
        const answer = await service.post(`${PATH}/${id}/cancel`, {});
        expect(await answer.json()).toMatchObject({ id, status: 'cancelled' });
        expect(await read(service, id)).toMatchObject({ status: 'cancelled', output: [] });
      };
      await cancel(second, ids[0] ?? '');
      await stage.provider.chatRequests[0]?.closed;

      stage.provider.behave(() => {});
      await first.kill();
      const request = await stage.provider.chatRequest(2);
      closers.push(async () => third.kill());
      const third = await stage.start();
      await cancel(third, ids[1] ?? '');
      await request.closed;
      expect(stage.provider.chatRequests).toHaveLength(3);
      expect(await database.db.select({ isRunning: responses.isRunning }).from(responses)).toEqual([
        { isRunning: false },
        { isRunning: false },
      ]);
    },
    TIMEOUT_MS,
  );
});
