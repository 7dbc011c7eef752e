export { cutPage } from './cut-page.ts';
export { paginateMarkdown } from './paginate-markdown.ts';
export { renderMarkdown } from './render-markdown.ts';
export type { FormattedText } from './to-entities.ts';
