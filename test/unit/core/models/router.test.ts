import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { createDemoProvider } from '../../../../demo/demo-provider.ts';
import type { Dialect } from '../../../../src/core/models/contract/chat-request.ts';
import { UntranslatableError } from '../../../../src/core/models/contract/model-errors.ts';
import {
  createMemoryDiscoveryCache,
  createModels,
  type Models,
  type ModelsConfig,
} from '../../../../src/core/models/index.ts';
import { createLogger } from '../../../../src/lib/log/logger.ts';
import {
  answerHello,
  answerJson,
  answerRaw,
  die,
  type FakeProvider,
  hang,
  openAiError,
  sseEvent,
  startFakeProvider,
  streamRaw,
} from '../../../support/hosts/fake-provider.ts';
import { drain, failureOf, helloBody, helloRequest, noAbort } from '../../../support/hosts/provider-under-test.ts';
import { createFakeClock, type FakeClock } from '../../../support/machine/fake-clock.ts';
import { startStopwatch } from '../../../support/machine/measure.ts';

const MODELS = answerJson(200, { data: [{ id: 'm' }] });
const saying = (text: string) => answerHello({ pieces: [text] });

/** Hosts `a`, `b`, … that all serve `m` and answer with their name, behind one router. */
async function startRouter(count: number, config: Partial<ModelsConfig> = {}, weights: readonly number[] = []) {
  const clock = createFakeClock();
  let drawn = 0;
  const hosts = await Promise.all(Array.from({ length: count }, () => startFakeProvider()));
  const names = hosts.map((_, index) => String.fromCharCode(97 + index));
  hosts.forEach((host, index) => {
    host.behaveAtModels(MODELS);
    host.behaveUsually(saying(names[index] ?? ''));
  });
  const models = createModels(
    {
      clock,
      logger: createLogger({ level: 'silent' }),
      discoveryCache: createMemoryDiscoveryCache(),
      createDemo: createDemoProvider,
      random: () => drawn,
    },
    {
      providers: hosts.map((host, index) => ({
        kind: 'openai-compatible',
        name: names[index] ?? '',
        baseUrl: host.baseUrl,
        apiKeys: [],
        weight: weights[index],
      })),
      aliases: {},
      ...config,
    },
  );
  await models.start(noAbort());
  cleanups.push(async () => {
    await models.close();
    await Promise.all(hosts.map((host) => host.close()));
  });
  return {
    clock,
    models,
    hosts: hosts as [FakeProvider, FakeProvider, FakeProvider],
    draw: (value: number) => {
      drawn = value;
    },
  };
}
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** Returns the host that answered. */
async function ask(models: Models, model = 'm'): Promise<string> {
  const stream = await models.router.chat.stream(helloRequest({ model }), noAbort());
  await drain(stream);
  return stream.outcome.provider;
}
const countRequests = (hosts: readonly FakeProvider[]) => hosts.map(({ chatRequests }) => chatRequests.length);

describe('the router', () => {
  it('refuses unknown names', async () => {
    const { models } = await startRouter(1);
    expect(await failureOf(ask(models, 'unheard-of'))).toMatchObject({
      name: 'ModelNotFoundError',
      model: 'unheard-of',
    });
  });

  it("uses the provider's own name of the model and forwards its output unchanged", async () => {
    const { models, hosts } = await startRouter(1, { aliases: { nick: ['a/m'] } });
    const completion = await models.router.chat.complete(helloRequest({ model: 'nick' }), noAbort());
    expect(hosts[0].chatRequests[0]?.body.model).toBe('m');
    expect(completion.outcome).toMatchObject({ provider: 'a', model: 'm', reportedModel: 'm' });
  });

  it('gives requests that cannot be translated only to providers of their dialect', async () => {
    const { models, hosts } = await startRouter(1);
    const untranslatable = new UntranslatableError('tools[0]', 'is not supported by this model');
    const ask = (dialect: Dialect) =>
      models.router.chat.complete(
        { ...helloRequest({ model: 'm' }), native: { dialect, body: helloBody(), untranslatable } },
        noAbort(),
      );
    expect(await failureOf(ask('messages'))).toBe(untranslatable);
    expect(hosts[0].chatRequests).toHaveLength(0);
    expect((await ask('chat-completions')).outcome.provider).toBe('a');
  });

  it('selects the first provider by weight and keeps the others in order', async () => {
    const { models, hosts, draw } = await startRouter(3, {}, [1, 2, 1]);
    for (const [value, provider] of [
      [0, 'a'],
      [0.2, 'a'],
      [0.26, 'b'],
      [0.7, 'b'],
      [0.76, 'c'],
      [0.999, 'c'],
    ] as const) {
      draw(value);
      expect(await ask(models)).toBe(provider);
    }
    draw(0.5);
    hosts[1].behave(answerRaw(500, 'text/plain', ''));
    hosts[0].behave(answerRaw(500, 'text/plain', ''));
    expect(await ask(models)).toBe('c');
  });

  it('asks a provider of weight zero only when others fail', async () => {
    const { models, hosts, draw } = await startRouter(2, {}, [0, 1]);
    draw(0);
    expect(await ask(models)).toBe('b');
    hosts[1].behave(answerJson(500, openAiError('x')));
    expect(await ask(models)).toBe('a');
  });

  it.each([
    ['dies', die()],
    ['answers 500', answerJson(500, openAiError('x'))],
    ['answers 429', answerJson(429, openAiError('x'))],
    ['refuses the key', answerJson(401, openAiError('x'))],
    ['does not know the model any more', answerJson(404, openAiError('x'))],
    ['sends a web page', answerRaw(200, 'text/html', '<html>')],
    ['begins with an error event', streamRaw([sseEvent({ error: { message: 'x' } })])],
  ])('asks the next provider when one %s', async (_, behaviour) => {
    const { models, hosts } = await startRouter(2);
    hosts[0].behave(behaviour);
    expect(await ask(models)).toBe('b');
    expect(countRequests(hosts)).toEqual([1, 1]);
  });

  it('asks the next provider when one sends no first token in time', async () => {
    const { models, hosts, clock } = await startRouter(2);
    hosts[0].behave(hang());
    const answered = ask(models);
    await hosts[0].chatRequest(0);
    await clock.advance(60_001);
    expect(await answered).toBe('b');
  });

  it('asks no other provider when the request itself is invalid', async () => {
    const { models, hosts } = await startRouter(2);
    hosts[0].behave(answerJson(400, openAiError('bad tools', 'x', 'tools')));
    expect(await failureOf(ask(models))).toMatchObject({ name: 'ProviderRejectedError', details: { param: 'tools' } });
    expect(countRequests(hosts)).toEqual([1, 0]);
  });

  it('asks no other provider once something was delivered', async () => {
    const { models, hosts } = await startRouter(2);
    hosts[0].behave(
      streamRaw([sseEvent({ id: 'x', choices: [{ index: 0, delta: { content: 'a' } }] })], { end: 'cut' }),
    );
    const stream = await models.router.chat.stream(helloRequest({ model: 'm' }), noAbort());
    expect((await drain(stream)).failure).toMatchObject({ name: 'ProviderStreamError', provider: 'a' });
    expect(countRequests(hosts)).toEqual([1, 0]);
  });

  it('reports every failure when no provider can answer', async () => {
    const { models, hosts } = await startRouter(2);
    hosts[0].behave(answerJson(429, openAiError('limit'), { 'retry-after': '30' }));
    hosts[1].behave(answerJson(503, openAiError('busy'), { 'retry-after': '7' }));
    expect(await failureOf(ask(models))).toMatchObject({
      name: 'AllProvidersFailedError',
      model: 'm',
      failures: [
        { provider: 'a', status: 429 },
        { provider: 'b', status: 503 },
      ],
      retryAfterMs: 7000,
      isTimeout: false,
    });
  });

  it('reports an unknown model when every provider does', async () => {
    const { models, hosts } = await startRouter(2);
    for (const host of hosts) host.behaveUsually(answerJson(404, openAiError('no such model')));
    expect(await failureOf(ask(models))).toMatchObject({ name: 'ModelNotFoundError' });
  });

  it('tries the models of an alias in their order', async () => {
    const { models, hosts, draw } = await startRouter(3, { aliases: { smart: ['c/m', 'a/m'] } });
    draw(0.99);
    expect(await ask(models, 'smart')).toBe('c');
    hosts[2].behave(answerJson(500, openAiError('x')));
    expect(await ask(models, 'smart')).toBe('a');
  });

  it('starts no further attempt after two minutes', async () => {
    const { models, hosts, clock } = await startRouter(3);
    for (const host of hosts) host.behaveUsually(hang());
    const failed = failureOf(ask(models));
    for (const host of hosts.slice(0, 2)) {
      await host.chatRequest(0);
      await clock.advance(60_001);
    }
    expect(await failed).toMatchObject({ name: 'AllProvidersFailedError', isTimeout: true, failures: [{}, {}] });
    expect(countRequests(hosts)).toEqual([1, 1, 0]);
  });
});

describe('a provider with a retry time', () => {
  it('is skipped until the time is over', async () => {
    const { models, hosts, clock } = await startRouter(2);
    hosts[0].behave(answerJson(429, openAiError('limit'), { 'retry-after': '30' }));
    expect(await ask(models)).toBe('b');
    expect(await ask(models)).toBe('b');
    await clock.advance(29_000);
    expect(await ask(models)).toBe('b');
    await clock.advance(2_000);
    expect(await ask(models)).toBe('a');
    expect(countRequests(hosts)).toEqual([2, 3]);
  });

  it('is asked anyway if no other provider serves the model', async () => {
    const { models, hosts } = await startRouter(1);
    hosts[0].behave(answerJson(429, openAiError('limit'), { 'retry-after': '30' }));
    expect(await failureOf(ask(models))).toMatchObject({ retryAfterMs: 30_000 });
    expect(await ask(models)).toBe('a');
  });

  it('is asked last when the others fail', async () => {
    const { models, hosts } = await startRouter(2);
    hosts[0].behave(answerJson(429, openAiError('limit'), { 'retry-after': '30' }));
    await ask(models);
    hosts[1].behave(die());
    expect(await ask(models)).toBe('a');
  });
});

describe('the circuit breaker', () => {
  /** Makes the first host fail until its circuit breaker opens. */
  async function rest(models: Models, host: FakeProvider): Promise<void> {
    host.behaveUsually(answerJson(500, openAiError('broken')));
    for (let turn = 0; turn < 3; turn++) expect(await ask(models)).toBe('b');
    host.behaveUsually(saying('a'));
  }
  const restMs = 30_000;

  it('rests a provider after the third failure in a row and tries it again later', async () => {
    const { models, hosts, clock } = await startRouter(2);
    await rest(models, hosts[0]);
    expect(await ask(models)).toBe('b');
    expect(countRequests(hosts)).toEqual([3, 4]);
    await clock.advance(restMs + 1);
    expect(await ask(models)).toBe('a');
    expect(await ask(models)).toBe('a');
  });

  it('tries a resting provider with one request at a time', async () => {
    const { models, hosts, clock } = await startRouter(2);
    await rest(models, hosts[0]);
    await clock.advance(restMs + 1);
    hosts[0].behave(hang());
    const controller = new AbortController();
    const tried = failureOf(models.router.chat.stream(helloRequest({ model: 'm' }), controller.signal));
    await hosts[0].chatRequest(3);
    expect(await Promise.all([ask(models), ask(models)])).toEqual(['b', 'b']);
    controller.abort();
    await tried;
  });

  it('rests longer after each failure', async () => {
    const { models, hosts, clock } = await startRouter(2);
    await rest(models, hosts[0]);
    await clock.advance(restMs + 1);
    hosts[0].behave(answerJson(500, openAiError('still broken')));
    expect(await ask(models)).toBe('b');
    await clock.advance(restMs + 1);
    expect(await ask(models)).toBe('b');
    await clock.advance(restMs);
    expect(await ask(models)).toBe('a');
  });

  it('is reset by a success', async () => {
    const { models, hosts } = await startRouter(2);
    for (let turn = 0; turn < 6; turn++) {
      if (turn % 3 !== 2) hosts[0].behave(answerJson(500, openAiError('now and then')));
      expect(await ask(models)).toBe(turn % 3 === 2 ? 'a' : 'b');
    }
  });

  it('counts a stream that breaks in the middle', async () => {
    const { models, hosts } = await startRouter(2);
    hosts[0].behaveUsually(
      streamRaw([sseEvent({ id: 'x', choices: [{ index: 0, delta: { content: 'a' } }] })], { end: 'cut' }),
    );
    for (let turn = 0; turn < 3; turn++) expect(await ask(models)).toBe('a');
    expect(await ask(models)).toBe('b');
  });

  it('rests all models of a provider after connection failures, one model otherwise', async () => {
    const { models, hosts } = await startRouter(2, { aliases: { other: ['a/m', 'b/m'] } });
    hosts[0].behaveAtModels(MODELS);
    await hosts[0].close();
    for (let turn = 0; turn < 4; turn++) expect(await ask(models, turn % 2 ? 'm' : 'other')).toBe('b');
    expect(models.providers()[0]).toMatchObject({ name: 'a', modelCount: 1 });
  });
});

describe('an abort of a routed request', () => {
  const reason = new Error('the client has gone');
  let clock: FakeClock;

  it.each(['stream', 'complete'] as const)(
    'of %s takes effect within the tick, asks no other provider and leaves nothing behind',
    async (method) => {
      const started = await startRouter(2);
      const { models, hosts } = started;
      clock = started.clock;
      const timersBefore = clock.pending;
      hosts[0].behave(hang());
      const controller = new AbortController();
      let failure: unknown;
      models.router.chat[method](helloRequest({ model: 'm' }), controller.signal).catch((error: unknown) => {
        failure = error;
      });
      const request = await hosts[0].chatRequest(0);
      const elapsedMs = startStopwatch();
      controller.abort(reason);
      await new Promise((resolve) => setImmediate(resolve));
      expect(failure).toBe(reason);
      await request.closed;
      expect(elapsedMs()).toBeLessThan(100);
      expect(countRequests(hosts)).toEqual([1, 0]);
      expect(clock.pending).toBe(timersBefore);
      expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
    },
  );

  it('in the middle of the stream reaches the socket', async () => {
    const { models, hosts } = await startRouter(1);
    hosts[0].behave(
      streamRaw([sseEvent({ id: 'x', choices: [{ index: 0, delta: { content: 'a' } }] })], { end: 'hang' }),
    );
    const controller = new AbortController();
    const stream = await models.router.chat.stream(helloRequest({ model: 'm' }), controller.signal);
    const result = drain(stream);
    const request = await hosts[0].chatRequest(0);
    const elapsedMs = startStopwatch();
    controller.abort(reason);
    await request.closed;
    expect(elapsedMs()).toBeLessThan(100);
    expect((await result).failure).toBe(reason);
  });

  it('does not count against the provider', async () => {
    const { models, hosts } = await startRouter(2);
    for (let turn = 0; turn < 4; turn++) {
      hosts[0].behave(hang());
      const controller = new AbortController();
      const failed = failureOf(models.router.chat.stream(helloRequest({ model: 'm' }), controller.signal));
      await hosts[0].chatRequest(turn);
      controller.abort(reason);
      expect(await failed).toBe(reason);
    }
    expect(await ask(models)).toBe('a');
  });
});
