import { eq, like, sql } from 'drizzle-orm';
import type { Update } from 'grammy/types';
import { createSimulator, listenSimulator } from 'telegram-bot-simulator';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createBot, type SwitchboardBot } from '../../src/bot/bot.ts';
import type { GivenServices } from '../../src/bot/kit/services.ts';
import { createInbox, type Inbox, type InboxOptions } from '../../src/core/inbox/index.ts';
import type { Database } from '../../src/database/connect.ts';
import { chatQueueOwners, dialogs, messages, updateWorkers } from '../../src/database/schema/index.ts';
import { createTelegramClient } from '../../src/telegram/telegram-client.ts';
import { toIncoming } from '../../src/telegram/updates/incoming-update.ts';
import { pollUpdates } from '../../src/telegram/updates/poll-updates.ts';
import { BOT_ID, createTestServices, TOKEN, toGivenServices } from '../support/harness/bot-services.ts';
import { createChatHelpers, PATIENCE_MS, SPEED } from '../support/harness/chats.ts';
import { PDF } from '../support/harness/files.ts';
import { createFoundation, createRecordingLogger } from '../support/harness/foundation.ts';
import { createActors } from '../support/harness/users.ts';
import {
  createGate,
  createModelEntry,
  goOnFrom,
  type ModelScript,
  type ScriptedModels,
} from '../support/hosts/scripted-models.ts';
import { createFastClock } from '../support/machine/fast-clock.ts';
import { createServerTestDatabase, findServerUrl, type TestDatabase } from '../support/stores/test-database.ts';
import { createBusyDatabase } from '../support/stores/watched-database.ts';
import { EXHAUSTIVE } from '../support/vitest/tiers.ts';

/** Longer than a test: a lease ends when the test ends it, which its process does not notice. */
const LEASE_MS = 24 * 3_600_000;
const MODELS = ['one', 'two'].map((id) => createModelEntry(id));
const serverUrl = findServerUrl();

interface Process {
  readonly bot: SwitchboardBot;
  readonly inbox: Inbox;
  readonly models: ScriptedModels;
  /** Chats that it knows to have lost. */
  readonly lost: readonly number[];
  /** Sets what its models answer. */
  says(answers: Readonly<Record<string, ModelScript>>): void;
  stop(): Promise<void>;
}

interface ProcessOptions {
  /** Replaces services of the bot. */
  readonly change?: (given: GivenServices) => Partial<GivenServices>;
  /** Resolves before the process recovers the chats that it has taken over. */
  readonly beforeRecovery?: Promise<void>;
  /** Resolves before an update is handled. */
  readonly beforeUpdate?: (update: Update) => Promise<void> | undefined;
}

let database: TestDatabase;
let stage: Awaited<ReturnType<typeof openStage>>;
beforeEach(async () => {
  if (!serverUrl) return;
  database = await createServerTestDatabase(serverUrl);
  stage = await openStage();
});
afterEach(async () => {
  if (!serverUrl) return;
  await stage.close();
  await database.close();
});

/** A simulated Telegram, and the updates that its users cause. */
async function openStage() {
  const busy = createBusyDatabase(database.db);
  const clock = createFastClock(SPEED, busy.isBusy);
  const { logger, lines: log } = createRecordingLogger();
  const simulator = createSimulator({
    clock,
    bots: [{ token: TOKEN, username: 'switch_bot', firstName: 'Bot', inlineMode: true }],
    limits: 'telegram',
  });
  const server = await listenSimulator(simulator);
  const processes: Process[] = [];
  const chats = createChatHelpers(simulator.control, { log });
  const poller = createTelegramClient({ token: TOKEN, apiRoot: server.url, clock, logger });
  const ending = new AbortController();
  return {
    ...chats,
    ...createActors({ control: simulator.control, chats }),
    db: busy.db,
    clock,
    logger,
    log,
    apiRoot: server.url,
    telegram: simulator.control,
    processes,
    polling: undefined as Promise<void> | undefined,
    /** Lets the newest process store the updates, as Telegram's polling or webhook would. */
    poll() {
      this.polling ??= pollUpdates(
        { api: poller.api, clock, logger },
        {
          allowedUpdates: processes[0]?.bot.allowedUpdates ?? [],
          signal: ending.signal,
          accept: (updates) => processes.at(-1)?.inbox.accept(updates.map(toIncoming)) ?? Promise.resolve(0),
        },
      );
    },
    async close() {
      ending.abort();
      await this.polling;
      for (const one of processes) await one.stop();
      poller.close();
      await server.close();
    },
  };
}

/** Starts a process of the service that shares the database with the others. */
async function startProcess({ change, beforeRecovery, beforeUpdate }: ProcessOptions = {}): Promise<Process> {
  const { db, clock, logger, apiRoot, processes } = stage;
  const foundation = createFoundation({ db, clock, logger });
  const testServices = await createTestServices(foundation, { models: MODELS });
  const { services, models } = testServices;
  const client = createTelegramClient(
    { token: TOKEN, apiRoot, clock, logger },
    { beforeCall: () => services.chatLeases.check() },
  );
  const given = toGivenServices(foundation, testServices, client);
  const bot = createBot({ ...given, ...change?.(given) });
  await bot.setUp(AbortSignal.timeout(PATIENCE_MS));
  const lost: number[] = [];
  const options: InboxOptions = {
    botId: BOT_ID,
    isOnlyProcess: false,
    handle: async (payload, { listFollowing }) => {
      const update = payload as Update;
      await beforeUpdate?.(update);
      await bot.handleUpdate(update, async () => (await listFollowing()) as readonly Update[]);
    },
    onTakenOver: async (chatId, signal) => {
      await beforeRecovery;
      await bot.recover(chatId, signal);
    },
    onLost: (chatId) => {
      lost.push(chatId);
      bot.abandon(chatId);
    },
    listBusyChatQueues: () => bot.listBusyChats(),
    pollMs: 1000,
    leaseMs: LEASE_MS,
  };
  const inbox = createInbox({ db, clock, logger, chatLeases: services.chatLeases }, options);
  await inbox.start();
  const process: Process = {
    bot,
    inbox,
    models,
    lost,
    says(answers) {
      for (const [model, script] of Object.entries(answers)) models.scriptsOf.set(model, script);
    },
    async stop() {
      await inbox.drain(0);
      await bot.stop();
      await inbox.close();
      client.close();
      await foundation.closers.closeAll();
    },
  };
  processes.push(process);
  stage.poll();
  return process;
}

/** Ends the leases of all processes, which they do not notice, as if they were suspended. */
const endLeases = () => database.db.update(updateWorkers).set({ aliveUntil: sql`now() - interval '1 s'` });
const readOwner = async (chatId: number) => {
  const [row] = await database.db.select().from(chatQueueOwners).where(eq(chatQueueOwners.chatQueue, chatId));
  return row?.workerId;
};
/** Starts a process that takes over a chat. */
const takeOver = async (chatId: number, options: ProcessOptions = {}, answers: Record<string, ModelScript> = {}) => {
  const before = await readOwner(chatId);
  await endLeases();
  const next = await startProcess(options);
  next.says(answers);
  await vi.waitFor(async () => expect([before, undefined]).not.toContain(await readOwner(chatId)));
  return next;
};
/** Locks rows like another transaction, until the gate opens. */
const lockRows = async (rows: (tx: Database) => Promise<unknown>) => {
  const [locked, gate] = [createGate(), createGate()];
  const ended = database.db.transaction(async (tx) => {
    await rows(tx);
    locked.open();
    await gate.passed;
  });
  await Promise.race([locked.passed, ended]);
  return {
    unlock: async () => {
      gate.open();
      await ended;
    },
  };
};
const listAnswers = () =>
  database.db
    .select({ content: messages.content, finishReason: messages.finishReason, settledAt: messages.settledAt })
    .from(messages)
    .where(eq(messages.role, 'assistant'))
    .orderBy(messages.id);
const USAGE = /\n\n[\d.,]+ s · [\d,]+ tokens in, [\d,]+ out/;
const lines = (chatId: number) => stage.lines(chatId).map((line) => line.replace(USAGE, ''));
/** Long enough for all that a process may still do. */
const passSettlingTime = () => stage.clock.skip(20_000);
const COMPARED = [
  'Ann: /compare Why?',
  'Bot: one\nFirst. [✓ Continues from here]',
  'Bot: two\nSecond. [Continue with this one]',
];

describe.skipIf(!serverUrl)('a chat that another process has taken over', EXHAUSTIVE, () => {
  const chooseBoth = async (ann: ReturnType<(typeof stage)['user']>) => {
    ann.writes('/compare Why?');
    await stage.sees(ann.chatId, /^Choose two or three/);
    for (const model of ['one', 'two']) await ann.presses(model);
    await ann.taps('▶️ Compare (2)');
  };

  test.each(['before', 'after'] as const)(
    'gets the answers of a comparison once when its first process was suspended %s it had stored them',
    async (moment) => {
      const [reached, gate] = [createGate(), createGate()];
      const first = await startProcess({
        change: ({ conversations }) => ({
          conversations: {
            ...conversations,
            addCompared: async (...args) => {
              const stored = moment === 'after' ? await conversations.addCompared(...args) : undefined;
              reached.open();
              await gate.passed;
              return stored ?? conversations.addCompared(...args);
            },
          },
        }),
      });
      first.says({ one: 'Wrong.', two: 'Wrong.' });
      const ann = stage.user('Ann');
      await chooseBoth(ann);
      await reached.passed;
      await takeOver(ann.chatId, {}, { one: 'First.', two: 'Second.' });
      await vi.waitFor(() => expect(lines(ann.chatId)).toEqual(COMPARED));
      gate.open();
      await vi.waitFor(() => expect(first.lost).toEqual([ann.chatId]));
      await passSettlingTime();
      expect(lines(ann.chatId)).toEqual(COMPARED);
      expect(first.bot.listBusyChats()).toEqual(new Set());
      expect((await listAnswers()).map(({ content }) => content)).toEqual(['First.', 'Second.']);
    },
  );

  test('keeps the answer of its new process when the former one wakes up in the middle of its own', async () => {
    const gate = createGate();
    const first = await startProcess();
    first.says({
      one: async (write) => {
        write('Half of');
        await gate.passed;
        return '';
      },
    });
    const ann = stage.user('Ann');
    ann.writes('Tell me');
    await stage.sees(ann.chatId, /^Half of/);
    await takeOver(ann.chatId, {}, { one: 'All of it, and the rest.' });
    const whole = ['Ann: Tell me', 'Bot: All of it, and the rest.'];
    await vi.waitFor(() => expect(stage.lines(ann.chatId)).toEqual(whole));
    await vi.waitFor(async () => expect((await listAnswers())[0]?.settledAt).toBeInstanceOf(Date));
    const stored = await listAnswers();
    gate.open();
    await vi.waitFor(() => expect(first.lost).toEqual([ann.chatId]));
    await passSettlingTime();
    expect(stage.lines(ann.chatId)).toEqual(whole);
    expect(await listAnswers()).toEqual(stored);
  });

  test('is stopped by its new process when the former one has handled Stop too late', async () => {
    const [reached, stopping, recovery, endless] = [createGate(), createGate(), createGate(), createGate()];
    const script: ModelScript = async (write) => {
      write('It goes on');
      await endless.passed;
      return '';
    };
    const first = await startProcess({
      beforeUpdate: ({ message }) => {
        if (message?.text !== '/stop') return undefined;
        reached.open();
        return stopping.passed;
      },
    });
    first.says({ one: script });
    const ann = stage.user('Ann');
    ann.writes('Tell me');
    await stage.sees(ann.chatId, /^It goes on/);
    ann.writes('/stop');
    await reached.passed;
    await takeOver(ann.chatId, { beforeRecovery: recovery.passed }, { one: script });
    stopping.open();
    await vi.waitFor(() => expect(first.lost).toEqual([ann.chatId]));
    recovery.open();
    await vi.waitFor(async () => expect((await listAnswers())[0]).toMatchObject({ finishReason: 'stopped' }));
    await vi.waitFor(async () => expect((await listAnswers())[0]?.settledAt).toBeInstanceOf(Date));
    endless.open();
  });

  test('does not delay others, and follows when the last transaction of its former process has ended', async () => {
    const first = await startProcess();
    first.says({ one: goOnFrom('Half of') });
    const people = [stage.user('Ann'), stage.user('Bob')] as const;
    for (const { chatId, writes } of people) {
      writes('Tell me');
      await stage.sees(chatId, /^Half of/);
    }
    const [ann, bob] = people;
    const { unlock } = await lockRows((tx) =>
      tx.select().from(chatQueueOwners).where(eq(chatQueueOwners.chatQueue, ann.chatId)).for('share'),
    );
    const former = await readOwner(ann.chatId);
    await takeOver(bob.chatId, {}, { one: 'All of it.' });
    await vi.waitFor(() => expect(lines(bob.chatId)).toEqual(['Bob: Tell me', 'Bot: All of it.']));
    expect(await readOwner(ann.chatId)).toBe(former);
    await unlock();
    await vi.waitFor(() => expect(lines(ann.chatId)).toEqual(['Ann: Tell me', 'Bot: All of it.']));
  });

  test('stays with a process that renews its lease at the same time', async () => {
    const first = await startProcess();
    first.says({ one: goOnFrom('Half of') });
    const ann = stage.user('Ann');
    ann.writes('Tell me');
    await stage.sees(ann.chatId, /^Half of/);
    const former = await readOwner(ann.chatId);
    await endLeases();
    const { unlock } = await lockRows((tx) =>
      tx
        .update(updateWorkers)
        .set({ aliveUntil: sql`now() + interval '1 h'` })
        .where(eq(updateWorkers.id, former ?? '')),
    );
    await startProcess();
    await vi.waitFor(async () => {
      const isWaiting = sql`datname = current_database() and wait_event_type = 'Lock'`;
      expect(await database.db.select({ pid: sql`pid` }).from(sql`pg_stat_activity`).where(isWaiting)).toHaveLength(1);
    });
    await unlock();
    await passSettlingTime();
    expect(await readOwner(ann.chatId)).toBe(former);
  });

  test.each([
    ['before', /^Bot: one\.pdf/],
    ['after', /^Bot: I restarted before the file was saved/],
  ] as const)('answers an album once whose first process has lost it %s it was recorded', async (moment, answer) => {
    const [reached, gate] = [createGate(), createGate()];
    const first = await startProcess({
      change: ({ interactions, chatLeases }) => ({
        interactions: {
          ...interactions,
          writeDialog: async (...args) => {
            if (moment === 'after') await interactions.writeDialog(...args);
            reached.open();
            await gate.passed;
            if (moment === 'before') await interactions.writeDialog(...args);
            else await chatLeases.hold().catch(() => {});
          },
        },
      }),
    });
    const ann = stage.user('Ann');
    ann.sends({ ...PDF, mediaGroupId: 'album', fileName: 'one.pdf' });
    await reached.passed;
    await takeOver(ann.chatId);
    const reported = ['Ann: (one.pdf) ', expect.stringMatching(answer)];
    await vi.waitFor(() => expect(lines(ann.chatId)).toEqual(reported));
    gate.open();
    await vi.waitFor(() => expect(first.lost).toEqual([ann.chatId]));
    await passSettlingTime();
    expect(lines(ann.chatId)).toEqual(reported);
    const states = await database.db
      .select({ state: dialogs.state })
      .from(dialogs)
      .where(like(dialogs.key, 'saving:%'));
    expect(states).toEqual([{ state: 'answered' }]);
    expect(first.bot.listBusyChats()).toEqual(new Set());
  });
});
