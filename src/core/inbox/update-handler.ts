import { BatchLoader } from '../../lib/async/batch-loader.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import { describeError } from '../../lib/errors/describe-error.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { type ChatLeases, ChatLostError } from './chat-leases.ts';
import { persist } from './persist.ts';
import type { StoredUpdate, UpdateStore } from './update-store.ts';

/** Context of an update while it is handled. */
export interface HandlingContext {
  /** Returns the payloads of later updates in the same chat queue, in order; at most 200. */
  listFollowing(): Promise<readonly unknown[]>;
}

/** Dependencies of the inbox worker. */
export interface InboxWorkerDeps {
  readonly store: UpdateStore;
  readonly chatLeases: ChatLeases;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface UpdateHandlerParams {
  readonly workerId: string;
  readonly handle: (payload: unknown, context: HandlingContext) => Promise<void>;
  readonly maxFollowing: number;
  /** Maximum number of updates marked as handled by one statement. */
  readonly maxMarked: number;
  /** Aborts when no further attempt may start. */
  readonly stopping: AbortSignal;
  /** Aborts when no further write may start. */
  readonly closing: AbortSignal;
}

const MAX_TRIES = 3;
/** Delay after a failed attempt. */
const RETRY_MS = 1000;

/** Handles updates and counts attempts: an update that fails or crashes its process too often is set aside. */
export class UpdateHandler {
  readonly #deps: InboxWorkerDeps;
  readonly #params: UpdateHandlerParams;
  readonly #marks: BatchLoader<number, boolean>;

  constructor(deps: InboxWorkerDeps, params: UpdateHandlerParams) {
    this.#deps = deps;
    this.#params = params;
    this.#marks = new BatchLoader(
      async (ids) => {
        const marked = await deps.store.markHandled(params.workerId, ids);
        return ids.map((id) => marked.has(id));
      },
      { maxBatchSize: params.maxMarked, maxInFlight: 1 },
    );
  }

  /**
   * @param mayHaveCrashed a process may have crashed while handling this update: the attempt is counted before it starts.
   * @throws the reason of `stopping` or `closing`; the update is then handled after the next start. ChatLostError: the new
   * owner of the chat handles it.
   */
  async handle(chatQueue: number, update: StoredUpdate, mayHaveCrashed: boolean): Promise<void> {
    const { logger } = this.#deps;
    const { id } = update;
    if (mayHaveCrashed && !(await this.#beginAgain(id))) return;
    for (let isCounted = mayHaveCrashed; ; isCounted = false) {
      try {
        await this.#params.handle(update.payload, this.#toContext(chatQueue, id));
        break;
      } catch (error) {
        if (error instanceof ChatLostError) throw error;
        logger.error({ err: error, updateId: id }, 'an update could not be handled');
        const isLast = isCounted ? false : await this.#countTry(id, error);
        if (isLast) {
          logger.error({ updateId: id }, 'an update was set aside; later updates continue');
          return;
        }
        await sleep(this.#deps.clock, RETRY_MS, this.#params.stopping);
      }
    }
    // An update that is not marked though the queue is still owned was deleted, or handled before.
    if (!(await this.#persist(() => this.#marks.load(id)))) await this.#deps.chatLeases.hold();
  }

  /** @returns false if there is no further attempt. @throws ChatLostError */
  async #beginAgain(id: number): Promise<boolean> {
    const { store, chatLeases, logger } = this.#deps;
    const mayBegin = await this.#persist(() => store.beginAgain(this.#params.workerId, id, MAX_TRIES));
    // An update that is not counted though the queue is still owned was deleted, or handled before.
    if (mayBegin === undefined) await chatLeases.hold();
    if (mayBegin === false)
      logger.error({ updateId: id }, 'an update was set aside: the process has crashed with it too often');
    return mayBegin ?? false;
  }

  /** @returns whether it was the last attempt. @throws ChatLostError */
  async #countTry(id: number, error: unknown): Promise<boolean> {
    const { store, chatLeases } = this.#deps;
    const count = () => store.countTry(this.#params.workerId, id, describeError(error), MAX_TRIES);
    const isLast = await this.#persist(count);
    if (isLast === undefined) await chatLeases.hold();
    return isLast ?? false;
  }

  #toContext(chatQueue: number, id: number): HandlingContext {
    const { store } = this.#deps;
    return {
      listFollowing: async () =>
        (await store.readChatQueue(chatQueue, this.#params.maxFollowing, id)).map(({ payload }) => payload),
    };
  }

  #persist<Result>(write: () => Promise<Result>): Promise<Result> {
    return persist(this.#deps, this.#params.closing, write);
  }
}
