import type { SwitchboardBot } from '../../bot/bot.ts';
import type { Config } from '../../config/index.ts';
import { type ChatLeases, createInbox, type Inbox, type WaitingUpdates } from '../../core/inbox/index.ts';
import type { Library } from '../../core/library/index.ts';
import type { TaskScheduler } from '../../core/tasks/index.ts';
import type { Database, DatabaseConfig } from '../../database/connect.ts';
import { leadWork } from '../../database/leadership.ts';
import { openProcessChannel } from '../../database/process-channel.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import { isDatabaseAway } from '../../lib/errors/is-database-away.ts';
import { isDiskFull } from '../../lib/files/disk-space.ts';
import type { LogContext } from '../../lib/log/log-context.ts';
import type { Logger } from '../../lib/log/logger.ts';
import type { Observer } from '../../lib/log/observer.ts';
import { recordUpdate } from '../../telegram/lost-sends/message-ids.ts';
import type { TelegramClient } from '../../telegram/telegram-client.ts';
import { classifyTelegramError } from '../../telegram/telegram-errors.ts';
import { toIncoming } from '../../telegram/updates/incoming-update.ts';
import { pollUpdates, UnauthorizedError } from '../../telegram/updates/poll-updates.ts';
import type { Webhook } from '../../telegram/updates/webhook.ts';
import { readTaskRun, toIncomingRun } from './incoming-task-run.ts';
import { type ProcessMessage, readProcessMessage } from './process-messages.ts';

type Update = Parameters<SwitchboardBot['handleUpdate']>[0];

export interface RunBotDeps {
  readonly db: Database;
  /** The same database with priority, for storing updates. */
  readonly urgentDb: Database;
  readonly chatLeases: ChatLeases;
  readonly client: TelegramClient;
  readonly bot: SwitchboardBot;
  readonly taskScheduler: TaskScheduler;
  readonly library: Pick<Library, 'embedAll'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Attributes log lines to updates. */
  readonly logContext: LogContext;
  /** Receives the spans of the inbox. */
  readonly observer: Observer;
}

export interface RunBotParams {
  /** Telegram id of the bot. */
  readonly botId: number;
  readonly database: DatabaseConfig;
  /** Webhook and its receiver. Undefined: updates are polled. */
  readonly webhook: (WebhookSettings & { readonly receiver: Webhook }) | undefined;
  /**
   * Called once, when Telegram has accepted the token and the bot is set up. A process that waits for the polling lock
   * is ready too.
   */
  readonly onReady: () => void;
  /** Called at most once, when the bot can't continue. */
  readonly onFatal: (error: unknown) => void;
}

type WebhookSettings = NonNullable<Extract<Config['telegram'], { readonly mode: 'bot' }>['webhook']>;

const HANDLERS_DRAIN_MS = 3000;
/** Bases of advisory lock keys, not used for other locks in this database. The bot's id is added. */
const POLLING_LOCKS = 7_246_000_000_000_000;
const BACKGROUND_LOCKS = 7_247_000_000_000_000;

/**
 * Runs the bot in the background, and retries while Telegram is unreachable. Updates arrive by polling or a webhook,
 * are stored in the inbox, and handled from there.
 */
export function runBot(deps: RunBotDeps, params: RunBotParams) {
  const { bot, client, clock, library, logger, taskScheduler } = deps;
  const { webhook, database } = params;
  const controller = new AbortController();
  const { signal } = controller;
  const processChannel = openProcessChannel(deps, {
    database,
    channel: `switchboard_${params.botId}`,
    onMessage: (message) => {
      const { chatQueues, pausedForMs } = readProcessMessage(message);
      if (chatQueues.length > 0) inbox.wake(chatQueues);
      if (pausedForMs !== undefined) client.tokenLimits.pause(pausedForMs);
    },
  });
  // The spread makes an object literal of the interface, which has no index signature and so is no `JsonObject`.
  const sendToOtherProcesses = (message: Partial<ProcessMessage>) => processChannel.notify({ ...message });
  client.tokenLimits.onPaused((pausedForMs) => void sendToOtherProcesses({ pausedForMs }));
  const inbox: Inbox = createInbox(deps, {
    botId: params.botId,
    isOnlyProcess: database.kind === 'embedded',
    // The inbox returns the payloads stored by `accept`.
    handle: (payload, { listFollowing }) => {
      const runId = readTaskRun(payload);
      if (runId !== undefined) return bot.runTask(runId);
      const update = payload as Update;
      return deps.logContext.run({ updateId: update.update_id }, () =>
        bot.handleUpdate(update, async () => (await listFollowing()) as readonly Update[]),
      );
    },
    hasNoEffect: (payload) => readTaskRun(payload) === undefined && bot.hasNoEffect(payload as Update),
    onTakenOver: (chatQueue, signal) => bot.recover(chatQueue, signal),
    onLost: (chatQueue) => bot.abandon(chatQueue),
    listBusyChatQueues: () => bot.listBusyChats(),
    notifyOthers: (chatQueues) => sendToOtherProcesses({ chatQueues }),
    // Each process may use 1/count of the token's rate.
    onWorkersCounted: (count) => client.tokenLimits.setShare(1 / count),
  });
  let intakeFailure: unknown;
  const trackFailure = async <Result>(write: () => Promise<Result>): Promise<Result> => {
    try {
      const result = await write();
      intakeFailure = undefined;
      return result;
    } catch (error) {
      intakeFailure = error;
      throw error;
    }
  };
  const accept = (updates: readonly Update[]) => {
    // Recorded first, so that the search for a message whose send was not confirmed skips these ids.
    for (const update of updates) recordUpdate(client.messageIds, update);
    return trackFailure(() => inbox.accept(updates.map(toIncoming)));
  };
  webhook?.receiver.receiveWith(async (update) => (await accept([update])) === 1);

  const poll = (leadershipSignal: AbortSignal) =>
    pollUpdates(
      { api: client.api, clock, logger },
      { allowedUpdates: bot.allowedUpdates, signal: leadershipSignal, accept },
    );
  const run = async () => {
    await retryUntilTelegramAnswers(deps, signal, () => bot.setUp(signal));
    await retryWhileDatabaseIsAway(deps, signal, () => inbox.start());
    if (webhook) await retryUntilTelegramAnswers(deps, signal, () => setWebhook(deps, webhook));
    logger.info('the bot is ready to receive updates');
    params.onReady();
    const workInBackground = async (leadershipSignal: AbortSignal) => {
      const sending = [bot.sendBroadcasts(leadershipSignal), bot.sendMonthlySummaries(leadershipSignal)];
      await Promise.all([...sending, library.embedAll(leadershipSignal)]);
    };
    const lead = (locks: number, work: (leadershipSignal: AbortSignal) => Promise<void>) =>
      leadWork(deps, { database, key: locks + params.botId, signal }, work);
    const runTasks = taskScheduler.run((runs) => inbox.accept(runs.map(toIncomingRun)), signal);
    await Promise.all([
      runTasks,
      lead(BACKGROUND_LOCKS, workInBackground),
      ...(webhook ? [] : [lead(POLLING_LOCKS, poll)]),
    ]);
  };
  const running = run().catch((error: unknown) => {
    if (!signal.aborted) params.onFatal(error);
  });
  return {
    /**
     * Returns the error that prevents storing updates, undefined if there is none. After a failure it tries again. Never
     * throws.
     */
    async findIntakeFailure(): Promise<unknown> {
      // After a failure /readyz is 503 and no webhook arrives, so only this attempt can notice recovery.
      if (intakeFailure !== undefined) await trackFailure(() => inbox.tryToWrite()).catch(() => {});
      return intakeFailure;
    },
    /** Counts stored updates that are not handled yet, over all processes. */
    countWaiting: (): Promise<WaitingUpdates> => inbox.countWaiting(),
    /** Stops receiving updates, waits for answers in progress, and leaves other updates to the next process. */
    async stop(): Promise<void> {
      controller.abort();
      await Promise.all([running, inbox.drain(HANDLERS_DRAIN_MS)]);
      await bot.stop();
      await inbox.close();
      await processChannel.close();
      client.close();
    },
  };
}

const WEBHOOK_CONNECTIONS = 40;

/** Sets the webhook. Telegram keeps updates received in the meantime; the webhook remains when the process ends. */
async function setWebhook({ client, bot }: RunBotDeps, { url, secret }: WebhookSettings): Promise<void> {
  await client.api.setWebhook(url, {
    secret_token: secret,
    allowed_updates: bot.allowedUpdates,
    max_connections: WEBHOOK_CONNECTIONS,
    drop_pending_updates: false,
  });
}

const TRY_AGAIN_MS = 5000;

/**
 * Retries while the database is unreachable or the disk is full.
 * @throws other errors at once; the named ones only after an abort.
 */
async function retryWhileDatabaseIsAway(
  { clock, logger }: RunBotDeps,
  signal: AbortSignal,
  action: () => Promise<void>,
) {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (signal.aborted || !(isDatabaseAway(error) || isDiskFull(error))) throw error;
      logger.warn({ err: error, pauseMs: TRY_AGAIN_MS }, 'the database cannot be used; retrying');
      await sleep(clock, TRY_AGAIN_MS, signal);
    }
  }
}

/** Retries until Telegram accepts the call. @throws UnauthorizedError at once; other errors only after an abort. */
async function retryUntilTelegramAnswers(
  deps: RunBotDeps,
  signal: AbortSignal,
  action: () => Promise<void>,
): Promise<void> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      const failure = classifyTelegramError(error);
      if (failure.kind === 'unauthorized') throw new UnauthorizedError();
      if (signal.aborted) throw error;
      const pauseMs = failure.kind === 'flood' ? failure.retryAfterMs : TRY_AGAIN_MS;
      deps.logger.warn({ err: error, pauseMs }, 'a call to Telegram failed; retrying');
      await sleep(deps.clock, pauseMs, signal);
    }
  }
}
