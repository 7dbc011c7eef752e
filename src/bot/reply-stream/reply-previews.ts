import type { InlineKeyboardMarkup } from '@grammyjs/types';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log/logger.ts';
import type { TelegramFailure } from '../../telegram/telegram-errors.ts';
import type { DeliveryStep } from './delivery-step.ts';
import type { DraftPreview } from './draft-preview.ts';
import type { PageDelivery } from './page-delivery.ts';
import { type PagePlanner, type ReplyPreface, withStatus } from './page-plan.ts';
import { type PageWithButtons, withKeyboard } from './reply-transport.ts';

const FIRST_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;

/** Exponential backoff: 1 s after the first failure, doubled with each consecutive one, at most 30 s. */
export class Backoff {
  #failureCount = 0;

  /** Failures since the last success. */
  get failureCount(): number {
    return this.#failureCount;
  }

  /** Records a failure. @returns the delay in milliseconds: `delayMs` if given. */
  afterFailure(delayMs: number | undefined): number {
    this.#failureCount += 1;
    return delayMs ?? Math.min(FIRST_DELAY_MS * 2 ** (this.#failureCount - 1), MAX_DELAY_MS);
  }

  reset(): void {
    this.#failureCount = 0;
  }
}

interface ReplyPreviewsDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly planner: PagePlanner;
  readonly delivery: PageDelivery;
  /** Shows the last page, if drafts are used. */
  readonly draft: DraftPreview | undefined;
}

interface ReplyPreviewsParams {
  /** Interval between previews, from the last success, in milliseconds. */
  readonly paceMs: number;
  /** Previews start when the text fills this many pages. */
  readonly minPages: number;
  readonly maxUnits: number | undefined;
  readonly keyboard: (() => InlineKeyboardMarkup) | undefined;
  /** Called when a preview has failed for good; no more previews follow. */
  readonly onFailed: (failure: TelegramFailure, cause: unknown) => void;
}

/** Content around the answer so far. */
export interface ReplySurroundings {
  /** Quote above the answer on the first page. */
  readonly preface?: ReplyPreface | undefined;
  /** Plain text below the answer that is not part of it; the next update replaces it. */
  readonly status?: string | undefined;
}

interface PreviewText extends ReplySurroundings {
  /** The whole answer so far. */
  readonly markdown: string;
}

/** Minimum length of the first preview, to be worth a notification. */
const MIN_FIRST_CHARACTERS = 4;
const MIN_RETRY_MS = 250;

/** Shows the newest text of a growing answer: one call at a time, at an interval. */
export class ReplyPreviews {
  readonly #deps: ReplyPreviewsDeps;
  readonly #params: ReplyPreviewsParams;
  readonly #backoff = new Backoff();
  #newest: PreviewText | undefined;
  #shown: PreviewText | undefined;
  #nextAt = 0;
  #isStopped = false;
  #running: Promise<void> | undefined;
  #wake: () => void = () => {};

  constructor(deps: ReplyPreviewsDeps, params: ReplyPreviewsParams) {
    this.#deps = deps;
    this.#params = params;
  }

  /** Replaces the text to show. */
  update(text: PreviewText): void {
    this.#newest = text;
    this.#running ??= this.#run().catch((error: unknown) => {
      this.#deps.logger.error({ err: error }, 'previews of a reply stopped');
    });
    this.#wake();
  }

  /** Resolves when no call is in flight. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const next = this.#findNext();
      if ('waitMs' in next) await this.#wait(next.waitMs);
      else await this.#preview(next);
    }
  }

  /** Returns the text to show now, or the time to wait; undefined means until the next text. */
  #findNext(): PreviewText | { readonly waitMs: number | undefined } {
    const now = this.#deps.clock.now();
    const refreshAt = this.#deps.draft?.refreshAt;
    if (refreshAt !== undefined && refreshAt <= now) this.#newest ??= this.#shown;
    if (this.#newest === undefined) return { waitMs: refreshAt === undefined ? undefined : refreshAt - now };
    return this.#nextAt > now ? { waitMs: this.#nextAt - now } : this.#newest;
  }

  async #preview(text: PreviewText): Promise<void> {
    const startedAt = this.#deps.clock.now();
    this.#shown = text;
    const pages = await this.#plan(text);
    if (this.#isStopped) return;
    const step = await this.#show(pages);
    if (step.kind === 'complete' && this.#newest === text) this.#newest = undefined;
    if (step.kind === 'progress') {
      this.#backoff.reset();
      this.#nextAt = startedAt + this.#params.paceMs;
    }
    if (step.kind === 'later') {
      this.#nextAt = this.#deps.clock.now() + Math.max(this.#backoff.afterFailure(step.delayMs), MIN_RETRY_MS);
    }
    if (step.kind === 'failed') {
      this.#isStopped = true;
      this.#params.onFailed(step.failure, step.cause);
    }
  }

  async #plan({ markdown, preface, status }: PreviewText): Promise<readonly PageWithButtons[]> {
    const { keyboard, maxUnits, minPages } = this.#params;
    const { delivery, planner } = this.#deps;
    const pages = withStatus(await planner.planPartial(markdown, preface), status, maxUnits);
    const isLong = (pages[0]?.text.trim().length ?? 0) >= MIN_FIRST_CHARACTERS;
    const isNews = delivery.delivered.length > 0 || preface?.heading !== undefined || isLong;
    return isNews && pages.length >= minPages ? withKeyboard(pages, keyboard?.()) : [];
  }

  /** Sends complete pages as messages and shows the last one in the draft, if drafts are used. */
  async #show(pages: readonly PageWithButtons[]): Promise<DeliveryStep> {
    const { delivery, draft } = this.#deps;
    const last = pages.at(-1);
    if (!draft || draft.isRefused || !last) return delivery.preview(pages);
    const whole = await delivery.preview(pages.slice(0, -1));
    if (whole.kind !== 'complete') return whole;
    const step = await draft.show(last);
    return step.kind === 'failed' && !isHopeless(step.failure) ? delivery.preview(pages) : step;
  }

  /** Waits for the next text, at most `delayMs`. */
  async #wait(delayMs: number | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancelTimer = delayMs === undefined ? undefined : this.#deps.clock.setTimer(delayMs, resolve);
    this.#wake = resolve;
    await promise;
    cancelTimer?.();
  }
}

/** Returns whether no further message can reach the chat after this failure. */
export function isHopeless({ kind }: TelegramFailure): boolean {
  return ['aborted', 'blocked', 'dropped', 'topic-gone', 'unauthorized'].includes(kind);
}
