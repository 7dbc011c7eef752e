import type { TelegramFailure } from '../../telegram/telegram-errors.ts';
import type { PageWithButtons } from './reply-transport.ts';

/** Support of the Bot API server for rich messages, detected by use and kept in memory. */
export interface RichSupport {
  readonly isSupported: boolean;
  /** Records that the server does not support them. */
  markUnsupported(): void;
}

/** Disables rich messages. */
export const NO_RICH_MESSAGES: RichSupport = { isSupported: false, markUnsupported() {} };

/** Assumes support until the server denies it: rich messages came with Bot API 10.1. */
export function createRichSupport(): RichSupport {
  let isSupported = true;
  return {
    get isSupported() {
      return isSupported;
    },
    markUnsupported() {
      isSupported = false;
    },
  };
}

/** Calls with an unknown result for one rich message, after which the page is sent as text. */
const MAX_UNCLEAR = 3;

/** Best format of each page that Telegram has not refused: rich message, text with entities, plain text. */
export class PageFormats {
  readonly #richSupport: RichSupport;
  /** Texts of pages that can't be rich, and of those that can't have entities. */
  readonly #notRich = new Set<string>();
  readonly #plain = new Set<string>();
  readonly #unclearCounts = new Map<string, number>();

  constructor(richSupport: RichSupport) {
    this.#richSupport = richSupport;
  }

  apply(page: PageWithButtons): PageWithButtons {
    const isRich = this.#richSupport.isSupported && !this.#notRich.has(page.text);
    const entities = this.#plain.has(page.text) ? [] : page.entities;
    return { ...page, entities, rich: isRich ? page.rich : undefined };
  }

  /**
   * Records a failed call with this page. @returns whether its format was refused, so that the page can be sent at once
   * in another one.
   */
  recordFailure(page: PageWithButtons, failure: TelegramFailure): boolean {
    if (page.rich) return this.#recordRichFailure(page, failure);
    const isRefused = failure.kind === 'rejected' && page.entities.length > 0;
    if (isRefused) this.#plain.add(page.text);
    return isRefused;
  }

  #recordRichFailure({ text }: PageWithButtons, failure: TelegramFailure): boolean {
    const unclearCount = (this.#unclearCounts.get(text) ?? 0) + (failure.kind === 'unclear' ? 1 : 0);
    this.#unclearCounts.set(text, unclearCount);
    // Telegram may refuse edits of rich messages only; the same edit as text gives the reason.
    const isRefused = failure.kind === 'rejected' || (failure.kind === 'message-gone' && failure.mayRemain);
    if (isRefused || unclearCount >= MAX_UNCLEAR) this.#notRich.add(text);
    if (failure.kind === 'rejected' && isUnknownToServer(failure)) this.#richSupport.markUnsupported();
    return isRefused;
  }
}

/**
 * Returns whether the server does not support rich messages: an unknown method, an edit whose only parameter was
 * ignored, or no support for blocks (before 10.1).
 */
function isUnknownToServer({ code, description }: TelegramFailure & { kind: 'rejected' }): boolean {
  return code === 404 || /message text is empty|rich message must be non-empty/i.test(description);
}
