export { type CutPage, type CutPageOptions, cutPage } from './cut-page.ts';
export { paginateMarkdown } from './paginate-markdown.ts';
export { type RenderOptions, renderMarkdown } from './render-markdown.ts';
export type { FormattedText } from './to-entities.ts';
