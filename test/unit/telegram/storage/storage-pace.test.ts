import { describe, expect, it } from 'vitest';
import { BlobRefusedError, createMemoryPaceStore, type PaceStore } from '../../../../src/core/storage/index.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { type ChannelPair, createStorageBot } from '../../../../src/telegram/storage/storage-bot.ts';
import {
  type StorageOperation,
  StoragePace,
  type StoragePaceOptions,
} from '../../../../src/telegram/storage/storage-pace.ts';
import { STORAGE_TOKENS } from '../../../support/channel-stage.ts';
import { createFakeClock } from '../../../support/fake-clock.ts';

const MINUTE = 60_000;
const never = new AbortController().signal;

interface Turn {
  readonly at: number;
  readonly pair: string;
  readonly kind: StorageOperation;
}

function setUp(options: { botCount?: number; channelCount?: number; pace?: StoragePaceOptions } = {}) {
  const clock = createFakeClock();
  const logger = createLogger({ level: 'silent' });
  const paceStore = createMemoryPaceStore({ clock });
  const bots = STORAGE_TOKENS.slice(0, options.botCount ?? 1).map((token) =>
    createStorageBot({ clock, logger }, { token, apiRoot: undefined }),
  );
  const pairs = Array.from({ length: options.channelCount ?? 1 }, (_, channel) => -1000 - channel).flatMap((chatId) =>
    bots.map((bot): ChannelPair => ({ bot, chatId })),
  );
  const createPace = (store: PaceStore = paceStore) =>
    new StoragePace({ clock, paceStore: store }, { maxWaitMs: 60 * MINUTE, maxWaiting: 10_000, ...options.pace });
  const turns: Turn[] = [];
  const startedAt = clock.now();
  const ask = (pace: StoragePace, count: number, kind: StorageOperation = 'store', sizeBytes = 0) => {
    for (let asked = 0; asked < count; asked++)
      pace.takeTurn({ kind, pairs, sizeBytes }, never).then(
        ({ bot, chatId }) => turns.push({ at: clock.now() - startedAt, pair: `${bot.id} ${chatId}`, kind }),
        () => {},
      );
  };
  return { clock, pairs, paceStore, createPace, turns, ask };
}

/** Maximum number of permits in any minute. */
function busiestMinute(turns: readonly Turn[]): number {
  return Math.max(...turns.map(({ at }) => turns.filter((other) => other.at > at - MINUTE && other.at <= at).length));
}

describe('the rate limiter of storage', () => {
  it('allows 20 messages in any minute for a bot in a channel, at most one a second', async () => {
    const { clock, createPace, turns, ask } = setUp();
    ask(createPace(), 200);
    await clock.advance(5 * MINUTE);
    expect(busiestMinute(turns)).toBe(20);
    expect(turns.length).toBeGreaterThanOrEqual(98);
    const gaps = turns.slice(1).map(({ at }, index) => at - (turns[index]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
  });

  it('adds up bots and channels, and uses all evenly', async () => {
    const { clock, createPace, turns, ask } = setUp({ botCount: 2, channelCount: 2 });
    ask(createPace(), 400);
    await clock.advance(2 * MINUTE);
    expect(busiestMinute(turns)).toBe(80);
    const counts = [...Map.groupBy(turns, ({ pair }) => pair).values()].map(({ length }) => length);
    expect(counts).toHaveLength(4);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });

  it('is shared by processes with common state', async () => {
    const { clock, createPace, turns, ask } = setUp({ channelCount: 2 });
    for (const pace of [createPace(), createPace(), createPace()]) ask(pace, 100);
    await clock.advance(3 * MINUTE);
    for (const ofPair of Map.groupBy(turns, ({ pair }) => pair).values()) expect(busiestMinute(ofPair)).toBe(20);
    expect(turns.length).toBeGreaterThanOrEqual(118);
  });

  it('limits the calls a second of a bot in all channels together', async () => {
    const { clock, createPace, turns, ask } = setUp({ channelCount: 30, pace: { callsPerSecond: 5 } });
    ask(createPace(), 100);
    await clock.advance(4000);
    for (const { at } of turns)
      expect(turns.filter((other) => other.at > at - 1000 && other.at <= at).length).toBeLessThanOrEqual(5);
    expect(turns.length).toBeGreaterThanOrEqual(20);
  });

  it('sends large files of one bot one after another', async () => {
    const { clock, createPace, turns, ask } = setUp({ channelCount: 10 });
    ask(createPace(), 10, 'store', 19 * 1024 * 1024);
    await clock.advance(9000);
    const gaps = turns.slice(1).map(({ at }, index) => at - (turns[index]?.at ?? 0));
    expect(turns).toHaveLength(10);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(900);
  });

  it('pauses for the retry time of Telegram, for that bot in that channel only', async () => {
    const { clock, pairs, createPace, turns, ask } = setUp({ channelCount: 2 });
    const [first, second] = pairs;
    if (!first || !second) throw new Error('there are two');
    const pace = createPace();
    await pace.recordFloodLimit('store', first, 30_000);
    ask(pace, 20);
    await clock.advance(29_000);
    expect(turns.length).toBeGreaterThan(15);
    expect(new Set(turns.map(({ pair }) => pair))).toEqual(new Set([`${second.bot.id} ${second.chatId}`]));
  });

  it('is slower after a refusal, and recovers within two hours', async () => {
    const { clock, pairs, createPace, turns, ask } = setUp();
    const [pair] = pairs;
    if (!pair) throw new Error('there is one');
    const pace = createPace();
    const perMinute = async () => {
      turns.length = 0;
      ask(pace, 100);
      await clock.advance(5 * MINUTE);
      const count = turns.length / 5;
      pace.close();
      return count;
    };
    await pace.recordFloodLimit('store', pair, 1000);
    await clock.advance(2000);
    const slow = await perMinute();
    expect(slow).toBeLessThanOrEqual(12);
    expect(slow).toBeGreaterThanOrEqual(8);
    await clock.advance(120 * MINUTE);
    const { createPace: createOther, ...rest } = { createPace, turns, ask };
    rest.turns.length = 0;
    rest.ask(createOther(), 100);
    await clock.advance(5 * MINUTE);
    expect(rest.turns.length / 5).toBeGreaterThanOrEqual(19);
  });

  it('serves new blobs before replaced ones, and in order of arrival', async () => {
    const { clock, createPace, turns, ask } = setUp();
    const pace = createPace();
    ask(pace, 3, 'replace');
    ask(pace, 3, 'store');
    await clock.advance(10_000);
    // The first one was sent at once.
    expect(turns.map(({ kind }) => kind)).toEqual(['replace', 'store', 'store', 'store', 'replace', 'replace']);
  });

  it('refuses requests at once that would wait too long, with the waiting time', async () => {
    const { clock, pairs, createPace } = setUp({ pace: { maxWaitMs: 5000 } });
    const [pair] = pairs;
    if (!pair) throw new Error('there is one');
    const pace = createPace();
    await pace.recordFloodLimit('store', pair, 3_600_000);
    const refused = pace.takeTurn({ kind: 'store', pairs }, never);
    const expectation = expect(refused).rejects.toMatchObject({ name: 'BlobRefusedError', retryAfterMs: 3_600_250 });
    await clock.advance(0);
    await expectation;
  });

  it('loses no permit when a request is cancelled', async () => {
    const { clock, pairs, createPace, turns, ask } = setUp();
    const pace = createPace();
    ask(pace, 20);
    await clock.advance(30_000);
    const leaving = new AbortController();
    const gone = Array.from({ length: 30 }, () => pace.takeTurn({ kind: 'store', pairs }, leaving.signal));
    const expectation = Promise.all(gone.map((turn) => expect(turn).rejects.toThrow('gone')));
    ask(pace, 20);
    leaving.abort(new Error('gone'));
    await expectation;
    await clock.advance(MINUTE);
    expect(turns).toHaveLength(40);
    expect(clock.pending).toBe(0);
  });

  it('has a bounded queue, and can be closed', async () => {
    const { clock, pairs, createPace } = setUp({ pace: { maxWaiting: 2 } });
    const pace = createPace();
    await pace.takeTurn({ kind: 'store', pairs }, never);
    const waiting = [1, 2].map(() => pace.takeTurn({ kind: 'store', pairs }, never));
    const endings = Promise.all(waiting.map((turn) => expect(turn).rejects.toThrow('the store is closed')));
    await expect(pace.takeTurn({ kind: 'store', pairs }, never)).rejects.toThrow('too many files are waiting');
    pace.close();
    await endings;
    await expect(pace.takeTurn({ kind: 'store', pairs }, never)).rejects.toThrow(BlobRefusedError);
    expect(clock.pending).toBe(0);
  });

  it('refuses while its state is unavailable, and reads it again', async () => {
    const { clock, paceStore, createPace, turns, ask, pairs } = setUp();
    let isBroken = true;
    const pace = createPace({
      take: async (lanes) => {
        if (isBroken) throw new Error('the database is away');
        return paceStore.take(lanes);
      },
      slowDown: paceStore.slowDown,
    });
    await expect(pace.takeTurn({ kind: 'store', pairs }, never)).rejects.toThrow(/the database is away/);
    isBroken = false;
    ask(pace, 1);
    await clock.advance(0);
    expect(turns).toHaveLength(1);
  });
});
