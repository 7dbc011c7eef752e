import type { InlineKeyboardMarkup } from 'grammy/types';
import { sleep } from '../../../lib/clock.ts';
import { toGrammySignal } from '../../../telegram/grammy-signal.ts';
import type { TelegramClient } from '../../../telegram/telegram-client.ts';
import type { BotServices } from '../../kit/services.ts';
import type { DeliveryStep } from '../../reply-stream/delivery-step.ts';
import { PageDelivery } from '../../reply-stream/page-delivery.ts';
import { NO_RICH_MESSAGES } from '../../reply-stream/page-formats.ts';
import { createPagePlanner, type RenderedPage, type ReplyPreface, withStatus } from '../../reply-stream/page-plan.ts';
import type { PageWithButtons, ReplyTransport } from '../../reply-stream/reply-transport.ts';

export interface InlineReplyOptions {
  readonly inlineMessageId: string;
  /** Text above the answer. */
  readonly preface: ReplyPreface | undefined;
  /** Keyboard of previews. */
  readonly keyboard: InlineKeyboardMarkup;
  /** Called once when the message can no longer be edited, so that generation can stop. */
  readonly onUndeliverable: () => void;
  /** Aborts all calls to Telegram. */
  readonly signal: AbortSignal;
}

/** Interval of previews. An inline message has its own rate limit, like a private chat. */
const PACE_MS = 1100;
const SHORTEST_RETRY_MS = 250;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;
/** About half an hour in all. */
const MAX_FAILED_TRIES = 60;
/** Limit of a message in UTF-16 units, and the part of it that is reserved for a note. */
const MAX_UNITS = 4096;
const HINT_UNITS = 300;
/** Stands in for a page's message id; never sent to Telegram. */
const ONLY_PAGE = 1;

/** Creates an answer in one message that can only be edited, possibly in a chat that the bot is not a member of. */
export function createInlineReply(
  services: BotServices,
  { inlineMessageId, preface, keyboard, onUndeliverable, signal }: InlineReplyOptions,
) {
  const { clock } = services;
  const planner = createPagePlanner({ maxUnits: MAX_UNITS - HINT_UNITS, maxPages: 2 });
  const transport = createInlineTransport(services.client, inlineMessageId, signal);
  const delivery = new PageDelivery(
    { ...services, transport },
    {
      initialMessageIds: [ONLY_PAGE],
      isReplacing: false,
      richSupport: NO_RICH_MESSAGES,
      findLostSend: async () => 'unknown',
      events: {},
    },
  );
  let newest: { readonly markdown: string; readonly status: string | undefined } | undefined;
  let running: Promise<void> | undefined;
  let isGone = false;
  const finishing = new AbortController();
  const pause = (durationMs: number) =>
    sleep(clock, durationMs, AbortSignal.any([signal, finishing.signal])).catch(nothing);

  const showPreviews = async () => {
    while (newest && !isGone && !signal.aborted && !finishing.signal.aborted) {
      const targetPage = newest;
      const [first] = await planner.planPartial(targetPage.markdown, preface);
      const [page] = withStatus(first ? [first] : [], targetPage.status);
      const step: DeliveryStep = page ? await delivery.preview([{ ...page, keyboard }]) : { kind: 'complete' };
      if (step.kind === 'complete' && newest === targetPage) newest = undefined;
      if (step.kind === 'progress') await pause(PACE_MS);
      if (step.kind === 'later') await pause(Math.max(step.delayMs ?? FIRST_RETRY_MS, SHORTEST_RETRY_MS));
      if (step.kind !== 'failed') continue;
      isGone = true;
      if (!signal.aborted) onUndeliverable();
    }
    running = undefined;
  };

  return {
    /** Shows the whole answer so far, in Markdown. Returns at once; the newest text wins. */
    update(markdown: string, status: string | undefined): void {
      newest = { markdown, status };
      running ??= showPreviews();
    },
    /**
     * Shows the complete answer, cut to one message.
     * @param toHint returns the note below the answer.
     * @returns `unfinished` if the signal aborted before the message showed it; `given-up` if it can't be shown.
     */
    async finish(
      markdown: string,
      {
        toHint,
        keyboard: last,
      }: { readonly toHint: (isCut: boolean) => string | undefined; readonly keyboard: InlineKeyboardMarkup },
    ): Promise<'shown' | 'unfinished' | 'given-up'> {
      finishing.abort();
      const [pages] = await Promise.all([planner.planFinal(markdown, { preface }), running]);
      const [first = { text: preface?.quote?.text ?? '', entities: [] }] =
        pages.length > 0 ? pages : await planner.planPartial('', preface);
      const page: PageWithButtons = { ...withHint(first, toHint(pages.length > 1)), keyboard: last };
      for (let failedTries = 0; failedTries < MAX_FAILED_TRIES; ) {
        if (signal.aborted) return 'unfinished';
        const step = await delivery.settle([page]);
        if (step.kind === 'complete') return 'shown';
        if (step.kind === 'failed') return signal.aborted ? 'unfinished' : 'given-up';
        if (step.kind === 'progress') failedTries = 0;
        else {
          const delayMs = step.delayMs ?? Math.min(FIRST_RETRY_MS * 2 ** failedTries, LONGEST_RETRY_MS);
          failedTries += 1;
          await sleep(clock, Math.max(delayMs, SHORTEST_RETRY_MS), signal).catch(nothing);
        }
      }
      return 'given-up';
    },
  };
}

function withHint(page: RenderedPage, hint: string | undefined): RenderedPage {
  if (hint === undefined) return page;
  const gap = page.text === '' ? '' : '\n\n';
  return { ...page, text: page.text + gap + hint };
}

async function nothing(): Promise<void> {}

function createInlineTransport(client: TelegramClient, inlineMessageId: string, signal: AbortSignal): ReplyTransport {
  return {
    chatId: 0,
    newestMessageId: ONLY_PAGE,
    useSupergroup() {},
    // A deleted inline message can't be sent again, as its chat is not known.
    send: () => Promise.reject(new Error('an inline message can only be edited')),
    async edit(_messageId, page, priority) {
      const options = {
        entities: [...page.entities],
        link_preview_options: { is_disabled: true },
        ...(page.keyboard ? { reply_markup: page.keyboard } : {}),
      };
      const api = client.withPriority(priority);
      await api.editMessageTextInline(inlineMessageId, page.text, options, toGrammySignal(signal));
    },
    remove: nothing,
  };
}
