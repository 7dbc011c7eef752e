import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { MessageEntity } from '@grammyjs/types';
import { cutPage, type RichBlock, type RichContent, renderRich } from '../../telegram/markdown/index.ts';

/** Rendered part of an answer that fits into one message. */
export interface RenderedPage {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  /** The page as a rich message if that shows more, for servers that support it. */
  readonly rich?: RichContent | undefined;
}

/** Plain text above an answer. Shares the first page with the answer, so at most a few thousand UTF-16 units in all. */
export interface ReplyPreface {
  /** Name at the top, shown even while the answer is empty. Default none. */
  readonly heading?: string | undefined;
  /** Shown as a quote. Default none. */
  readonly quote?:
    | { readonly text: string /** Collapsed to its first lines. */; readonly isFolded: boolean }
    | undefined;
}

/** Splitter of growing Markdown into pages, which does not render finished pages again. */
export type PagePlanner = ReturnType<typeof createPagePlanner>;

interface PlannedPage {
  readonly page: RenderedPage;
  /** Offset of the page's end in the Markdown. */
  readonly endOffset: number;
  /** Markdown that reopens a split block at the start of the next page. */
  readonly reopen: string;
}

export interface PagePlannerOptions {
  /** Limit of a page in UTF-16 units. Default Telegram's limit. */
  readonly maxUnits?: number | undefined;
  /** Maximum number of pages; the rest is ignored. Default all. */
  readonly maxPages?: number | undefined;
}

export function createPagePlanner(options: PagePlannerOptions = {}) {
  const { maxUnits = MAX_UNITS, maxPages = Number.POSITIVE_INFINITY } = options;
  let fullPages: PlannedPage[] = [];
  let sourceOfFullPages = '';
  let unitsOfPreface = 0;

  /** Returns the next page; undefined at the end of the text. */
  const cutNext = (
    pages: readonly PlannedPage[],
    markdown: string,
    { isPartial, preface }: { readonly isPartial: boolean; readonly preface: ReplyPreface | undefined },
  ): PlannedPage | undefined => {
    const { endOffset, reopen } = pages.at(-1) ?? { endOffset: 0, reopen: '' };
    if (endOffset >= markdown.length || pages.length >= maxPages) return undefined;
    const units = pages.length === 0 ? maxUnits - unitsOf(preface) : maxUnits;
    const cut = cutPage(reopen + markdown.slice(endOffset), { maxUnits: units, isPartial });
    if (cut.consumed <= reopen.length) throw new Error('a page must take in something of the text');
    return { page: cut.page, endOffset: endOffset + cut.consumed - reopen.length, reopen: cut.reopen };
  };

  return {
    /**
     * Splits unfinished Markdown. Page ends are kept as long as the text before them stays the same. Yields to the event
     * loop between pages. Not reentrant.
     */
    async planPartial(markdown: string, preface?: ReplyPreface): Promise<readonly RenderedPage[]> {
      const isAsBefore = unitsOf(preface) === unitsOfPreface && markdown.startsWith(sourceOfFullPages);
      const pages = isAsBefore ? [...fullPages] : [];
      unitsOfPreface = unitsOf(preface);
      const how = { isPartial: true, preface };
      for (let next = cutNext(pages, markdown, how); next; next = cutNext(pages, markdown, how)) {
        pages.push(next);
        if (next.endOffset < markdown.length) await yieldToEventLoop();
      }
      fullPages = pages.filter((page) => page.endOffset < markdown.length);
      sourceOfFullPages = markdown.slice(0, fullPages.at(-1)?.endOffset ?? 0);
      return withPreface(toVisiblePages(pages), preface);
    },
    /**
     * Splits finished Markdown from the start; with `isRich`, pages that show more as rich messages are also rendered as
     * such. Yields to the event loop between pages.
     */
    async planFinal(
      markdown: string,
      { preface, isRich = false }: { readonly preface?: ReplyPreface | undefined; readonly isRich?: boolean } = {},
    ): Promise<readonly RenderedPage[]> {
      const pages: PlannedPage[] = [];
      const how = { isPartial: false, preface };
      for (let next = cutNext(pages, markdown, how); next; next = cutNext(pages, markdown, how)) {
        if (isRich || next.endOffset < markdown.length) await yieldToEventLoop();
        pages.push(isRich ? withRich(next, pages.at(-1), markdown) : next);
      }
      const visible = toVisiblePages(pages);
      const isEmpty = visible.length === 0 && preface?.heading === undefined;
      return isEmpty ? visible : withPreface(visible, preface);
    },
  };
}

/** Adds the rich form of a page if it shows more. */
function withRich(planned: PlannedPage, before: PlannedPage | undefined, markdown: string): PlannedPage {
  const { endOffset: start, reopen } = before ?? { endOffset: 0, reopen: '' };
  const source = reopen + markdown.slice(start, planned.endOffset);
  const isPartial = planned.endOffset < markdown.length;
  const rich = renderRich(source, planned.page.text, { isPartial });
  return rich ? { ...planned, page: { ...planned.page, rich } } : planned;
}

/** Telegram's limit for a message. */
const MAX_UNITS = 4096;
/** Separator between a preface and the answer. A quote ends with its line. */
const GAP = '\n';

function unitsOf(preface: ReplyPreface | undefined): number {
  return linesOf(preface).reduce((sum, line) => sum + line.length + GAP.length, 0);
}

/** Returns the heading and the quote, as far as there are any. */
function linesOf({ heading, quote }: ReplyPreface = {}): readonly string[] {
  return [heading, quote?.text].filter((line) => line !== undefined);
}

function withPreface(pages: readonly RenderedPage[], preface: ReplyPreface | undefined): readonly RenderedPage[] {
  if (!preface || unitsOf(preface) === 0) return pages;
  const [first = { text: '', entities: [] }, ...rest] = pages;
  const lines = linesOf(preface);
  const own = toEntities(preface);
  if (first.text === '') return [{ text: lines.join(GAP), entities: own }];
  const shift = unitsOf(preface);
  const entities = first.entities.map((entity) => ({ ...entity, offset: entity.offset + shift }));
  const rich = first.rich && withRichPreface(first.rich, preface);
  return [{ text: [...lines, first.text].join(GAP), entities: [...own, ...entities], rich }, ...rest];
}

function toEntities({ heading, quote }: ReplyPreface): readonly MessageEntity[] {
  const offset = heading === undefined ? 0 : heading.length + GAP.length;
  const type = quote?.isFolded ? ('expandable_blockquote' as const) : ('blockquote' as const);
  return [
    ...(heading === undefined ? [] : [{ type: 'code' as const, offset: 0, length: heading.length }]),
    ...(quote ? [{ type, offset, length: quote.text.length }] : []),
  ];
}

function withRichPreface(rich: RichContent, { heading, quote }: ReplyPreface): RichContent {
  const title: RichBlock[] =
    heading === undefined ? [] : [{ type: 'paragraph', text: { type: 'code', text: heading } }];
  const quotation: RichBlock[] = quote ? [toRichQuote(quote)] : [];
  return { ...rich, blocks: [...title, ...quotation, ...rich.blocks] };
}

function toRichQuote({ text, isFolded }: NonNullable<ReplyPreface['quote']>): RichBlock {
  if (isFolded) return { type: 'expandable_blockquote', text };
  return { type: 'blockquote', blocks: [{ type: 'paragraph', text }] };
}

/** Telegram refuses messages that contain only white space. */
function toVisiblePages(pages: readonly PlannedPage[]): RenderedPage[] {
  return pages.map(({ page }) => page).filter((page) => page.text.trim() !== '');
}

/** Telegram's limit for one message. */
const MAX_ENTITIES = 100;

/** Returns the pages with a status in italics below the last one, or unchanged if the status does not fit. */
export function withStatus(
  pages: readonly RenderedPage[],
  status: string | undefined,
  maxUnits = MAX_UNITS,
): readonly RenderedPage[] {
  if (status === undefined || status === '') return pages;
  const last = pages.at(-1) ?? { text: '', entities: [] };
  const above = last.text === '' ? '' : `${last.text.trimEnd()}\n\n`;
  const text = above + status;
  if (text.length > maxUnits || last.entities.length >= MAX_ENTITIES) return pages;
  const entities = last.entities.flatMap((entity) => {
    const length = Math.min(entity.length, last.text.trimEnd().length - entity.offset);
    return length > 0 ? [{ ...entity, length }] : [];
  });
  const italic = { type: 'italic', offset: above.length, length: status.length } as const;
  const rich = last.rich && { ...last.rich, blocks: [...last.rich.blocks, toRichStatus(status)] };
  return [...pages.slice(0, -1), { text, entities: [...entities, italic], ...(rich && { rich }) }];
}

/** Like `withStatus`, but adds a page if the status does not fit. */
export function withLastingStatus(
  pages: readonly RenderedPage[],
  status: string | undefined,
  maxUnits = MAX_UNITS,
): readonly RenderedPage[] {
  if (status === undefined || pages.length === 0) return pages;
  const marked = withStatus(pages, status, maxUnits);
  return marked === pages ? [...pages, ...withStatus([], status, maxUnits)] : marked;
}

function toRichStatus(text: string): RichBlock {
  return { type: 'paragraph', text: { type: 'italic', text } };
}
