import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHAT_HOSTS } from '../../../../support/hosts/chat-hosts.ts';
import { hang, hangAfterHeaders, streamRaw } from '../../../../support/hosts/fake-provider.ts';
import {
  drain,
  failureOf,
  helloRequest,
  type ProviderUnderTest,
} from '../../../../support/hosts/provider-under-test.ts';
import { createFakeClock, type FakeClock } from '../../../../support/machine/fake-clock.ts';
import { startStopwatch } from '../../../../support/machine/measure.ts';

describe.each(CHAT_HOSTS)('an abort ($protocol)', ({ start, answerHello, opening, text }) => {
  const delta = opening + text('a');
  let clock: FakeClock;
  let controller: AbortController;
  let host: ProviderUnderTest['host'];
  let provider: ProviderUnderTest['provider'];
  let close: ProviderUnderTest['close'];
  beforeEach(async () => {
    clock = createFakeClock();
    controller = new AbortController();
    ({ host, provider, close } = await start({}, clock));
  });
  afterEach(() => close());
  const stream = () => provider.chat.stream(helloRequest(), controller.signal);
  const complete = () => provider.chat.complete(helloRequest(), controller.signal);
  const reason = new Error('the client has gone');

  /** Aborts and expects that the host sees its connection close in time, and that nothing remains. */
  async function expectCut(): Promise<void> {
    const request = await host.chatRequest(0);
    const elapsedMs = startStopwatch();
    controller.abort(reason);
    await request.closed;
    expect(elapsedMs()).toBeLessThan(100);
    expect(request.wasAnswered()).toBe(false);
    expectNothingLeft();
  }
  function expectNothingLeft(): void {
    expect(clock.pending).toBe(0);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  }

  it('before the first byte of a stream reaches the socket', async () => {
    host.behave(hang());
    const failure = failureOf(stream());
    await expectCut();
    expect(await failure).toBe(reason);
  });

  it('between the headers and the first event of a stream reaches the socket', async () => {
    host.behave(hangAfterHeaders());
    const failure = failureOf(stream());
    await host.chatRequest(0);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await expectCut();
    expect(await failure).toBe(reason);
  });

  it('in the middle of a stream reaches the socket', async () => {
    host.behave(streamRaw([delta], { end: 'hang' }));
    const result = drain(await stream());
    await expectCut();
    expect(await result).toMatchObject({ answer: 'a', failure: reason });
  });

  it('while the reader is busy reaches the socket', async () => {
    host.behave(streamRaw([delta], { end: 'hang' }));
    const opened = await stream();
    await expectCut();
    expect((await drain(opened)).failure).toBe(reason);
  });

  it('of a completion without streaming reaches the socket', async () => {
    host.behave(hang());
    const failure = failureOf(complete());
    await expectCut();
    expect(await failure).toBe(reason);
  });

  it('during the change of keys ends the request', async () => {
    const other = await start({ apiKeys: ['sk-one-key', 'sk-two-key'] }, clock);
    other.host.behave(({ response }) => void response.writeHead(429).end(), hang());
    const failure = failureOf(other.provider.chat.stream(helloRequest(), controller.signal));
    const second = await other.host.chatRequest(1);
    controller.abort(reason);
    await second.closed;
    expect(await failure).toBe(reason);
    expectNothingLeft();
    await other.close();
  });

  it('is not needed by a reader that stops early', async () => {
    host.behave(streamRaw([delta], { end: 'hang' }));
    for await (const _ of await stream()) break;
    const { closed } = await host.chatRequest(0);
    await closed;
    expectNothingLeft();
  });

  it('leaves nothing behind if it never happens', async () => {
    await drain(await stream());
    await complete();
    expectNothingLeft();
    host.behave(streamRaw([delta], { end: 'cut' }));
    await drain(await stream());
    host.behave(({ response }) => void response.writeHead(500).end('no'));
    await failureOf(complete());
    expectNothingLeft();
  });

  it('of one request does not affect others', async () => {
    host.behave(hang(), answerHello({ everyMs: 5 }));
    const failure = failureOf(stream());
    await host.chatRequest(0);
    const other = await provider.chat.stream(helloRequest(), new AbortController().signal);
    await expect(async () => {
      controller.abort(reason);
      throw await failure;
    }).rejects.toBe(reason);
    expect((await drain(other)).failure).toBeUndefined();
  });
});

describe.each(CHAT_HOSTS)('closing the provider ($protocol)', ({ start, opening, text }) => {
  it('ends requests in flight', async () => {
    const { host, provider, close } = await start();
    host.behave(streamRaw([opening + text('a')], { end: 'hang' }));
    const opened = await provider.chat.stream(helloRequest(), new AbortController().signal);
    const result = drain(opened);
    await provider.close();
    expect(await result).toMatchObject({ failure: { name: 'ProviderStreamError' } });
    await host.chatRequests[0]?.closed;
    await close();
  });
});
