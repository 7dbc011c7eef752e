import { type Clock, sleep } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log/logger.ts';
import type { ClaimedRun } from './claim-runs.ts';
import { BATCH, type TaskLedger } from './task-ledger.ts';

/** Start of tasks at their due times. */
export interface TaskScheduler {
  /**
   * Runs until the signal aborts. Every process may run it: each due run is handed over once, and again if it has not
   * started in time. Never throws.
   * @param handOver hands over runs to the processes that own their chats. If it throws, or a run gets lost, the run is
   * handed over again after its lease.
   */
  run(handOver: (runs: readonly ClaimedRun[]) => Promise<unknown>, signal: AbortSignal): Promise<void>;
  /** Looks for due tasks now instead of at the next due time known. */
  wake(): void;
}

export interface TaskSchedulerDeps {
  readonly ledger: TaskLedger;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Longest pause, after which changes by other processes are noticed. */
const POLL_MS = 5000;
/** Shortest pause, for tasks that stay due. */
const PAUSE_MS = 100;

export function createTaskScheduler({ ledger, clock, logger }: TaskSchedulerDeps): TaskScheduler {
  let endPause = () => {};
  let isWoken = false;

  const pause = async (delayMs: number, signal: AbortSignal) => {
    const waking = new AbortController();
    endPause = () => waking.abort();
    if (!isWoken) await sleep(clock, delayMs, AbortSignal.any([signal, waking.signal])).catch(() => {});
    isWoken = false;
  };
  const work = async (handOver: Parameters<TaskScheduler['run']>[0], signal: AbortSignal) => {
    while ((await ledger.endSettledRuns()) === BATCH && !signal.aborted);
    while ((await ledger.addDueRuns()) === BATCH && !signal.aborted);
    for (;;) {
      const claimed = signal.aborted ? [] : await ledger.claimRuns();
      if (claimed.length > 0) await handOver(claimed);
      if (claimed.length < BATCH) return;
    }
  };
  const findPause = async () => {
    const dueAt = await ledger.findNextDue();
    const delayMs = dueAt === undefined ? POLL_MS : dueAt.getTime() - clock.now();
    return Math.min(Math.max(delayMs, PAUSE_MS), POLL_MS);
  };

  return {
    async run(handOver, signal) {
      while (!signal.aborted) {
        let delayMs = POLL_MS;
        try {
          await work(handOver, signal);
          delayMs = await findPause();
        } catch (error) {
          if (!signal.aborted) logger.warn({ err: error }, 'due tasks could not be read; retrying');
        }
        await pause(delayMs, signal);
      }
    },
    wake() {
      isWoken = true;
      endPause();
    },
  };
}
