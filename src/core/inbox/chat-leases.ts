import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../database/connect.ts';
import { ExpectedError } from '../../lib/errors/expected-error.ts';

const MAX_ASK_MS = 1000;

/** Thrown by work on a chat that another process has taken over. That process repeats or continues the work. The loss itself is logged. */
export class ChatLostError extends ExpectedError {
  override readonly name = 'ChatLostError';
  constructor(chatQueue: number) {
    super(`Another process has taken over the chat queue ${chatQueue}`);
  }
}

/** Ownership of one chat queue by this process, until it is released or lost. */
export interface ChatLease {
  readonly chatQueue: number;
  readonly isLost: boolean;
  /** Returns whether the process has renewed its lease in time, so that no other one can have taken over the queue. */
  isInTime(): boolean;
  /** Asks the database, and keeps others from taking over the queue until the transaction ends. */
  isOwn(tx: Database | undefined): Promise<boolean>;
  /** Ends the work of the chat in this process, except what no other one would repeat. */
  lose(): void;
}

/**
 * Fences the work of chats: a process that was suspended for longer than its lease changes nothing in a chat that another
 * process has taken over meanwhile. The handling of an update, and each job that it starts, is done under the lease of
 * its chat queue, which it keeps even if this process gets the chat back. Work outside of chat queues has no lease, and
 * neither has that of the only process of a database: both pass all checks.
 */
export class ChatLeases {
  readonly #current = new AsyncLocalStorage<ChatLease | undefined>();
  /** Questions to the database that are not answered yet, and the limit of the wait for them. */
  readonly #asked = new WeakMap<ChatLease, Promise<unknown>>();

  /** Runs work, and all that it starts, under a lease. */
  run<Result>(lease: ChatLease | undefined, work: () => Result): Result {
    return this.#current.run(lease, work);
  }

  /** Returns the work bound to the current lease if that is the lease of its chat, otherwise to none. */
  bind<Args extends readonly unknown[], Result>(
    chatId: number,
    work: (...args: Args) => Result,
  ): (...args: Args) => Result {
    const lease = this.#current.getStore();
    const own = lease?.chatQueue === chatId ? lease : undefined;
    return (...args) => this.run(own, () => work(...args));
  }

  /** @throws ChatLostError if the loss of the chat is known. */
  throwIfLost(): void {
    const lease = this.#current.getStore();
    if (lease?.isLost) throw new ChatLostError(lease.chatQueue);
  }

  /**
   * Asks the database if the lease may have expired; otherwise returns at once. Passes without an answer within a second:
   * replies are delivered while the database is away. If only this process is cut off from it, another one can have taken
   * over the chat and send the same.
   * @throws ChatLostError
   */
  check(): Promise<void> | undefined {
    const lease = this.#current.getStore();
    return lease === undefined || (!lease.isLost && lease.isInTime()) ? undefined : this.#ask(lease);
  }

  async #ask(lease: ChatLease): Promise<void> {
    let asked = this.#asked.get(lease);
    if (!asked) {
      const answer = this.hold()
        .catch(() => {})
        .finally(() => this.#asked.delete(lease));
      asked = Promise.race([answer, sleep(MAX_ASK_MS, undefined, { ref: false })]);
      this.#asked.set(lease, asked);
    }
    await asked;
    this.throwIfLost();
  }

  /**
   * Asks the database, and keeps other processes from taking over the chat until the transaction ends.
   * @throws ChatLostError
   */
  async hold(tx?: Database): Promise<void> {
    const lease = this.#current.getStore();
    if (lease && !lease.isLost && !(await lease.isOwn(tx))) lease.lose();
    this.throwIfLost();
  }

  /** Runs statements that nothing but the owner of the chat may run. @throws ChatLostError */
  async fence<Result>(db: Database, work: (tx: Database) => Promise<Result>): Promise<Result> {
    if (!this.#current.getStore()) return work(db);
    return db.transaction(async (tx) => {
      await this.hold(tx);
      return work(tx);
    });
  }
}
