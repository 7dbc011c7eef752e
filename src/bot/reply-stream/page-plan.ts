import { setImmediate } from 'node:timers/promises';
import type { MessageEntity } from '@grammyjs/types';
import { cutPage } from '../../telegram/markdown/index.ts';

/** One message's worth of an answer, rendered. */
export interface RenderedPage {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
}

/** Cuts growing Markdown into pages, without rendering again what earlier pages already show. */
export interface PagePlanner {
  /** The pages of unfinished Markdown. Where an earlier page ended is kept as long as the text before it stays the same. */
  planPartial(markdown: string): readonly RenderedPage[];
  /** The pages of finished Markdown, cut afresh. Long answers take their time; others may work between two pages. */
  planFinal(markdown: string): Promise<readonly RenderedPage[]>;
}

interface PlannedPage {
  readonly page: RenderedPage;
  /** Where the page ends in the Markdown. */
  readonly endOffset: number;
  /** What the next page must begin with, so that a block cut in two goes on. */
  readonly reopen: string;
}

export function createPagePlanner(options: { readonly maxUnits?: number | undefined } = {}): PagePlanner {
  const size = options.maxUnits === undefined ? {} : { maxUnits: options.maxUnits };
  let fullPages: PlannedPage[] = [];
  let sourceOfFullPages = '';

  /** The page behind the given ones; undefined where nothing is left. */
  const cutNext = (pages: readonly PlannedPage[], markdown: string, isPartial: boolean): PlannedPage | undefined => {
    const { endOffset, reopen } = pages.at(-1) ?? { endOffset: 0, reopen: '' };
    if (endOffset >= markdown.length) return undefined;
    const cut = cutPage(reopen + markdown.slice(endOffset), { ...size, isPartial });
    if (cut.consumed <= reopen.length) throw new Error('a page must take in something of the text');
    return { page: cut.page, endOffset: endOffset + cut.consumed - reopen.length, reopen: cut.reopen };
  };

  return {
    planPartial(markdown) {
      const pages = markdown.startsWith(sourceOfFullPages) ? [...fullPages] : [];
      for (let next = cutNext(pages, markdown, true); next; next = cutNext(pages, markdown, true)) pages.push(next);
      fullPages = pages.filter((page) => page.endOffset < markdown.length);
      sourceOfFullPages = markdown.slice(0, fullPages.at(-1)?.endOffset ?? 0);
      return toVisiblePages(pages);
    },
    async planFinal(markdown) {
      const pages: PlannedPage[] = [];
      for (let next = cutNext(pages, markdown, false); next; next = cutNext(pages, markdown, false)) {
        pages.push(next);
        if (next.endOffset < markdown.length) await setImmediate();
      }
      return toVisiblePages(pages);
    },
  };
}

/** Telegram refuses messages of white space alone. */
function toVisiblePages(pages: readonly PlannedPage[]): RenderedPage[] {
  return pages.map(({ page }) => page).filter((page) => page.text.trim() !== '');
}
