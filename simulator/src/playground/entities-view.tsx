import type { MessageEntity } from '@grammyjs/types';
import type { ComponentChild } from 'preact';
import { formatDateTime, formatMoment } from './format.ts';
import { icon } from './icons.tsx';
import { toSafeUrl } from './links.ts';
import { translate } from './texts.ts';

/** View state of one message, stored outside the message so that edits don't reset it. */
export interface ReaderState {
  /** Spoilers are visible */
  revealed: boolean;
  /** Indexes of expanded quotes */
  expanded: Set<number>;
}

export interface EntityText {
  text: string;
  entities: readonly MessageEntity[];
}

interface Span {
  entity: MessageEntity;
  /** UTF-16 units */
  start: number;
  end: number;
}

/** Nesting order: quotes may contain code blocks, and both contain text styles. */
const RANKS = [['blockquote', 'expandable_blockquote'], ['pre'], null];

/**
 * Renders text with entities. Offsets are UTF-16 units, as in JavaScript strings; entities may nest, overlap or extend
 * past the end.
 */
export function renderEntities({ text, entities }: EntityText, reader: ReaderState): ComponentChild[] {
  const spans = entities
    .map((entity) => ({
      entity,
      start: Math.max(0, entity.offset),
      end: Math.min(text.length, entity.offset + entity.length),
    }))
    .filter((span) => span.end > span.start)
    .sort(byPlace);
  return renderRank({ text, reader, quotes: 0 }, 0, text.length, spans, 0);
}

/** Tells whether a text ends with a quote or a code block. */
export function endsWithBlock({ text, entities }: EntityText): boolean {
  return entities.some(
    ({ type, offset, length }) =>
      RANKS.some((types) => types?.includes(type)) && /^\n?$/.test(text.slice(offset + length)),
  );
}

/** Sorts outer spans before inner ones. */
const byPlace = (left: Span, right: Span) => left.start - right.start || right.end - left.end;

interface Context {
  text: string;
  reader: ReaderState;
  /** Number of quotes rendered so far */
  quotes: number;
}

function renderRank(context: Context, start: number, end: number, spans: Span[], rank: number): ComponentChild[] {
  const types = RANKS[rank];
  if (types === undefined || types === null) return renderInline(context, start, end, spans);
  const own = spans.filter((span) => types.includes(span.entity.type));
  const others = spans.filter((span) => !types.includes(span.entity.type));
  const children: ComponentChild[] = [];
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
    // A block already ends its line, so the line break after it is skipped.
    position = context.text[span.end] === '\n' ? span.end + 1 : span.end;
  }
  renderGap(end);
  return children;
}

/** Clips spans to a range. */
function clip(spans: Span[], start: number, end: number) {
  return spans
    .filter((span) => span.start < end && span.end > start)
    .map((span) => ({ ...span, start: Math.max(span.start, start), end: Math.min(span.end, end) }))
    .sort(byPlace);
}

function renderInline(context: Context, start: number, end: number, spans: Span[]): ComponentChild[] {
  const children: ComponentChild[] = [];
  const queue = [...spans];
  let position = start;
  for (let span = queue.shift(); span; span = queue.shift()) {
    const { entity, end: spanEnd } = span;
    children.push(context.text.slice(position, span.start));
    const inner = clip(queue, span.start, spanEnd);
    // Spans that overlap this one are split at its end.
    const rest = clip(queue, spanEnd, end);
    queue.splice(0, queue.length, ...rest);
    const inside = renderInline(context, span.start, spanEnd, inner);
    children.push(renderStyle(entity, context.text.slice(span.start, spanEnd), inside, context.reader));
    position = spanEnd;
  }
  children.push(context.text.slice(position, end));
  return children;
}

function renderBlock(context: Context, span: Span, inside: ComponentChild[]) {
  const { entity } = span;
  if (entity.type === 'pre') return renderCodeBlock(inside, 'language' in entity ? entity.language : undefined);
  const place = context.quotes++;
  return entity.type === 'expandable_blockquote' ? (
    renderExpandableQuote(inside, place, context.reader)
  ) : (
    <blockquote>{inside}</blockquote>
  );
}

/** Renders a code block with its language and a copy button. */
export function renderCodeBlock(inside: ComponentChild[], language: string | undefined) {
  return (
    <figure class={`code-block${language ? '' : ' is-plain'}`}>
      <figcaption>
        {language && <span>{language}</span>}
        <button type="button" class="code-copy" data-action="copy-block" aria-label={translate('Copy code')}>
          {icon('copy', 'is-tiny')}
        </button>
      </figcaption>
      <pre tabindex={0}>
        <code>{inside}</code>
      </pre>
    </figure>
  );
}

/** Renders a quote that shows three lines until it is expanded. */
export function renderExpandableQuote(inside: ComponentChild[], place: number, reader: ReaderState) {
  const isExpanded = reader.expanded.has(place);
  return (
    <blockquote class={`expandable${isExpanded ? ' is-expanded' : ''}`}>
      <div class="quote-text">{inside}</div>
      <button
        type="button"
        class="quote-toggle"
        data-action="toggle-quote"
        data-place={place}
        aria-expanded={isExpanded}
        aria-label={isExpanded ? translate('Collapse quote') : translate('Expand quote')}
      >
        {icon('down', 'is-tiny')}
      </button>
    </blockquote>
  );
}

/** @param text plain text of the entity */
function renderStyle(
  entity: MessageEntity,
  text: string,
  inside: ComponentChild[],
  reader: ReaderState,
): ComponentChild {
  switch (entity.type) {
    case 'bold':
      return <strong>{inside}</strong>;
    case 'italic':
      return <em>{inside}</em>;
    case 'underline':
      return <u>{inside}</u>;
    case 'strikethrough':
      return <s>{inside}</s>;
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
      return <span class="link-like">{inside}</span>;
    case 'mention':
      return renderLink(`https://t.me/${text.slice(1)}`, inside);
    case 'text_mention':
      return (
        <span class="link-like" title={`user ${entity.user.id}`}>
          {inside}
        </span>
      );
    case 'bot_command':
      return renderCommand(text, inside);
    case 'date_time':
      return renderDateTime(entity.unix_time, entity.date_time_format, text, inside);
    default:
      return <span>{inside}</span>;
  }
}

/** Renders monospaced text that a click copies. */
export function renderCopyable(inside: ComponentChild[], Tag: 'code' | 'span') {
  return (
    <Tag class="copyable" data-action="copy-text" role="button" tabindex={0} title={translate('Copy')}>
      {inside}
    </Tag>
  );
}

/** Renders a command that a click sends. */
export function renderCommand(command: string, inside: ComponentChild[]) {
  return (
    <button type="button" class="link-button" data-action="send-command" data-value={command}>
      {inside}
    </button>
  );
}

/** Renders text that is hidden until it is clicked. */
export function renderSpoiler(inside: ComponentChild[], reader: ReaderState) {
  if (reader.revealed) return <span class="spoiler is-revealed">{inside}</span>;
  return (
    <span class="spoiler" data-action="reveal" role="button" tabindex={0}>
      <span class="visually-hidden">{translate('Hidden text, reveal')}</span>
      <span class="spoiler-text" inert>
        {inside}
      </span>
    </span>
  );
}

/** Renders a link, or plain text if the scheme is not allowed. */
export function renderLink(url: string, inside: ComponentChild[]) {
  const href = toSafeUrl(url);
  if (!href) return <span>{inside}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer" title={href} data-action="follow">
      {inside}
    </a>
  );
}

/** Renders a date in the reader's locale. */
export function renderDateTime(unixSeconds: number, format: string, text: string, inside: ComponentChild[]) {
  const shown = formatDateTime(unixSeconds, format, text);
  const dateTime = new Date(unixSeconds * 1000).toISOString();
  return (
    <time class="date-time" datetime={dateTime} title={formatMoment(unixSeconds)}>
      {format === '' ? inside : shown}
    </time>
  );
}
