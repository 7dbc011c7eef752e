import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSimulator, listenSimulator } from 'telegram-bot-simulator';
import { createMemoryRateLimitStore, createStorage } from '../../src/core/storage/index.ts';
import { openDatabase } from '../../src/database/connect.ts';
import { createTelegramBlobStore } from '../../src/telegram/storage/channel-blob-store.ts';
import { createRecordingLogger } from '../../test/support/harness/foundation.ts';
import { createFastClock } from '../../test/support/machine/fast-clock.ts';
import { createContent } from './content.ts';

export interface PaceOrder {
  readonly botCount: number;
  readonly channelCount: number;
  /** Duration in simulated minutes: 20 messages per minute in each channel from each bot. */
  readonly minutes: number;
  /** Speed of the simulated clock relative to real time. */
  readonly speed: number;
}

export interface PaceSample {
  /** Parts stored per simulated minute. */
  readonly partsPerMinute: number;
  /** Maximum by Telegram's limits. */
  readonly allowedPerMinute: number;
  /** Number of refusals by Telegram. */
  readonly refusals: number;
}

/** Small, so that a simulated minute is cheap; above the 100 kB from which Telegram paces uploads. */
const PART_BYTES = 128 * 1024;
const MESSAGES_PER_MINUTE = 20;
/**
 * Equal-sized files of one bot start 0.9 s apart if they are as large as real parts: `Client.cpp` of telegram-bot-api.
 */
const FILES_PER_MINUTE = 60 / 0.9;

/**
 * Measures one upload through the rate limiting parts of the service, against a simulated Telegram with limits, in
 * simulated time. It ends with the message that starts another minute, so that an initial burst gives no advantage.
 */
export async function measurePace({ botCount, channelCount, minutes, speed }: PaceOrder): Promise<PaceSample> {
  const clock = createFastClock(speed);
  const { logger } = createRecordingLogger();
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-bench-'));
  const tokens = Array.from(
    { length: botCount },
    (_, index) => `${7_300_001 + index}:AAtokenOfABotOfTheBenchmark_0123456789`,
  );
  const simulator = createSimulator({
    bots: tokens.map((token, index) => ({ token, username: `pace_${index}_bot`, firstName: 'Pace' })),
    clock,
    limits: 'telegram',
  });
  const chatIds = createChannels(simulator.control, channelCount, tokens);
  const telegram = await listenSimulator(simulator);
  const { db, close: closeDatabase } = await openDatabase({ kind: 'embedded', directory: join(directory, 'postgres') });
  const store = createTelegramBlobStore(
    // Rates in the database use the database's clock, which can't be accelerated.
    { clock, logger, rateLimitStore: createMemoryRateLimitStore({ clock }) },
    { botTokens: tokens, chatIds, apiRoot: telegram.url, maxBytes: 20 * 1024 * 1024 },
  );
  const encryptionKey = randomBytes(32);
  const storage = createStorage({ db, clock, logger, store, encryptionKey }, { partBytes: PART_BYTES });
  try {
    const allowedPerMinute = Math.min(MESSAGES_PER_MINUTE * botCount * channelCount, FILES_PER_MINUTE * botCount);
    const partCount = Math.round(allowedPerMinute * minutes) + 1;
    const startedAt = clock.now();
    await storage.upload(
      toAsync(createContent(PART_BYTES * partCount)),
      { name: 'pace.bin', mediaType: undefined },
      new AbortController().signal,
    );
    const partsPerMinute = (partCount - 1) / ((clock.now() - startedAt) / 60_000);
    const refusals = simulator.control.calls('sendDocument').filter(({ status }) => status === 429).length;
    return { partsPerMinute, allowedPerMinute, refusals };
  } finally {
    await storage.close();
    await store.close();
    await closeDatabase();
    await telegram.close();
    await rm(directory, { recursive: true, force: true });
  }
}

function createChannels(
  control: ReturnType<typeof createSimulator>['control'],
  count: number,
  tokens: readonly string[],
): number[] {
  control.createPerson({ firstName: 'Owner' });
  return Array.from({ length: count }, (_, index) => {
    const { id } = control.createChat({ type: 'channel', title: `Vault ${index}` });
    for (const token of tokens.slice(1)) {
      control.changeBot(id, { action: 'add' }, Number.parseInt(token, 10));
      control.changeBot(id, { action: 'promote' }, Number.parseInt(token, 10));
    }
    return id;
  });
}

async function* toAsync(chunks: Iterable<Buffer>): AsyncGenerator<Buffer> {
  yield* chunks;
}
