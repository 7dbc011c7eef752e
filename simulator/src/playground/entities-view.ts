import type { MessageEntity } from '@grammyjs/types';
import type { Child } from './dom.ts';
import { appendAll, h } from './dom.ts';
import { formatDateTime, formatMoment } from './format.ts';
import { icon } from './icons.ts';
import { toSafeUrl } from './links.ts';

/** What the reader did to one message: kept outside the message, so that edits don't undo it. */
export interface ReaderState {
  /** Spoilers are shown */
  revealed: boolean;
  /** Places of long quotes that were opened */
  expanded: Set<number>;
}

interface Span {
  entity: MessageEntity;
  /** UTF-16 units */
  start: number;
  end: number;
}

/** Blocks stand outside everything else: a quote may hold code, text styles live in both. */
const RANKS = [['blockquote', 'expandable_blockquote'], ['pre'], null];

/**
 * Text with entities as elements. Offsets are UTF-16 units, as in JavaScript strings; entities may nest, overlap or
 * point past the end.
 */
export function renderEntities(
  text: string,
  entities: readonly MessageEntity[],
  reader: ReaderState,
): DocumentFragment {
  const spans = entities
    .map((entity) => ({
      entity,
      start: Math.max(0, entity.offset),
      end: Math.min(text.length, entity.offset + entity.length),
    }))
    .filter((span) => span.end > span.start)
    .sort(byPlace);
  const fragment = document.createDocumentFragment();
  appendAll(fragment, renderRank({ text, reader, quotes: 0 }, 0, text.length, spans, 0));
  return fragment;
}

/** Outer before inner. */
const byPlace = (left: Span, right: Span) => left.start - right.start || right.end - left.end;

interface Context {
  text: string;
  reader: ReaderState;
  /** How many quotes were met so far */
  quotes: number;
}

function renderRank(context: Context, start: number, end: number, spans: Span[], rank: number): Child[] {
  const types = RANKS[rank];
  if (types === undefined || types === null) return renderInline(context, start, end, spans);
  const own = spans.filter((span) => types.includes(span.entity.type));
  const others = spans.filter((span) => !types.includes(span.entity.type));
  const children: Child[] = [];
  let position = start;
  const renderGap = (until: number) => {
    if (position < until)
      children.push(...renderRank(context, position, until, clip(others, position, until), rank + 1));
  };
  for (const span of own) {
    if (span.start < position) continue;
    renderGap(span.start);
    const inside = renderRank(context, span.start, span.end, clip(others, span.start, span.end), rank + 1);
    children.push(renderBlock(context, span, inside));
    // The line break behind a block is already made by the block.
    position = context.text[span.end] === '\n' ? span.end + 1 : span.end;
  }
  renderGap(end);
  return children;
}

/** The parts of spans that lie in a range. */
function clip(spans: Span[], start: number, end: number) {
  return spans
    .filter((span) => span.start < end && span.end > start)
    .map((span) => ({ ...span, start: Math.max(span.start, start), end: Math.min(span.end, end) }))
    .sort(byPlace);
}

function renderInline(context: Context, start: number, end: number, spans: Span[]): Child[] {
  const children: Child[] = [];
  const queue = [...spans];
  let position = start;
  for (let span = queue.shift(); span; span = queue.shift()) {
    const { entity, end: spanEnd } = span;
    children.push(context.text.slice(position, span.start));
    const inner = clip(queue, span.start, spanEnd);
    // What overlaps this span is cut at its end; the rest comes after it.
    const rest = clip(queue, spanEnd, end);
    queue.splice(0, queue.length, ...rest);
    const inside = renderInline(context, span.start, spanEnd, inner);
    children.push(renderStyle(entity, context.text.slice(span.start, spanEnd), inside, context.reader));
    position = spanEnd;
  }
  children.push(context.text.slice(position, end));
  return children;
}

function renderBlock(context: Context, span: Span, inside: Child[]) {
  const { entity } = span;
  if (entity.type === 'pre') return renderCodeBlock(inside, 'language' in entity ? entity.language : undefined);
  const place = context.quotes++;
  return entity.type === 'expandable_blockquote'
    ? renderExpandableQuote(inside, place, context.reader)
    : h('blockquote', null, inside);
}

/** A block of code with its language and a button that copies it. */
export function renderCodeBlock(inside: Child[], language: string | undefined) {
  return h(
    'figure',
    { class: `code-block${language ? '' : ' is-plain'}` },
    h(
      'figcaption',
      null,
      language && h('span', null, language),
      h(
        'button',
        { type: 'button', class: 'code-copy', 'data-action': 'copy-block', 'aria-label': 'Copy code' },
        icon('copy', 'is-tiny'),
      ),
    ),
    h('pre', { tabindex: 0 }, h('code', null, inside)),
  );
}

/** A quote that shows three lines until it is opened. */
export function renderExpandableQuote(inside: Child[], place: number, reader: ReaderState) {
  const isExpanded = reader.expanded.has(place);
  return h(
    'blockquote',
    { class: `expandable${isExpanded ? ' is-expanded' : ''}` },
    h('div', { class: 'quote-text' }, inside),
    h(
      'button',
      {
        type: 'button',
        class: 'quote-toggle',
        'data-action': 'toggle-quote',
        'data-place': place,
        'aria-expanded': String(isExpanded),
        'aria-label': isExpanded ? 'Collapse quote' : 'Expand quote',
      },
      icon('down', 'is-tiny'),
    ),
  );
}

/** @param text the plain text under the entity */
function renderStyle(entity: MessageEntity, text: string, inside: Child[], reader: ReaderState): Child {
  switch (entity.type) {
    case 'bold':
      return h('strong', null, inside);
    case 'italic':
      return h('em', null, inside);
    case 'underline':
      return h('u', null, inside);
    case 'strikethrough':
      return h('s', null, inside);
    case 'spoiler':
      return renderSpoiler(inside, reader);
    case 'code':
      return renderCopyable(inside, 'code');
    case 'text_link':
      return renderLink(entity.url, inside);
    case 'url':
      return renderLink(text, inside);
    case 'email':
      return renderLink(`mailto:${text}`, inside);
    case 'phone_number':
    case 'cashtag':
    case 'hashtag':
      return h('span', { class: 'link-like' }, inside);
    case 'mention':
      return renderLink(`https://t.me/${text.slice(1)}`, inside);
    case 'text_mention':
      return h('span', { class: 'link-like', title: `user ${entity.user.id}` }, inside);
    case 'bot_command':
      return renderCommand(text, inside);
    case 'date_time':
      return renderDateTime(entity.unix_time, entity.date_time_format, text, inside);
    default:
      return h('span', null, inside);
  }
}

/** Monospaced text that is copied by a click. */
export function renderCopyable(inside: Child[], tag: 'code' | 'span') {
  return h(tag, { class: 'copyable', 'data-action': 'copy-text', role: 'button', tabindex: 0, title: 'Copy' }, inside);
}

/** A command in a text: a click sends it. */
export function renderCommand(command: string, inside: Child[]) {
  return h(
    'button',
    { type: 'button', class: 'link-button', 'data-action': 'send-command', 'data-value': command },
    inside,
  );
}

/** Text under a cover until somebody clicks it. */
export function renderSpoiler(inside: Child[], reader: ReaderState) {
  if (reader.revealed) return h('span', { class: 'spoiler is-revealed' }, inside);
  return h(
    'span',
    { class: 'spoiler', 'data-action': 'reveal', role: 'button', tabindex: 0 },
    h('span', { class: 'visually-hidden' }, 'Hidden text, reveal'),
    h('span', { class: 'spoiler-text', inert: true }, inside),
  );
}

/** A link, or plain text where its address is of a kind that is never followed. */
export function renderLink(url: string, inside: Child[]) {
  const href = toSafeUrl(url);
  if (!href) return h('span', null, inside);
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer', title: href, 'data-action': 'follow' }, inside);
}

/** A date in the reader's own format. */
export function renderDateTime(unixSeconds: number, format: string, text: string, inside: Child[]) {
  const shown = formatDateTime(unixSeconds, format, text);
  const dateTime = new Date(unixSeconds * 1000).toISOString();
  return h(
    'time',
    { class: 'date-time', datetime: dateTime, title: formatMoment(unixSeconds) },
    format === '' ? inside : shown,
  );
}
