import { eq, isNull } from 'drizzle-orm';
import type { NewChat, Simulator } from 'telegram-bot-simulator';
import { expect, vi } from 'vitest';
import { updates as storedUpdates, usage } from '../../../src/database/schema/index.ts';
import { sleep } from '../../../src/lib/clock.ts';
import type { JsonObject } from '../../../src/lib/json/json.ts';
import { createFastClock } from '../machine/fast-clock.ts';
import { createTestDatabase } from '../stores/test-database.ts';
import { createBusyDatabase } from '../stores/watched-database.ts';
import { type BotHarnessOptions, createTestServices, startTestBot, TOKEN } from './bot-services.ts';
import { createChatHelpers, SPEED, STEP_MS } from './chats.ts';
import { createFoundation, createRecordingLogger } from './foundation.ts';
import { type Actor, createActors } from './users.ts';

/** Bot with its database; Telegram, users and models are simulated. */
export type BotHarness = Awaited<ReturnType<typeof createBotHarness>>;

export async function createBotHarness(options: BotHarnessOptions = {}) {
  const database = await createTestDatabase();
  const busy = createBusyDatabase(database.db);
  const db = options.wrapDatabase?.(busy.db) ?? busy.db;
  const fastClock = createFastClock(SPEED, busy.isBusy);
  const clock = options.clock ?? fastClock;
  const { logger, lines: log } = createRecordingLogger();
  const foundation = createFoundation({ db, clock, logger });
  const served = await createTestServices(foundation, options);
  const { services, models, images, adminIds } = served;
  const { bot, client, simulator, accept } = await startTestBot(foundation, served, options);
  const control = options.clock ? simulator.control : withPatience(simulator.control);
  const isIdle = async () => {
    const isBusy = bot.listBusyChats().size > 0 || control.pendingUpdates().length > 0;
    return !isBusy && (await database.db.$count(storedUpdates, isNull(storedUpdates.handledAt))) === 0;
  };
  const chats = createChatHelpers(control, { log, isIdle, now: () => fastClock.now() / SPEED });
  const actors = createActors({ control, chats });
  return {
    ...services,
    ...chats,
    ...actors,
    bot,
    /** Mutable. */
    adminIds,
    models,
    /** Scripted image provider. */
    images,
    telegram: control,
    /** The bot's own client. */
    client,
    db,
    /** Log lines. */
    log,
    /** Creates an admin of the bot. */
    operator(name: string, chat?: Pick<NewChat, 'topics'>): Actor {
      const operator = actors.user(name, 'en', chat);
      adminIds.push(operator.id);
      return operator;
    },
    /** Returns the ids of the users charged for answers of chat models, one per answer, in no particular order. */
    async listCharged() {
      await services.usage.flush();
      const rows = await db.select().from(usage).where(eq(usage.kind, 'chat'));
      return rows.map(({ userId }) => userId);
    },
    /** Resolves when all received updates are handled, to check that something is not answered. */
    hasHandledAll: () =>
      expect
        .poll(async () => {
          const waiting = await db.select().from(storedUpdates).where(isNull(storedUpdates.handledAt));
          return control.pendingUpdates().length + waiting.length;
        })
        .toBe(0),
    /** Waits until every question of a chat is answered and its job is completed. */
    settles: (chatId: number) =>
      vi.waitFor(async () => expect(await services.conversations.listUnfinished(chatId)).toEqual([])),
    /** Returns the time of the clock. */
    now: () => clock.now(),
    /** Advances the clock. */
    passes: (durationMs: number) => (options.clock ? sleep(options.clock, durationMs) : fastClock.skip(durationMs)),
    /** Passes an update to the bot directly. */
    receives: (update: object) => bot.handleUpdate(Object.assign({ update_id: 1 }, update)),
    /** Delivers updates as Telegram would, without the simulator: they are stored and handled in order. */
    async brings(updates: readonly object[]) {
      const acceptedCount = await accept(updates.map((update) => Object.assign({ update_id: 1 }, update)));
      if (acceptedCount < updates.length) throw new Error('there is no room for more updates');
    },
    /** Calls the Bot API like another process of the bot, without its client. */
    async callBotApi(method: string, payload: JsonObject) {
      const { signal } = new AbortController();
      const outcome = await simulator.answer({ token: TOKEN, method, params: payload, signal });
      if (outcome.type !== 'answer' || outcome.status !== 200) throw new Error(`${method} was refused`);
    },
    async close() {
      await foundation.closers.closeAll();
      await database.close();
    },
  };
}

/** Extends the timeout of every `waitFor`. */
function withPatience(control: Simulator['control']): Simulator['control'] {
  return {
    ...control,
    waitFor: (look, timeoutMs = 0) => control.waitFor(look, Math.max(timeoutMs, STEP_MS)),
  };
}
