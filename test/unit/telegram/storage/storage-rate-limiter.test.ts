import { describe, expect, it } from 'vitest';
import {
  BlobRefusedError,
  createMemoryRateLimitStore,
  type RateLimitStore,
} from '../../../../src/core/storage/index.ts';
import { createLogger } from '../../../../src/lib/log/logger.ts';
import { type ChannelPair, createStorageBot } from '../../../../src/telegram/storage/storage-bot.ts';
import {
  type StorageOperation,
  StorageRateLimiter,
  type StorageRateLimiterOptions,
} from '../../../../src/telegram/storage/storage-rate-limiter.ts';
import { STORAGE_TOKENS } from '../../../support/harness/storage.ts';
import { createFakeClock } from '../../../support/machine/fake-clock.ts';

const MINUTE = 60_000;
const never = new AbortController().signal;

interface Turn {
  readonly at: number;
  readonly pair: string;
  readonly kind: StorageOperation;
}

function setUp(options: { botCount?: number; channelCount?: number; rateLimiter?: StorageRateLimiterOptions } = {}) {
  const clock = createFakeClock();
  const logger = createLogger({ level: 'silent' });
  const rateLimitStore = createMemoryRateLimitStore({ clock });
  const bots = STORAGE_TOKENS.slice(0, options.botCount ?? 1).map((token) =>
    createStorageBot({ clock, logger }, { token, apiRoot: undefined }),
  );
  const pairs = Array.from({ length: options.channelCount ?? 1 }, (_, channel) => -1000 - channel).flatMap((chatId) =>
    bots.map((bot): ChannelPair => ({ bot, chatId })),
  );
  const createRateLimiter = (store: RateLimitStore = rateLimitStore) =>
    new StorageRateLimiter(
      { clock, rateLimitStore: store },
      { maxWaitMs: 60 * MINUTE, maxWaiting: 10_000, ...options.rateLimiter },
    );
  const turns: Turn[] = [];
  const startedAt = clock.now();
  const ask = (rateLimiter: StorageRateLimiter, count: number, kind: StorageOperation = 'store', sizeBytes = 0) => {
    for (let asked = 0; asked < count; asked++)
      rateLimiter.acquire({ kind, pairs, sizeBytes }, never).then(
        ({ bot, chatId }) => turns.push({ at: clock.now() - startedAt, pair: `${bot.id} ${chatId}`, kind }),
        () => {},
      );
  };
  return { clock, pairs, rateLimitStore, createRateLimiter, turns, ask };
}

/** Maximum number of permits in any minute. */
function busiestMinute(turns: readonly Turn[]): number {
  return Math.max(...turns.map(({ at }) => turns.filter((other) => other.at > at - MINUTE && other.at <= at).length));
}

describe('the rate limiter of storage', () => {
  it('allows 20 messages in any minute for a bot in a channel, at most one a second', async () => {
    const { clock, createRateLimiter, turns, ask } = setUp();
    ask(createRateLimiter(), 200);
    await clock.advance(5 * MINUTE);
    expect(busiestMinute(turns)).toBe(20);
    expect(turns.length).toBeGreaterThanOrEqual(98);
    const gaps = turns.slice(1).map(({ at }, index) => at - (turns[index]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
  });

  it('adds up bots and channels, and uses all evenly', async () => {
    const { clock, createRateLimiter, turns, ask } = setUp({ botCount: 2, channelCount: 2 });
    ask(createRateLimiter(), 400);
    await clock.advance(2 * MINUTE);
    expect(busiestMinute(turns)).toBe(80);
    const counts = [...Map.groupBy(turns, ({ pair }) => pair).values()].map(({ length }) => length);
    expect(counts).toHaveLength(4);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });

  it('is shared by processes with common state', async () => {
    const { clock, createRateLimiter, turns, ask } = setUp({ channelCount: 2 });
    for (const rateLimiter of [createRateLimiter(), createRateLimiter(), createRateLimiter()]) ask(rateLimiter, 100);
    await clock.advance(3 * MINUTE);
    for (const ofPair of Map.groupBy(turns, ({ pair }) => pair).values()) expect(busiestMinute(ofPair)).toBe(20);
    expect(turns.length).toBeGreaterThanOrEqual(118);
  });

  it('limits the calls a second of a bot in all channels together', async () => {
    const { clock, createRateLimiter, turns, ask } = setUp({ channelCount: 30, rateLimiter: { callsPerSecond: 5 } });
    ask(createRateLimiter(), 100);
    await clock.advance(4000);
    for (const { at } of turns)
      expect(turns.filter((other) => other.at > at - 1000 && other.at <= at).length).toBeLessThanOrEqual(5);
    expect(turns.length).toBeGreaterThanOrEqual(20);
  });

  it('sends large files of one bot one after another', async () => {
    const { clock, createRateLimiter, turns, ask } = setUp({ channelCount: 10 });
    ask(createRateLimiter(), 10, 'store', 19 * 1024 * 1024);
    await clock.advance(9000);
    const gaps = turns.slice(1).map(({ at }, index) => at - (turns[index]?.at ?? 0));
    expect(turns).toHaveLength(10);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(900);
  });

  it('pauses for the retry time of Telegram, for that bot in that channel only', async () => {
    const { clock, pairs, createRateLimiter, turns, ask } = setUp({ channelCount: 2 });
    const [first, second] = pairs;
    if (!first || !second) throw new Error('there are two');
    const rateLimiter = createRateLimiter();
    await rateLimiter.recordFloodLimit('store', first, 30_000);
    ask(rateLimiter, 20);
    await clock.advance(29_000);
    expect(turns.length).toBeGreaterThan(15);
    expect(new Set(turns.map(({ pair }) => pair))).toEqual(new Set([`${second.bot.id} ${second.chatId}`]));
  });

  it('is slower after a refusal, and recovers within two hours', async () => {
    const { clock, pairs, createRateLimiter, turns, ask } = setUp();
    const [pair] = pairs;
    if (!pair) throw new Error('there is one');
    const rateLimiter = createRateLimiter();
    const perMinute = async () => {
      turns.length = 0;
      ask(rateLimiter, 100);
      await clock.advance(5 * MINUTE);
      const count = turns.length / 5;
      rateLimiter.close();
      return count;
    };
    await rateLimiter.recordFloodLimit('store', pair, 1000);
    await clock.advance(2000);
    const slow = await perMinute();
    expect(slow).toBeLessThanOrEqual(12);
    expect(slow).toBeGreaterThanOrEqual(8);
    await clock.advance(120 * MINUTE);
    const { createRateLimiter: createOther, ...rest } = { createRateLimiter, turns, ask };
    rest.turns.length = 0;
    rest.ask(createOther(), 100);
    await clock.advance(5 * MINUTE);
    expect(rest.turns.length / 5).toBeGreaterThanOrEqual(19);
  });

  it('serves new blobs before replaced ones, and in order of arrival', async () => {
    const { clock, createRateLimiter, turns, ask } = setUp();
    const rateLimiter = createRateLimiter();
    ask(rateLimiter, 3, 'replace');
    ask(rateLimiter, 3, 'store');
    await clock.advance(10_000);
    // The first one was sent at once.
    expect(turns.map(({ kind }) => kind)).toEqual(['replace', 'store', 'store', 'store', 'replace', 'replace']);
  });

  it('refuses requests at once that would wait too long, with the waiting time', async () => {
    const { clock, pairs, createRateLimiter } = setUp({ rateLimiter: { maxWaitMs: 5000 } });
    const [pair] = pairs;
    if (!pair) throw new Error('there is one');
    const rateLimiter = createRateLimiter();
    await rateLimiter.recordFloodLimit('store', pair, 3_600_000);
    const refused = rateLimiter.acquire({ kind: 'store', pairs }, never);
    const expectation = expect(refused).rejects.toMatchObject({ name: 'BlobRefusedError', retryAfterMs: 3_600_250 });
    await clock.advance(0);
    await expectation;
  });

  it('loses no permit when a request is cancelled', async () => {
    const { clock, pairs, createRateLimiter, turns, ask } = setUp();
    const rateLimiter = createRateLimiter();
    ask(rateLimiter, 20);
    await clock.advance(30_000);
    const leaving = new AbortController();
    const gone = Array.from({ length: 30 }, () => rateLimiter.acquire({ kind: 'store', pairs }, leaving.signal));
    const expectation = Promise.all(gone.map((turn) => expect(turn).rejects.toThrow('gone')));
    ask(rateLimiter, 20);
    leaving.abort(new Error('gone'));
    await expectation;
    await clock.advance(MINUTE);
    expect(turns).toHaveLength(40);
    expect(clock.pending).toBe(0);
  });

  it('has a bounded queue, and can be closed', async () => {
    const { clock, pairs, createRateLimiter } = setUp({ rateLimiter: { maxWaiting: 2 } });
    const rateLimiter = createRateLimiter();
    await rateLimiter.acquire({ kind: 'store', pairs }, never);
    const waiting = [1, 2].map(() => rateLimiter.acquire({ kind: 'store', pairs }, never));
    const endings = Promise.all(waiting.map((turn) => expect(turn).rejects.toThrow('the store is closed')));
    await expect(rateLimiter.acquire({ kind: 'store', pairs }, never)).rejects.toThrow('too many files are waiting');
    rateLimiter.close();
    await endings;
    await expect(rateLimiter.acquire({ kind: 'store', pairs }, never)).rejects.toThrow(BlobRefusedError);
    expect(clock.pending).toBe(0);
  });

  it('refuses while its state is unavailable, and reads it again', async () => {
    const { clock, rateLimitStore, createRateLimiter, turns, ask, pairs } = setUp();
    let isBroken = true;
    const rateLimiter = createRateLimiter({
      acquire: async (lanes) => {
        if (isBroken) throw new Error('the database is away');
        return rateLimitStore.acquire(lanes);
      },
      slowDown: rateLimitStore.slowDown,
    });
    await expect(rateLimiter.acquire({ kind: 'store', pairs }, never)).rejects.toThrow(/the database is away/);
    isBroken = false;
    ask(rateLimiter, 1);
    await clock.advance(0);
    expect(turns).toHaveLength(1);
  });
});
