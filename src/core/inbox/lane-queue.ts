import { setImmediate } from 'node:timers/promises';
import { BatchLoader, createBatchWriter } from '../../lib/batch-loader.ts';
import { sleep } from '../../lib/clock.ts';
import type { InboxWorkerDeps } from './update-handler.ts';
import type { StoredUpdate } from './update-store.ts';

interface LaneQueueOptions {
  readonly workerId: string;
  readonly maxConcurrent: number;
  /** Whether the process may touch its lanes now. */
  readonly isWorking: () => boolean;
  readonly handle: (lane: number, update: StoredUpdate, isSuspect: boolean) => Promise<void>;
  readonly onTakenOver: (lane: number, signal: AbortSignal) => Promise<void>;
  readonly listBusyLanes: () => ReadonlySet<number>;
  readonly tellOthers: (lanes: readonly number[]) => Promise<void>;
  /** Aborts when nothing more is to be begun. */
  readonly stopping: AbortSignal;
}

/** A lane that belongs to this process. */
interface OwnLane {
  isRunning: boolean;
  /** Something has come since the lane was last read. */
  isWoken: boolean;
  /** A dead process has left something here that this one has not taken up yet. */
  isLeftOver: boolean;
  /** The dead process may have been at its first update. */
  hasSuspect: boolean;
}

/** Updates of a lane that are read at once; then lanes that wait have their turn. */
const READ_AHEAD = 20;
/** What fits into one message to other processes. */
const MAX_TOLD_LANES = 200;
/** Pause after the database has failed. */
const RETRY_MS = 1000;
/** A lane of a dead process that takes longer no longer holds up the ones behind it. */
const RECOVERY_PATIENCE_MS = 5000;

/**
 * The lanes of this process, and others that have been woken and may become so. Each is worked on in order, by one run at a time;
 * at most `maxConcurrent` of them at once, in turn.
 */
export class LaneQueue {
  readonly #deps: InboxWorkerDeps;
  readonly #options: LaneQueueOptions;
  readonly #own = new Map<number, OwnLane>();
  /** Lanes that wait for their turn, in order. */
  readonly #wanted = new Set<number>();
  /** Those of them that may be another process's, as long as that is not known. */
  readonly #unsettled = new Set<number>();
  readonly #running = new Set<Promise<void>>();
  #isFilling = false;
  readonly #updates: BatchLoader<number, readonly StoredUpdate[]>;
  readonly #release: (lane: number) => Promise<void>;
  /** One message at a time: what comes meanwhile is told together. */
  readonly #tellOthers: (lanes: readonly number[]) => Promise<void>;

  constructor(deps: InboxWorkerDeps, options: LaneQueueOptions) {
    const { store } = deps;
    this.#deps = deps;
    this.#options = options;
    const { workerId, maxConcurrent, tellOthers } = options;
    const readAll = (lanes: readonly number[]) => store.readLanes(lanes, READ_AHEAD);
    this.#updates = new BatchLoader(readAll, { maxBatchSize: maxConcurrent, maxInFlight: 1 });
    this.#release = createBatchWriter((lanes) => store.release(workerId, lanes), maxConcurrent);
    this.#tellOthers = createBatchWriter<readonly number[]>(
      (batches) => tellOthers([...new Set(batches.flat())].slice(0, MAX_TOLD_LANES)),
      MAX_TOLD_LANES,
    );
  }

  /** The runs that have not ended. */
  get running(): ReadonlySet<Promise<void>> {
    return this.#running;
  }

  get size(): number {
    return this.#own.size;
  }

  has(lane: number): boolean {
    return this.#own.has(lane);
  }

  /** Own lanes that are worked on, or hold something of a dead process that was not taken up. */
  listAtWork(): readonly number[] {
    return [...this.#own].filter(([, own]) => own.isRunning || own.isLeftOver).map(([lane]) => lane);
  }

  listIdle(): readonly number[] {
    return [...this.#own].filter(([, own]) => !own.isRunning).map(([lane]) => lane);
  }

  /** Gives a turn to lanes where something new waits. */
  wake(lanes: readonly number[]): void {
    for (const lane of lanes) {
      const own = this.#own.get(lane);
      if (own?.isRunning) own.isWoken = true;
      else this.#wanted.add(lane);
      if (!own) this.#unsettled.add(lane);
    }
    void this.#fill();
  }

  /**
   * Takes a lane over from a dead process and begins with what that has left. Resolves when the run has ended or takes long.
   * @param claim false where the lane is not to be had; what it throws is thrown.
   */
  async takeOver(lane: number, claim: () => Promise<boolean>): Promise<void> {
    const { clock } = this.#deps;
    const own: OwnLane = { isRunning: true, isWoken: false, isLeftOver: true, hasSuspect: true };
    // Before the answer, which may be late or lost: what is woken meanwhile waits until what was left over is taken up.
    this.#own.set(lane, own);
    if (!(await claim())) {
      this.#own.delete(lane);
      if (own.isWoken) this.wake([lane]);
      return;
    }
    this.#own.set(lane, own);
    const patience = new AbortController();
    const enough = sleep(clock, RECOVERY_PATIENCE_MS, AbortSignal.any([patience.signal, this.#options.stopping]));
    await Promise.race([this.#begin(lane, own), enough.catch(() => {})]);
    patience.abort();
  }

  /** Drops the lanes that are not among these. @returns them, and whether they were worked on. */
  keepOnly(kept: ReadonlySet<number>): readonly { readonly lane: number; readonly isRunning: boolean }[] {
    const lost = [...this.#own].filter(([lane]) => !kept.has(lane));
    for (const [lane] of lost) this.#own.delete(lane);
    return lost.map(([lane, { isRunning }]) => ({ lane, isRunning }));
  }

  /** Gives lanes their turn while there is room. */
  async #fill(): Promise<void> {
    if (this.#isFilling) return;
    this.#isFilling = true;
    // An embedded database answers before anything else is heard: lanes that are woken meanwhile are to come along.
    await setImmediate();
    try {
      while (this.#wanted.size > 0 && this.#roomLeft > 0 && this.#options.isWorking()) await this.#beginTurn();
      // Where there is no room they would wait for a turn before it is even known whose they are.
      this.#leaveToOthers([...this.#unsettled]);
      this.#unsettled.clear();
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'lanes can not be taken; trying again');
      await sleep(this.#deps.clock, RETRY_MS, this.#options.stopping).catch(() => {});
      queueMicrotask(() => void this.#fill());
    } finally {
      this.#isFilling = false;
    }
  }

  get #roomLeft(): number {
    return this.#options.maxConcurrent - this.#running.size;
  }

  /** Claims as many lanes as there is room for, and begins with those that this process has then. */
  async #beginTurn(): Promise<void> {
    const turn = [...this.#wanted].slice(0, this.#roomLeft);
    const strange = turn.filter((lane) => !this.#own.has(lane));
    const claimed = strange.length === 0 ? [] : await this.#deps.store.claim(this.#options.workerId, strange);
    for (const lane of turn) {
      this.#wanted.delete(lane);
      this.#unsettled.delete(lane);
    }
    for (const lane of claimed)
      if (!this.#own.has(lane))
        this.#own.set(lane, { isRunning: false, isWoken: false, isLeftOver: false, hasSuspect: false });
    for (const lane of turn) {
      const own = this.#own.get(lane);
      if (own?.isRunning === false) void this.#begin(lane, own);
    }
    this.#leaveToOthers(strange.filter((lane) => !claimed.includes(lane)));
  }

  /** Whoever has a lane looks for what waits there, at once where it hears of it. */
  #leaveToOthers(strange: readonly number[]): void {
    if (strange.length > 0) void this.#tellOthers(strange);
  }

  #begin(lane: number, own: OwnLane): Promise<void> {
    const work = this.#run(lane, own).finally(() => {
      this.#running.delete(work);
      void this.#fill();
    });
    this.#running.add(work);
    return work;
  }

  async #run(lane: number, own: OwnLane): Promise<void> {
    const { stopping, onTakenOver } = this.#options;
    own.isRunning = true;
    try {
      if (own.isLeftOver) await onTakenOver(lane, stopping);
      // Where the process is ending not all of it may have been taken up.
      own.isLeftOver &&= stopping.aborted;
      await this.#workOff(lane, own);
      await this.#releaseIfIdle(lane, own);
    } catch (error) {
      if (!stopping.aborted) {
        this.#deps.logger.warn({ err: error, lane }, 'a lane can not go on; trying again');
        await sleep(this.#deps.clock, RETRY_MS, stopping).catch(() => {});
      }
      own.isWoken = true;
    }
    own.isRunning = false;
    if (own.isWoken) this.#wanted.add(lane);
  }

  /** Reads and handles until nothing waits, or others want a turn. */
  async #workOff(lane: number, own: OwnLane): Promise<void> {
    while (this.#mayWorkOn(lane, own)) {
      own.isWoken = false;
      const waiting = await this.#updates.load(lane);
      const suspect = own.hasSuspect ? waiting[0] : undefined;
      own.hasSuspect = false;
      if (waiting.length === 0) return;
      for (const update of waiting) {
        if (!this.#mayWorkOn(lane, own)) return;
        await this.#options.handle(lane, update, update === suspect);
      }
      if (waiting.length < READ_AHEAD && !own.isWoken) return;
      own.isWoken = true;
      if (this.#wanted.size > 0) return;
    }
  }

  #mayWorkOn(lane: number, own: OwnLane): boolean {
    return this.#options.isWorking() && this.#own.get(lane) === own;
  }

  async #releaseIfIdle(lane: number, own: OwnLane): Promise<void> {
    if (own.isWoken || !this.#mayWorkOn(lane, own) || this.#options.listBusyLanes().has(lane)) return;
    try {
      await this.#release(lane);
    } finally {
      // Where the answer was lost nobody knows whose it is: whoever wants it claims it.
      if (this.#own.get(lane) === own) this.#own.delete(lane);
    }
  }
}
