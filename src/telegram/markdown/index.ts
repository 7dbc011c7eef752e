export { fromEntities } from './from-entities.ts';
export { cutPage } from './pages/cut-page.ts';
export { isBlankMarkdown, paginateMarkdown } from './pages/paginate-markdown.ts';
export { renderMarkdown } from './render-markdown.ts';
export { type RichContent, renderRich } from './rich/render-rich.ts';
export type { RichBlock } from './rich/rich-blocks.ts';
export { toSpeechText } from './spoken-text.ts';
export type { FormattedText } from './to-entities.ts';
