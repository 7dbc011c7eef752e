import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log/logger.ts';
import type { CallPriority } from '../../telegram/flood-control/call-priority.ts';
import type { LostSend, LostSendFinding } from '../../telegram/lost-sends/find-lost-send.ts';
import { classifyTelegramError, type TelegramFailure } from '../../telegram/telegram-errors.ts';
import { COMPLETE, type DeliveryStep, later, PROGRESS, stepAfter } from './delivery-step.ts';
import { PageFormats, type RichSupport } from './page-formats.ts';
import { callQuietly, type DeliveredPage, type ReplyEvents, type SentPage } from './reply-events.ts';
import type { PageWithButtons, ReplyTransport } from './reply-transport.ts';

export interface PageDeliveryDeps {
  readonly transport: ReplyTransport;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface PageDeliveryOptions {
  /** Message that the first page replies to. */
  readonly replyToMessageId?: number | undefined;
  /** Each further page replies to the previous one. Default false. */
  readonly isInChain?: boolean | undefined;
  /** Existing messages to reuse, in the order of pages, whatever they show. */
  readonly initialMessageIds: readonly number[];
  /** They show another text: surplus ones are deleted as soon as a preview shows. */
  readonly isReplacing: boolean;
  readonly richSupport: RichSupport;
  /** Runs a send, or the search for one, while no other reply sends. Default: at once. */
  readonly sendAlone?: SendAlone | undefined;
  /** Searches for a page whose send was not confirmed. */
  readonly findLostSend: (lost: LostSend) => Promise<LostSendFinding>;
  readonly events: ReplyEvents;
}

/**
 * Runs work that sends to a chat, one at a time. The search for a message whose send was not confirmed can't tell it from
 * another message sent meanwhile.
 */
export type SendAlone = <Result>(work: () => Promise<Result>) => Promise<Result>;

interface ShownPage {
  readonly messageId: number;
  /** Content of the message; undefined if unknown. */
  key: string | undefined;
  /** Set after an edit with an unknown result, which may still overwrite a later one: the time to edit again. */
  confirmAt: number | undefined;
}

/** Time after which an in-flight request has arrived or never will. */
const CONFIRM_DELAY_MS = 2000;
/** Failures of a deletion that a retry can't fix. */
const BEYOND_REACH: ReadonlySet<TelegramFailure['kind']> = new Set(['message-gone', 'migrated', 'rejected']);
/**
 * Limit for pages sent again after their messages were deleted: a user who deletes every message does not want the
 * answer.
 */
const MAX_FRESH_SENDS = 10;

/** Delivers the pages of one reply, one call at a time. A send is never repeated while it may have arrived. */
export class PageDelivery {
  readonly #deps: PageDeliveryDeps;
  readonly #options: PageDeliveryOptions;
  readonly #formats: PageFormats;
  #shown: ShownPage[];
  /** Messages to delete. */
  #surplusIds: number[] = [];
  #replyToMessageId: number | undefined;
  #isInChain: boolean;
  #freshSendCount = 0;
  #lostSend: SentPage | undefined;
  /** Sends that were repeated because their messages were not found; they may have arrived late. */
  #absentSends: SentPage[] = [];

  constructor(deps: PageDeliveryDeps, options: PageDeliveryOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#formats = new PageFormats(options.richSupport);
    this.#shown = options.initialMessageIds.map((messageId) => ({ messageId, key: undefined, confirmAt: undefined }));
    this.#replyToMessageId = options.replyToMessageId;
    this.#isInChain = options.isInChain ?? false;
  }

  get delivered(): readonly DeliveredPage[] {
    return this.#shown.map(({ messageId }, index) => ({ index, messageId }));
  }

  /**
   * Makes one low-priority call towards showing these pages as the answer so far. Deletes only surplus messages of a
   * replaced text.
   */
  async preview(pages: readonly PageWithButtons[]): Promise<DeliveryStep> {
    const lost = this.#lostSend;
    if (lost) return this.#alone(() => this.#traceLostSend(lost, undefined));
    const index = this.#findDifference(pages);
    if (index >= 0) return this.#show(pages, index, 'preview');
    if (!this.#options.isReplacing || pages.length === 0) return COMPLETE;
    this.#cutTo(pages.length);
    const [surplusId] = this.#surplusIds;
    return surplusId === undefined ? COMPLETE : this.#remove(surplusId, 'preview');
  }

  /** Makes one call towards showing exactly these pages and nothing else. */
  async settle(pages: readonly PageWithButtons[]): Promise<DeliveryStep> {
    const lost = this.#lostSend;
    if (lost) return this.#alone(() => this.#traceLostSend(lost, undefined));
    const index = this.#findDifference(pages);
    if (index >= 0) return this.#show(pages, index, index === pages.length - 1 ? 'final' : 'page');
    this.#cutTo(pages.length);
    const [absent] = this.#absentSends;
    if (absent) return this.#alone(() => this.#traceLateSend(absent));
    const [surplusId] = this.#surplusIds;
    return surplusId === undefined ? this.#confirm(pages) : this.#remove(surplusId, 'final');
  }

  #findDifference(pages: readonly PageWithButtons[]): number {
    return pages.findIndex((page, index) => this.#shown[index]?.key !== keyOf(this.#formats.apply(page)));
  }

  async #show(pages: readonly PageWithButtons[], index: number, priority: CallPriority): Promise<DeliveryStep> {
    const targetPage = pages[index];
    if (!targetPage) return COMPLETE;
    const page = this.#formats.apply(targetPage);
    const shown = this.#shown[index];
    return shown ? this.#edit(shown, index, page, priority) : this.#alone(() => this.#send(index, page, priority));
  }

  async #alone(step: () => Promise<DeliveryStep>): Promise<DeliveryStep> {
    const { sendAlone = (work) => work() } = this.#options;
    try {
      return await sendAlone(step);
    } catch (error) {
      return stepAfter(classifyTelegramError(error), error);
    }
  }

  async #send(index: number, page: PageWithButtons, priority: CallPriority): Promise<DeliveryStep> {
    const sent: SentPage = { index, afterId: this.#deps.transport.newestMessageId };
    await this.#emit('onSending', (events) => events.onSending?.(sent));
    const previousId = this.#isInChain ? this.#shown[index - 1]?.messageId : undefined;
    const replyToMessageId = index === 0 ? this.#replyToMessageId : previousId;
    try {
      const messageId = await this.#deps.transport.send(page, { priority, replyToMessageId, isSilent: index > 0 });
      return await this.#add(index, messageId, keyOf(page));
    } catch (error) {
      const failure = classifyTelegramError(error);
      if (failure.kind === 'reply-target-gone' && replyToMessageId !== undefined) {
        this.#replyToMessageId = undefined;
        this.#isInChain = false;
        return PROGRESS;
      }
      if (failure.kind === 'migrated') return this.#useSupergroup(failure.toChatId);
      if (this.#formats.recordFailure(page, failure)) return PROGRESS;
      if (failure.kind !== 'unclear') return stepAfter(failure, error);
      this.#lostSend = sent;
      return this.#traceLostSend(sent, error);
    }
  }

  async #add(index: number, messageId: number, key: string | undefined): Promise<DeliveryStep> {
    this.#shown[index] = { messageId, key, confirmAt: undefined };
    await this.#emit('onDelivered', (events) => events.onDelivered?.({ index, messageId }));
    return PROGRESS;
  }

  async #traceLostSend(lost: SentPage, cause: unknown): Promise<DeliveryStep> {
    const finding = await this.#find(lost);
    if (finding === 'unknown') return { kind: 'failed', failure: { kind: 'unclear' }, cause };
    if (finding === 'later') return later({ kind: 'unclear' });
    this.#lostSend = undefined;
    if (finding !== 'absent') return this.#add(lost.index, finding, undefined);
    this.#absentSends.push(lost);
    return later({ kind: 'unclear' });
  }

  /** Deletes a page that arrived twice. If the search has no result, the first send most likely never arrived. */
  async #traceLateSend(lost: SentPage): Promise<DeliveryStep> {
    const finding = await this.#find(lost);
    if (finding === 'later') return later({ kind: 'unclear' });
    this.#absentSends = this.#absentSends.filter((other) => other !== lost);
    const isNew = !this.#shown.some((page) => page.messageId === finding);
    if (typeof finding === 'number' && isNew) this.#surplusIds.push(finding);
    return PROGRESS;
  }

  async #find({ afterId }: SentPage): Promise<LostSendFinding> {
    const lost = { chatId: this.#deps.transport.chatId, afterId };
    return (await callQuietly(this.#deps.logger, 'findLostSend', () => this.#options.findLostSend(lost))) ?? 'unknown';
  }

  async #edit(shown: ShownPage, index: number, page: PageWithButtons, priority: CallPriority): Promise<DeliveryStep> {
    try {
      await this.#deps.transport.edit(shown.messageId, page, priority);
      return this.#keepEdit(shown, page);
    } catch (error) {
      const failure = classifyTelegramError(error);
      if (failure.kind === 'not-modified') return this.#keepEdit(shown, page);
      if (this.#formats.recordFailure(page, failure)) return PROGRESS;
      if (failure.kind === 'message-gone') return this.#sendAfresh(index, failure, error);
      if (failure.kind === 'migrated') return this.#useSupergroup(failure.toChatId);
      if (failure.kind === 'unclear') {
        shown.key = undefined;
        shown.confirmAt = this.#deps.clock.now() + CONFIRM_DELAY_MS;
      }
      return stepAfter(failure, error);
    }
  }

  #keepEdit(shown: ShownPage, page: PageWithButtons): DeliveryStep {
    shown.key = keyOf(page);
    if (shown.confirmAt !== undefined) shown.confirmAt = this.#deps.clock.now() + CONFIRM_DELAY_MS;
    return PROGRESS;
  }

  /**
   * Drops the page's message so that it is sent again, together with the later pages, which would otherwise precede it.
   */
  async #sendAfresh(
    index: number,
    failure: TelegramFailure & { kind: 'message-gone' },
    cause: unknown,
  ): Promise<DeliveryStep> {
    this.#freshSendCount += 1;
    if (this.#freshSendCount > MAX_FRESH_SENDS) return { kind: 'failed', failure, cause };
    this.#cutTo(index + 1);
    const gone = this.#shown.pop();
    if (gone && failure.mayRemain) this.#surplusIds.push(gone.messageId);
    else if (gone) await this.#emit('onRemoved', (events) => events.onRemoved?.(gone.messageId));
    return PROGRESS;
  }

  /** Messages of the former group can't be edited, so the whole reply is sent to the supergroup. */
  async #useSupergroup(chatId: number): Promise<DeliveryStep> {
    this.#deps.transport.useSupergroup(chatId);
    this.#shown = [];
    this.#surplusIds = [];
    this.#replyToMessageId = undefined;
    await this.#emit('onMoved', (events) => events.onMoved?.(chatId));
    return PROGRESS;
  }

  #cutTo(pageCount: number): void {
    this.#surplusIds.push(...this.#shown.splice(pageCount).map((page) => page.messageId));
  }

  async #remove(messageId: number, priority: CallPriority): Promise<DeliveryStep> {
    try {
      await this.#deps.transport.remove(messageId, priority);
    } catch (error) {
      const failure = classifyTelegramError(error);
      if (!BEYOND_REACH.has(failure.kind)) return stepAfter(failure, error);
    }
    this.#surplusIds = this.#surplusIds.filter((id) => id !== messageId);
    await this.#emit('onRemoved', (events) => events.onRemoved?.(messageId));
    return PROGRESS;
  }

  /** Repeats an edit that a late one may have overwritten. */
  async #confirm(pages: readonly PageWithButtons[]): Promise<DeliveryStep> {
    const index = this.#shown.findIndex((page) => page.confirmAt !== undefined);
    const page = this.#shown[index];
    if (page?.confirmAt === undefined) return COMPLETE;
    if (this.#deps.clock.now() < page.confirmAt)
      return later({ kind: 'unclear' }, page.confirmAt - this.#deps.clock.now());
    const step = await this.#show(pages, index, 'page');
    if (step.kind === 'progress') page.confirmAt = undefined;
    return step;
  }

  async #emit(name: keyof ReplyEvents, callback: (events: ReplyEvents) => Promise<void> | void): Promise<void> {
    await callQuietly(this.#deps.logger, name, () => callback(this.#options.events));
  }
}

function keyOf(page: PageWithButtons): string {
  return JSON.stringify([page.text, page.entities, page.rich ?? null, page.keyboard ?? null]);
}
