import { parseMarkdown } from './parse-markdown.ts';
import { prepareSource, toPlainText } from './prepare-source.ts';
import { renderDraft } from './render-blocks.ts';
import { type FormattedText, toFormattedText } from './to-entities.ts';

/** More entities than this in a message are ignored by Telegram without a word. */
export const MAX_ENTITIES = 100;

/** More Markdown than this is shown as it is: no message needs it, and parsing a hostile one takes seconds. */
const MAX_SOURCE_UNITS = 20_000;

/** How to render. */
export interface RenderOptions {
  /**
   * True for a growing prefix of an answer: what is half written at its end (`**bol`, an open fence, a link's target) is
   * shown as it will look or held back. Default false.
   */
  readonly isPartial?: boolean;
}

/**
 * Markdown (CommonMark, GFM, formulas) as Telegram shows it. The text may be longer than a message: `cutPage` makes pages.
 * Never throws; the first 100 entities are kept; blank Markdown gives an empty text.
 */
export function renderMarkdown(markdown: string, options: RenderOptions = {}): FormattedText {
  const source = prepareSource(markdown).text;
  const parsed = source.length > MAX_SOURCE_UNITS ? undefined : parseMarkdown(source, options.isPartial ?? false);
  if (!parsed) return toFormattedText(toPlainText(source), [], source.length);
  const { draft } = renderDraft(parsed);
  const { text, entities } = toFormattedText(draft.text, draft.styled, draft.text.length);
  return { text, entities: entities.slice(0, MAX_ENTITIES) };
}
