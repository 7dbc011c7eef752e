import type { InlineKeyboardMarkup } from '@grammyjs/types';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { findLostSend, type LostSend, type LostSendFinding } from '../../telegram/find-lost-send.ts';
import type { TelegramClient } from '../../telegram/telegram-client.ts';
import type { TelegramFailure } from '../../telegram/telegram-errors.ts';
import { Backoff } from './backoff.ts';
import { createDraftPreview, type DraftPreview } from './draft-preview.ts';
import { PageDelivery } from './page-delivery.ts';
import { createPagePlanner, type PagePlanner } from './page-plan.ts';
import { withLastingStatus } from './page-status.ts';
import { callQuietly, type DeliveredPage, type ReplyEvents } from './reply-events.ts';
import { isHopeless, ReplyPreviews, type ReplySurroundings } from './reply-previews.ts';
import { createEditTransport, type ReplyTarget, type WantedPage, withKeyboard } from './reply-transport.ts';
import { NO_RICH_MESSAGES, type RichSupport } from './rich-support.ts';

export interface ReplyStreamDeps {
  readonly client: TelegramClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ReplyStreamOptions extends ReplyEvents {
  /** Buttons under the last page while the answer grows, such as Stop. Called for each preview. Default none. */
  readonly streamingKeyboard?: () => InlineKeyboardMarkup;
  /** Messages of an earlier try at this reply, in the order of pages. Previews wait until they fill as many messages. Default none. */
  readonly initialMessageIds?: readonly number[];
  /**
   * Id of a native draft, not 0: what is not finished shows there instead of in messages that are edited. Only in private chats, and
   * only where there are no messages to take over. Where Telegram takes no drafts, messages are edited as ever. Default none.
   */
  readonly draftId?: number | undefined;
  /** Whether finished pages may be rich messages, so that tables and formulas show as such. Default: they are all text. */
  readonly richSupport?: RichSupport | undefined;
  /** The initial messages show another text: previews replace it at once, and surplus messages are deleted. Default false. */
  readonly isReplacing?: boolean;
  /** Called once, while the answer still grows, when it can't be delivered any more (the bot was blocked, say): time to stop the model. */
  readonly onUndeliverable?: (failure: TelegramFailure) => void;
  /** Looks for a message whose send got no answer. Asked at once and again at the end. Default: by harmless edits. */
  readonly findLostSend?: (lost: LostSend, signal: AbortSignal) => Promise<LostSendFinding>;
  /** Between previews, from the last success. Default 850 in private chats, 3100 in groups. */
  readonly paceMs?: number;
  /** Failures in a row after which `finish` gives up. Default 720, which is about 6 hours; waiting for Telegram's leave is no failure. */
  readonly maxFailedTries?: number;
  /** UTF-16 units of a page. Default Telegram's limit. */
  readonly maxUnits?: number;
}

/** The status is left out where there is no answer. */
export interface FinishOptions extends ReplySurroundings {
  readonly keyboard?: InlineKeyboardMarkup | undefined;
}

/** The answer is not, or not wholly, in the chat, and trying again would not help or might show it twice. */
export class ReplyUndeliverableError extends Error {
  override readonly name = 'ReplyUndeliverableError';
  /** Why. `unclear`: a message was sent whose arrival nobody confirmed. `aborted`: the stream was abandoned. */
  readonly failure: TelegramFailure;
  /** What stands in the chat nevertheless. */
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
 * Streams one answer into a chat. In the end the messages in the chat are the finished Markdown, exactly once, and nothing else. Makes
 * no call before the first words come, and one call at a time. End it with `finish` or `abandon`.
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
    const { initialMessageIds = [], isReplacing = false, richSupport = NO_RICH_MESSAGES, maxUnits } = options;
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
        ...{ replyToMessageId, isInChain, initialMessageIds, isReplacing, richSupport },
        findLostSend: (lost) => find(lost, signal),
        events: options,
      },
    );
    this.#previews = new ReplyPreviews(
      { ...deps, planner: this.#planner, delivery: this.#delivery, draft },
      {
        paceMs: options.paceMs ?? (target.isPrivate ? PRIVATE_PACE_MS : GROUP_PACE_MS),
        minPages: isReplacing ? 0 : initialMessageIds.length,
        maxUnits,
        keyboard: options.streamingKeyboard,
        onFailed: (failure, cause) => this.#afterFailedPreview(failure, cause),
      },
    );
  }

  /** The messages that stand in the chat now. */
  get delivered(): readonly DeliveredPage[] {
    return this.#delivery.delivered;
  }

  /** Takes the whole answer so far, in Markdown. Returns at once; when texts come faster than they can be shown, the newest is shown. */
  update(markdown: string, surroundings?: ReplySurroundings): void {
    if (!this.#final && !this.#error && !this.#isAbandoned) this.#previews.update({ markdown, ...surroundings });
  }

  /**
   * Takes the whole answer. Resolves with its messages in order when each shows its final form: with `keyboard` under the last one, and
   * no other buttons. An empty answer resolves to no messages; what a preview had shown is deleted. Further calls get the same promise.
   * @throws {ReplyUndeliverableError}
   */
  finish(markdown: string, options: FinishOptions = {}): Promise<readonly DeliveredPage[]> {
    this.#final ??= this.#settle(this.#planFinal(markdown, options));
    return this.#final;
  }

  /** Stops: nothing more is sent or edited, messages in the chat stay. Resolves when no call is in flight. */
  async abandon(): Promise<void> {
    this.#abandoning.abort();
    const stopped = this.#previews.stop();
    // Aborting a call at once would leave its outcome unknown.
    const cancelTimer = this.#deps.clock.setTimer(ABANDON_GRACE_MS, () => this.#calls.abort());
    await Promise.allSettled([stopped, this.#final]);
    cancelTimer();
  }

  get #isAbandoned(): boolean {
    return this.#abandoning.signal.aborted;
  }

  async #planFinal(markdown: string, { keyboard, preface, status }: FinishOptions): Promise<readonly WantedPage[]> {
    const { maxUnits, richSupport = NO_RICH_MESSAGES } = this.#options;
    try {
      const pages = await this.#planner.planFinal(markdown, { preface, isRich: richSupport.isKnown });
      return withKeyboard(withLastingStatus(pages, status, maxUnits), keyboard);
    } catch (error) {
      this.#fail({ kind: 'foreign' }, error);
      return [];
    }
  }

  async #settle(planned: Promise<readonly WantedPage[]>): Promise<readonly DeliveredPage[]> {
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
