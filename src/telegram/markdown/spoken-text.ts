import type { Paragraph, Root, RootContent } from 'mdast';
import { type ParsedMarkdown, parseMarkdown } from './parse-markdown.ts';
import { prepareSource, toPlainText } from './prepare-source.ts';
import { renderDraft } from './render-blocks.ts';

/** What is said in place of what nobody can listen to. */
export interface SpokenSigns {
  readonly code: string;
  readonly table: string;
  readonly link: string;
}

/** More Markdown than this is not looked at: nobody listens for so long. */
const MAX_SOURCE_UNITS = 20_000;

/** Markdown as somebody would read it aloud: without marks, addresses and footnotes; for code and tables there is a word. Never throws. */
export function toSpokenText(markdown: string, signs: SpokenSigns): string {
  const source = prepareSource(markdown.slice(0, MAX_SOURCE_UNITS)).text;
  const parsed = parseMarkdown(source, source.length < markdown.length);
  return tidy(parsed ? render(parsed, signs) : toPlainText(source), signs);
}

function render(parsed: ParsedMarkdown, signs: SpokenSigns): string {
  const root: Root = { ...parsed.root, children: parsed.root.children.map((node) => withoutSights(node, signs)) };
  return renderDraft({ ...parsed, root }).draft.text;
}

function withoutSights(node: RootContent, signs: SpokenSigns): RootContent {
  if (node.type === 'code' || node.type === 'table') return toParagraph(node, signs[node.type]);
  if (node.type === 'blockquote' || node.type === 'listItem' || node.type === 'list') {
    // What takes a block's place is a block, and items stay items.
    Object.assign(node, { children: node.children.map((child) => withoutSights(child, signs)) });
  }
  return node;
}

function toParagraph({ position }: RootContent, value: string): Paragraph {
  return { type: 'paragraph', children: [{ type: 'text', value }], ...(position ? { position } : {}) };
}

function tidy(text: string, { link }: SpokenSigns): string {
  return text
    .replace(/\(?https?:\/\/[^\s)]+\)?/g, link)
    .replace(/\[\^?\d{1,3}\]/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:(\d+\.) )?[•◦▪☐☑] ?/, '$1 ').trim())
    .map((line) => (line === '———' ? '' : line))
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
