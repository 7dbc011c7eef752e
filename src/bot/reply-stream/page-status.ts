import type { RichBlock } from '../../telegram/markdown/index.ts';
import type { RenderedPage } from './page-plan.ts';

/** Telegram's limits for one message: UTF-16 units, entities. */
const MAX_UNITS = 4096;
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
