import type { Update } from '@grammyjs/types';
import type { Api } from 'grammy';
import { type Clock, sleep } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { toGrammySignal } from './grammy-signal.ts';
import { classifyTelegramError } from './telegram-errors.ts';

/** The kinds of updates Telegram can send, as `allowed_updates` names them. */
export type UpdateKind = Exclude<keyof Update, 'update_id'>;

/** Telegram does not know the token: mistyped, or revoked at @BotFather. Trying again is pointless. */
export class UnauthorizedError extends Error {
  override readonly name = 'UnauthorizedError';
  constructor() {
    super('Telegram does not accept BOT_TOKEN: it is mistyped or was revoked at @BotFather.');
  }
}

export interface PollUpdatesDeps {
  readonly api: Api;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface PollUpdatesOptions {
  /** Named explicitly: Telegram otherwise remembers what an earlier program asked for. */
  readonly allowedUpdates: readonly UpdateKind[];
  /**
   * Takes updates into safe keeping, quickly: the next ones wait for it. What it throws means that none was taken.
   * @returns how many were taken, from the first; the others come again after a pause.
   */
  readonly accept: (updates: readonly Update[]) => Promise<number>;
  /** Ends the polling at once. */
  readonly signal: AbortSignal;
  /** How long Telegram may hold an empty answer back. Default 30 s. */
  readonly timeoutSeconds?: number;
}

const FIRST_PAUSE_MS = 1000;
const FULL_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const CONFIRM_TIMEOUT_MS = 3000;

/**
 * Long polling, in order, at least once: an update is confirmed only after `accept` has taken it, and none taken comes again
 * after an orderly end. A webhook that stands in the way is removed, its waiting updates are kept.
 * Resolves when the signal aborts.
 * @throws {UnauthorizedError} when the token is not valid; nothing else.
 */
export async function pollUpdates(deps: PollUpdatesDeps, options: PollUpdatesOptions): Promise<void> {
  const { signal } = options;
  const pauses = createPauses();
  let offset: number | undefined;
  let isWebhookChecked = false;
  let isConflictReported = false;
  let isFullReported = false;

  const step = async () => {
    if (!isWebhookChecked) {
      await removeWebhook(deps, signal);
      isWebhookChecked = true;
    }
    const updates = await fetchUpdates(deps.api, options, offset);
    const takenCount = updates.length === 0 ? 0 : await options.accept(updates);
    const lastTaken = updates[takenCount - 1];
    if (lastTaken) offset = lastTaken.update_id + 1;
    pauses.reset();
    isConflictReported = false;
    await pauseIfFull(takenCount < updates.length);
  };

  /** Telegram keeps what has no room here. */
  const pauseIfFull = async (isFull: boolean) => {
    if (isFull && !isFullReported)
      deps.logger.warn('too many updates wait already; Telegram keeps the others meanwhile');
    isFullReported = isFull;
    if (isFull) await sleep(deps.clock, FULL_PAUSE_MS, signal);
  };

  while (!signal.aborted) {
    try {
      await step();
    } catch (error) {
      if (signal.aborted) break;
      const failure = classifyTelegramError(error);
      if (failure.kind === 'unauthorized') throw new UnauthorizedError();
      const pauseMs = failure.kind === 'flood' ? failure.retryAfterMs : pauses.next();
      if (failure.kind === 'conflict') {
        isWebhookChecked = false;
        if (!isConflictReported) {
          deps.logger.error(
            'another program fetches the updates of this bot, or sets a webhook for it; only one may run',
          );
          isConflictReported = true;
        }
      } else if (failure.kind === 'foreign') {
        deps.logger.error({ err: error, pauseMs }, 'updates could not be kept; they come again');
      } else {
        deps.logger.warn({ reason: describe(error), pauseMs }, 'no updates from Telegram; trying again');
      }
      await sleep(deps.clock, pauseMs, signal).catch(() => undefined);
    }
  }
  if (offset !== undefined) await confirm(deps, offset);
}

function fetchUpdates(api: Api, options: PollUpdatesOptions, offset: number | undefined): Promise<Update[]> {
  const request = {
    limit: 100,
    timeout: options.timeoutSeconds ?? 30,
    allowed_updates: options.allowedUpdates,
    ...(offset === undefined ? {} : { offset }),
  };
  return api.getUpdates(request, toGrammySignal(options.signal));
}

/** Some servers lack `getWebhookInfo`. Polling begins all the same: a webhook in its way is told of by 409. */
async function hasWebhook({ api, logger }: PollUpdatesDeps, signal: AbortSignal): Promise<boolean> {
  try {
    return (await api.getWebhookInfo(toGrammySignal(signal))).url !== '';
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    if (signal.aborted || kind === 'flood' || kind === 'not-sent') throw error;
    logger.warn({ reason: describe(error) }, 'whether a webhook is set could not be asked; polling begins');
    return false;
  }
}

async function removeWebhook(deps: PollUpdatesDeps, signal: AbortSignal): Promise<void> {
  if (!(await hasWebhook(deps, signal))) return;
  deps.logger.warn('a webhook was set for this bot; it is removed because updates are polled');
  await deps.api.deleteWebhook({ drop_pending_updates: false }, toGrammySignal(signal));
}

/** Tells Telegram up to where updates were accepted. Failing is harmless: they come again. */
async function confirm(deps: PollUpdatesDeps, offset: number): Promise<void> {
  const controller = new AbortController();
  const cancelTimer = deps.clock.setTimer(CONFIRM_TIMEOUT_MS, () => controller.abort());
  try {
    await deps.api.getUpdates({ offset, limit: 1, timeout: 0 }, toGrammySignal(controller.signal));
  } catch (error) {
    deps.logger.warn({ reason: describe(error) }, 'the last updates could not be confirmed; they may come again');
  } finally {
    cancelTimer();
  }
}

function createPauses() {
  let pauseMs = FIRST_PAUSE_MS;
  return {
    next() {
      const current = pauseMs;
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
      return current;
    },
    reset() {
      pauseMs = FIRST_PAUSE_MS;
    },
  };
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
