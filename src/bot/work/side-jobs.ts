import type { Place } from '../../core/conversations/index.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import { isWithin, type WorkScope } from '../framework/place.ts';
import { WorkStoppedError } from './work-stopped-error.ts';

/** What can end a job early. */
export interface SideJobSignals {
  /** Aborted with a `WorkStoppedError`: the work ends; what is done already gets delivered. */
  readonly stop: AbortSignal;
  /** The process is about to end, or another one works for this chat now: what is not delivered by now is none of its business any more. */
  readonly over: AbortSignal;
}

/** A job that has been let in. */
export interface SideJob<Facts> {
  readonly key: string;
  readonly userId: number;
  readonly place: Place;
  readonly facts: Facts;
  /** False while there is nothing to stop. */
  isStoppable: boolean;
}

/** Why a job is not let in: its key is at work; the person has too much at work; everybody has. */
export type SideJobRefusal = 'running' | 'full' | 'busy';

/** What goes on beside the handling of updates: bounded, stopped by people, and ended with the process. */
export interface SideJobs<Facts> {
  /** Takes a place for a job that is not stoppable yet. Whoever holds it calls `run` or `leave`. */
  enter(job: {
    readonly key: string;
    readonly userId: number;
    readonly place: Place;
    readonly facts: Facts;
  }): SideJob<Facts> | SideJobRefusal;
  leave(job: SideJob<Facts>): void;
  /** @param work never throws. */
  run(job: SideJob<Facts>, work: (signals: SideJobSignals) => Promise<void>): void;
  count(isMeant: (facts: Facts) => boolean): number;
  /** Chats where something is at work, and those where the end of the process has left something to be told by the next one. */
  listBusyChats(): ReadonlySet<number>;
  /** Stops the person's stoppable jobs there. @returns how many. */
  stop(scope: WorkScope, userId: number, isMeant?: (facts: Facts) => boolean): number;
  /** Whether something stoppable of the person's is at work there. */
  hasWork(scope: WorkScope, userId: number): boolean;
  /** Resolves when all jobs of the person that run now have ended. */
  whenEnded(userId: number): Promise<void>;
  /** Another process goes on with this in its chat: it ends, and nothing of it is told from here. */
  abandon(chatId: number, isMeant?: (facts: Facts) => boolean): void;
  /** Lets what is under way end for a while, then stops it; what is done by then is still delivered. Nothing is taken afterwards. */
  close(): Promise<void>;
}

interface OwnSideJob<Facts> extends SideJob<Facts> {
  readonly abort: AbortController;
  readonly abandoned: AbortController;
}

/** How long jobs may go on when the process is told to end, and how long the last words may take after that. */
const SHUTDOWN_GRACE_MS = 8000;
const LAST_WORDS_MS = 5000;

export function createSideJobs<Facts>(
  { clock }: { readonly clock: Clock },
  limits: { readonly maxJobs: number; readonly maxUserJobs: number },
): SideJobs<Facts> {
  const running = new Map<string, OwnSideJob<Facts>>();
  const ends = new Map<Promise<void>, number>();
  const leftIn = new Set<number>();
  const over = new AbortController();
  let isClosed = false;
  let isShutDown = false;

  const listStoppable = (scope: WorkScope, userId: number) =>
    [...running.values()].filter((job) => job.isStoppable && job.userId === userId && isWithin(job.place, scope));

  return {
    enter({ key, userId, place, facts }) {
      if (running.has(key)) return 'running';
      if (isClosed || running.size >= limits.maxJobs) return 'busy';
      const ofUser = [...running.values()].filter((job) => job.userId === userId);
      if (ofUser.length >= limits.maxUserJobs) return 'full';
      const signals = { abort: new AbortController(), abandoned: new AbortController() };
      const job = { key, userId, place, facts, isStoppable: false, ...signals };
      running.set(key, job);
      return job;
    },
    leave: ({ key }) => void running.delete(key),
    run({ key, userId, place: { chatId } }, work) {
      const job = running.get(key);
      // Abandoned before it had begun.
      if (!job) return;
      if (isShutDown) job.abort.abort(new WorkStoppedError('shutdown'));
      const signals = { stop: job.abort.signal, over: AbortSignal.any([over.signal, job.abandoned.signal]) };
      const end = work(signals).finally(() => {
        if (over.signal.aborted && !job.abandoned.signal.aborted) leftIn.add(chatId);
        if (running.get(key) === job) running.delete(key);
        ends.delete(end);
      });
      ends.set(end, userId);
    },
    count: (isMeant) => [...running.values()].filter(({ facts }) => isMeant(facts)).length,
    listBusyChats: () => new Set([...leftIn, ...[...running.values()].map(({ place }) => place.chatId)]),
    stop(scope, userId, isMeant = () => true) {
      const meant = listStoppable(scope, userId).filter(({ facts }) => isMeant(facts));
      for (const job of meant) {
        job.isStoppable = false;
        job.abort.abort(new WorkStoppedError('user'));
      }
      return meant.length;
    },
    abandon(chatId, isMeant = () => true) {
      const meant = [...running.values()].filter((job) => job.place.chatId === chatId && isMeant(job.facts));
      for (const job of meant) {
        // Should the chat come back, what became of it is to be told like that of any other process.
        running.delete(job.key);
        job.abandoned.abort();
        job.abort.abort(new WorkStoppedError('other-process'));
      }
    },
    hasWork: (scope, userId) => listStoppable(scope, userId).length > 0,
    async whenEnded(userId) {
      await Promise.all([...ends].map(([end, whose]) => (whose === userId ? end : undefined)));
    },
    async close() {
      isClosed = true;
      const patience = new AbortController();
      const ended = Promise.all(ends.keys());
      await Promise.race([ended, sleep(clock, SHUTDOWN_GRACE_MS, patience.signal).catch(() => {})]);
      patience.abort();
      if (running.size === 0) return;
      isShutDown = true;
      const cancelTimer = clock.setTimer(LAST_WORDS_MS, () => over.abort());
      for (const job of running.values()) job.abort.abort(new WorkStoppedError('shutdown'));
      await Promise.all(ends.keys());
      cancelTimer();
    },
  };
}
