import type { Clock } from '../../lib/clock.ts';
import type { LostSendFinding } from '../../telegram/find-lost-send.ts';
import type { CallPriority } from '../../telegram/flood-control.ts';
import { classifyTelegramError, type TelegramFailure } from '../../telegram/telegram-errors.ts';
import type { DeliveryStep } from './delivery-step.ts';
import type { ReplyTransport, WantedPage } from './reply-transport.ts';
import { createRichPages } from './rich-pages.ts';
import type { RichSupport } from './rich-support.ts';

/** A page that stands in the chat. */
export interface DeliveredPage {
  /** From 0. */
  readonly index: number;
  readonly messageId: number;
}

/** A page on its way into the chat for the first time. */
export interface SentPage {
  /** From 0. */
  readonly index: number;
  /** The newest id that was known of the chat's messages before the send. */
  readonly afterId: number;
}

export interface PageDeliveryOptions {
  readonly replyToMessageId: number | undefined;
  /** Whether further pages reply as well, each to the one before. Default false. */
  readonly isInChain?: boolean;
  /** Messages that stand in the chat already, in the order of pages: the reply takes them over. What they show does not matter. */
  readonly initialMessageIds: readonly number[];
  /** What they show is of another text: surplus ones go as soon as a preview shows. */
  readonly isReplacing: boolean;
  /** Whether pages may go as rich messages. */
  readonly richSupport: RichSupport;
  readonly signal: AbortSignal;
  readonly newestMessageId: (chatId: number) => number;
  readonly onMoved: (chatId: number) => Promise<void>;
  readonly onSending: (page: SentPage) => Promise<void>;
  readonly onDelivered: (page: DeliveredPage) => Promise<void>;
  readonly onRemoved: (messageId: number) => Promise<void>;
  /** What became of a page whose send got no answer. */
  readonly findLostSend: (lost: SentPage) => Promise<LostSendFinding>;
}

/** Brings the messages of one reply, one call at a time, to what is wanted. */
export interface PageDelivery {
  /** One call towards showing these pages as the answer so far. Passing: dropped under pressure; only what is replaced is taken away yet. */
  preview(pages: readonly WantedPage[]): Promise<DeliveryStep>;
  /** One call towards showing exactly these pages and nothing else. */
  settle(pages: readonly WantedPage[]): Promise<DeliveryStep>;
  readonly delivered: readonly DeliveredPage[];
}

interface ShownPage {
  readonly messageId: number;
  /** What the message shows; undefined when that is not known. */
  key: string | undefined;
  /** Set after an edit of unknown outcome: it may still come through and undo a later one. When to make sure that it did not. */
  confirmAt: number | undefined;
}

interface Call {
  readonly priority: CallPriority;
  readonly signal: AbortSignal;
}

const PROGRESS: DeliveryStep = { kind: 'progress' };
/** By then a request that was still under way has come through or never will. */
const CONFIRM_DELAY_MS = 2000;
/** Failures of a removal that no further try mends. */
const BEYOND_REACH: ReadonlySet<TelegramFailure['kind']> = new Set(['message-gone', 'migrated', 'rejected']);
/** Fresh sends after vanished messages: someone who deletes every message does not want the answer. */
const MAX_FRESH_SENDS = 10;

export function createPageDelivery(
  deps: { readonly transport: ReplyTransport; readonly clock: Clock },
  options: PageDeliveryOptions,
): PageDelivery {
  const { transport, clock } = deps;
  let shown = options.initialMessageIds.map(
    (messageId): ShownPage => ({ messageId, key: undefined, confirmAt: undefined }),
  );
  let removals: number[] = [];
  let { replyToMessageId, isInChain = false } = options;
  let freshSendCount = 0;
  let lostSend: SentPage | undefined;
  /** They were sent again because they were not in the chat; late ones may have come all the same. */
  let absentSends: SentPage[] = [];
  const refusedEntities = new Set<string>();
  const richPages = createRichPages(options.richSupport);

  /** Telegram refused the formatting of this page once: the words matter more. */
  const acceptable = (page: WantedPage): WantedPage => ({
    ...page,
    entities: refusedEntities.has(page.text) ? [] : page.entities,
    rich: richPages.isWelcome(page) ? page.rich : undefined,
  });

  const firstDifference = (pages: readonly WantedPage[]): number =>
    pages.findIndex((page, index) => shown[index]?.key !== keyOf(acceptable(page)));

  const show = async (pages: readonly WantedPage[], index: number, priority: CallPriority): Promise<DeliveryStep> => {
    const wanted = pages[index];
    if (!wanted) return { kind: 'complete' };
    const page = acceptable(wanted);
    const call = { priority, signal: options.signal };
    const present = shown[index];
    return present ? editPage(present, index, page, call) : sendPage(index, page, call);
  };

  const keep = async (index: number, messageId: number, key: string | undefined): Promise<DeliveryStep> => {
    shown[index] = { messageId, key, confirmAt: undefined };
    await options.onDelivered({ index, messageId });
    return PROGRESS;
  };

  const toRepliedTo = (index: number) => {
    if (index === 0) return replyToMessageId;
    return isInChain ? shown[index - 1]?.messageId : undefined;
  };

  const sendPage = async (index: number, page: WantedPage, call: Call): Promise<DeliveryStep> => {
    const isFirst = index === 0;
    const sent: SentPage = { index, afterId: options.newestMessageId(transport.chatId) };
    await options.onSending(sent);
    try {
      const messageId = await transport.send(page, {
        ...call,
        replyToMessageId: toRepliedTo(index),
        isSilent: !isFirst,
      });
      return await keep(index, messageId, keyOf(page));
    } catch (error) {
      const failure = classifyTelegramError(error);
      if (failure.kind === 'reply-target-gone' && toRepliedTo(index) !== undefined) {
        replyToMessageId = undefined;
        isInChain = false;
        return PROGRESS;
      }
      if (failure.kind === 'migrated') return followTo(failure.toChatId);
      if (richPages.note(page, failure) === 'refused') return PROGRESS;
      if (failure.kind !== 'unclear') return judge(failure, error, page);
      lostSend = sent;
      return traceLostSend(sent, error);
    }
  };

  /** A send is never repeated while the first one may have arrived. */
  const traceLostSend = async (lost: SentPage, cause: unknown): Promise<DeliveryStep> => {
    const finding = await options.findLostSend(lost);
    if (finding === 'unknown') return { kind: 'failed', failure: { kind: 'unclear' }, cause };
    if (finding === 'later') return later({ kind: 'unclear' });
    lostSend = undefined;
    if (finding !== 'absent') return keep(lost.index, finding, undefined);
    absentSends.push(lost);
    return later({ kind: 'unclear' });
  };

  /** A page that came into the chat twice goes once. Where that can't be told, it has most likely never come. */
  const traceLateSend = async (lost: SentPage): Promise<DeliveryStep> => {
    const finding = await options.findLostSend(lost);
    if (finding === 'later') return later({ kind: 'unclear' });
    absentSends = absentSends.filter((other) => other !== lost);
    if (typeof finding === 'number' && !shown.some((page) => page.messageId === finding)) removals.push(finding);
    return PROGRESS;
  };

  const editPage = async (present: ShownPage, index: number, page: WantedPage, call: Call): Promise<DeliveryStep> => {
    try {
      await transport.edit(present.messageId, page, call);
      return keepEdit(present, page);
    } catch (error) {
      const failure = classifyTelegramError(error);
      if (failure.kind === 'not-modified') return keepEdit(present, page);
      if (richPages.note(page, failure) === 'refused') return PROGRESS;
      if (failure.kind === 'message-gone') return forget(index, failure, error);
      if (failure.kind === 'migrated') return followTo(failure.toChatId);
      if (failure.kind === 'unclear') {
        present.key = undefined;
        present.confirmAt = clock.now() + CONFIRM_DELAY_MS;
      }
      return judge(failure, error, page);
    }
  };

  const keepEdit = (present: ShownPage, page: WantedPage): DeliveryStep => {
    present.key = keyOf(page);
    if (present.confirmAt !== undefined) present.confirmAt = clock.now() + CONFIRM_DELAY_MS;
    return PROGRESS;
  };

  /** What stands in the group of before can't be changed any more, so the whole reply goes to the new one. */
  const followTo = async (chatId: number): Promise<DeliveryStep> => {
    transport.moveTo(chatId);
    shown = [];
    removals = [];
    replyToMessageId = undefined;
    await options.onMoved(chatId);
    return PROGRESS;
  };

  /** The page goes again as a new message; later pages go with it, or they would stand above it. */
  const forget = async (
    index: number,
    failure: TelegramFailure & { kind: 'message-gone' },
    cause: unknown,
  ): Promise<DeliveryStep> => {
    freshSendCount += 1;
    if (freshSendCount > MAX_FRESH_SENDS) return { kind: 'failed', failure, cause };
    const [gone, ...later] = shown.slice(index);
    shown = shown.slice(0, index);
    removals.push(...later.map((page) => page.messageId));
    if (!gone) return PROGRESS;
    if (failure.mayRemain) removals.push(gone.messageId);
    else await options.onRemoved(gone.messageId);
    return PROGRESS;
  };

  const removeOne = async (messageId: number, call: Call): Promise<DeliveryStep> => {
    try {
      await transport.remove(messageId, call);
    } catch (error) {
      const failure = classifyTelegramError(error);
      const isBeyondReach = BEYOND_REACH.has(failure.kind);
      if (!isBeyondReach) return judge(failure, error, undefined);
    }
    removals = removals.filter((id) => id !== messageId);
    await options.onRemoved(messageId);
    return PROGRESS;
  };

  const judge = (failure: TelegramFailure, cause: unknown, page: WantedPage | undefined): DeliveryStep => {
    switch (failure.kind) {
      case 'flood':
        return later(failure, failure.retryAfterMs);
      case 'dropped':
        return failure.reason === 'closed' ? { kind: 'failed', failure, cause } : later(failure, failure.retryAfterMs);
      case 'unclear':
      case 'not-sent':
        return later(failure);
      case 'rejected':
        if (!page || page.entities.length === 0) return { kind: 'failed', failure, cause };
        refusedEntities.add(page.text);
        return PROGRESS;
      case 'aborted':
      case 'blocked':
      case 'conflict':
      case 'foreign':
      case 'message-gone':
      case 'migrated':
      case 'not-modified':
      case 'reply-target-gone':
      case 'topic-gone':
      case 'unauthorized':
        return { kind: 'failed', failure, cause };
    }
  };

  /** Editing once more repairs what a late preview may have undone; "not modified" says that nothing was. */
  const confirmOne = async (pages: readonly WantedPage[]): Promise<DeliveryStep> => {
    const index = shown.findIndex((page) => page.confirmAt !== undefined);
    const page = shown[index];
    if (page?.confirmAt === undefined) return { kind: 'complete' };
    if (clock.now() < page.confirmAt) return later({ kind: 'unclear' }, page.confirmAt - clock.now());
    const step = await show(pages, index, 'page');
    if (step.kind === 'progress') page.confirmAt = undefined;
    return step;
  };

  return {
    async preview(pages) {
      if (lostSend) return traceLostSend(lostSend, undefined);
      const index = firstDifference(pages);
      if (index >= 0) return show(pages, index, 'preview');
      if (!options.isReplacing || pages.length === 0) return { kind: 'complete' };
      removals.push(...shown.splice(pages.length).map((page) => page.messageId));
      const [removal] = removals;
      if (removal === undefined) return { kind: 'complete' };
      return removeOne(removal, { priority: 'preview', signal: options.signal });
    },
    async settle(pages) {
      if (lostSend) return traceLostSend(lostSend, undefined);
      const index = firstDifference(pages);
      if (index >= 0) return show(pages, index, index === pages.length - 1 ? 'final' : 'page');
      removals.push(...shown.splice(pages.length).map((page) => page.messageId));
      const [absent] = absentSends;
      if (absent) return traceLateSend(absent);
      const [removal] = removals;
      if (removal !== undefined) return removeOne(removal, { priority: 'final', signal: options.signal });
      return confirmOne(pages);
    },
    get delivered() {
      return shown.map(({ messageId }, index) => ({ index, messageId }));
    },
  };
}

function later(failure: TelegramFailure, delayMs?: number): DeliveryStep {
  return { kind: 'later', delayMs, failure };
}

function keyOf(page: WantedPage): string {
  return JSON.stringify([page.text, page.entities, page.rich ?? null, page.keyboard ?? null]);
}
