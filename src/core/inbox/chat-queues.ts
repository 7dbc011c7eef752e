import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { BatchLoader, createBatchWriter } from '../../lib/async/batch-loader.ts';
import { endsWithin, sleep } from '../../lib/clock.ts';
import { type ChatLease, ChatLostError } from './chat-leases.ts';
import type { InboxWorkerDeps } from './update-handler.ts';
import type { ClaimedChatQueue, StoredUpdate } from './update-store.ts';

interface ChatQueuesParams {
  /** No other process can take over a chat queue. */
  readonly isOnlyProcess: boolean;
  readonly workerId: string;
  readonly maxConcurrent: number;
  /** Whether the process is started, not stopping, and its lease is valid. */
  readonly isWorking: () => boolean;
  /** Whether the lease is valid. */
  readonly isInTime: () => boolean;
  readonly handle: (chatQueue: number, update: StoredUpdate, mayHaveCrashed: boolean) => Promise<void>;
  readonly onTakenOver: (chatQueue: number, signal: AbortSignal) => Promise<void>;
  readonly onLost: (chatQueue: number) => void;
  readonly listBusyChatQueues: () => ReadonlySet<number>;
  readonly notifyOthers: (chatQueues: readonly number[]) => Promise<void>;
  /** Aborts when the process stops starting work. */
  readonly stopping: AbortSignal;
}

/** State of a chat queue owned by this process. */
interface OwnChatQueue {
  isRunning: boolean;
  /** An update arrived after the last read of the queue. */
  isWoken: boolean;
  /** The work of the dead previous owner is not recovered yet. */
  isLeftOver: boolean;
  /** The dead previous owner may have crashed on the first update. */
  mayHaveCrashed: boolean;
  /** Another process has taken it over. */
  isLost: boolean;
  /** Undefined during a takeover: the database may not know this owner yet. */
  claimId: number | undefined;
}

const NEW_QUEUE: OwnChatQueue = {
  isRunning: false,
  isWoken: false,
  isLeftOver: false,
  mayHaveCrashed: false,
  isLost: false,
  claimId: undefined,
};
/** Updates read from a chat queue at a time; then waiting queues are served first. */
const READ_AHEAD = 20;
/** Maximum number of chat queues in one notification to other processes. */
const MAX_REPORTED_QUEUES = 200;
/** Delay after a database error. */
const RETRY_MS = 1000;

/**
 * Schedules the chat queues of this process and claims woken queues without an owner. Each queue is processed in order
 * by one run at a time, at most `maxConcurrent` queues concurrently, round robin.
 */
export class ChatQueues {
  readonly #deps: InboxWorkerDeps;
  readonly #params: ChatQueuesParams;
  readonly #own = new Map<number, OwnChatQueue>();
  /** Chat queues waiting to run, in order. */
  readonly #wanted = new Set<number>();
  /** The subset of `#wanted` whose owner is not known yet. */
  readonly #unsettled = new Set<number>();
  readonly #running = new Set<Promise<void>>();
  #isFilling = false;
  readonly #updates: BatchLoader<number, readonly StoredUpdate[]>;
  readonly #release: (claimed: ClaimedChatQueue) => Promise<void>;
  /** Sends one notification at a time; queues added meanwhile share the next one. */
  readonly #notifyOthers: (chatQueues: readonly number[]) => Promise<void>;

  constructor(deps: InboxWorkerDeps, params: ChatQueuesParams) {
    const { store } = deps;
    this.#deps = deps;
    this.#params = params;
    const { workerId, maxConcurrent, notifyOthers } = params;
    const readAll = (chatQueues: readonly number[]) => store.readChatQueues(chatQueues, READ_AHEAD);
    this.#updates = new BatchLoader(readAll, { maxBatchSize: maxConcurrent, maxInFlight: 1 });
    this.#release = createBatchWriter((claimed) => store.release(workerId, claimed), maxConcurrent);
    this.#notifyOthers = createBatchWriter<readonly number[]>(
      (batches) => notifyOthers([...new Set(batches.flat())].slice(0, MAX_REPORTED_QUEUES)),
      MAX_REPORTED_QUEUES,
    );
  }

  /** Runs in progress. */
  get running(): ReadonlySet<Promise<void>> {
    return this.#running;
  }

  get size(): number {
    return this.#own.size;
  }

  has(chatQueue: number): boolean {
    return this.#own.has(chatQueue);
  }

  /** Lists owned chat queues that are running or not completely recovered. */
  listAtWork(): readonly number[] {
    return [...this.#own].filter(([, own]) => own.isRunning || own.isLeftOver).map(([chatQueue]) => chatQueue);
  }

  listIdle(): readonly number[] {
    return [...this.#own].filter(([, own]) => !own.isRunning).map(([chatQueue]) => chatQueue);
  }

  /** Schedules chat queues that have new updates. */
  wake(chatQueues: readonly number[]): void {
    for (const chatQueue of chatQueues) {
      const own = this.#own.get(chatQueue);
      if (own?.isRunning) own.isWoken = true;
      else this.#wanted.add(chatQueue);
      if (!own) this.#unsettled.add(chatQueue);
    }
    void this.#fill();
  }

  /**
   * Takes over a chat queue from a dead process and recovers its work first.
   * @param claim returns the claim id; undefined if the queue can't be taken over. Its errors are rethrown.
   * @returns false if the run has not ended within `timeoutMs`; it continues.
   */
  async takeOver(chatQueue: number, claim: () => Promise<number | undefined>, timeoutMs: number): Promise<boolean> {
    const { clock, store } = this.#deps;
    const former = this.#own.get(chatQueue);
    if (former) {
      // It may have been released and claimed since it was listed as that of a dead process.
      const isOwn = await store.isOwn(this.#params.workerId, chatQueue);
      if (isOwn || this.#own.get(chatQueue) !== former) return true;
      // Another process, which has died since, had taken it over before this one has noticed.
      this.#lose(chatQueue, former);
    }
    const own: OwnChatQueue = { ...NEW_QUEUE, isRunning: true, isLeftOver: true, mayHaveCrashed: true };
    // Added before the claim, whose response may be late or lost: updates that arrive meanwhile wait for the recovery.
    this.#own.set(chatQueue, own);
    own.claimId = await claim();
    if (own.claimId === undefined) {
      this.#own.delete(chatQueue);
      if (own.isWoken) this.wake([chatQueue]);
      return true;
    }
    return endsWithin(clock, this.#begin(chatQueue, own), timeoutMs, this.#params.stopping);
  }

  /**
   * Drops the chat queues that other processes have taken over. Those that are claimed meanwhile stay.
   * @param listOwn asks the database which ones are left.
   */
  async dropLost(listOwn: () => Promise<readonly number[]>): Promise<void> {
    // The claim of a takeover tells who owns the queue.
    const known = [...this.#own].filter(([, own]) => own.claimId !== undefined);
    const left = new Set(await listOwn());
    for (const [chatQueue, own] of known) if (!left.has(chatQueue)) this.#lose(chatQueue, own);
  }

  #lose(chatQueue: number, own: OwnChatQueue): void {
    own.isLost = true;
    if (this.#own.get(chatQueue) !== own) return;
    this.#own.delete(chatQueue);
    this.#params.onLost(chatQueue);
    this.#deps.logger.warn({ chatQueue, isRunning: own.isRunning }, 'another process has taken over a chat queue');
  }

  #toLease(chatQueue: number, own: OwnChatQueue): ChatLease | undefined {
    const { workerId, isInTime, isOnlyProcess } = this.#params;
    if (isOnlyProcess) return undefined;
    return {
      chatQueue,
      isInTime,
      isOwn: (tx) => this.#deps.store.isOwn(workerId, chatQueue, tx),
      get isLost() {
        return own.isLost;
      },
      lose: () => this.#lose(chatQueue, own),
    };
  }

  /** Starts waiting chat queues while fewer than `maxConcurrent` run. */
  async #fill(): Promise<void> {
    if (this.#isFilling) return;
    this.#isFilling = true;
    // The embedded database responds before other events are processed: yield, so that queues woken meanwhile share the
    // claim.
    await yieldToEventLoop();
    try {
      while (this.#wanted.size > 0 && this.#capacityLeft > 0 && this.#params.isWorking()) await this.#beginTurn();
      // At full concurrency the owner of the remaining queues stays unknown: notify the other processes now.
      this.#leaveToOthers([...this.#unsettled]);
      this.#unsettled.clear();
    } catch (error) {
      this.#deps.logger.warn({ err: error }, 'chat queues cannot be acquired; retrying');
      await sleep(this.#deps.clock, RETRY_MS, this.#params.stopping).catch(() => {});
      queueMicrotask(() => void this.#fill());
    } finally {
      this.#isFilling = false;
    }
  }

  get #capacityLeft(): number {
    return this.#params.maxConcurrent - this.#running.size;
  }

  /** Claims and starts as many waiting chat queues as concurrency allows. */
  async #beginTurn(): Promise<void> {
    const batch = [...this.#wanted].slice(0, this.#capacityLeft);
    const strange = batch.filter((chatQueue) => !this.#own.has(chatQueue));
    const claimed = strange.length === 0 ? [] : await this.#deps.store.claim(this.#params.workerId, strange);
    for (const chatQueue of batch) {
      this.#wanted.delete(chatQueue);
      this.#unsettled.delete(chatQueue);
    }
    for (const { chatQueue, claimId } of claimed)
      if (!this.#own.has(chatQueue)) this.#own.set(chatQueue, { ...NEW_QUEUE, claimId });
    for (const chatQueue of batch) {
      const own = this.#own.get(chatQueue);
      if (own?.isRunning === false) void this.#begin(chatQueue, own);
    }
    const taken = new Set(claimed.map(({ chatQueue }) => chatQueue));
    this.#leaveToOthers(strange.filter((chatQueue) => !taken.has(chatQueue)));
  }

  /** Notifies the other processes. The owner of a queue polls it in any case; the notification saves the delay. */
  #leaveToOthers(strange: readonly number[]): void {
    if (strange.length > 0) void this.#notifyOthers(strange);
  }

  #begin(chatQueue: number, own: OwnChatQueue): Promise<void> {
    const lease = this.#toLease(chatQueue, own);
    const work = this.#deps.chatLeases
      .run(lease, () => this.#run(chatQueue, own))
      .finally(() => {
        this.#running.delete(work);
        void this.#fill();
      });
    this.#running.add(work);
    return work;
  }

  async #run(chatQueue: number, own: OwnChatQueue): Promise<void> {
    const { stopping, onTakenOver } = this.#params;
    own.isRunning = true;
    try {
      if (own.isLeftOver) await onTakenOver(chatQueue, stopping);
      // During shutdown the recovery may be incomplete.
      own.isLeftOver &&= stopping.aborted;
      await this.#workOff(chatQueue, own);
      await this.#releaseIfIdle(chatQueue, own);
    } catch (error) {
      if (!stopping.aborted && !(error instanceof ChatLostError)) {
        this.#deps.logger.warn({ err: error, chatQueue }, 'a chat queue cannot continue; retrying');
        await sleep(this.#deps.clock, RETRY_MS, stopping).catch(() => {});
      }
      own.isWoken = true;
    }
    own.isRunning = false;
    if (own.isWoken) this.#wanted.add(chatQueue);
  }

  /** Reads and handles updates until the queue is empty or other queues wait. */
  async #workOff(chatQueue: number, own: OwnChatQueue): Promise<void> {
    while (this.#mayWorkOn(chatQueue, own)) {
      own.isWoken = false;
      const waiting = await this.#updates.load(chatQueue);
      const crashed = own.mayHaveCrashed ? waiting[0] : undefined;
      own.mayHaveCrashed = false;
      if (waiting.length === 0) return;
      for (const update of waiting) {
        if (!this.#mayWorkOn(chatQueue, own)) return;
        await this.#params.handle(chatQueue, update, update === crashed);
      }
      if (waiting.length < READ_AHEAD && !own.isWoken) return;
      own.isWoken = true;
      if (this.#wanted.size > 0) return;
    }
  }

  #mayWorkOn(chatQueue: number, own: OwnChatQueue): boolean {
    return this.#params.isWorking() && this.#own.get(chatQueue) === own;
  }

  async #releaseIfIdle(chatQueue: number, own: OwnChatQueue): Promise<void> {
    const { claimId } = own;
    if (own.isWoken || claimId === undefined || !this.#mayWorkOn(chatQueue, own)) return;
    if (this.#params.listBusyChatQueues().has(chatQueue)) return;
    try {
      await this.#release({ chatQueue, claimId });
    } finally {
      // If the response was lost, the owner is unknown: forget the queue here, so that it is claimed again. The release
      // may still come, and then leaves that claim alone.
      if (this.#own.get(chatQueue) === own) this.#own.delete(chatQueue);
    }
  }
}
