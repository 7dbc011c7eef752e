import type { TelegramFailure } from '../../telegram/telegram-errors.ts';
import type { WantedPage } from './reply-transport.ts';
import type { RichSupport } from './rich-support.ts';

/** Calls of unknown outcome with the same rich message, after which the page goes as text. */
const MAX_UNCLEAR = 3;

/** The best format of each page that Telegram has not refused: rich message, text with entities, plain text. */
export class PageFormats {
  readonly #richSupport: RichSupport;
  /** Texts of pages that can not be rich, that can not have entities. */
  readonly #notRich = new Set<string>();
  readonly #plain = new Set<string>();
  readonly #unclearCounts = new Map<string, number>();

  constructor(richSupport: RichSupport) {
    this.#richSupport = richSupport;
  }

  apply(page: WantedPage): WantedPage {
    const isRich = this.#richSupport.isKnown && !this.#notRich.has(page.text);
    const entities = this.#plain.has(page.text) ? [] : page.entities;
    return { ...page, entities, rich: isRich ? page.rich : undefined };
  }

  /** Notes a failed call with this page. @returns whether its format was refused: the page may go at once in another one. */
  noteFailure(page: WantedPage, failure: TelegramFailure): boolean {
    if (page.rich) return this.#noteRichFailure(page, failure);
    const isRefused = failure.kind === 'rejected' && page.entities.length > 0;
    if (isRefused) this.#plain.add(page.text);
    return isRefused;
  }

  #noteRichFailure({ text }: WantedPage, failure: TelegramFailure): boolean {
    const unclearCount = (this.#unclearCounts.get(text) ?? 0) + (failure.kind === 'unclear' ? 1 : 0);
    this.#unclearCounts.set(text, unclearCount);
    // Telegram may refuse to edit rich messages only: the same edit with a text tells.
    const isRefused = failure.kind === 'rejected' || (failure.kind === 'message-gone' && failure.mayRemain);
    if (isRefused || unclearCount >= MAX_UNCLEAR) this.#notRich.add(text);
    if (failure.kind === 'rejected' && isUnknownToServer(failure)) this.#richSupport.deny();
    return isRefused;
  }
}

/** An unknown method, an edit whose one parameter the server ignored, or a server that knows no blocks yet (10.1). */
function isUnknownToServer({ code, description }: TelegramFailure & { kind: 'rejected' }): boolean {
  return code === 404 || /message text is empty|rich message must be non-empty/i.test(description);
}
