import { parseMarkdown } from './parse/parse-markdown.ts';
import { prepareSource, toPlainText } from './parse/prepare-source.ts';
import { renderDraft } from './render/render-blocks.ts';
import { type FormattedText, toFormattedText } from './to-entities.ts';

/** Maximum number of entities in a message; Telegram silently ignores more. */
export const MAX_ENTITIES = 100;

/** Longer Markdown is shown unrendered: no message needs it, and parsing a hostile one takes seconds. */
const MAX_SOURCE_UNITS = 20_000;

export interface RenderOptions {
  /**
   * True for a partial answer: an incomplete end (`**bol`, an open fence, a link target) is rendered as it will look,
   * or dropped. Default false.
   */
  readonly isPartial?: boolean;
}

/**
 * Renders Markdown (CommonMark, GFM, formulas) to text and entities. The text may be longer than a message: `cutPage`
 * makes pages. Keeps the first 100 entities. Blank Markdown gives an empty text. Never throws.
 */
export function renderMarkdown(markdown: string, options: RenderOptions = {}): FormattedText {
  const source = prepareSource(markdown).text;
  const parsed = source.length > MAX_SOURCE_UNITS ? undefined : parseMarkdown(source, options.isPartial ?? false);
  if (!parsed) return toFormattedText(toPlainText(source), [], source.length);
  const { draft } = renderDraft(parsed);
  const { text, entities } = toFormattedText(draft.text, draft.styled, draft.text.length);
  return { text, entities: entities.slice(0, MAX_ENTITIES) };
}
