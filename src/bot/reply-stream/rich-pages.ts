import type { TelegramFailure } from '../../telegram/telegram-errors.ts';
import type { RenderedPage } from './page-plan.ts';
import type { RichSupport } from './rich-support.ts';

/** Which pages of a reply may go as rich messages: those that Telegram has not refused as such. */
export interface RichPages {
  isWelcome(page: RenderedPage): boolean;
  /**
   * Notes what became of a call with this page. `refused`: as a rich message it was surely not shown, and it may go as text at once.
   * `open`: the failure means what it means for any page.
   */
  note(page: RenderedPage, failure: TelegramFailure): 'refused' | 'open';
}

/** Calls with the same page that got no clear answer: after these it goes as text. */
const MAX_UNCLEAR = 3;

export function createRichPages(support: RichSupport): RichPages {
  const refused = new Set<string>();
  const unclearCounts = new Map<string, number>();
  return {
    isWelcome: ({ text }) => support.isKnown && !refused.has(text),
    note({ rich, text }, failure) {
      if (!rich) return 'open';
      const unclearCount = (unclearCounts.get(text) ?? 0) + (failure.kind === 'unclear' ? 1 : 0);
      unclearCounts.set(text, unclearCount);
      // That a message can't be edited may be true of rich messages only: the same edit with a text tells.
      const isRefused = failure.kind === 'rejected' || (failure.kind === 'message-gone' && failure.mayRemain);
      if (isRefused || unclearCount >= MAX_UNCLEAR) refused.add(text);
      if (failure.kind === 'rejected' && isUnknownToServer(failure)) support.deny();
      return isRefused ? 'refused' : 'open';
    },
  };
}

/** An unknown method, an edit whose one parameter the server has passed over, or a server that knows no blocks yet (10.1). */
function isUnknownToServer({ code, description }: TelegramFailure & { kind: 'rejected' }): boolean {
  return code === 404 || /message text is empty|rich message must be non-empty/i.test(description);
}
