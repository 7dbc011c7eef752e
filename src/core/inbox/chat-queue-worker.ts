import { endsWithin, sleep } from '../../lib/clock.ts';
import { ChatQueues } from './chat-queues.ts';
import { persist } from './persist.ts';
import { type HandlingContext, type InboxWorkerDeps, UpdateHandler } from './update-handler.ts';

interface ChatQueueWorkerParams {
  readonly workerId: string;
  readonly isOnlyProcess: boolean;
  readonly handle: (payload: unknown, context: HandlingContext) => Promise<void>;
  readonly onTakenOver: (chatQueue: number, signal: AbortSignal) => Promise<void>;
  readonly onLost: (chatQueue: number) => void;
  readonly listBusyChatQueues: () => ReadonlySet<number>;
  readonly notifyOthers: (chatQueues: readonly number[]) => Promise<void>;
  readonly onWorkersCounted: (count: number) => void;
  readonly maxConcurrent: number;
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly maxFollowing: number;
}

const MAX_FOUND_QUEUES = 1000;
/** Maximum time that a recovery delays the next takeover, until the first that takes longer, and after that. */
const RECOVERY_MS = 5000;
const FURTHER_RECOVERY_MS = 200;
const SWEEP_EVERY_MS = 3_600_000;
/** Telegram keeps undelivered updates for 24 hours: older ones can't be repeated. */
const HANDLED_AGE_MS = 25 * 3_600_000;
const REST_AGE_MS = 7 * 24 * 3_600_000;

/**
 * Worker of the inbox in one process. It owns its chat queues while its lease lasts, which each heartbeat renews, and
 * takes over the queues of workers whose lease has expired.
 */
export class ChatQueueWorker {
  readonly #deps: InboxWorkerDeps;
  readonly #params: ChatQueueWorkerParams;
  readonly #queue: ChatQueues;
  readonly #stopping = new AbortController();
  readonly #closing = new AbortController();
  #isStarted = false;
  #isAliveUntil = 0;
  #recovering: Promise<void> | undefined;

  constructor(deps: InboxWorkerDeps, params: ChatQueueWorkerParams) {
    this.#deps = deps;
    this.#params = params;
    const stopping = this.#stopping.signal;
    const handler = new UpdateHandler(deps, {
      workerId: params.workerId,
      handle: params.handle,
      maxFollowing: params.maxFollowing,
      maxMarked: params.maxConcurrent,
      stopping,
      closing: this.#closing.signal,
    });
    this.#queue = new ChatQueues(deps, {
      ...params,
      stopping,
      isWorking: () => this.#isWorking(),
      isInTime: () => this.#isInTime(),
      handle: (chatQueue, update, mayHaveCrashed) => handler.handle(chatQueue, update, mayHaveCrashed),
    });
  }

  async start(): Promise<void> {
    await this.#heartbeat();
    if (this.#params.isOnlyProcess) await this.#deps.store.takeOverFromOthers(this.#params.workerId);
    this.#isStarted = true;
    void this.#repeat(this.#params.leaseMs / 3, 'cannot renew the lease of this process', () => this.#heartbeat());
    void this.#repeat(SWEEP_EVERY_MS, 'cannot remove old entries', () => this.#sweep());
    void this.#tryToLook().then(() => this.#repeat(this.#params.pollMs, 'cannot be read', () => this.#look()));
    void this.#attempt('cannot remove old entries', () => this.#sweep());
  }

  /** Schedules chat queues that have new updates. */
  wake(chatQueues: readonly number[]): void {
    this.#queue.wake(chatQueues);
  }

  /** Schedules the owned ones among chat queues that another process has stored updates for. */
  wakeOwn(chatQueues: readonly number[]): void {
    this.#queue.wake(chatQueues.filter((chatQueue) => this.#queue.has(chatQueue)));
  }

  /**
   * Stops starting handlers and waits for the running ones.
   * @returns the number of chat queues still running after `timeoutMs`.
   */
  async drain(timeoutMs: number): Promise<number> {
    this.#stopping.abort(new Error('the process is ending'));
    const ended = Promise.all([...this.#queue.running, this.#recovering?.catch(() => {})]);
    await endsWithin(this.#deps.clock, ended, timeoutMs);
    return this.#queue.running.size;
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the inbox is closed'));
    if (!this.#isStarted) return;
    // Unfinished work is treated by the next process like work interrupted by a crash.
    const left = new Set([...this.#queue.listAtWork(), ...this.#params.listBusyChatQueues()]);
    await this.#deps.store.leave(this.#params.workerId, left);
  }

  #isWorking(): boolean {
    return this.#isStarted && !this.#stopping.signal.aborted && this.#isInTime();
  }

  #isInTime(): boolean {
    return this.#deps.clock.now() < this.#isAliveUntil;
  }

  async #heartbeat(): Promise<void> {
    const { clock, store } = this.#deps;
    const { workerId, leaseMs } = this.#params;
    const askedAt = clock.now();
    const wasValid = await store.renew(workerId, leaseMs);
    // The response may be late: the lease may have expired meanwhile, and other workers may have taken over queues.
    const hadLapsed = this.#queue.size > 0 && (!wasValid || !this.#isInTime());
    if (hadLapsed) await this.#dropLost();
    this.#isAliveUntil = askedAt + leaseMs;
    // Not awaited: it may take long and must not delay the next heartbeat.
    if (hadLapsed) void this.#tryToLook();
  }

  /** Drops chat queues that other workers took over while the lease was expired. */
  async #dropLost(): Promise<void> {
    await this.#queue.dropLost(() => this.#deps.store.listOwnChatQueues(this.#params.workerId));
  }

  /** Takes over chat queues of dead workers and schedules queues with waiting updates. */
  async #look(): Promise<void> {
    if (!this.#isWorking()) return;
    const { store } = this.#deps;
    const { workerId, isOnlyProcess, onWorkersCounted, listBusyChatQueues } = this.#params;
    if (!isOnlyProcess) onWorkersCounted(1 + (await store.countOthersAtWork(workerId)));
    await this.#recover();
    const busy = listBusyChatQueues();
    const idle = this.#queue.listIdle().filter((chatQueue) => !busy.has(chatQueue));
    this.#queue.wake([...(await store.listWaitingChatQueues(workerId, MAX_FOUND_QUEUES)), ...idle]);
  }

  #tryToLook(): Promise<void> {
    return this.#attempt('cannot be read; retrying', () => this.#look());
  }

  #recover(): Promise<void> {
    this.#recovering ??= this.#recoverAll().finally(() => {
      this.#recovering = undefined;
    });
    return this.#recovering;
  }

  /**
   * Recovers one chat queue at a time: an update that crashes the process interrupts no other recovery. Updates whose
   * handling has not started count no attempt. One that takes long, as while Telegram is away, leaves little time to the
   * further ones: a thousand chats must not wait for hours.
   */
  async #recoverAll(): Promise<void> {
    const { store } = this.#deps;
    let timeoutMs = RECOVERY_MS;
    for (const dead of await store.listStalledChatQueues(this.#params.workerId, MAX_FOUND_QUEUES)) {
      if (!this.#isWorking()) return;
      let isRepeated = false;
      const claim = () => {
        const claimed = store.takeOver(this.#params.workerId, dead, isRepeated);
        isRepeated = true;
        return claimed;
      };
      const claimSurely = () => persist(this.#deps, this.#closing.signal, claim);
      const isInTime = await this.#queue.takeOver(dead.chatQueue, claimSurely, timeoutMs);
      if (!isInTime) timeoutMs = FURTHER_RECOVERY_MS;
    }
  }

  #sweep(): Promise<void> {
    return this.#deps.store.sweep({ handledMs: HANDLED_AGE_MS, restMs: REST_AGE_MS });
  }

  async #repeat(everyMs: number, failure: string, action: () => Promise<void>): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      await sleep(this.#deps.clock, everyMs, signal).catch(() => {});
      if (signal.aborted) return;
      await this.#attempt(failure, action);
    }
  }

  /** @param failure end of the log message, after "the inbox". */
  async #attempt(failure: string, action: () => Promise<void>): Promise<void> {
    await action().catch((error: unknown) => this.#deps.logger.warn({ err: error }, `the inbox ${failure}`));
  }
}
