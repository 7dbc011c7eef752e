import type { RichBlock, RichBlockListItem, RichBlockTableCell, RichText } from '@grammyjs/types';
import type { Blockquote, Code, Heading, List, ListItem, Nodes, Parent, PhrasingContent, Table } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { mathFromMarkdown } from 'mdast-util-math';
import { gfm } from 'micromark-extension-gfm';
import { math } from 'micromark-extension-math';

/**
 * Parses rich Markdown to blocks: GitHub Flavored Markdown and formulas. Telegram's own additions (`==marked==`,
 * `||spoiler||`, HTML tags, media) are kept as text.
 */
export function parseRichMarkdown(markdown: string): RichBlock[] {
  const tree = fromMarkdown(markdown, {
    extensions: [gfm(), math()],
    mdastExtensions: [gfmFromMarkdown(), mathFromMarkdown()],
  });
  return toBlocks(tree);
}

function toBlocks(parent: Parent): RichBlock[] {
  return parent.children.flatMap(toBlock);
}

function toBlock(node: Nodes): RichBlock[] {
  switch (node.type) {
    case 'paragraph':
      return [{ type: 'paragraph', text: toText(node.children) }];
    case 'heading':
      return [toHeading(node)];
    case 'code':
      return [toPreformatted(node)];
    case 'thematicBreak':
      return [{ type: 'divider' }];
    case 'math':
      return [{ type: 'mathematical_expression', expression: node.value }];
    case 'list':
      return [toList(node)];
    case 'blockquote':
      return [toQuotation(node)];
    case 'table':
      return [toTable(node)];
    case 'html':
      return [{ type: 'paragraph', text: node.value }];
    case 'footnoteDefinition':
      return toBlocks(node);
    default:
      return [];
  }
}

function toHeading({ depth, children }: Heading): RichBlock {
  return { type: 'heading', size: depth, text: toText(children) };
}

function toPreformatted({ value, lang }: Code): RichBlock {
  // Telegram treats a fence with the language `math` as a formula.
  if (lang === 'math') return { type: 'mathematical_expression', expression: value };
  return { type: 'pre', text: value, ...(lang ? { language: lang } : {}) };
}

function toQuotation(node: Blockquote): RichBlock {
  return { type: 'blockquote', blocks: toBlocks(node) };
}

function toList({ ordered, start, children }: List): RichBlock {
  return {
    type: 'list',
    items: children.map((item, index) => toListItem(item, ordered ? (start ?? 1) + index : undefined)),
  };
}

function toListItem(item: ListItem, value: number | undefined): RichBlockListItem {
  return {
    label: value === undefined ? '•' : `${value}.`,
    blocks: toBlocks(item),
    ...(typeof item.checked === 'boolean' ? { has_checkbox: true } : {}),
    ...(item.checked === true ? { is_checked: true } : {}),
    ...(value === undefined ? {} : { value, type: '1' }),
  };
}

function toTable({ align, children }: Table): RichBlock {
  return {
    type: 'table',
    cells: children.map((row, rowIndex) =>
      row.children.map(
        (cell, column): RichBlockTableCell => ({
          text: toText(cell.children),
          ...(rowIndex === 0 ? { is_header: true } : {}),
          align: align?.[column] ?? 'left',
          valign: 'middle',
        }),
      ),
    ),
  };
}

function toText(nodes: readonly PhrasingContent[]): RichText {
  const parts = nodes.map(toRichText);
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : parts;
}

function toRichText(node: PhrasingContent): RichText {
  switch (node.type) {
    case 'text':
    case 'html':
      return node.value;
    case 'strong':
      return { type: 'bold', text: toText(node.children) };
    case 'emphasis':
      return { type: 'italic', text: toText(node.children) };
    case 'delete':
      return { type: 'strikethrough', text: toText(node.children) };
    case 'inlineCode':
      return { type: 'code', text: node.value };
    case 'inlineMath':
      return { type: 'mathematical_expression', expression: node.value };
    case 'link':
      return { type: 'url', text: toText(node.children), url: node.url };
    case 'break':
      return '\n';
    case 'image':
      return node.alt ?? '';
    case 'footnoteReference':
      return { type: 'reference_link', text: node.label ?? node.identifier, reference_name: node.identifier };
    case 'linkReference':
      return toText(node.children);
    case 'imageReference':
      return node.alt ?? '';
  }
}
