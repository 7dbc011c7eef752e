import type { Paragraph, Root, RootContent } from 'mdast';
import { type ParsedMarkdown, parseMarkdown } from './parse/parse-markdown.ts';
import { findParseWindow } from './parse/parse-window.ts';
import { prepareSource, toPlainText } from './parse/prepare-source.ts';
import { renderDraft } from './render/render-blocks.ts';

/** Words read aloud instead of code, tables and URLs. */
export interface SpeechSymbols {
  readonly code: string;
  readonly table: string;
  readonly link: string;
}

/** Longer Markdown is cut: reading it would exceed the maximum length of a voice message. */
const MAX_SOURCE_UNITS = 20_000;
/** If less than this can be parsed in bounded time, the source is mostly syntax and is read unrendered. */
const MIN_PARSED_UNITS = 4096;

/**
 * Converts Markdown to text to be read aloud: without markers, URLs and footnotes, with `signs` instead of code and
 * tables. Text dense with syntax is cut earlier than other text. Never throws.
 */
export function toSpeechText(markdown: string, signs: SpeechSymbols): string {
  const { end } = findParseWindow(markdown, MAX_SOURCE_UNITS);
  const isParsed = end === markdown.length || end >= MIN_PARSED_UNITS;
  const source = prepareSource(markdown.slice(0, isParsed ? end : MAX_SOURCE_UNITS)).text;
  const parsed = isParsed ? parseMarkdown(source, source.length < markdown.length) : undefined;
  return tidy(parsed ? render(parsed, signs) : toPlainText(source), signs);
}

function render(parsed: ParsedMarkdown, signs: SpeechSymbols): string {
  const root: Root = { ...parsed.root, children: parsed.root.children.map((node) => withoutSights(node, signs)) };
  return renderDraft({ ...parsed, root }).draft.text;
}

function withoutSights(node: RootContent, signs: SpeechSymbols): RootContent {
  if (node.type === 'code' || node.type === 'table') return toParagraph(node, signs[node.type]);
  if (node.type === 'blockquote' || node.type === 'listItem' || node.type === 'list') {
    // A block is replaced by a block, so that items stay items.
    Object.assign(node, { children: node.children.map((child) => withoutSights(child, signs)) });
  }
  return node;
}

function toParagraph({ position }: RootContent, value: string): Paragraph {
  return { type: 'paragraph', children: [{ type: 'text', value }], ...(position ? { position } : {}) };
}

function tidy(text: string, { link }: SpeechSymbols): string {
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
