import type { InputRichBlock, InputRichBlockListItem, RichBlockTableCell, RichText } from '@grammyjs/types';
import type { Blockquote, Code, FootnoteDefinition, List, ListItem, Paragraph, RootContent, Table } from 'mdast';
import { type ParsedMarkdown, unmask } from '../parse/parse-markdown.ts';
import { getEnd, getStart } from '../parse/source-position.ts';
import { startsContinued } from '../render/render-blocks.ts';
import { cleanLanguage } from '../render/render-code.ts';
import { isDisplayFormula, joinTexts, type RichFragment, toRichFragments, toRichText } from './rich-inlines.ts';

/** Rich block without files. */
export type RichBlock = InputRichBlock<never>;
type RichItem = InputRichBlockListItem<never>;

/** Converts parsed blocks to blocks of a rich message. */
export function toRichBlocks(parsed: ParsedMarkdown, nodes: readonly RootContent[]): RichBlock[] {
  return nodes.flatMap((node) => toBlocks(parsed, node));
}

function toBlocks(parsed: ParsedMarkdown, node: RootContent): RichBlock[] {
  switch (node.type) {
    case 'paragraph':
      return toParagraphs(toRichFragments(parsed, node.children));
    case 'heading':
      return [{ type: 'heading', size: node.depth, text: toRichText(parsed, node.children) }];
    case 'code':
      return toPreformatted(parsed, node);
    case 'blockquote':
      return toQuote(parsed, node);
    case 'list':
      return toList(parsed, node);
    case 'table':
      return [toTable(parsed, node)];
    case 'thematicBreak':
      return [{ type: 'divider' }];
    case 'footnoteDefinition':
      return toFootnote(parsed, node);
    default:
      return [];
  }
}

function toQuote(parsed: ParsedMarkdown, node: Blockquote): RichBlock[] {
  const { alerts, details } = parsed.syntax;
  const summary = details.get(node);
  const label = alerts.get(node);
  const content = toRichBlocks(parsed, node.children);
  if (summary && summary.length > 0 && content.length > 0)
    return [{ type: 'details', summary: toRichText(parsed, summary), blocks: content }];
  const title: RichBlock[] = label === undefined ? [] : [{ type: 'paragraph', text: { type: 'bold', text: label } }];
  const lead: RichBlock[] = summary?.length ? [{ type: 'paragraph', text: toRichText(parsed, summary) }] : [];
  const blocks = [...title, ...content];
  return blocks.length === 0 ? lead : [...lead, { type: 'blockquote', blocks }];
}

/** Splits a paragraph at its display formulas. */
function toParagraphs(fragments: readonly RichFragment[]): RichBlock[] {
  const blocks: RichBlock[] = [];
  let texts: RichText[] = [];
  const end = () => {
    const text = joinTexts(trim(texts));
    if (text !== '') blocks.push({ type: 'paragraph', text });
    texts = [];
  };
  for (const fragment of fragments) {
    if (isDisplayFormula(fragment)) {
      end();
      blocks.push({ type: 'mathematical_expression', expression: fragment.latex.trim() });
    } else texts.push(fragment);
  }
  end();
  return blocks;
}

function trim(texts: readonly RichText[]): RichText[] {
  return texts.map((text, index) => {
    if (typeof text !== 'string') return text;
    const begun = index === 0 ? text.trimStart() : text;
    return index === texts.length - 1 ? begun.trimEnd() : begun;
  });
}

function toPreformatted(parsed: ParsedMarkdown, node: Code): RichBlock[] {
  const text = unmask(parsed, node.value, getStart(node), getEnd(node))
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
  const language = cleanLanguage(node.lang);
  return text === '' ? [] : [{ type: 'pre', text, ...(language === undefined ? {} : { language }) }];
}

/**
 * Converts a list. An item continued from the previous page, which shows its mark, becomes blocks outside of the list.
 */
function toList(parsed: ParsedMarkdown, { ordered, start, children }: List): RichBlock[] {
  const blocks: RichBlock[] = [];
  let items: RichItem[] = [];
  const end = () => {
    if (items.length > 0) blocks.push({ type: 'list', items });
    items = [];
  };
  for (const [index, item] of children.entries()) {
    if (startsContinued(item)) {
      end();
      blocks.push(...toRichBlocks(parsed, item.children));
    } else items.push(toItem(parsed, item, ordered ? (start ?? 1) + index : undefined));
  }
  end();
  return blocks;
}

function toItem(parsed: ParsedMarkdown, item: ListItem, value: number | undefined): RichItem {
  return {
    blocks: toRichBlocks(parsed, item.children),
    ...(typeof item.checked === 'boolean' ? { has_checkbox: true } : {}),
    ...(item.checked === true ? { is_checked: true } : {}),
    ...(value === undefined ? {} : { value, type: '1' }),
  };
}

function toTable(parsed: ParsedMarkdown, { align, children: rows }: Table): RichBlock {
  const columnCount = Math.max(...rows.map((row) => row.children.length));
  const cells = rows.map((row, rowIndex) =>
    Array.from({ length: columnCount }, (_, column): RichBlockTableCell => {
      return {
        text: toRichText(parsed, row.children[column]?.children ?? []),
        ...(rowIndex === 0 ? { is_header: true } : {}),
        align: align?.[column] ?? 'left',
        valign: 'middle',
      };
    }),
  );
  return { type: 'table', cells, is_bordered: true };
}

function toFootnote(parsed: ParsedMarkdown, node: FootnoteDefinition): RichBlock[] {
  const [first, ...others] = node.children;
  const mark = `[${node.label ?? node.identifier}] `;
  const isText = (block: RootContent | undefined): block is Paragraph => block?.type === 'paragraph';
  if (!isText(first)) return [{ type: 'paragraph', text: mark.trim() }, ...toRichBlocks(parsed, node.children)];
  return [...toParagraphs([mark, ...toRichFragments(parsed, first.children)]), ...toRichBlocks(parsed, others)];
}
