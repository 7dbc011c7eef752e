import { describe, expect, it } from 'vitest';
import type { CallPriority } from '../../../src/telegram/flood-control/call-priority.ts';
import type { FloodControlOptions } from '../../../src/telegram/flood-control/flood-control.ts';
import { toGrammySignal } from '../../../src/telegram/grammy-signal.ts';
import { createTelegramClient, type HttpFetch } from '../../../src/telegram/telegram-client.ts';
import { classifyTelegramError } from '../../../src/telegram/telegram-errors.ts';
import { createRecordingLogger } from '../../support/harness/foundation.ts';
import { createScriptedTelegram } from '../../support/hosts/scripted-telegram.ts';
import { createFakeClock } from '../../support/machine/fake-clock.ts';

const GROUP = -1001;

function setUp(flood: FloodControlOptions = {}) {
  const clock = createFakeClock();
  const telegram = createScriptedTelegram({ clock, latencyMs: 5 });
  const { logger } = createRecordingLogger();
  const client = createTelegramClient({ token: '1:test', clock, logger }, { fetch: telegram.fetch, flood });
  const startedAt = clock.now();
  const fates: string[] = [];
  /** Sends without waiting, and records the outcome under the text. */
  const send = (priority: CallPriority, chatId: number, text: string, signal?: AbortSignal) =>
    noteFate(text, client.withPriority(priority).sendMessage(chatId, text, {}, signal && toGrammySignal(signal)));
  /** Sends an album in the same way; its text is `album`. */
  const sendAlbum = (chatId: number, size: number) => {
    const media = Array.from({ length: size }, () => ({ type: 'photo' as const, media: 'file' }));
    noteFate('album', client.withPriority('final').sendMediaGroup(chatId, media));
  };
  const noteFate = (text: string, call: Promise<unknown>) =>
    void call.then(
      () => fates.push(`${text}: sent`),
      (error: unknown) => {
        const failure = classifyTelegramError(error);
        fates.push(`${text}: ${failure.kind === 'dropped' ? failure.reason : failure.kind}`);
      },
    );
  const arrivals = () =>
    telegram.calls.map(({ at, payload: { text, media } }) => ({
      text: String(text ?? 'album'),
      at: at - startedAt,
      messages: Array.isArray(media) ? media.length : 1,
    }));
  const arrivedTexts = () => arrivals().map(({ text }) => text);
  return { clock, telegram, client, send, sendAlbum, fates, arrivals, arrivedTexts };
}

const settleMs = 50;

describe('the rate limit of a chat', () => {
  it('allows a short burst and then about one call a second in a private chat', async () => {
    const { clock, send, arrivals } = setUp();
    for (let n = 0; n < 7; n++) send('interactive', 7, `m${n}`);
    await clock.advance(10_000);
    const times = arrivals().map(({ at }) => at);
    expect(times.slice(0, 4)).toEqual([0, 0, 0, 0]);
    expect(times.slice(4).map((time) => Math.floor(time / 1000))).toEqual([1, 2, 5]);
  });

  it('never allows more than 20 calls in any minute to a group', async () => {
    const { clock, send, arrivals } = setUp();
    for (let n = 0; n < 60; n++) send('interactive', GROUP, `m${n}`);
    await clock.advance(200_000);
    const times = arrivals().map(({ at }) => at);
    expect(times).toHaveLength(60);
    for (let n = 20; n < 60; n++) expect((times[n] ?? 0) - (times[n - 20] ?? 0)).toBeGreaterThanOrEqual(60_000);
  });

  it('is separate from the one for drafts: neither uses up the other', async () => {
    const { clock, client, telegram } = setUp();
    const draft = () =>
      client
        .withPriority('preview')
        .sendMessageDraft(7, 1, 'growing', {})
        .catch(() => {});
    for (let second = 0; second < 60; second++) {
      for (let time = 0; time < 4; time++) void draft();
      await clock.advance(1000);
    }
    const times = telegram.calls.map(({ at }) => at);
    const mostWithin = (spanMs: number) =>
      Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + spanMs).length));
    expect(times.length).toBeGreaterThan(50);
    expect([mostWithin(5000) <= 20, mostWithin(30_000) <= 33]).toEqual([true, true]);
    const sends = Array.from({ length: 4 }, () => client.api.sendMessage(7, 'a'));
    await clock.advance(settleMs);
    expect(await Promise.all(sends)).toHaveLength(4);
  });

  it('is shared by sends, edits, deletions, chat actions and all topics', async () => {
    const { clock, client, telegram } = setUp();
    const { api } = client;
    const calls = [
      api.sendMessage(7, 'a', { message_thread_id: 1 }),
      api.editMessageText(7, 1, 'b'),
      api.deleteMessage(7, 2),
      api.sendChatAction(7, 'typing'),
      api.sendMessage(7, 'c', { message_thread_id: 2 }),
    ].map((call) => call.catch(() => undefined));
    await clock.advance(settleMs);
    expect(telegram.calls).toHaveLength(4);
    await clock.advance(5000);
    await Promise.all(calls);
    expect(telegram.calls).toHaveLength(5);
  });

  it('counts each item of an album', async () => {
    const { clock, sendAlbum, arrivals } = setUp();
    for (let n = 0; n < 6; n++) sendAlbum(GROUP, 4);
    await clock.advance(90_000);
    const times = arrivals().map(({ at }) => at);
    expect(times).toHaveLength(6);
    // 20 messages a minute: the sixth would be the 24th.
    expect(times[4]).toBeLessThan(60_000);
    expect(times[5]).toBeGreaterThanOrEqual(60_000);
  });

  it('allows the largest album in an idle chat, and delays the calls after it', async () => {
    const { clock, send, sendAlbum, arrivals, fates } = setUp();
    sendAlbum(7, 10);
    await clock.advance(settleMs);
    send('preview', 7, 'preview');
    send('final', 7, 'final');
    await clock.advance(10_000);
    expect(arrivals().map(({ text, at }) => `${text} ${Math.floor(at / 1000)}`)).toEqual(['album 0', 'final 5']);
    expect(fates).toEqual(['album: sent', 'preview: no-budget', 'final: sent']);
  });

  it('does not apply to callback answers, polling or lookups', async () => {
    const { clock, client, telegram } = setUp();
    const calls = Array.from({ length: 50 }, () => client.api.answerCallbackQuery('1'));
    const lookups = Array.from({ length: 50 }, () => client.api.getChat(7));
    await clock.advance(settleMs);
    expect(telegram.calls).toHaveLength(100);
    await Promise.all([...calls, ...lookups]);
  });

  it('keeps 100 chats together below 30 calls a second and serves them in turn', async () => {
    const { clock, send, arrivals } = setUp();
    for (let round = 0; round < 2; round++)
      for (let chat = 1; chat <= 100; chat++) send('interactive', chat, `${chat}`);
    await clock.advance(20_000);
    const all = arrivals();
    expect(all).toHaveLength(200);
    for (let n = 30; n < 200; n++) expect((all[n]?.at ?? 0) - (all[n - 30]?.at ?? 0)).toBeGreaterThanOrEqual(1000);
    // No chat gets a second message before all had a first.
    expect(new Set(all.slice(0, 100).map(({ text }) => text)).size).toBe(100);
    expect(all[199]?.at).toBeLessThan(9000);
  });

  it('keeps albums to many chats below 30 messages a second, without displacing single messages', async () => {
    const { clock, send, sendAlbum, arrivals } = setUp();
    for (let chat = 1; chat <= 10; chat++) sendAlbum(chat, 10);
    for (let chat = 101; chat <= 200; chat++) send('final', chat, `${chat}`);
    await clock.advance(20_000);
    const all = arrivals();
    expect(all).toHaveLength(110);
    for (const { at } of all) {
      const withinASecond = all.filter((other) => other.at >= at && other.at < at + 1000);
      expect(withinASecond.reduce((sum, { messages }) => sum + messages, 0)).toBeLessThanOrEqual(30);
    }
    expect(all.findLast(({ text }) => text === 'album')?.at).toBeLessThan(6000);
    expect(all.at(-1)?.at).toBeLessThan(12_000);
  });

  it('is forgotten when a chat has been quiet', async () => {
    const { clock, client, send } = setUp();
    for (let chat = 1; chat <= 20; chat++) send('interactive', chat, 'x');
    await clock.advance(5000);
    expect(client.load.chats).toBe(20);
    await clock.advance(120_000);
    send('interactive', 99, 'x');
    await clock.advance(settleMs);
    expect(client.load).toEqual({ chats: 1, waiting: 0 });
  });
});

describe('priorities', () => {
  it('send a final text before all other waiting calls', async () => {
    const { clock, send, arrivedTexts } = setUp();
    for (let n = 0; n < 4; n++) send('interactive', 7, 'burst');
    send('page', 7, 'page');
    send('interactive', 7, 'interactive');
    send('final', 7, 'final');
    await clock.advance(10_000);
    expect(arrivedTexts().slice(4)).toEqual(['final', 'interactive', 'page']);
  });

  it('drop previews and typing instead of delaying a durable call', async () => {
    const { clock, send, fates, arrivals } = setUp();
    for (let n = 0; n < 10; n++) {
      send('typing', 7, `typing ${n}`);
      send('preview', 7, `preview ${n}`);
    }
    send('final', 7, 'final');
    await clock.advance(settleMs);
    expect(arrivals().find(({ text }) => text === 'final')?.at).toBe(0);
    expect(fates.filter((fate) => fate.endsWith('no-budget')).length).toBe(17);
  });

  it('send broadcasts only if no other call is waiting', async () => {
    const { clock, send, fates, arrivals } = setUp();
    for (let n = 0; n < 5; n++) send('interactive', 7, `waits ${n}`);
    send('broadcast', 7, 'announced to somebody who chats');
    for (let chat = 100; chat < 120; chat++) send('broadcast', chat, 'announced');
    for (let chat = 200; chat < 204; chat++) send('final', chat, 'final');
    await clock.advance(settleMs);
    expect(fates).toContain('announced to somebody who chats: no-budget');
    expect(fates).toContain('announced: no-budget');
    expect(arrivals().filter(({ text, at }) => text === 'final' && at === 0)).toHaveLength(4);
  });

  it('report when a dropped preview can be sent again', async () => {
    const { clock, client } = setUp();
    const preview = client.withPriority('preview');
    await Promise.all([clock.advance(settleMs), ...[1, 2, 3].map(() => preview.sendMessage(7, 'x'))]);
    const error = await preview.sendMessage(7, 'x').catch((thrown: unknown) => thrown);
    const failure = classifyTelegramError(error);
    expect(failure.kind).toBe('dropped');
    const retryAfterMs = failure.kind === 'dropped' ? failure.retryAfterMs : 0;
    await clock.advance(retryAfterMs);
    const again = preview.sendMessage(7, 'x');
    await clock.advance(settleMs);
    await expect(again).resolves.toBeDefined();
  });

  it('leave capacity for final texts of other chats when previews use up the token', async () => {
    const { clock, send, arrivals } = setUp();
    for (let chat = 1; chat <= 200; chat++) send('preview', chat, 'preview');
    for (let chat = 201; chat <= 205; chat++) send('final', chat, 'final');
    await clock.advance(500);
    expect(arrivals().filter(({ text, at }) => text === 'final' && at < 150)).toHaveLength(5);
  });
});

describe('after a 429', () => {
  it('the chat is paused even if the call took so long that the chat was forgotten meanwhile', async () => {
    const clock = createFakeClock();
    const { logger } = createRecordingLogger();
    const slow = Promise.withResolvers<object>();
    const answers: (object | Promise<object>)[] = [slow.promise];
    const fetch: HttpFetch = async () => ({ json: async () => (await answers.shift()) ?? { ok: true, result: true } });
    const client = createTelegramClient({ token: '1:test', clock, logger }, { fetch });
    const send = (chatId: number) => client.withPriority('preview').sendMessage(chatId, 'text');
    await clock.advance(50_000);
    const refused = send(7).catch((error: unknown) => classifyTelegramError(error));
    await clock.advance(20_000);
    await send(8);
    slow.resolve({ ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 30 } });
    expect(await refused).toMatchObject({ kind: 'dropped', reason: 'flood' });
    await clock.advance(10_000);
    expect(await send(7).catch((error: unknown) => classifyTelegramError(error))).toMatchObject({
      kind: 'dropped',
      reason: 'no-budget',
    });
    client.close();
  });

  it('no call is made in that chat until the time is over; then durable calls are repeated once each', async () => {
    const { clock, telegram, send, fates, arrivals } = setUp();
    telegram.decide((call) => (call.index === 0 ? { status: 429, retryAfter: 10 } : 'normal'));
    send('final', 7, 'final');
    await clock.advance(settleMs);
    send('interactive', 7, 'later');
    send('preview', 7, 'preview');
    await clock.advance(9900);
    expect(telegram.calls).toHaveLength(1);
    await clock.advance(5000);
    expect(arrivals().map(({ text }) => text)).toEqual(['final', 'final', 'later']);
    expect(arrivals()[1]?.at).toBeGreaterThanOrEqual(10_000);
    expect(arrivals()[1]?.at).toBeLessThan(10_500);
    expect(fates.sort()).toEqual(['final: sent', 'later: sent', 'preview: no-budget']);
    expect(telegram.transcript(7).map(({ text }) => text)).toEqual(['final', 'later']);
  });

  it('the retry time is read from the parameters, not from the text', async () => {
    const { clock, telegram, send, arrivals } = setUp();
    telegram.decide((call) =>
      call.index === 0 ? { status: 429, retryAfter: 4, description: 'Too Many Requests: retry after 99' } : 'normal',
    );
    send('final', 7, 'final');
    await clock.advance(4500);
    expect(arrivals()).toHaveLength(2);
  });

  it('previews are dropped rather than repeated', async () => {
    const { clock, telegram, send, fates } = setUp();
    telegram.decide(() => ({ status: 429, retryAfter: 1 }));
    send('preview', 7, 'preview');
    await clock.advance(20_000);
    expect(telegram.calls).toHaveLength(1);
    expect(fates).toEqual(['preview: flood']);
  });

  it('other chats continue', async () => {
    const { clock, telegram, send, arrivedTexts } = setUp();
    telegram.decide((call) => (call.payload['chat_id'] === 7 ? { status: 429, retryAfter: 60 } : 'normal'));
    send('final', 7, 'held');
    await clock.advance(settleMs);
    send('final', 8, 'free');
    await clock.advance(settleMs);
    expect(arrivedTexts()).toEqual(['held', 'free']);
  });

  it('the whole token pauses when several chats get a retry time for the same moment', async () => {
    const { clock, telegram, send, fates, arrivals } = setUp();
    telegram.decide((call) => (call.index < 3 ? { status: 429, retryAfter: 30 } : 'normal'));
    for (const chat of [1, 2, 3]) send('final', chat, `held ${chat}`);
    await clock.advance(settleMs);
    send('final', 4, 'innocent');
    await clock.advance(29_000);
    expect(telegram.calls).toHaveLength(3);
    await clock.advance(3000);
    expect(fates).toHaveLength(4);
    expect(fates.every((fate) => fate.endsWith('sent'))).toBe(true);
    expect(
      arrivals()
        .slice(3)
        .every(({ at }) => at >= 30_000),
    ).toBe(true);
  });

  it('one call probes whether the pause of the token is over, and the others follow', async () => {
    const { clock, telegram, send, fates, arrivals } = setUp();
    // Telegram refuses all calls for 60 s, and each call in that time adds two.
    let blockedUntil = clock.now() + 30_000;
    telegram.decide((call) => {
      if (call.at >= blockedUntil) return 'normal';
      blockedUntil += 2000;
      return { status: 429, retryAfter: Math.ceil((blockedUntil - call.at) / 1000) };
    });
    for (let chat = 1; chat <= 10; chat++) send('final', chat, `early ${chat}`);
    await clock.advance(1000);
    const refusedAtFirst = telegram.calls.length;
    for (let chat = 11; chat <= 60; chat++) send('final', chat, `late ${chat}`);
    await clock.advance(5 * 60_000);
    expect(fates.filter((fate) => fate.endsWith('sent'))).toHaveLength(60);
    // Only probes, one by one, before the calls that succeeded.
    expect(arrivals().length - 60).toBeLessThanOrEqual(refusedAtFirst + 2);
  });

  it('a preview may be the probe', async () => {
    const { clock, telegram, send, fates } = setUp();
    telegram.decide((call) => (call.index < 3 ? { status: 429, retryAfter: 5 } : 'normal'));
    for (const chat of [1, 2, 3]) send('preview', chat, 'refused');
    await clock.advance(6000);
    send('preview', 4, 'trying');
    send('preview', 5, 'not yet');
    await clock.advance(100);
    send('preview', 6, 'after');
    await clock.advance(100);
    expect(fates.slice(3)).toEqual(['not yet: no-budget', 'trying: sent', 'after: sent']);
  });

  it('a slow probe is not waited for', async () => {
    const { clock, telegram, send, fates } = setUp();
    telegram.decide((call) => (call.index < 3 ? { status: 429, retryAfter: 5 } : call.index === 3 ? 'hang' : 'normal'));
    for (const chat of [1, 2, 3]) send('final', chat, `${chat}`);
    await clock.advance(60_000);
    expect(fates.toSorted()).toEqual(['1: unclear', '2: sent', '3: sent']);
  });

  it('a probe whose connection breaks is followed by another one', async () => {
    const { clock, telegram, send, fates } = setUp();
    telegram.decide((call) =>
      call.index < 3 ? { status: 429, retryAfter: 5 } : call.index === 3 ? 'lost-answer' : 'normal',
    );
    for (const chat of [1, 2, 3]) send('final', chat, `${chat}`);
    await clock.advance(30_000);
    expect(fates.toSorted()).toEqual(['1: unclear', '2: sent', '3: sent']);
  });

  it('long windows of single groups pause the token no longer than the shortest of them', async () => {
    const { clock, telegram, send, arrivals } = setUp();
    telegram.decide((call) => (call.index < 3 ? { status: 429, retryAfter: 3 + 600 * call.index } : 'normal'));
    for (const chat of [-1, -2, -3]) send('final', chat, 'held');
    await clock.advance(settleMs);
    send('final', 4, 'free');
    await clock.advance(4000);
    expect(arrivals().filter(({ text }) => text === 'free')).toHaveLength(1);
  });
});

describe('calls that are never repeated', () => {
  it.each([
    ['a lost answer', 'lost-answer' as const],
    ['a broken connection', 'lost-request' as const],
    ['a server error', { status: 502, description: 'Bad Gateway' }],
  ])('include a send after %s', async (_name, fate) => {
    const { clock, telegram, send, fates } = setUp();
    telegram.decide(() => fate);
    send('final', 7, 'final');
    await clock.advance(60_000);
    expect(telegram.calls).toHaveLength(1);
    expect(fates).toEqual(['final: unclear']);
  });
});

describe('the queue', () => {
  it('drops calls whose signal aborts', async () => {
    const { clock, client, send, fates, arrivals, arrivedTexts } = setUp();
    for (let n = 0; n < 4; n++) send('interactive', 7, 'burst');
    const controller = new AbortController();
    send('final', 7, 'unwanted', controller.signal);
    send('interactive', 7, 'next');
    await clock.advance(settleMs);
    controller.abort();
    await clock.advance(settleMs);
    expect(fates).toContain('unwanted: aborted');
    await clock.advance(5000);
    expect(arrivedTexts()).toEqual(['burst', 'burst', 'burst', 'burst', 'next']);
    expect(arrivals().at(-1)?.at).toBeLessThan(1500);
    expect(client.load.waiting).toBe(0);
  });

  it('is bounded, and a final text displaces the newest call of lower priority', async () => {
    const { clock, send, fates } = setUp({ maxWaitingPerChat: 2, privateChat: { burst: 1, refillMs: 1000 } });
    send('interactive', 7, 'first');
    send('interactive', 7, 'a');
    send('page', 7, 'b');
    send('interactive', 7, 'c');
    send('final', 7, 'final');
    await clock.advance(10_000);
    expect(fates).toEqual(['c: queue-full', 'b: queue-full', 'first: sent', 'final: sent', 'a: sent']);
  });

  it('does not hold an interactive call for ever', async () => {
    const { clock, telegram, send, fates } = setUp({ maxInteractiveWaitMs: 60_000 });
    telegram.decide(() => ({ status: 429, retryAfter: 3600 }));
    send('interactive', 7, 'stale');
    await clock.advance(61_000);
    expect(fates).toEqual(['stale: waited-too-long']);
    expect(clock.pending).toBe(0);
  });

  it('is emptied by closing, and leaves no timer', async () => {
    const { clock, client, send, fates } = setUp();
    for (let n = 0; n < 6; n++) send('final', 7, 'x');
    await clock.advance(settleMs);
    client.close();
    await clock.advance(0);
    expect(fates.filter((fate) => fate.endsWith('closed'))).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });
});
