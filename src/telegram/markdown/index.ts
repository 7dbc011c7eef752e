export { cutPage } from './cut-page.ts';
export { fromEntities } from './from-entities.ts';
export { isBlankMarkdown, paginateMarkdown } from './paginate-markdown.ts';
export { renderMarkdown } from './render-markdown.ts';
export { type RichContent, renderRich } from './render-rich.ts';
export type { RichBlock } from './rich-blocks.ts';
export { toSpeechText } from './spoken-text.ts';
export type { FormattedText } from './to-entities.ts';
