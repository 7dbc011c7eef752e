import type {
  RichBlock,
  RichBlockCaption,
  RichBlockListItem,
  RichBlockTable,
  RichBlockTableCell,
  RichMessageButton,
  RichText,
} from '@grammyjs/types';
import type { Child } from './dom.ts';
import { h } from './dom.ts';
import type { ReaderState } from './entities-view.ts';
import {
  renderCodeBlock,
  renderCommand,
  renderCopyable,
  renderDateTime,
  renderExpandableQuote,
  renderLink,
  renderSpoiler,
} from './entities-view.ts';
import { renderFormula } from './formula-view.ts';
import { renderAudio, renderDocument, renderLocation, renderPhoto, renderVideo, renderVoice } from './media-view.ts';
import { toPlainText } from './rich-summary.ts';

const MAX_DEPTH = 20;

interface RichContext {
  reader: ReaderState;
  /** Makes anchors of this message unlike those of others */
  name: string;
  /** How many long quotes were met so far */
  quotes: number;
  /** How many buttons were met so far */
  buttons: number;
  /** Pictures fill the cell of a collage */
  isTile?: boolean;
}

/**
 * The blocks of a rich message.
 * @param name unlike that of any other message on the page
 */
export function renderRichBlocks(blocks: readonly RichBlock[], reader: ReaderState, name: string): Child[] {
  return renderBlocks(blocks, { reader, name, quotes: 0, buttons: 0 }, 0);
}

function renderBlocks(blocks: readonly RichBlock[], context: RichContext, depth: number): Child[] {
  if (depth > MAX_DEPTH) return ['…'];
  return blocks.map((block) => renderBlock(block, context, depth));
}

function renderBlock(block: RichBlock, context: RichContext, depth: number): Child {
  const inline = (text: RichText | undefined) => renderText(text, context, depth + 1);
  const inner = (blocks: readonly RichBlock[]) => renderBlocks(blocks, context, depth + 1);
  switch (block.type) {
    case 'paragraph':
      return h('p', null, inline(block.text));
    case 'heading':
      // The page's own headings come first in the outline: a message begins at the third level.
      return h(
        'div',
        { class: `heading heading-${block.size}`, role: 'heading', 'aria-level': Math.min(6, block.size + 2) },
        inline(block.text),
      );
    case 'pre':
      return renderCodeBlock(inline(block.text), block.language);
    case 'footer':
      return h('p', { class: 'rich-footer' }, inline(block.text));
    case 'divider':
      return h('hr');
    case 'mathematical_expression':
      return renderFormula(block.expression, true);
    case 'anchor':
      return h('span', { id: anchorId(context, block.name) });
    case 'list':
      return renderList(block.items, context, depth);
    case 'blockquote':
      return h('blockquote', null, inner(block.blocks), renderCredit(block.credit, inline));
    case 'expandable_blockquote':
      return renderExpandableQuote(
        [...inline(block.text), renderCredit(block.credit, inline)],
        context.quotes++,
        context.reader,
      );
    case 'pullquote':
      return h('aside', { class: 'pull-quote' }, inline(block.text), renderCredit(block.credit, inline));
    case 'collage':
      return withCaption(
        h('div', { class: 'collage' }, renderBlocks(block.blocks, { ...context, isTile: true }, depth + 1)),
        block.caption,
        inline,
      );
    case 'slideshow':
      return withCaption(
        h('div', { class: 'slideshow', tabindex: 0, role: 'group', 'aria-label': 'Slides' }, inner(block.blocks)),
        block.caption,
        inline,
      );
    case 'table':
      return renderTable(block, inline);
    case 'details':
      return h(
        'details',
        block.is_open ? { open: true } : null,
        h('summary', null, inline(block.summary)),
        h('div', { class: 'details-body' }, inner(block.blocks)),
      );
    case 'map':
      return withCaption(renderLocation(block.location), block.caption, inline);
    case 'animation':
      return withCaption(
        renderVideo(block.animation, { isAnimation: true, isTile: context.isTile }),
        block.caption,
        inline,
      );
    case 'audio':
      return withCaption(renderAudio(block.audio), block.caption, inline);
    case 'document':
      return withCaption(renderDocument(block.document), block.caption, inline);
    case 'photo':
      return withCaption(
        renderPhoto(block.photo, {
          isHidden: block.has_spoiler === true && !context.reader.revealed,
          isTile: context.isTile,
        }),
        block.caption,
        inline,
      );
    case 'video':
      return withCaption(renderVideo(block.video, { isTile: context.isTile }), block.caption, inline);
    case 'voice_note':
      return withCaption(renderVoice(block.voice_note), block.caption, inline);
    case 'buttons':
      return h(
        'div',
        { class: `rich-buttons align-${block.align ?? 'left'}` },
        block.buttons.map((button) => renderButton(button, context, depth)),
      );
    case 'thinking':
      return h('p', { class: 'thinking' }, inline(block.text));
    default:
      return h('p', { class: 'unknown' }, `[${(block as { type: string }).type}]`);
  }
}

type Inline = (text: RichText | undefined) => Child[];

const renderCredit = (credit: RichText | undefined, inline: Inline) =>
  credit === undefined ? null : h('cite', null, inline(credit));

function withCaption(content: Node, caption: RichBlockCaption | undefined, inline: Inline) {
  if (!caption) return content;
  return h('figure', null, content, h('figcaption', null, inline(caption.text), renderCredit(caption.credit, inline)));
}

const anchorId = (context: RichContext, name: string) => `anchor-${context.name}-${name}`;

function renderList(items: readonly RichBlockListItem[], context: RichContext, depth: number) {
  const isOrdered = items.some((item) => item.value !== undefined || /[\p{L}\p{N}]/u.test(item.label));
  return h(
    isOrdered ? 'ol' : 'ul',
    { class: 'rich-list' },
    items.map((item) =>
      h(
        'li',
        { class: item.has_checkbox ? 'has-checkbox' : null },
        renderMarker(item),
        h('div', { class: 'item-body' }, renderBlocks(item.blocks, context, depth + 1)),
      ),
    ),
  );
}

function renderMarker(item: RichBlockListItem) {
  if (item.has_checkbox) {
    const label = item.is_checked ? 'done' : 'not done';
    return h('span', { class: `checkbox${item.is_checked ? ' is-checked' : ''}`, role: 'img', 'aria-label': label });
  }
  return h('span', { class: 'item-marker', 'aria-hidden': 'true' }, item.label || '•');
}

function renderTable(table: RichBlockTable, inline: Inline) {
  const classes = [
    'rich-table',
    table.is_bordered && 'is-bordered',
    table.is_striped && 'is-striped',
    table.is_compact && 'is-compact',
  ];
  const firstRow = table.cells[0] ?? [];
  const hasHead = firstRow.length > 0 && firstRow.every((cell) => cell.is_header);
  const rows = table.cells.map((row) =>
    h(
      'tr',
      null,
      row.map((cell) => renderCell(cell, inline)),
    ),
  );
  return h(
    'div',
    { class: 'table-scroll', tabindex: 0, role: 'group', 'aria-label': 'Table' },
    h(
      'table',
      { class: classes.filter(Boolean).join(' ') },
      table.caption !== undefined && h('caption', null, inline(table.caption)),
      hasHead && h('thead', null, rows[0]),
      h('tbody', null, hasHead ? rows.slice(1) : rows),
    ),
  );
}

function renderCell(cell: RichBlockTableCell, inline: Inline) {
  return h(
    cell.is_header ? 'th' : 'td',
    {
      class: `align-${cell.align} valign-${cell.valign}${cell.text === undefined ? ' is-empty' : ''}`,
      colspan: cell.colspan && cell.colspan > 1 ? cell.colspan : null,
      rowspan: cell.rowspan && cell.rowspan > 1 ? cell.rowspan : null,
    },
    inline(cell.text),
  );
}

function renderText(text: RichText | undefined, context: RichContext, depth: number): Child[] {
  if (text === undefined) return [];
  if (typeof text === 'string') return [text];
  if (depth > MAX_DEPTH) return [toPlainText(text)];
  if (Array.isArray(text)) return text.flatMap((part) => renderText(part, context, depth + 1));
  return [renderStyled(text, context, depth)];
}

function renderStyled(part: Exclude<RichText, string | RichText[]>, context: RichContext, depth: number): Child {
  const inside = 'text' in part ? renderText(part.text, context, depth + 1) : [];
  switch (part.type) {
    case 'bold':
      return h('strong', null, inside);
    case 'italic':
      return h('em', null, inside);
    case 'underline':
      return h('u', null, inside);
    case 'strikethrough':
      return h('s', null, inside);
    case 'spoiler':
      return renderSpoiler(inside, context.reader);
    case 'subscript':
      return h('sub', null, inside);
    case 'superscript':
      return h('sup', null, inside);
    case 'marked':
      return h('mark', null, inside);
    case 'code':
      return renderCopyable(inside, 'code');
    case 'date_time':
      return renderDateTime(part.unix_time, part.date_time_format, toPlainText(part.text), inside);
    case 'custom_emoji':
      return part.alternative_text;
    case 'mathematical_expression':
      return renderFormula(part.expression, false);
    case 'url':
      return renderLink(part.url, inside);
    case 'email_address':
      return renderLink(`mailto:${part.email_address}`, inside);
    case 'mention':
      return renderLink(`https://t.me/${part.username.replace(/^@/, '')}`, inside);
    case 'phone_number':
    case 'bank_card_number':
      return renderCopyable(inside, 'span');
    case 'bot_command':
      return renderCommand(part.bot_command.startsWith('/') ? part.bot_command : `/${part.bot_command}`, inside);
    case 'button':
      return renderButton(part.button, context, depth);
    case 'anchor':
      return h('span', { id: anchorId(context, part.name) });
    case 'reference':
      return h('span', { id: anchorId(context, part.name), class: 'reference', tabindex: -1 }, inside);
    case 'anchor_link':
      return renderJump(anchorId(context, part.anchor_name), inside);
    case 'reference_link':
      return renderJump(anchorId(context, part.reference_name), inside);
    default:
      return h('span', { class: 'link-like' }, inside);
  }
}

const renderJump = (id: string, inside: Child[]) =>
  h('button', { type: 'button', class: 'link-button', 'data-action': 'jump', 'data-value': id }, inside);

function renderButton(button: RichMessageButton, context: RichContext, depth: number) {
  const place = context.buttons++;
  const text = renderText(button.text, context, depth + 1);
  const classes = `rich-button style-${button.style ?? 'default'}`;
  if ('url' in button) return h('span', { class: classes }, renderLink(button.url, text));
  return h(
    'button',
    {
      type: 'button',
      class: classes,
      disabled: 'disabled' in button,
      'data-action': 'press-rich',
      'data-place': place,
      'data-callback': 'callback_data' in button ? button.callback_data : null,
      'data-copy': 'copy_text' in button ? button.copy_text.text : null,
      'data-query':
        'switch_inline_query_current_chat' in button
          ? button.switch_inline_query_current_chat
          : 'switch_inline_query' in button
            ? button.switch_inline_query
            : null,
    },
    text,
  );
}
