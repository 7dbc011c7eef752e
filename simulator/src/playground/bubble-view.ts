import type { Message } from '@grammyjs/types';
import type { ChatMessage } from '../control-protocol.ts';
import { renderAttached } from './attached-view.ts';
import { h } from './dom.ts';
import type { ReaderState } from './entities-view.ts';
import { renderEntities } from './entities-view.ts';
import { colourOf, formatMoment, formatTime } from './format.ts';
import { icon, ticks } from './icons.ts';
import type { Placement } from './placement.ts';
import { renderRichBlocks } from './rich-view.ts';
import { senderOf, summarize } from './summary.ts';

/** The bubble of a message or an album. */
export function renderBubble(
  group: readonly ChatMessage[],
  placement: Placement,
  sender: { id: number; name: string },
) {
  const first = group[0] as ChatMessage;
  const last = group[group.length - 1] as ChatMessage;
  const { message } = first;
  const attached = renderAttached(group, placement.reader);
  const text = renderContent(group, placement.reader);
  const meta = renderMeta(last, placement);
  const reactions = renderReactions(group, placement.me, meta);
  const showsName = placement.showsSender && placement.isFirst && !placement.isOwn;
  const isTextFirst = message.show_caption_above_media === true;
  return h(
    'div',
    { class: `bubble ${shapeOf(message, attached, text, reactions !== null)}` },
    showsName && h('div', { class: `sender colour-${colourOf(sender.id)}` }, sender.name),
    message.forward_origin && h('div', { class: 'forwarded' }, `Forwarded from ${originOf(message.forward_origin)}`),
    message.via_bot &&
      h('div', { class: 'forwarded' }, `via @${message.via_bot.username ?? message.via_bot.first_name}`),
    message.reply_to_message && renderQuote(message),
    isTextFirst && text,
    attached,
    !isTextFirst && text,
    reactions ?? meta,
  );
}

/**
 * How the bubble is laid out, as classes: pictures reach its edges; the time stands in the last line of the text,
 * over a picture, or below.
 */
function shapeOf(message: Message, attached: HTMLElement | null, text: HTMLElement | null, hasReactions: boolean) {
  const isPicture = attached?.matches('.photo, .video, .media-cover, .album') === true;
  const isBare = isJumbo(message) || (!text && Boolean(message.sticker ?? message.video_note ?? message.dice));
  const endsWithBlock = text?.lastChild instanceof HTMLElement && text.lastChild.matches('.code-block, blockquote');
  const isInline = text !== null && !message.rich_message && !endsWithBlock && !message.show_caption_above_media;
  const isOver = isBare || (isPicture && !text);
  const meta = hasReactions || !(isInline || isOver) ? 'meta-below' : isOver ? 'meta-over' : 'meta-inline';
  return [
    isPicture && 'is-picture',
    isBare && 'is-bare',
    isJumbo(message) && 'is-jumbo',
    message.rich_message && 'is-rich',
    meta,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Text, caption or rich blocks. */
function renderContent(group: readonly ChatMessage[], reader: ReaderState) {
  const rich = group[0]?.message;
  if (rich?.rich_message) {
    const { blocks, is_rtl: isRightToLeft } = rich.rich_message;
    return h(
      'div',
      { class: 'text rich', dir: isRightToLeft ? 'rtl' : 'auto' },
      renderRichBlocks(blocks, reader, `${rich.chat.id}-${rich.message_id}`),
    );
  }
  const message = group.find((item) => (item.message.text ?? item.message.caption ?? '') !== '')?.message;
  return message ? renderText(message, reader) : null;
}

function renderText(message: Message, reader: ReaderState) {
  const isCaption = message.text === undefined;
  const text = (isCaption ? message.caption : message.text) ?? '';
  const entities = (isCaption ? message.caption_entities : message.entities) ?? [];
  return h('div', { class: 'text', dir: 'auto' }, renderEntities(text, entities, reader));
}

/** One to three emoji alone are shown large. */
function isJumbo(message: Message) {
  const text = message.text ?? '';
  return text.length > 0 && text.length < 40 && /^(\p{RGI_Emoji}\s?){1,3}$/v.test(text);
}

function originOf(origin: NonNullable<Message['forward_origin']>) {
  if (origin.type === 'user')
    return [origin.sender_user.first_name, origin.sender_user.last_name].filter(Boolean).join(' ');
  if (origin.type === 'hidden_user') return origin.sender_user_name;
  const chat = origin.type === 'chat' ? origin.sender_chat : origin.chat;
  return 'title' in chat ? (chat.title ?? '') : '';
}

/** The message that this one answers, as a line that jumps to it. */
function renderQuote(message: Message) {
  const target = message.reply_to_message;
  if (!target) return null;
  const sender = senderOf(target);
  const photo = target.photo?.[0];
  return h(
    'button',
    {
      type: 'button',
      class: `quote colour-${colourOf(sender.id)}`,
      'data-action': 'jump-to-message',
      'data-value': target.message_id,
    },
    photo && h('span', { class: 'quote-photo' }, icon('image')),
    h('span', { class: 'quote-sender' }, h('span', { class: 'visually-hidden' }, 'In reply to '), sender.name),
    h('span', { class: 'quote-text' }, message.quote?.text ?? summarize(target).slice(0, 200)),
  );
}

/** @param meta stands at the end of their line */
function renderReactions(group: readonly ChatMessage[], me: number, meta: Node) {
  const counts = new Map<string, { count: number; isMine: boolean }>();
  for (const { userId, emoji } of group.flatMap((item) => item.reactions)) {
    for (const one of emoji) {
      const entry = counts.get(one) ?? { count: 0, isMine: false };
      counts.set(one, { count: entry.count + 1, isMine: entry.isMine || userId === me });
    }
  }
  if (counts.size === 0) return null;
  const buttons = [...counts].map(([emoji, { count, isMine }]) =>
    h(
      'button',
      {
        type: 'button',
        class: `reaction${isMine ? ' is-mine' : ''}`,
        'data-action': 'react',
        'data-value': emoji,
        'aria-pressed': String(isMine),
        'aria-label': `Reaction ${emoji}, ${count}`,
      },
      emoji,
      h('span', null, count),
    ),
  );
  return h('div', { class: 'reactions' }, buttons, meta);
}

function renderMeta({ message }: ChatMessage, placement: Placement) {
  return h(
    'span',
    { class: 'meta', title: metaTitle(message) },
    message.author_signature && h('span', null, message.author_signature),
    message.edit_date !== undefined && h('span', null, 'edited'),
    h('time', { datetime: new Date(message.date * 1000).toISOString() }, formatTime(message.date)),
    placement.isOwn && ticks(true),
  );
}

function metaTitle(message: Message) {
  const edited = message.edit_date === undefined ? '' : `\nEdited: ${formatMoment(message.edit_date)}`;
  return `${formatMoment(message.date)}${edited}\nMessage ${message.message_id}`;
}
