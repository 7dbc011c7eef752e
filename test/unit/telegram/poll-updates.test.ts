import type { Update } from '@grammyjs/types';
import { describe, expect, it } from 'vitest';
import { createTelegramClient } from '../../../src/telegram/telegram-client.ts';
import { pollUpdates, UnauthorizedError } from '../../../src/telegram/updates/poll-updates.ts';
import { createRecordingLogger } from '../../support/harness/foundation.ts';
import { createScriptedTelegram, type Fate } from '../../support/hosts/scripted-telegram.ts';
import { createFakeClock } from '../../support/machine/fake-clock.ts';

function setUp(accept: (updates: readonly Update[]) => Promise<number> = async (updates) => updates.length) {
  const clock = createFakeClock();
  const telegram = createScriptedTelegram({ clock });
  const { logger, lines } = createRecordingLogger();
  const client = createTelegramClient({ token: '1:test', clock, logger }, { fetch: telegram.fetch });
  const controller = new AbortController();
  const handled: number[] = [];
  const start = () =>
    pollUpdates(
      { api: client.api, clock, logger },
      {
        allowedUpdates: ['message', 'callback_query'],
        signal: controller.signal,
        accept: async (updates) => {
          const count = await accept(updates);
          handled.push(...updates.slice(0, count).map((update) => update.update_id));
          return count;
        },
      },
    );
  const polls = () => telegram.calls.filter((call) => call.method === 'getUpdates');
  return { clock, telegram, lines, start, stop: () => controller.abort(), handled, polls };
}

/** Fails the given number of first polls. */
const failPolls = (times: number, fate: Fate) => {
  let left = times;
  return (call: { method: string }): Fate => (call.method === 'getUpdates' && left-- > 0 ? fate : 'normal');
};

describe('polling', () => {
  it('requests the kinds of updates it needs and passes each on once, in order', async () => {
    const { clock, telegram, start, stop, handled, polls } = setUp();
    for (const update_id of [5, 6, 7]) telegram.queueUpdate({ update_id });
    const polling = start();
    await clock.advance(100);
    telegram.queueUpdate({ update_id: 8 });
    await clock.advance(100);
    expect(handled).toEqual([5, 6, 7, 8]);
    expect(polls()[0]?.payload).toMatchObject({ allowed_updates: ['message', 'callback_query'], timeout: 30 });
    expect(polls().map((call) => call.payload['offset'])).toEqual([undefined, 8, 9]);
    stop();
    await clock.advance(100);
    await polling;
  });

  it('starts although the server does not know whether a webhook is set', async () => {
    const { clock, telegram, start, stop, handled } = setUp();
    const unknown: Fate = { status: 404, description: 'Not Found: method not found' };
    telegram.decide(({ method }) => (method === 'getWebhookInfo' ? unknown : 'normal'));
    telegram.queueUpdate({ update_id: 5 });
    const polling = start();
    await clock.advance(100);
    expect(handled).toEqual([5]);
    stop();
    await clock.advance(100);
    await polling;
  });

  it('ends at once and confirms accepted updates, so that none is repeated', async () => {
    const { clock, telegram, start, stop, handled, polls } = setUp();
    telegram.queueUpdate({ update_id: 5 });
    const polling = start();
    await clock.advance(1000);
    const stoppedAt = clock.now();
    stop();
    await clock.advance(50);
    await polling;
    expect(polls().at(-1)).toMatchObject({ payload: { offset: 6, limit: 1, timeout: 0 } });
    expect(polls().at(-1)?.at).toBe(stoppedAt);
    expect(handled).toEqual([5]);
    expect(clock.pending).toBe(0);
  });

  it('does not confirm updates that could not be stored; they are repeated', async () => {
    let isDown = true;
    const { clock, telegram, lines, start, stop, handled, polls } = setUp(async (updates) => {
      if (isDown) throw new Error('no journal');
      return updates.length;
    });
    for (const update_id of [5, 6, 7]) telegram.queueUpdate({ update_id });
    const polling = start();
    await clock.advance(5000);
    expect(polls().every((call) => call.payload['offset'] === undefined)).toBe(true);
    isDown = false;
    await clock.advance(20_000);
    expect(handled).toEqual([5, 6, 7]);
    expect(lines.some((line) => line.includes('no journal'))).toBe(true);
    stop();
    await clock.advance(100);
    await polling;
  });

  it('leaves updates without space at Telegram, polls again every second, and logs this once', async () => {
    let room = 1;
    const { clock, telegram, lines, start, stop, handled, polls } = setUp(async (updates) =>
      Math.min(room, updates.length),
    );
    for (const update_id of [5, 6, 7]) telegram.queueUpdate({ update_id });
    const polling = start();
    await clock.advance(100);
    expect(handled).toEqual([5]);
    room = 0;
    await clock.advance(5000);
    expect(polls().at(-1)?.payload['offset']).toBe(6);
    expect(polls().length).toBeLessThan(8);
    expect(lines.filter((line) => line.includes('too many updates are waiting'))).toHaveLength(1);
    room = 10;
    await clock.advance(2000);
    expect(handled).toEqual([5, 6, 7]);
    stop();
    await clock.advance(100);
    await polling;
  });

  it('removes a webhook first and keeps its waiting updates', async () => {
    const { clock, telegram, start, stop, handled } = setUp();
    telegram.webhookUrl = 'https://example.org/hook';
    telegram.queueUpdate({ update_id: 5 });
    const polling = start();
    await clock.advance(100);
    const removal = telegram.calls.find((call) => call.method === 'deleteWebhook');
    expect(removal?.payload).toEqual({ drop_pending_updates: false });
    expect(handled).toEqual([5]);
    stop();
    await clock.advance(100);
    await polling;
  });

  it('explains a conflict once and retries with growing intervals', async () => {
    const { clock, telegram, lines, start, stop, handled, polls } = setUp();
    telegram.decide(failPolls(6, { status: 409, description: 'Conflict: terminated by other getUpdates request' }));
    telegram.queueUpdate({ update_id: 5 });
    const polling = start();
    await clock.advance(120_000);
    expect(handled).toEqual([5]);
    expect(lines.filter((line) => line.includes('another program fetches'))).toHaveLength(1);
    const times = polls().map((call) => call.at);
    const pauses = times.slice(1, 7).map((at, index) => Math.floor((at - (times[index] ?? 0)) / 1000));
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32]);
    stop();
    await clock.advance(100);
    await polling;
  });

  it('removes a webhook that is set while it polls', async () => {
    const { clock, telegram, start, stop, handled } = setUp();
    const polling = start();
    await clock.advance(1000);
    telegram.webhookUrl = 'https://example.org/hook';
    await clock.advance(60_000);
    telegram.queueUpdate({ update_id: 5 });
    await clock.advance(60_000);
    expect(handled).toEqual([5]);
    stop();
    await clock.advance(100);
    await polling;
  });

  it('reports that the token is wrong', async () => {
    for (const refusal of [
      { status: 401, description: 'Unauthorized' },
      { status: 404, description: 'Not Found' },
    ]) {
      const { clock, telegram, start } = setUp();
      telegram.decide(() => refusal);
      const polling = start().catch((error: unknown) => error);
      await clock.advance(100);
      expect(await polling).toBeInstanceOf(UnauthorizedError);
      expect(clock.pending).toBe(0);
    }
  });

  it.each<[string, Fate]>([
    ['server errors', { status: 502, description: 'Bad Gateway' }],
    ['broken connections', 'lost-answer'],
    ['an unreachable server', 'refused'],
    ['answers that never come', 'hang'],
  ])('continues after %s', async (_name, fate) => {
    const { clock, telegram, start, stop, handled } = setUp();
    telegram.decide(failPolls(3, fate));
    telegram.queueUpdate({ update_id: 5 });
    const polling = start();
    await clock.advance(5 * 60_000);
    expect(handled).toEqual([5]);
    stop();
    await clock.advance(100);
    await polling;
  });

  it('waits as long as Telegram asks', async () => {
    const { clock, telegram, start, stop, polls } = setUp();
    telegram.decide(failPolls(1, { status: 429, retryAfter: 45 }));
    const polling = start();
    await clock.advance(46_000);
    expect((polls()[1]?.at ?? 0) - (polls()[0]?.at ?? 0)).toBeGreaterThanOrEqual(45_000);
    stop();
    await clock.advance(100);
    await polling;
  });

  it('ends within seconds even when the last confirmation gets no answer', async () => {
    const { clock, telegram, start, stop } = setUp();
    telegram.queueUpdate({ update_id: 5 });
    const polling = start();
    await clock.advance(1000);
    telegram.decide(() => 'hang');
    stop();
    await clock.advance(3000);
    await polling;
    expect(clock.pending).toBe(0);
  });
});
