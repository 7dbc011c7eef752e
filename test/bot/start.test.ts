import { createSimulator } from 'telegram-bot-simulator';
import { expect, test, vi } from 'vitest';
import { runBot } from '../../src/app/bot/run-bot.ts';
import type { SwitchboardBot } from '../../src/bot/bot.ts';
import { ChatLeases } from '../../src/core/inbox/index.ts';
import type { TaskScheduler } from '../../src/core/tasks/index.ts';
import { createLogContext } from '../../src/lib/log/log-context.ts';
import { noObserver } from '../../src/lib/log/observer.ts';
import { createTelegramClient } from '../../src/telegram/telegram-client.ts';
import { createRecordingLogger } from '../support/harness/foundation.ts';
import { createDirectFetch } from '../support/hosts/direct-fetch.ts';
import { createFastClock } from '../support/machine/fast-clock.ts';
import { createTestDatabase } from '../support/stores/test-database.ts';
import { startBeforeAll } from '../support/vitest/tiers.ts';

const TOKEN = '4242:token-of-a-bot-that-only-starts-up';

const database = startBeforeAll(() => createTestDatabase());

/** Starts a bot without features. */
function start() {
  const clock = createFastClock(20);
  const { logger, lines } = createRecordingLogger();
  const simulator = createSimulator({ clock, bots: [{ token: TOKEN, username: 'switch_bot', firstName: 'Bot' }] });
  const client = createTelegramClient(
    { token: TOKEN, apiRoot: undefined, clock, logger },
    { fetch: createDirectFetch({ simulator, clock, latencyMs: 1 }) },
  );
  const state = { failure: undefined as Error | undefined, handled: 0, runs: [] as number[] };
  const db = new Proxy(database.db, {
    get(target, name) {
      if (state.failure && name === 'insert') throw state.failure;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const bot: SwitchboardBot = {
    allowedUpdates: ['message'],
    hasNoEffect: () => false,
    handleUpdate: async () => void state.handled++,
    countJobs: () => ({}),
    listBusyChats: () => new Set(),
    runTask: async (runId) => void state.runs.push(runId),
    recover: async () => {},
    abandon: () => {},
    sendBroadcasts: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    sendMonthlySummaries: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    setUp: async () => {},
    findUsername: async () => 'test_bot',
    forgetSettings: () => {},
    stop: async () => {},
  };
  const taskScheduler = { run: vi.fn<TaskScheduler['run']>(async () => {}), wake: () => {} } satisfies TaskScheduler;
  const library = { embedAll: vi.fn(async (_signal: AbortSignal) => {}) };
  const [onReady, onFatal] = [vi.fn(), vi.fn()];
  const run = () =>
    runBot(
      {
        db,
        urgentDb: db,
        chatLeases: new ChatLeases(),
        client,
        bot,
        taskScheduler,
        library,
        clock,
        logger,
        logContext: createLogContext(),
        observer: noObserver,
      },
      { botId: 4242, database: database.config, webhook: undefined, onReady, onFatal },
    );
  return { state, run, control: simulator.control, lines, taskScheduler, library, onReady, onFatal };
}

test('a bot waits for a database that is unavailable at the start, and loses no update', async () => {
  const { state, run, control, lines, onReady, onFatal } = start();
  state.failure = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const running = run();
  const ann = control.createPerson({ firstName: 'Ann' });
  const chat = control.createChat({ type: 'private', memberIds: [ann.id] });
  control.sendMessage(chat.id, { text: 'Is anybody there?', from: ann.id });
  await expect
    .poll(() => lines.filter((line) => line.includes('the database cannot be used')).length)
    .toBeGreaterThanOrEqual(2);
  expect(onReady).not.toHaveBeenCalled();
  state.failure = undefined;
  await expect.poll(() => state.handled).toBe(1);
  expect(onReady).toHaveBeenCalledTimes(1);
  await running.stop();
  expect(onFatal).not.toHaveBeenCalled();
});

test('a bot ends at once when the database schema is wrong', async () => {
  const { state, run, onReady, onFatal } = start();
  state.failure = Object.assign(new Error('relation "update_workers" does not exist'), { code: '42P01' });
  const running = run();
  await expect.poll(() => onFatal.mock.calls).toEqual([[state.failure]]);
  expect(onReady).not.toHaveBeenCalled();
  state.failure = undefined;
  await running.stop();
});

test('runs of tasks are carried out once for each claim, in the order of their chat', async () => {
  const { state, run, taskScheduler } = start();
  const toClaimed = (runId: number, claim = 1) => ({ runId, chatId: 7, purpose: 'run', claim }) as const;
  taskScheduler.run.mockImplementation(async (handOver) => {
    await handOver([toClaimed(2), toClaimed(11), { ...toClaimed(2), purpose: 'notice' }]);
    await handOver([toClaimed(2), toClaimed(11)]);
    await handOver([toClaimed(2, 2)]);
  });
  const running = run();
  await expect.poll(() => state.runs.toSorted()).toEqual([11, 2, 2, 2].toSorted());
  expect(state.runs[0]).toBe(2);
  expect(state.handled).toBe(0);
  await running.stop();
});

test('texts of the library get vectors until the bot stops', async () => {
  const { run, library } = start();
  const running = run();
  await expect.poll(() => library.embedAll.mock.calls.length).toBe(1);
  const [signal] = library.embedAll.mock.calls[0] ?? [];
  expect(signal?.aborted).toBe(false);
  await running.stop();
  expect(signal?.aborted).toBe(true);
});
