import type { Clock } from '../../lib/clock.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import type { TelegramClient } from '../../telegram/telegram-client.ts';
import { classifyTelegramError, type TelegramFailure } from '../../telegram/telegram-errors.ts';
import type { DeliveryStep } from './delivery-step.ts';
import type { RenderedPage } from './page-plan.ts';

/**
 * The end of a growing reply as Telegram's native draft: it looks as if the bot were typing there. Nothing of it stays: the messages
 * that follow are the answer. Private chats only.
 */
export interface DraftPreview {
  /** One call towards showing this page. Once `isRefused`, there is no use in another. */
  show(page: RenderedPage): Promise<DeliveryStep>;
  /** A draft would vanish if it were not shown again by then. Undefined where none is in the chat. */
  readonly refreshAt: number | undefined;
  /** This server or chat takes no drafts. */
  readonly isRefused: boolean;
  /**
   * Lets the draft look like the message that is about to take its place: apps replace one by the other then, instead of showing both
   * for a while. One try; it never throws, and takes 2 s at most.
   */
  match(page: RenderedPage): Promise<void>;
}

export interface DraftPreviewOptions {
  readonly chatId: number;
  readonly topicId: number | undefined;
  /** Not 0. Drafts with the same id grow, another one replaces them. */
  readonly draftId: number;
  readonly signal: AbortSignal;
}

// A draft lives for 30 s (Bot API, sendMessageDraft); the next call may have to wait.
const REFRESH_AFTER_MS = 20_000;
const MATCH_TIMEOUT_MS = 2000;

export function createDraftPreview(
  deps: { readonly client: TelegramClient; readonly clock: Clock },
  options: DraftPreviewOptions,
): DraftPreview {
  const { clock } = deps;
  let shownKey: string | undefined;
  let refreshAt: number | undefined;
  let isRefused = false;

  const send = async (page: RenderedPage, signal: AbortSignal) => {
    const { chatId, draftId, topicId } = options;
    const api = deps.client.withPriority('preview');
    const more = {
      // The person ends the answer with it; servers that do not know it yet ignore it.
      can_stop: true,
      keep_on_stop: true,
      ...(topicId === undefined ? {} : { message_thread_id: topicId }),
    };
    if (page.rich) {
      await api.sendRichMessageDraft(chatId, draftId, page.rich, more, toGrammySignal(signal));
    } else {
      const formatted = { entities: [...page.entities], ...more };
      await api.sendMessageDraft(chatId, draftId, page.text, formatted, toGrammySignal(signal));
    }
    shownKey = keyOf(page);
    refreshAt = clock.now() + REFRESH_AFTER_MS;
  };

  return {
    async show(page) {
      const isDue = refreshAt !== undefined && clock.now() >= refreshAt;
      if (shownKey === keyOf(page) && !isDue) return { kind: 'complete' };
      try {
        await send(page, options.signal);
        return { kind: 'progress' };
      } catch (error) {
        const failure = classifyTelegramError(error);
        if (PASSING.has(failure.kind)) return { kind: 'later', delayMs: toDelayMs(failure), failure };
        isRefused = true;
        return { kind: 'failed', failure, cause: error };
      }
    },
    get refreshAt() {
      return refreshAt;
    },
    get isRefused() {
      return isRefused;
    },
    async match(page) {
      const isAlike = shownKey === undefined || shownKey === keyOf(page);
      shownKey = undefined;
      refreshAt = undefined;
      if (isAlike || isRefused) return;
      const patience = new AbortController();
      const cancelTimer = clock.setTimer(MATCH_TIMEOUT_MS, () => patience.abort());
      await send(page, AbortSignal.any([options.signal, patience.signal])).catch(() => {});
      cancelTimer();
      shownKey = undefined;
      refreshAt = undefined;
    },
  };
}

/** Failures that say nothing about drafts as such. */
const PASSING: ReadonlySet<TelegramFailure['kind']> = new Set(['dropped', 'flood', 'not-sent', 'unclear']);

function toDelayMs(failure: TelegramFailure): number | undefined {
  return 'retryAfterMs' in failure ? failure.retryAfterMs : undefined;
}

function keyOf(page: RenderedPage): string {
  return JSON.stringify([page.text, page.entities, page.rich ?? null]);
}
