import { type Clock, runWithin } from '../../lib/clock.ts';
import { toGrammySignal } from '../../telegram/grammy-signal.ts';
import type { TelegramClient } from '../../telegram/telegram-client.ts';
import { classifyTelegramError, isPassing, type TelegramFailure } from '../../telegram/telegram-errors.ts';
import { toSendOptions } from '../kit/chats.ts';
import type { DeliveryStep } from './delivery-step.ts';
import type { RenderedPage } from './page-plan.ts';

/**
 * Preview of the last page as Telegram's native draft, which looks like the bot typing. Drafts are temporary: the
 * answer is sent as messages. Private chats only.
 */
export type DraftPreview = ReturnType<typeof createDraftPreview>;

export interface DraftPreviewParams {
  readonly chatId: number;
  readonly topicId: number | undefined;
  /** Not 0. A draft with the same id is updated, one with another id is replaced. */
  readonly draftId: number;
  readonly signal: AbortSignal;
}

// A draft expires after 30 s (Bot API, sendMessageDraft); the next call may be delayed.
const REFRESH_AFTER_MS = 20_000;
const SHOW_FINAL_TIMEOUT_MS = 2000;

export function createDraftPreview(
  deps: { readonly client: TelegramClient; readonly clock: Clock },
  params: DraftPreviewParams,
) {
  const { clock } = deps;
  let shownKey: string | undefined;
  let refreshAt: number | undefined;
  let isRefused = false;

  const send = async (page: RenderedPage, signal: AbortSignal) => {
    const { chatId, draftId } = params;
    const api = deps.client.withPriority('preview');
    const more = {
      // Adds a stop button; servers without support ignore it.
      can_stop: true,
      keep_on_stop: true,
      ...toSendOptions(params),
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
    /** Makes one call towards showing this page. After `isRefused`, further calls have no effect. */
    async show(page: RenderedPage): Promise<DeliveryStep> {
      const isDue = refreshAt !== undefined && clock.now() >= refreshAt;
      if (shownKey === keyOf(page) && !isDue) return { kind: 'complete' };
      try {
        await send(page, params.signal);
        return { kind: 'progress' };
      } catch (error) {
        const failure = classifyTelegramError(error);
        if (isPassing(failure)) return { kind: 'later', delayMs: toDelayMs(failure), failure };
        isRefused = true;
        return { kind: 'failed', failure, cause: error };
      }
    },
    /** Time when the draft must be shown again before it expires. Undefined if there is no draft. */
    get refreshAt() {
      return refreshAt;
    },
    /** The server or chat does not support drafts. */
    get isRefused() {
      return isRefused;
    },
    /**
     * Updates the draft to match the message about to be sent: apps then replace the draft instead of showing both for a
     * while. One attempt of at most 2 s; never throws.
     */
    async showFinal(page: RenderedPage): Promise<void> {
      const isAlike = shownKey === undefined || shownKey === keyOf(page);
      shownKey = undefined;
      refreshAt = undefined;
      if (isAlike || isRefused) return;
      const limit = { timeoutMs: SHOW_FINAL_TIMEOUT_MS, toReason: () => undefined, signal: params.signal };
      await runWithin(clock, limit, (inTime) => send(page, inTime)).catch(() => {});
      shownKey = undefined;
      refreshAt = undefined;
    },
  };
}

function toDelayMs(failure: TelegramFailure): number | undefined {
  return 'retryAfterMs' in failure ? failure.retryAfterMs : undefined;
}

function keyOf(page: RenderedPage): string {
  return JSON.stringify([page.text, page.entities, page.rich ?? null]);
}
