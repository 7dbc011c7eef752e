import type { ChatTopic } from '../../core/conversations/index.ts';
import { sleep } from '../../lib/clock.ts';
import { isWithin, type WorkScope } from '../kit/chats.ts';
import type { BotServices } from '../kit/services.ts';
import { WorkStoppedError } from './work-stopped-error.ts';

/** Signals that end a job early. */
export interface SideJobSignals {
  /** Aborts the work with a `WorkStoppedError`; finished results are still delivered. */
  readonly stop: AbortSignal;
  /** Aborts the delivery: the process is about to exit, or another one has taken over the chat. */
  readonly deliverySignal: AbortSignal;
}

/** Job that was accepted. */
export interface SideJob<Facts> {
  readonly key: string;
  readonly userId: number;
  readonly chatTopic: ChatTopic;
  readonly facts: Facts;
  /** False while there is nothing to stop. */
  isStoppable: boolean;
}

/**
 * Reason for a refusal: the key has a running job (`running`); the user has too many jobs (`full`); all users together
 * have, or the process is ending (`overloaded`).
 */
export type SideJobRefusal = 'running' | 'full' | 'overloaded';

/** Jobs that run independently of update handling: limited in number, stoppable by users, ended with the process. */
export interface SideJobs<Facts> {
  /** Accepts a job, which is not stoppable yet. The caller must call `run` or `leave` for it. */
  enter(job: {
    readonly key: string;
    readonly userId: number;
    readonly chatTopic: ChatTopic;
    readonly facts: Facts;
  }): SideJob<Facts> | SideJobRefusal;
  leave(job: SideJob<Facts>): void;
  /** @param work never throws. */
  run(job: SideJob<Facts>, work: (signals: SideJobSignals) => Promise<void>): void;
  count(matches: (facts: Facts) => boolean): number;
  /** Returns the chats with running jobs, and those that the next process has to inform about interrupted ones. */
  listBusyChats(): ReadonlySet<number>;
  /** Stops the user's stoppable jobs in the scope. @returns their number. */
  stop(scope: WorkScope, userId: number, matches?: (facts: Facts) => boolean): number;
  /** Returns whether the user has a stoppable job in the scope. */
  hasWork(scope: WorkScope, userId: number): boolean;
  /** Resolves when all jobs that run for the user now have ended. */
  whenEnded(userId: number): Promise<void>;
  /** Aborts jobs of a chat that another process has taken over; nothing more about them is sent from here. */
  abandon(chatId: number, matches?: (facts: Facts) => boolean): void;
  /**
   * Lets running jobs finish for a grace period, then stops them; finished results are still delivered. Later jobs are
   * not accepted.
   */
  close(): Promise<void>;
}

interface OwnSideJob<Facts> extends SideJob<Facts> {
  readonly stopController: AbortController;
  readonly abandoned: AbortController;
}

/** Grace period for running jobs at shutdown, and the time for final messages after it. */
const SHUTDOWN_GRACE_MS = 8000;
const DELIVERY_TIMEOUT_MS = 5000;

export function createSideJobs<Facts>(
  { clock }: BotServices,
  limits: { readonly maxJobs: number; readonly maxUserJobs: number },
): SideJobs<Facts> {
  const running = new Map<string, OwnSideJob<Facts>>();
  const ends = new Map<Promise<void>, number>();
  const chatsForNextProcess = new Set<number>();
  const deliverySignal = new AbortController();
  let isClosed = false;
  let isShutDown = false;

  const listStoppable = (scope: WorkScope, userId: number) =>
    [...running.values()].filter((job) => job.isStoppable && job.userId === userId && isWithin(job.chatTopic, scope));

  return {
    enter({ key, userId, chatTopic, facts }) {
      if (running.has(key)) return 'running';
      if (isClosed || running.size >= limits.maxJobs) return 'overloaded';
      const ofUser = [...running.values()].filter((job) => job.userId === userId);
      if (ofUser.length >= limits.maxUserJobs) return 'full';
      const signals = { stopController: new AbortController(), abandoned: new AbortController() };
      const job = { key, userId, chatTopic, facts, isStoppable: false, ...signals };
      running.set(key, job);
      return job;
    },
    leave: ({ key }) => void running.delete(key),
    run({ key, userId, chatTopic: { chatId } }, work) {
      const job = running.get(key);
      // Abandoned before it started.
      if (!job) return;
      if (isShutDown) job.stopController.abort(new WorkStoppedError('shutdown'));
      const signals = {
        stop: job.stopController.signal,
        deliverySignal: AbortSignal.any([deliverySignal.signal, job.abandoned.signal]),
      };
      const end = work(signals).finally(() => {
        if (deliverySignal.signal.aborted && !job.abandoned.signal.aborted) chatsForNextProcess.add(chatId);
        if (running.get(key) === job) running.delete(key);
        ends.delete(end);
      });
      ends.set(end, userId);
    },
    count: (matches) => [...running.values()].filter(({ facts }) => matches(facts)).length,
    listBusyChats: () =>
      new Set([...chatsForNextProcess, ...[...running.values()].map(({ chatTopic }) => chatTopic.chatId)]),
    stop(scope, userId, matches = () => true) {
      const matching = listStoppable(scope, userId).filter(({ facts }) => matches(facts));
      for (const job of matching) {
        job.isStoppable = false;
        job.stopController.abort(new WorkStoppedError('user'));
      }
      return matching.length;
    },
    abandon(chatId, matches = () => true) {
      const matching = [...running.values()].filter((job) => job.chatTopic.chatId === chatId && matches(job.facts));
      for (const job of matching) {
        // If this process gets the chat back, it recovers the job like that of any other process.
        running.delete(job.key);
        job.abandoned.abort();
        job.stopController.abort(new WorkStoppedError('other-process'));
      }
    },
    hasWork: (scope, userId) => listStoppable(scope, userId).length > 0,
    async whenEnded(userId) {
      await Promise.all([...ends].map(([end, whose]) => (whose === userId ? end : undefined)));
    },
    async close() {
      isClosed = true;
      const graceTimer = new AbortController();
      const ended = Promise.all(ends.keys());
      await Promise.race([ended, sleep(clock, SHUTDOWN_GRACE_MS, graceTimer.signal).catch(() => {})]);
      graceTimer.abort();
      if (running.size === 0) return;
      isShutDown = true;
      const cancelTimer = clock.setTimer(DELIVERY_TIMEOUT_MS, () => deliverySignal.abort());
      for (const job of running.values()) job.stopController.abort(new WorkStoppedError('shutdown'));
      await Promise.all(ends.keys());
      cancelTimer();
    },
  };
}
