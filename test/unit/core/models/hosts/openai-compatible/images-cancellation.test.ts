import { getEventListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { buildConnector } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImageResult } from '../../../../../../src/core/models/index.ts';
import { fetchPublic } from '../../../../../../src/lib/http/public-fetch.ts';
import { answerJson, type Behaviour, type FakeRequest, hang } from '../../../../../support/hosts/fake-provider.ts';
import {
  failureOf,
  type ProviderUnderTest,
  startProviderUnderTest,
} from '../../../../../support/hosts/provider-under-test.ts';
import { createFakeClock, type FakeClock } from '../../../../../support/machine/fake-clock.ts';
import { startStopwatch } from '../../../../../support/machine/measure.ts';

const hangAfter =
  (bytes: string): Behaviour =>
  ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(bytes);
  };

describe('during an image generation', () => {
  const reason = new Error('the client has gone');
  let clock: FakeClock;
  let controller: AbortController;
  let under: ProviderUnderTest;
  /** Resolves with the request of that number (from 0) once the host has it. */
  let arrivals: ((request: FakeRequest) => void)[];
  let arrived: Promise<FakeRequest>[];

  beforeEach(async () => {
    clock = createFakeClock();
    controller = new AbortController();
    arrivals = [];
    arrived = Array.from({ length: 3 }, () => new Promise((resolve) => arrivals.push(resolve)));
    under = await startProviderUnderTest({}, clock, (url, options) =>
      fetchPublic(
        {
          clock,
          resolve: async () => ['93.184.215.14'],
          connect: (wanted, callback) =>
            buildConnector({})({ ...wanted, hostname: '127.0.0.1', port: new URL(under.host.baseUrl).port }, callback),
        },
        url,
        options,
      ),
    );
  });
  afterEach(() => under.close());

  const behave = (...behaviours: Behaviour[]) => {
    let number = 0;
    under.host.behaveElsewhere((exchange) => {
      arrivals[number]?.(exchange.request);
      return behaviours[number++]?.(exchange);
    });
  };
  const draw = (): Promise<ImageResult> => {
    const { image } = under.provider;
    if (!image) throw new Error('the provider draws nothing');
    const request = { model: 'flux', prompt: 'a red fox', ratio: { width: 1, height: 1 }, count: 1 };
    return image.generate(request, controller.signal);
  };
  async function expectCut(number: number): Promise<void> {
    const request = await arrived[number];
    if (!request) throw new Error('no request came');
    const elapsedMs = startStopwatch();
    controller.abort(reason);
    await request.closed;
    expect(elapsedMs()).toBeLessThan(100);
    expect(request.wasAnswered()).toBe(false);
  }
  function expectNothingLeft(): void {
    expect(clock.pending).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  }

  it.each([
    ['before the headers', hang()],
    ['in the middle of the answer', hangAfter('{"data":[{"b64_json":"iVBOR')],
  ])('an abort %s reaches the socket', async (_, behaviour) => {
    behave(behaviour);
    const failure = failureOf(draw());
    await expectCut(0);
    expect(await failure).toBe(reason);
    expectNothingLeft();
  });

  it('an abort during the download reaches the socket', async () => {
    behave(answerJson(200, { data: [{ url: 'http://pictures.test/1.png' }] }), hangAfter('half a picture'));
    const failure = failureOf(draw());
    await expectCut(1);
    expect(await failure).toBe(reason);
    expectNothingLeft();
  });

  it('an earlier abort sends no request', async () => {
    controller.abort(reason);
    expect(await failureOf(draw())).toBe(reason);
    expect(under.host.requests).toHaveLength(0);
  });

  it('closing the provider aborts a download', async () => {
    behave(answerJson(200, { data: [{ url: 'http://pictures.test/1.png' }] }), hang());
    const failure = failureOf(draw());
    const request = await arrived[1];
    await under.provider.close();
    await request?.closed;
    expect(await failure).toMatchObject({ name: 'ProviderUnavailableError' });
    expectNothingLeft();
  });

  it('the provider waits until the total timeout', async () => {
    behave(hang());
    const failure = failureOf(draw());
    await arrived[0];
    await clock.advance(30_000);
    expect(await failure).toMatchObject({ name: 'ProviderTimeoutError' });
    expectNothingLeft();
  });

  it('a host that becomes silent in the middle times out', async () => {
    await under.close();
    under = await startProviderUnderTest(
      { timeouts: { firstTokenMs: 600_000_000, totalMs: 600_000_000, idleMs: 1000 } },
      clock,
    );
    behave(hangAfter('{"data":['));
    let isOver = false;
    const failure = failureOf(draw()).finally(() => {
      isOver = true;
    });
    await arrived[0];
    // A test can not observe when the first bytes have arrived.
    while (!isOver) {
      await setTimeout(10);
      await clock.advance(1500);
    }
    expect(await failure).toMatchObject({ name: 'ProviderTimeoutError', phase: 'idle' });
  });

  it('a download that hangs times out after a minute', async () => {
    behave(answerJson(200, { data: [{ url: 'http://pictures.test/1.png' }] }), hang());
    const failure = failureOf(draw());
    await arrived[1];
    await clock.advance(60_000);
    expect(await failure).toMatchObject({ name: 'ProviderUnavailableError' });
    expectNothingLeft();
  });
});
