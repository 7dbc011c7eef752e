import type { Update } from '@grammyjs/types';
import type { Api } from 'grammy';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { toGrammySignal } from '../grammy-signal.ts';
import { classifyTelegramError } from '../telegram-errors.ts';

/** Kind of update, as named in `allowed_updates`. */
export type UpdateKind = Exclude<keyof Update, 'update_id'>;

/** Thrown when Telegram rejects the token: it is mistyped, or was revoked at @BotFather. Retrying is pointless. */
export class UnauthorizedError extends Error {
  override readonly name = 'UnauthorizedError';
  constructor(advice = '') {
    super(`Telegram does not accept BOT_TOKEN: it is mistyped, or was revoked in @BotFather.${advice}`);
  }
}

export interface PollUpdatesDeps {
  readonly api: Api;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface PollUpdatesOptions {
  /** Always sent: without it Telegram keeps the setting of an earlier program. */
  readonly allowedUpdates: readonly UpdateKind[];
  /**
   * Stores updates durably. Must be fast, since the next request waits for it. If it throws, none was accepted.
   * @returns how many were accepted, counted from the first; the others are fetched again after a pause.
   */
  readonly accept: (updates: readonly Update[]) => Promise<number>;
  /** Ends polling immediately. */
  readonly signal: AbortSignal;
  /** Long-polling timeout of `getUpdates`. Default 30 s. */
  readonly timeoutSeconds?: number;
}

const FIRST_PAUSE_MS = 1000;
const FULL_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
const CONFIRM_TIMEOUT_MS = 3000;

/**
 * Polls updates in order, with at-least-once delivery: an update is confirmed only after `accept` has accepted it, and
 * after an orderly shutdown no accepted update is delivered again. Removes a conflicting webhook and keeps its pending
 * updates. Resolves when the signal aborts.
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

  /** Pauses while the inbox is full; Telegram keeps the remaining updates. */
  const pauseIfFull = async (isFull: boolean) => {
    if (isFull && !isFullReported)
      deps.logger.warn('too many updates are waiting; not fetching more from Telegram for now');
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
        deps.logger.error({ err: error, pauseMs }, 'updates could not be saved; Telegram will send them again');
      } else {
        deps.logger.warn({ reason: describe(error), pauseMs }, 'updates could not be fetched from Telegram; retrying');
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

/**
 * Returns true if a webhook is set. Some servers lack `getWebhookInfo`; then polling starts anyway, and a webhook shows
 * as a 409.
 */
async function hasWebhook({ api, logger }: PollUpdatesDeps, signal: AbortSignal): Promise<boolean> {
  try {
    return (await api.getWebhookInfo(toGrammySignal(signal))).url !== '';
  } catch (error) {
    const { kind } = classifyTelegramError(error);
    if (signal.aborted || kind === 'flood' || kind === 'not-sent') throw error;
    logger.warn({ reason: describe(error) }, 'could not check for a webhook; polling starts');
    return false;
  }
}

async function removeWebhook(deps: PollUpdatesDeps, signal: AbortSignal): Promise<void> {
  if (!(await hasWebhook(deps, signal))) return;
  deps.logger.warn('a webhook was set for this bot; removing it because updates are polled');
  await deps.api.deleteWebhook({ drop_pending_updates: false }, toGrammySignal(signal));
}

/** Confirms the accepted updates to Telegram. A failure is harmless: they are delivered again. */
async function confirm(deps: PollUpdatesDeps, offset: number): Promise<void> {
  const controller = new AbortController();
  const cancelTimer = deps.clock.setTimer(CONFIRM_TIMEOUT_MS, () => controller.abort());
  try {
    await deps.api.getUpdates({ offset, limit: 1, timeout: 0 }, toGrammySignal(controller.signal));
  } catch (error) {
    deps.logger.warn(
      { reason: describe(error) },
      'the last updates could not be confirmed; Telegram may send them again',
    );
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
