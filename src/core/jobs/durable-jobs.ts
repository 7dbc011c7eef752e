import type { Database } from '../../database/connect.ts';
import { LeaseRenewal } from '../../lib/async/lease-renewal.ts';
import { once } from '../../lib/async/once.ts';
import { type Clock, endsWithin, sleep } from '../../lib/clock.ts';
import { createId } from '../../lib/ids.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { type DurableJob, type DurableJobKind, type NewDurableJob, RetryLaterError } from './durable-job.ts';
import { createDurableJobRows } from './durable-job-rows.ts';

export interface DurableJobsDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
}

class JobLostError extends Error {
  override readonly name = 'JobLostError';
}

interface RunningJob {
  readonly graceMs: number;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
  /** Cancels the timer that aborts a hung job. */
  readonly cancelTimer: () => void;
}

/** A fraction of a lease. */
const RENEW_EVERY_MS = 5000;
/** A job that runs longer is taken for hung: it is aborted, and lost to another attempt. */
const MAX_DURATION_MS = 6 * 3_600_000;
/** Interval at which jobs of other processes are noticed: released ones and those of dead processes. */
const POLL_MS = 2000;
/** Pause before the second attempt, which doubles each time, and after a failure of the database. */
const RETRY_AFTER_MS = 5000;
const MAX_RETRY_AFTER_MS = 10 * 60_000;
/** Pauses before further attempts to store the end of a job; in all less than what is left of its lease. */
const COMPLETE_AGAIN_MS = [500, 1000, 2000, 4000, 4000] as const;
/** Time that an aborted job gets to end. */
const ABORTED_MS = 3000;

/**
 * Work that outlives its process: each job is a row that one process at a time leases, and that another takes over when
 * that one ends or dies.
 */
export class DurableJobs {
  readonly #deps: DurableJobsDeps;
  readonly #isOnlyProcess: boolean;
  readonly #rows;
  readonly #kinds = new Map<string, DurableJobKind>();
  /** Taken slots by kind: running jobs, and those that are about to run. */
  readonly #slots = new Map<string, number>();
  readonly #running = new Map<number, RunningJob>();
  readonly #closing = new AbortController();
  readonly #renewal: LeaseRenewal;
  #wake = () => {};
  #polling: Promise<void> | undefined;

  /** @param options.isOnlyProcess takes over what an earlier process has left at once. Default false. */
  constructor(deps: DurableJobsDeps, { isOnlyProcess = false }: { readonly isOnlyProcess?: boolean } = {}) {
    this.#deps = deps;
    this.#isOnlyProcess = isOnlyProcess;
    this.#rows = createDurableJobRows(deps.db, createId());
    this.#renewal = new LeaseRenewal(deps.clock, {
      everyMs: RENEW_EVERY_MS,
      maxDurationMs: MAX_DURATION_MS,
      renew: (ids) => {
        this.#renew(ids.map(Number)).catch((error: unknown) => {
          deps.logger.warn({ err: error }, 'leases of jobs could not be renewed');
        });
      },
    });
  }

  /** Begins to run the jobs of a kind, also those that are left from earlier processes. */
  register(name: string, kind: DurableJobKind): void {
    this.#kinds.set(name, kind);
    this.#polling ??= this.#poll();
    this.#wake();
  }

  /**
   * Stores a job, and runs it at once if there is a free slot.
   * @param alongside writes what belongs to the job in the same transaction.
   * @returns whether it runs; otherwise it waits.
   * @throws TooManyJobsError; the errors of `alongside`.
   */
  async add(
    name: string,
    job: NewDurableJob,
    alongside: (tx: Database) => Promise<void>,
  ): Promise<'running' | 'waiting'> {
    const kind = this.#getKind(name);
    const isRun = !this.#closing.signal.aborted && this.#countFree(name) > 0;
    this.#take(name, isRun ? 1 : 0);
    try {
      const id = await this.#rows.add(name, job, { isRun, kind, alongside });
      if (isRun && (await this.#begin({ ...job, id, kind: name, attempts: 1 }))) return 'running';
      // The slots may only have been taken while jobs were looked for.
      if (!isRun) this.#wake();
      return 'waiting';
    } finally {
      if (isRun) this.#free(name);
    }
  }

  /** Deletes a job. This process ends it at once, another one when it renews its lease. */
  async cancel(name: string, key: string): Promise<void> {
    const id = await this.#rows.cancel(name, key);
    if (id !== undefined) this.#lose(id);
  }

  /**
   * Extends the lease of a job that this process runs.
   * @returns false if it is cancelled or another process has taken it over; then what the work is about is not its own.
   */
  async renew({ id }: Pick<DurableJob, 'id'>): Promise<boolean> {
    const own = await this.#rows.renew([id]);
    if (own.length === 0) this.#lose(id);
    return own.length > 0;
  }

  /** Counts the jobs of all processes that run or wait, by the name of their kind. */
  async count(): Promise<Readonly<Record<string, number>>> {
    const counts = await this.#rows.count();
    return Object.fromEntries([...this.#kinds.keys()].map((name) => [name, counts.get(name) ?? 0]));
  }

  /** Runs no further jobs. Those that do not end in time are left to other processes, and to the next one. */
  readonly close = once(async (): Promise<void> => {
    this.#closing.abort(new Error('the service is stopping'));
    const stopping = [...this.#running.values()].map((running) => this.#stop(running));
    // A statement that is under way may take long.
    await Promise.all([...stopping, this.#polling && endsWithin(this.#deps.clock, this.#polling, ABORTED_MS)]);
    this.#renewal.close();
  });

  async #stop({ graceMs, controller, ended, cancelTimer }: RunningJob): Promise<void> {
    await endsWithin(this.#deps.clock, ended, graceMs);
    controller.abort(this.#closing.signal.reason);
    await endsWithin(this.#deps.clock, ended, ABORTED_MS);
    cancelTimer();
  }

  async #poll(): Promise<void> {
    const { clock, logger } = this.#deps;
    const { signal } = this.#closing;
    let isFirst = this.#isOnlyProcess;
    while (!signal.aborted) {
      const waking = new AbortController();
      this.#wake = () => waking.abort();
      let pauseMs = POLL_MS;
      try {
        if (isFirst) await this.#rows.releaseOthers();
        isFirst = false;
        while (await this.#claim());
      } catch (error) {
        logger.warn({ err: error }, 'jobs could not be claimed; retrying');
        pauseMs = RETRY_AFTER_MS;
      }
      await sleep(clock, pauseMs, AbortSignal.any([signal, waking.signal])).catch(() => {});
    }
  }

  /** Starts a job that is due. @returns false if there is none, or no free slot. */
  async #claim(): Promise<boolean> {
    const names = [...this.#kinds.keys()].filter((name) => this.#countFree(name) > 0);
    if (names.length === 0 || this.#closing.signal.aborted) return false;
    // Calls of `add` in the meantime must not use the same slot.
    for (const name of names) this.#take(name, 1);
    try {
      // The lease of one that runs here may have ended while the database was away.
      const claimed = await this.#rows.claim(names, [...this.#running.keys()]);
      if (!claimed) return false;
      const { kind, key, attempts } = claimed;
      if (attempts > 1) this.#deps.logger.info({ kind, key, attempts }, 'a job is begun again');
      await this.#begin(claimed);
      return true;
    } finally {
      for (const name of names) this.#take(name, -1);
    }
  }

  /** Starts a job that this process has leased. @returns false if it stops meanwhile; then it gives the job back. */
  async #begin(job: DurableJob): Promise<boolean> {
    if (this.#closing.signal.aborted) {
      await this.#release(job, { afterMs: 0, attempts: job.attempts - 1 });
      return false;
    }
    this.#start(job);
    return true;
  }

  #start(job: DurableJob): void {
    const { id, kind: name } = job;
    const kind = this.#getKind(name);
    const controller = new AbortController();
    this.#take(name, 1);
    this.#renewal.add(String(id));
    const cancelTimer = this.#deps.clock.setTimer(MAX_DURATION_MS, () => this.#lose(id));
    const ended = this.#attempt(job, kind, controller.signal).finally(() => {
      cancelTimer();
      this.#renewal.remove(String(id));
      this.#running.delete(id);
      this.#free(name);
    });
    this.#running.set(id, { graceMs: kind.graceMs, controller, ended, cancelTimer });
  }

  /** Never throws. A row that can't be changed now is claimed again after its lease. */
  async #attempt(job: DurableJob, kind: DurableJobKind, signal: AbortSignal): Promise<void> {
    const { key, attempts } = job;
    try {
      await (attempts > kind.maxAttempts ? kind.giveUp(job) : kind.run(job, signal));
    } catch (error) {
      if (signal.reason instanceof JobLostError) return;
      const isFailure = !signal.aborted && !(error instanceof RetryLaterError);
      if (isFailure) this.#deps.logger.warn({ err: error, kind: job.kind, key, attempts }, 'a job failed');
      const afterMs = signal.aborted ? 0 : toPause(error, job, kind);
      await this.#release(job, { afterMs, attempts: isFailure ? attempts : attempts - 1 });
      return;
    }
    await this.#complete(job, signal);
  }

  /** Deletes a job that is done; otherwise its work would be repeated. Never throws. */
  async #complete({ id, kind, key }: DurableJob, signal: AbortSignal): Promise<void> {
    for (const pauseMs of [...COMPLETE_AGAIN_MS, undefined]) {
      try {
        return await this.#rows.complete(id);
      } catch (error) {
        this.#deps.logger.warn({ err: error, kind, key }, 'the end of a job could not be stored');
        if (pauseMs !== undefined) await sleep(this.#deps.clock, pauseMs, signal).catch(() => {});
        if (signal.aborted) return;
      }
    }
  }

  /** Never throws. */
  async #release({ id, kind, key }: DurableJob, state: { readonly afterMs: number; readonly attempts: number }) {
    await this.#rows.release(id, state).catch((error: unknown) => {
      this.#deps.logger.warn({ err: error, kind, key }, 'the end of a job could not be stored');
    });
  }

  /** Renews leases, and ends jobs that are cancelled or taken over. */
  async #renew(ids: readonly number[]): Promise<void> {
    const own = new Set(await this.#rows.renew(ids));
    for (const id of ids) if (!own.has(id)) this.#lose(id);
  }

  #lose(id: number): void {
    this.#running
      .get(id)
      ?.controller.abort(new JobLostError('The job was cancelled, ran too long, or is run by another process'));
  }

  #getKind(name: string): DurableJobKind {
    const kind = this.#kinds.get(name);
    if (!kind) throw new Error(`No jobs of the kind ${name} are registered`);
    return kind;
  }

  #countFree(name: string): number {
    return this.#getKind(name).maxRunning - (this.#slots.get(name) ?? 0);
  }

  /** Frees a slot that a waiting job may have found taken. */
  #free(name: string): void {
    const wasFull = this.#countFree(name) <= 0;
    this.#take(name, -1);
    if (wasFull) this.#wake();
  }

  #take(name: string, count: number): void {
    this.#slots.set(name, (this.#slots.get(name) ?? 0) + count);
  }
}

/** Returns the time until a job that has ended with an error is tried again. */
function toPause(error: unknown, { attempts }: DurableJob, { maxAttempts }: DurableJobKind): number {
  if (error instanceof RetryLaterError) return error.afterMs;
  if (attempts === maxAttempts) return 0;
  // Beyond them it is `giveUp` that has failed.
  const failures = attempts > maxAttempts ? attempts - maxAttempts : attempts;
  return Math.min(RETRY_AFTER_MS * 2 ** (failures - 1), MAX_RETRY_AFTER_MS);
}
