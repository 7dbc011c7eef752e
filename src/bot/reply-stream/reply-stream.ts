import type { InlineKeyboardMarkup } from '@grammyjs/types';
import type { WorkQueue } from '../../lib/async/work-queue.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import { ExpectedError } from '../../lib/errors/expected-error.ts';
import type { Logger } from '../../lib/log/logger.ts';
import { findLostSend, type LostSend, type LostSendFinding } from '../../telegram/lost-sends/find-lost-send.ts';
import type { TelegramClient } from '../../telegram/telegram-client.ts';
import type { TelegramFailure } from '../../telegram/telegram-errors.ts';
import { createDraftPreview, type DraftPreview } from './draft-preview.ts';
import { PageDelivery } from './page-delivery.ts';
import { NO_RICH_MESSAGES, type RichSupport } from './page-formats.ts';
import { createPagePlanner, type PagePlanner, withLastingStatus } from './page-plan.ts';
import { callQuietly, type DeliveredPage, type ReplyEvents } from './reply-events.ts';
import { Backoff, isHopeless, ReplyPreviews, type ReplySurroundings } from './reply-previews.ts';
import { createEditTransport, type PageWithButtons, type ReplyTarget, withKeyboard } from './reply-transport.ts';

export interface ReplyStreamDeps {
  readonly client: TelegramClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ReplyStreamOptions extends ReplyEvents {
  /**
   * Returns the buttons below the last page while the answer grows, such as Stop. Called for each preview. Default
   * none.
   */
  readonly streamingKeyboard?: () => InlineKeyboardMarkup;
  /**
   * Messages of an earlier attempt, in the order of pages. Previews wait until they fill as many messages. Default
   * none.
   */
  readonly initialMessageIds?: readonly number[];
  /**
   * Id of a native draft, not 0: unfinished text shows there instead of in edited messages. Only in private chats and
   * without messages to reuse. If Telegram refuses drafts, messages are edited. Default none.
   */
  readonly draftId?: number | undefined;
  /** Allows rich messages for finished pages, for tables and formulas. Default: text only. */
  readonly richSupport?: RichSupport | undefined;
  /**
   * The initial messages show another text: previews replace it at once, and surplus messages are deleted. Default
   * false.
   */
  readonly isReplacing?: boolean;
  /**
   * Called once if the answer becomes undeliverable while it grows (for example, the user has blocked the bot), so that
   * generation can stop.
   */
  readonly onUndeliverable?: (failure: TelegramFailure) => void;
  /**
   * Searches for a message whose send was not confirmed. Called at once and again at the end. Default: a search by
   * edits without effect.
   */
  readonly findLostSend?: (lost: LostSend, signal: AbortSignal) => Promise<LostSendFinding>;
  /** Queue for the sends of several replies that grow in the chat at the same time. Default none. */
  readonly sends?: Pick<WorkQueue, 'run'> | undefined;
  /** Number of replies that grow in the chat at the same time and share its rate. Default 1. */
  readonly replyCount?: number;
  /**
   * Interval between previews, from the last success, in milliseconds. Default 850 in private chats, 3100 in groups, for
   * each of the replies.
   */
  readonly paceMs?: number;
  /**
   * Consecutive failures after which `finish` gives up. Default 720, which is about 6 hours; waiting for the rate limit
   * is no failure.
   */
  readonly maxFailedTries?: number;
  /** Limit of a page in UTF-16 units. Default Telegram's limit. */
  readonly maxUnits?: number;
}

/** Options of `finish`. The status is left out if the answer is empty. */
export interface FinishOptions extends ReplySurroundings {
  readonly keyboard?: InlineKeyboardMarkup | undefined;
}

/** Thrown when the answer is not, or not completely, in the chat, and a retry would fail or might show it twice. */
export class ReplyUndeliverableError extends Error {
  override readonly name = 'ReplyUndeliverableError';
  /** Reason. `unclear`: the arrival of a message was not confirmed. `aborted`: the stream was abandoned. */
  readonly failure: TelegramFailure;
  /** Pages that are in the chat nevertheless. */
  readonly delivered: readonly DeliveredPage[];

  constructor(failure: TelegramFailure, delivered: readonly DeliveredPage[], cause: unknown) {
    super(`the reply could not be delivered: ${failure.kind}`, { cause });
    this.failure = failure;
    this.delivered = delivered;
  }
}

const PRIVATE_PACE_MS = 850;
const GROUP_PACE_MS = 3100;
const MAX_FAILED_TRIES = 720;
const ABANDON_GRACE_MS = 2000;

/**
 * Streams one answer into a chat. After `finish`, the messages in the chat are exactly the finished Markdown, each page
 * once. Makes no call before the first text, and one call at a time. End it with `finish` or `abandon`.
 */
export class ReplyStream {
  readonly #deps: ReplyStreamDeps;
  readonly #options: ReplyStreamOptions;
  readonly #planner: PagePlanner;
  readonly #delivery: PageDelivery;
  readonly #previews: ReplyPreviews;
  readonly #abandoning = new AbortController();
  readonly #calls = new AbortController();
  #final: Promise<readonly DeliveredPage[]> | undefined;
  #error: ReplyUndeliverableError | undefined;

  constructor(deps: ReplyStreamDeps, target: ReplyTarget, options: ReplyStreamOptions = {}) {
    const {
      initialMessageIds = [],
      isReplacing = false,
      richSupport = NO_RICH_MESSAGES,
      maxUnits,
      replyCount = 1,
      sends,
    } = options;
    const { signal } = this.#calls;
    const draft = createDraft(deps, target, options, signal);
    const transport = createEditTransport(deps.client, target, signal, draft);
    const find = options.findLostSend ?? ((lost, signal) => findLostSend(deps, lost, signal));
    const { replyToMessageId, isInChain } = target;
    this.#deps = deps;
    this.#options = options;
    this.#planner = createPagePlanner({ maxUnits });
    this.#delivery = new PageDelivery(
      { ...deps, transport },
      {
        replyToMessageId,
        isInChain,
        initialMessageIds,
        isReplacing,
        richSupport,
        // A send that still waits for its turn does not begin after the reply was abandoned.
        sendAlone: sends && ((work) => sends.run(work, { signal: this.#abandoning.signal })),
        findLostSend: (lost) => find(lost, signal),
        events: options,
      },
    );
    this.#previews = new ReplyPreviews(
      { ...deps, planner: this.#planner, delivery: this.#delivery, draft },
      {
        paceMs: options.paceMs ?? (target.isPrivate ? PRIVATE_PACE_MS : GROUP_PACE_MS) * replyCount,
        minPages: isReplacing ? 0 : initialMessageIds.length,
        maxUnits,
        keyboard: options.streamingKeyboard,
        onFailed: (failure, cause) => this.#afterFailedPreview(failure, cause),
      },
    );
  }

  /** Messages that are in the chat now. */
  get delivered(): readonly DeliveredPage[] {
    return this.#delivery.delivered;
  }

  /**
   * Sets the whole answer so far, in Markdown. Returns at once; if texts come faster than they can be shown, the newest
   * wins.
   */
  update(markdown: string, surroundings?: ReplySurroundings): void {
    if (!this.#final && !this.#error && !this.#isAbandoned) this.#previews.update({ markdown, ...surroundings });
  }

  /**
   * Sets the complete answer. Resolves with its messages in order when all show their final form, with `keyboard` below
   * the last one and no other buttons. An empty answer resolves to no messages, and previews are deleted. Further calls
   * return the same promise.
   * @throws {ReplyUndeliverableError}
   */
  finish(markdown: string, options: FinishOptions = {}): Promise<readonly DeliveredPage[]> {
    this.#final ??= this.#settle(this.#planFinal(markdown, options));
    return this.#final;
  }

  /** Stops all sends and edits; messages in the chat stay. Resolves when no call is in flight. */
  async abandon(): Promise<void> {
    this.#abandoning.abort();
    const stopped = this.#previews.stop();
    // Aborting a call at once would leave its result unknown.
    const cancelTimer = this.#deps.clock.setTimer(ABANDON_GRACE_MS, () => this.#calls.abort());
    await Promise.allSettled([stopped, this.#final]);
    cancelTimer();
  }

  get #isAbandoned(): boolean {
    return this.#abandoning.signal.aborted;
  }

  async #planFinal(
    markdown: string,
    { keyboard, preface, status }: FinishOptions,
  ): Promise<readonly PageWithButtons[]> {
    const { maxUnits, richSupport = NO_RICH_MESSAGES } = this.#options;
    try {
      const pages = await this.#planner.planFinal(markdown, { preface, isRich: richSupport.isSupported });
      return withKeyboard(withLastingStatus(pages, status, maxUnits), keyboard);
    } catch (error) {
      this.#fail({ kind: 'foreign' }, error);
      return [];
    }
  }

  async #settle(planned: Promise<readonly PageWithButtons[]>): Promise<readonly DeliveredPage[]> {
    const { maxFailedTries = MAX_FAILED_TRIES } = this.#options;
    const [pages] = await Promise.all([planned, this.#previews.stop()]);
    const backoff = new Backoff();
    while (!this.#error && !this.#isAbandoned) {
      const step = await this.#delivery.settle(pages);
      if (step.kind === 'complete') return this.delivered;
      if (step.kind === 'progress') backoff.reset();
      if (step.kind === 'failed') this.#fail(step.failure, step.cause);
      if (step.kind !== 'later' || this.#isAbandoned) continue;
      if (backoff.failureCount >= maxFailedTries) this.#fail(step.failure);
      else await sleep(this.#deps.clock, backoff.afterFailure(step.delayMs), this.#abandoning.signal).catch(() => {});
    }
    throw this.#error ?? this.#fail({ kind: 'aborted' });
  }

  #afterFailedPreview(failure: TelegramFailure, cause: unknown): void {
    if (this.#isAbandoned || !isHopeless(failure)) return;
    this.#fail(failure, cause);
    void callQuietly(this.#deps.logger, 'onUndeliverable', () => this.#options.onUndeliverable?.(failure));
  }

  #fail(failure: TelegramFailure, cause?: unknown): ReplyUndeliverableError {
    this.#error = new ReplyUndeliverableError(failure, this.delivered, cause);
    if (!(cause instanceof ExpectedError))
      this.#deps.logger.warn({ failure: failure.kind, pages: this.delivered.length }, 'a reply could not be delivered');
    return this.#error;
  }
}

function createDraft(
  deps: ReplyStreamDeps,
  { chatId, isPrivate, topicId }: ReplyTarget,
  { draftId, initialMessageIds = [] }: ReplyStreamOptions,
  signal: AbortSignal,
): DraftPreview | undefined {
  if (draftId === undefined || !isPrivate || initialMessageIds.length > 0) return undefined;
  return createDraftPreview(deps, { chatId, topicId, draftId, signal });
}
