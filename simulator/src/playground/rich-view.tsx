import type {
  RichBlock,
  RichBlockCaption,
  RichBlockListItem,
  RichBlockTable,
  RichBlockTableCell,
  RichMessageButton,
  RichText,
} from '@grammyjs/types';
import type { ComponentChild } from 'preact';
import type { ReaderState } from './entities-view.tsx';
import {
  renderCodeBlock,
  renderCommand,
  renderCopyable,
  renderDateTime,
  renderExpandableQuote,
  renderLink,
  renderSpoiler,
} from './entities-view.tsx';
import { renderFormula } from './formula-view.tsx';
import { renderAudio, renderDocument, renderLocation, renderPhoto, renderVideo, renderVoice } from './media-view.tsx';
import { toPlainText } from './rich-summary.ts';

const MAX_DEPTH = 20;

interface RichContext {
  reader: ReaderState;
  /** Prefix that makes the anchors of this message unique on the page */
  name: string;
  /** Number of long quotes rendered so far */
  quotes: number;
  /** Number of buttons rendered so far */
  buttons: number;
  /** Images fill the cell of a collage */
  isTile?: boolean;
}

/**
 * Renders the blocks of a rich message.
 * @param name unique on the page
 */
export function renderRichBlocks(blocks: readonly RichBlock[], reader: ReaderState, name: string): ComponentChild[] {
  return renderBlocks(blocks, { reader, name, quotes: 0, buttons: 0 }, 0);
}

function renderBlocks(blocks: readonly RichBlock[], context: RichContext, depth: number): ComponentChild[] {
  if (depth > MAX_DEPTH) return ['…'];
  return blocks.map((block) => {
    try {
      return renderBlock(block, context, depth);
    } catch {
      // Unchecked blocks may have any form.
      return <p>…</p>;
    }
  });
}

/** Returns whether a block has blocks in place of its text. */
function hasBlocks(block: RichBlock): block is RichBlock & { readonly blocks: readonly RichBlock[] } {
  return 'blocks' in block && Array.isArray(block.blocks);
}

function renderBlock(block: RichBlock, context: RichContext, depth: number): ComponentChild {
  const inline = (text: RichText | undefined) => renderText(text, context, depth + 1);
  const inner = (blocks: readonly RichBlock[]) => renderBlocks(blocks, context, depth + 1);
  switch (block.type) {
    case 'paragraph':
      return <p>{inline(block.text)}</p>;
    case 'heading':
      // Headings of messages start at level 3, below the headings of the page.
      return (
        <div class={`heading heading-${block.size}`} role="heading" aria-level={Math.min(6, block.size + 2)}>
          {inline(block.text)}
        </div>
      );
    case 'pre':
      return renderCodeBlock(inline(block.text), block.language);
    case 'footer':
      return <p class="rich-footer">{inline(block.text)}</p>;
    case 'divider':
      return <hr />;
    case 'mathematical_expression':
      return renderFormula(block.expression, true);
    case 'anchor':
      return <span id={anchorId(context, block.name)} />;
    case 'list':
      return renderList(block.items, context, depth);
    case 'blockquote':
      return (
        <blockquote>
          {inner(block.blocks)}
          {renderCredit(block.credit, inline)}
        </blockquote>
      );
    case 'expandable_blockquote':
      return renderExpandableQuote(
        [...(hasBlocks(block) ? inner(block.blocks) : inline(block.text)), renderCredit(block.credit, inline)],
        context.quotes++,
        context.reader,
      );
    case 'pullquote':
      return (
        <aside class="pull-quote">
          {inline(block.text)}
          {renderCredit(block.credit, inline)}
        </aside>
      );
    case 'collage':
      return withCaption(
        <div class="collage">{renderBlocks(block.blocks, { ...context, isTile: true }, depth + 1)}</div>,
        block.caption,
        inline,
      );
    case 'slideshow':
      return withCaption(
        <div class="slideshow" tabindex={0} role="group" aria-label="Slides">
          {inner(block.blocks)}
        </div>,
        block.caption,
        inline,
      );
    case 'table':
      return renderTable(block, inline);
    case 'details':
      return (
        <details open={block.is_open}>
          <summary>{inline(block.summary)}</summary>
          <div class="details-body">{inner(block.blocks)}</div>
        </details>
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
      return (
        <div class={`rich-buttons align-${block.align ?? 'left'}`}>
          {block.buttons.map((button) => renderButton(button, context, depth))}
        </div>
      );
    case 'thinking':
      return <p class="thinking">{inline(block.text)}</p>;
    default:
      return <p class="unknown">{`[${(block as { type: string }).type}]`}</p>;
  }
}

type Inline = (text: RichText | undefined) => ComponentChild[];

const renderCredit = (credit: RichText | undefined, inline: Inline) =>
  credit === undefined ? null : <cite>{inline(credit)}</cite>;

function withCaption(content: ComponentChild, caption: RichBlockCaption | undefined, inline: Inline) {
  if (!caption) return content;
  return (
    <figure>
      {content}
      <figcaption>
        {inline(caption.text)}
        {renderCredit(caption.credit, inline)}
      </figcaption>
    </figure>
  );
}

const anchorId = (context: RichContext, name: string) => `anchor-${context.name}-${name}`;

function renderList(items: readonly RichBlockListItem[], context: RichContext, depth: number) {
  const isOrdered = items.some((item) => item.value !== undefined || /[\p{L}\p{N}]/u.test(item.label));
  const List = isOrdered ? 'ol' : 'ul';
  return (
    <List class="rich-list">
      {items.map((item) => (
        <li class={item.has_checkbox ? 'has-checkbox' : undefined}>
          {renderMarker(item)}
          <div class="item-body">{renderBlocks(item.blocks, context, depth + 1)}</div>
        </li>
      ))}
    </List>
  );
}

function renderMarker(item: RichBlockListItem) {
  if (item.has_checkbox) {
    const label = item.is_checked ? 'done' : 'not done';
    return <span class={`checkbox${item.is_checked ? ' is-checked' : ''}`} role="img" aria-label={label} />;
  }
  return (
    <span class="item-marker" aria-hidden="true">
      {item.label || '•'}
    </span>
  );
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
  const rows = table.cells.map((row) => <tr>{row.map((cell) => renderCell(cell, inline))}</tr>);
  return (
    <div class="table-scroll" tabindex={0} role="group" aria-label="Table">
      <table class={classes.filter(Boolean).join(' ')}>
        {table.caption !== undefined && <caption>{inline(table.caption)}</caption>}
        {hasHead && <thead>{rows[0]}</thead>}
        <tbody>{hasHead ? rows.slice(1) : rows}</tbody>
      </table>
    </div>
  );
}

function renderCell(cell: RichBlockTableCell, inline: Inline) {
  const Cell = cell.is_header ? 'th' : 'td';
  return (
    <Cell
      class={`align-${cell.align} valign-${cell.valign}${cell.text === undefined ? ' is-empty' : ''}`}
      colspan={cell.colspan}
      rowspan={cell.rowspan}
    >
      {inline(cell.text)}
    </Cell>
  );
}

function renderText(text: RichText | undefined, context: RichContext, depth: number): ComponentChild[] {
  if (text === undefined) return [];
  if (typeof text === 'string') return [text];
  if (depth > MAX_DEPTH) return [toPlainText(text)];
  if (Array.isArray(text)) return text.flatMap((part) => renderText(part, context, depth + 1));
  return [renderStyled(text, context, depth)];
}

function renderStyled(
  part: Exclude<RichText, string | RichText[]>,
  context: RichContext,
  depth: number,
): ComponentChild {
  const inside = 'text' in part ? renderText(part.text, context, depth + 1) : [];
  switch (part.type) {
    case 'bold':
      return <strong>{inside}</strong>;
    case 'italic':
      return <em>{inside}</em>;
    case 'underline':
      return <u>{inside}</u>;
    case 'strikethrough':
      return <s>{inside}</s>;
    case 'spoiler':
      return renderSpoiler(inside, context.reader);
    case 'subscript':
      return <sub>{inside}</sub>;
    case 'superscript':
      return <sup>{inside}</sup>;
    case 'marked':
      return <mark>{inside}</mark>;
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
      return <span id={anchorId(context, part.name)} />;
    case 'reference':
      return (
        <span id={anchorId(context, part.name)} class="reference" tabindex={-1}>
          {inside}
        </span>
      );
    case 'anchor_link':
      return renderJump(anchorId(context, part.anchor_name), inside);
    case 'reference_link':
      return renderJump(anchorId(context, part.reference_name), inside);
    default:
      return <span class="link-like">{inside}</span>;
  }
}

const renderJump = (id: string, inside: ComponentChild[]) => (
  <button type="button" class="link-button" data-action="jump" data-value={id}>
    {inside}
  </button>
);

function renderButton(button: RichMessageButton, context: RichContext, depth: number) {
  const place = context.buttons++;
  const text = renderText(button.text, context, depth + 1);
  const classes = `rich-button style-${button.style ?? 'default'}`;
  if ('url' in button) return <span class={classes}>{renderLink(button.url, text)}</span>;
  return (
    <button
      type="button"
      class={classes}
      disabled={'disabled' in button}
      data-action="press-rich"
      data-place={place}
      data-callback={'callback_data' in button ? button.callback_data : null}
      data-copy={'copy_text' in button ? button.copy_text.text : null}
      data-query={
        'switch_inline_query_current_chat' in button
          ? button.switch_inline_query_current_chat
          : 'switch_inline_query' in button
            ? button.switch_inline_query
            : null
      }
    >
      {text}
    </button>
  );
}
