import type { InlineKeyboardMarkup } from '@grammyjs/types';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { findLostSend, type LostSend, type LostSendFinding } from '../../telegram/find-lost-send.ts';
import type { TelegramClient } from '../../telegram/telegram-client.ts';
import type { TelegramFailure } from '../../telegram/telegram-errors.ts';
import type { DeliveryStep } from './delivery-step.ts';
import { createDraftPreview } from './draft-preview.ts';
import { createPageDelivery, type DeliveredPage, type SentPage } from './page-delivery.ts';
import { createPagePlanner, type RenderedPage, type ReplyPreface } from './page-plan.ts';
import { withStatus } from './page-status.ts';
import { createEditTransport, type ReplyTarget, type WantedPage } from './reply-transport.ts';
import { NO_RICH_MESSAGES, type RichSupport } from './rich-support.ts';

export interface ReplyStreamDeps {
  readonly client: TelegramClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ReplyStreamOptions {
  /** Buttons under the last page while the answer grows: Stop, say. Asked for with every preview. Default none. */
  readonly streamingKeyboard?: () => InlineKeyboardMarkup;
  /**
   * Messages of an earlier try at this reply, in the order of pages: they are taken over. Previews wait until they fill as many
   * messages. Default none.
   */
  readonly initialMessageIds?: readonly number[];
  /**
   * Id of a native draft, not 0: what is not finished shows there instead of in messages that are edited. Only in private chats, and
   * only where there are no messages to take over. Where Telegram takes no drafts, messages are edited as ever. Default none.
   */
  readonly draftId?: number | undefined;
  /** Whether finished pages may be rich messages, so that tables and formulas show as such. Default: they are all text. */
  readonly richSupport?: RichSupport | undefined;
  /** They show another text, which is to give way as soon as there is something to see: previews don't wait, and surplus messages go. */
  readonly isReplacing?: boolean;
  /** A page is about to be sent for the first time. Awaited; what it throws is logged. */
  readonly onSending?: (page: SentPage) => Promise<void>;
  /** A new message of the reply stands in the chat. Called again for a page that had to be sent afresh. Awaited; what it throws is logged. */
  readonly onDelivered?: (page: DeliveredPage) => Promise<void> | void;
  /** A message of the reply is in the chat no more: a person deleted it, or it was one too many. As `onDelivered`. */
  readonly onRemoved?: (messageId: number) => Promise<void> | void;
  /** The group has become a supergroup with this id; the reply goes there, all of it. Awaited; what it throws is logged. */
  readonly onMoved?: (chatId: number) => Promise<void> | void;
  /** Called once, while the answer still grows, when it can't be delivered any more (the bot was blocked, say): time to stop the model. */
  readonly onUndeliverable?: (failure: TelegramFailure) => void;
  /** Looks for a message whose send got no answer. Asked at once and again at the end. Default: by harmless edits. */
  readonly findLostSend?: (lost: LostSend, signal: AbortSignal) => Promise<LostSendFinding>;
  /** Between previews, from the last success. Default 1100 in private chats, 3100 in groups. */
  readonly paceMs?: number;
  /** Failures in a row after which `finish` gives up. Default 720, which is about 6 hours; waiting for Telegram's leave is no failure. */
  readonly maxFailedTries?: number;
  /** UTF-16 units of a page. Default Telegram's limit. */
  readonly maxUnits?: number;
}

/**
 * One answer on its way into a chat. When the dust has settled the messages in the chat are the finished Markdown, exactly once, and
 * nothing else, whatever happened on the way.
 */
export interface ReplyStream {
  /** The whole answer so far, in Markdown. Returns at once; when texts come faster than they can be shown, the newest wins. */
  update(markdown: string, surroundings?: ReplySurroundings): void;
  /**
   * The whole answer. Resolves with its messages in order when each shows its final form: with `keyboard` under the last one, and no
   * other buttons. An empty answer resolves to no messages; what a preview had shown is deleted. Further calls get the same promise.
   * @throws {ReplyUndeliverableError}
   */
  finish(markdown: string, options?: FinishOptions): Promise<readonly DeliveredPage[]>;
  /** Stops where it is: nothing more is sent or edited, what stands in the chat stays. Resolves when no call is on its way. */
  abandon(): Promise<void>;
  /** The messages that stand in the chat now. */
  readonly delivered: readonly DeliveredPage[];
}

/** What a preview shows around the answer so far. */
export interface ReplySurroundings {
  /** Stands above the answer on the first page. */
  readonly preface?: ReplyPreface | undefined;
  /** Plain words below it that are no part of the answer: they go with the next text. */
  readonly status?: string | undefined;
}

export interface FinishOptions {
  readonly keyboard?: InlineKeyboardMarkup | undefined;
  /** Stands above the answer on the first page. */
  readonly preface?: ReplyPreface | undefined;
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
/** Fewer characters are no news worth a notification. */
const MIN_FIRST_CHARACTERS = 4;
const SHORTEST_RETRY_MS = 250;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;
const MAX_FAILED_TRIES = 720;
const ABANDON_GRACE_MS = 2000;

interface NewestText extends ReplySurroundings {
  readonly markdown: string;
}

/** Failures after which nothing more can reach the chat. */
const HOPELESS: ReadonlySet<TelegramFailure['kind']> = new Set([
  'aborted',
  'blocked',
  'dropped',
  'topic-gone',
  'unauthorized',
]);

/** Makes no call before the first words come. End it with `finish` or `abandon`. */
export function createReplyStream(
  deps: ReplyStreamDeps,
  target: ReplyTarget,
  options: ReplyStreamOptions = {},
): ReplyStream {
  const { clock, logger } = deps;
  const paceMs = options.paceMs ?? (target.isPrivate ? PRIVATE_PACE_MS : GROUP_PACE_MS);
  const planner = createPagePlanner({ maxUnits: options.maxUnits });
  const richSupport = options.richSupport ?? NO_RICH_MESSAGES;
  const initialMessageIds = options.initialMessageIds ?? [];
  const find = options.findLostSend ?? ((lost, signal) => findLostSend(deps, lost, signal));
  const abortion = new AbortController();
  const bell = createBell(clock);
  const quietly = async <Result>(what: string, callback: () => Promise<Result> | Result) => {
    try {
      return await callback();
    } catch (error) {
      logger.error({ err: error }, `${what} of a reply failed`);
      return undefined;
    }
  };
  const draft =
    options.draftId === undefined || !target.isPrivate || initialMessageIds.length > 0
      ? undefined
      : createDraftPreview(deps, {
          ...target,
          topicId: target.topicId,
          draftId: options.draftId,
          signal: abortion.signal,
        });
  const transport = createEditTransport(deps.client, target, draft);
  const delivery = createPageDelivery(
    { transport, clock },
    {
      replyToMessageId: target.replyToMessageId,
      isInChain: target.isInChain ?? false,
      initialMessageIds,
      isReplacing: options.isReplacing ?? false,
      richSupport,
      signal: abortion.signal,
      newestMessageId: (chatId) => deps.client.messageIds.newest(chatId),
      onMoved: async (chatId) => void (await quietly('onMoved', () => options.onMoved?.(chatId))),
      onSending: async (page) => void (await quietly('onSending', () => options.onSending?.(page))),
      onDelivered: async (page) => void (await quietly('onDelivered', () => options.onDelivered?.(page))),
      onRemoved: async (messageId) => void (await quietly('onRemoved', () => options.onRemoved?.(messageId))),
      findLostSend: async ({ afterId }) => {
        const lost = { chatId: transport.chatId, afterId };
        return (await quietly('findLostSend', () => find(lost, abortion.signal))) ?? 'unknown';
      },
    },
  );

  let newest: NewestText | undefined;
  let shown: NewestText | undefined;
  let previewAt = 0;
  let arePreviewsOver = false;
  let failedTries = 0;
  let outcome: ReplyUndeliverableError | undefined;
  let isAbandoned = false;
  let running: Promise<void> | undefined;
  let finishing: Promise<readonly DeliveredPage[]> | undefined;

  const pauseAfterFailureMs = (delayMs: number | undefined) => {
    failedTries += 1;
    return delayMs ?? Math.min(FIRST_RETRY_MS * 2 ** (failedTries - 1), LONGEST_RETRY_MS);
  };

  const fail = (failure: TelegramFailure, cause?: unknown) => {
    outcome = new ReplyUndeliverableError(failure, delivery.delivered, cause);
    logger.warn({ failure: failure.kind, pages: outcome.delivered.length }, 'a reply could not be delivered');
    return outcome;
  };

  const previewPages = async ({ markdown, preface, status }: NewestText): Promise<readonly WantedPage[]> => {
    const pages = withStatus(await planner.planPartial(markdown, preface), status, options.maxUnits);
    const [first] = pages;
    const isNews = delivery.delivered.length > 0 || (first?.text.trim().length ?? 0) >= MIN_FIRST_CHARACTERS;
    const isWorthSending = isNews && (options.isReplacing || pages.length >= initialMessageIds.length);
    return isWorthSending ? withKeyboard(pages, options.streamingKeyboard?.()) : [];
  };

  const afterPreview = (step: DeliveryStep, text: NewestText, startedAt: number) => {
    switch (step.kind) {
      case 'complete':
        if (newest === text) newest = undefined;
        return;
      case 'progress':
        failedTries = 0;
        previewAt = startedAt + paceMs;
        return;
      case 'later':
        previewAt = clock.now() + Math.max(pauseAfterFailureMs(step.delayMs), SHORTEST_RETRY_MS);
        return;
      case 'failed':
        arePreviewsOver = true;
        if (isAbandoned || !HOPELESS.has(step.failure.kind)) return;
        fail(step.failure, step.cause);
        void quietly('onUndeliverable', () => options.onUndeliverable?.(step.failure));
    }
  };

  /** Whole pages become messages; the last one grows in the draft, where there is one. */
  const showPages = async (pages: readonly WantedPage[]): Promise<DeliveryStep> => {
    const last = pages.at(-1);
    if (!draft || draft.isRefused || !last) return delivery.preview(pages);
    const whole = await delivery.preview(pages.slice(0, -1));
    if (whole.kind !== 'complete') return whole;
    const step = await draft.show(last);
    return step.kind === 'failed' && !HOPELESS.has(step.failure.kind) ? delivery.preview(pages) : step;
  };

  /** The text to show now, or how long there is none: undefined means until the bell rings. */
  const nextPreview = (): NewestText | { readonly waitMs: number | undefined } => {
    if (arePreviewsOver) return { waitMs: undefined };
    const now = clock.now();
    const refreshAt = draft?.refreshAt;
    if (newest === undefined && refreshAt !== undefined && refreshAt <= now) newest = shown;
    if (newest === undefined) return { waitMs: refreshAt === undefined ? undefined : refreshAt - now };
    return previewAt > now ? { waitMs: previewAt - now } : newest;
  };

  const showPreviews = async () => {
    while (!finishing && !isAbandoned && !outcome) {
      const next = nextPreview();
      if ('waitMs' in next) await bell.wait(next.waitMs);
      else {
        const startedAt = clock.now();
        shown = next;
        const pages = await previewPages(next);
        if (finishing || isAbandoned) return;
        afterPreview(await showPages(pages), next, startedAt);
      }
    }
  };

  const planFinal = async (markdown: string, { keyboard, preface }: FinishOptions): Promise<readonly WantedPage[]> => {
    try {
      return withKeyboard(await planner.planFinal(markdown, { preface, isRich: richSupport.isKnown }), keyboard);
    } catch (error) {
      fail({ kind: 'foreign' }, error);
      return [];
    }
  };

  const settle = async (planned: Promise<readonly WantedPage[]>): Promise<readonly DeliveredPage[]> => {
    const maxFailedTries = options.maxFailedTries ?? MAX_FAILED_TRIES;
    const [pages] = await Promise.all([planned, running]);
    failedTries = 0;
    while (!outcome && !isAbandoned) {
      const step = await delivery.settle(pages);
      if (step.kind === 'complete') return delivery.delivered;
      if (step.kind === 'progress') failedTries = 0;
      if (step.kind === 'failed') fail(step.failure, step.cause);
      if (step.kind !== 'later' || isAbandoned) continue;
      if (failedTries >= maxFailedTries) fail(step.failure);
      else await bell.wait(pauseAfterFailureMs(step.delayMs));
    }
    throw outcome ?? fail({ kind: 'aborted' });
  };

  /** The one place that starts calls: whatever comes, one is on its way at a time. */
  const run = () => {
    running ??= showPreviews().catch((error: unknown) => {
      arePreviewsOver = true;
      logger.error({ err: error }, 'previews of a reply stopped');
    });
    bell.ring();
  };

  return {
    update(markdown, surroundings) {
      if (finishing || isAbandoned || outcome) return;
      newest = { markdown, ...surroundings };
      run();
    },
    finish(markdown, options = {}) {
      if (!finishing) {
        finishing = settle(planFinal(markdown, options));
        bell.ring();
      }
      return finishing;
    },
    async abandon() {
      isAbandoned = true;
      bell.ring();
      // A call on the wire is given its moment: ending it would leave its outcome unknown.
      const cancelTimer = clock.setTimer(ABANDON_GRACE_MS, () => abortion.abort());
      await Promise.allSettled([running, finishing]);
      cancelTimer();
    },
    get delivered() {
      return delivery.delivered;
    },
  };
}

function withKeyboard(pages: readonly RenderedPage[], keyboard: InlineKeyboardMarkup | undefined): WantedPage[] {
  return pages.map((page, index) => ({ ...page, keyboard: index === pages.length - 1 ? keyboard : undefined }));
}

/** A pause that can be cut short. */
function createBell(clock: Clock) {
  let onRing: (() => void) | undefined;
  return {
    ring() {
      onRing?.();
    },
    /** Until the bell rings, or `delayMs` have passed if given. One waits at a time. */
    async wait(delayMs: number | undefined) {
      await new Promise<void>((resolve) => {
        const cancelTimer = delayMs === undefined ? undefined : clock.setTimer(delayMs, resolve);
        onRing = () => {
          cancelTimer?.();
          resolve();
        };
      });
      onRing = undefined;
    },
  };
}
