import { type Clock, sleep } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log/logger.ts';
import type { Broadcast, Recipient } from './broadcast.ts';
import type { Broadcasts } from './broadcasts.ts';

/** Outcome of one send. */
export type SendOutcome =
  | { readonly kind: 'sent' | 'blocked' | 'failed' | 'unclear' | 'left-out' }
  /** Certainly not sent; retry after `afterMs` milliseconds. */
  | { readonly kind: 'later'; readonly afterMs: number }
  /** The message to copy was deleted. */
  | { readonly kind: 'gone' };

/** Transport of broadcasts and their status reports. */
export interface BroadcastTransport {
  /** Sends a broadcast to one recipient. Never throws. */
  deliver(broadcast: Broadcast, recipient: Recipient, signal: AbortSignal): Promise<SendOutcome>;
  /**
   * Updates the status message. Never throws.
   * @returns false if it failed and a retry may succeed.
   */
  report(broadcast: Broadcast, signal: AbortSignal): Promise<boolean>;
}

/** The loop that sends broadcasts. */
export type BroadcastSender = ReturnType<typeof createBroadcastSender>;

export interface BroadcastSenderDeps {
  readonly broadcasts: Broadcasts;
  readonly transport: BroadcastTransport;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Interval of polling for changes made by other processes. */
const LOOK_EVERY_MS = 5000;
const REPORT_EVERY_MS = 10_000;
const SHORTEST_PAUSE_MS = 250;
/** Grace period for a send in progress at shutdown; afterwards its outcome is unclear. */
const LAST_SEND_MS = 3000;

/** Sends broadcasts one after the other. Runs in one process only. */
export function createBroadcastSender(deps: BroadcastSenderDeps) {
  const { broadcasts, transport, clock, logger } = deps;
  let endPause = () => {};
  let isWoken = false;
  let next = { id: 0, sendAt: 0 };
  let reported: { readonly id: number; readonly state: string; readonly what: string; readonly at: number } | undefined;

  const pause = async (delayMs: number, signal: AbortSignal) => {
    const waking = new AbortController();
    endPause = () => waking.abort();
    if (!isWoken && delayMs > 0) await sleep(clock, delayMs, AbortSignal.any([signal, waking.signal])).catch(() => {});
    isWoken = false;
  };

  /** Reports progress at most every 10 s, except for changes of state. */
  const report = async (broadcast: Broadcast, signal: AbortSignal) => {
    const { id, state, counts } = broadcast;
    const what = JSON.stringify(counts);
    const isNew = reported?.id !== id || reported.state !== state;
    const isChanged = isNew || reported?.what !== what;
    if (!isChanged || (!isNew && clock.now() - (reported?.at ?? 0) < REPORT_EVERY_MS)) return;
    await transport.report(broadcast, signal);
    reported = { id, state, what, at: clock.now() };
  };

  /** @returns false if no recipient is left. */
  const sendNext = async (broadcast: Broadcast, signal: AbortSignal): Promise<boolean> => {
    const recipient = await broadcasts.claim(broadcast.id);
    if (!recipient) return false;
    next = { id: broadcast.id, sendAt: clock.now() + broadcast.intervalMs };
    const outcome = await transport.deliver(broadcast, recipient, signal);
    const isTaken = outcome.kind !== 'later' && outcome.kind !== 'gone';
    await broadcasts.settle(broadcast.id, recipient.userId, isTaken ? outcome.kind : 'waiting');
    if (outcome.kind === 'gone') await broadcasts.giveUp(broadcast.id);
    if (outcome.kind === 'later')
      next.sendAt = clock.now() + Math.min(Math.max(outcome.afterMs, SHORTEST_PAUSE_MS), LOOK_EVERY_MS);
    return true;
  };

  /** @returns milliseconds until the next step. */
  const step = async (signal: AbortSignal): Promise<number> => {
    const broadcast = await broadcasts.findCurrent();
    if (!broadcast) return LOOK_EVERY_MS;
    if (broadcast.hasEnded) {
      if (!(await transport.report(broadcast, signal))) return LOOK_EVERY_MS;
      await broadcasts.recordNotice(broadcast.id);
      logger.info({ broadcastId: broadcast.id, ...broadcast.counts }, 'broadcast ended');
      return 0;
    }
    await report(broadcast, signal);
    const mayEnd = broadcast.state !== 'sending' || broadcast.counts.waiting === 0;
    if (mayEnd) return (await broadcasts.end(broadcast.id)) ? 0 : LOOK_EVERY_MS;
    const isTurn = next.id !== broadcast.id || clock.now() >= next.sendAt;
    if (isTurn && !(await sendNext(broadcast, signal))) return SHORTEST_PAUSE_MS;
    return Math.min(Math.max(next.sendAt - clock.now(), 0), LOOK_EVERY_MS);
  };

  return {
    /**
     * Continues the current broadcast and waits for further ones until the signal aborts and the send in progress has
     * ended. No other process may run it at the same time: sends that a previous run left unfinished count as unclear and
     * are not repeated.
     */
    async run(signal: AbortSignal): Promise<void> {
      const over = new AbortController();
      let cancelTimer = () => {};
      const onAbort = () => {
        cancelTimer = clock.setTimer(LAST_SEND_MS, () => over.abort());
      };
      signal.addEventListener('abort', onAbort, { once: true });
      let isSure = false;
      while (!signal.aborted) {
        try {
          if (!isSure) await broadcasts.declareUnclear();
          isSure = true;
          await pause(await step(over.signal), signal);
        } catch (error) {
          // The outcome of a send may not have been stored.
          isSure = false;
          logger.warn({ err: error }, 'a broadcast could not be resumed; retrying');
          await pause(LOOK_EVERY_MS, signal);
        }
      }
      cancelTimer();
      signal.removeEventListener('abort', onAbort);
    },
    /** Checks for changes now instead of at the next poll. */
    wake(): void {
      isWoken = true;
      endPause();
    },
  };
}
