/** @import { Message } from '@grammyjs/types' */
/** @import { ChatMessage } from '../control-protocol.ts' */
/** @import { ReaderState } from './entities-view.js' */
/** @import { Placement } from './message-view.js' */
import { renderAttached } from './attached-view.js';
import { h } from './dom.js';
import { renderEntities } from './entities-view.js';
import { colourOf, formatMoment, formatTime } from './format.js';
import { icon, ticks } from './icons.js';
import { renderRichBlocks } from './rich-view.js';
import { senderOf, summarize } from './summary.js';

/**
 * The bubble of a message or an album.
 * @param {readonly ChatMessage[]} group @param {Placement} placement @param {{ id: number, name: string }} sender
 */
export function renderBubble(group, placement, sender) {
  const first = /** @type {ChatMessage} */ (group[0]);
  const last = /** @type {ChatMessage} */ (group[group.length - 1]);
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
 * @param {Message} message @param {HTMLElement | null} attached @param {HTMLElement | null} text @param {boolean} hasReactions
 */
function shapeOf(message, attached, text, hasReactions) {
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

/** Text, caption or rich blocks. @param {readonly ChatMessage[]} group @param {ReaderState} reader */
function renderContent(group, reader) {
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

/** @param {Message} message @param {ReaderState} reader */
function renderText(message, reader) {
  const isCaption = message.text === undefined;
  const text = (isCaption ? message.caption : message.text) ?? '';
  const entities = (isCaption ? message.caption_entities : message.entities) ?? [];
  return h('div', { class: 'text', dir: 'auto' }, renderEntities(text, entities, reader));
}

/** One to three emoji alone are shown large. @param {Message} message */
function isJumbo(message) {
  const text = message.text ?? '';
  return text.length > 0 && text.length < 40 && /^(\p{RGI_Emoji}\s?){1,3}$/v.test(text);
}

/** @param {NonNullable<Message['forward_origin']>} origin */
function originOf(origin) {
  if (origin.type === 'user')
    return [origin.sender_user.first_name, origin.sender_user.last_name].filter(Boolean).join(' ');
  if (origin.type === 'hidden_user') return origin.sender_user_name;
  const chat = origin.type === 'chat' ? origin.sender_chat : origin.chat;
  return 'title' in chat ? (chat.title ?? '') : '';
}

/** The message that this one answers, as a line that jumps to it. @param {Message} message */
function renderQuote(message) {
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

/** @param {readonly ChatMessage[]} group @param {number} me @param {Node} meta stands at the end of their line */
function renderReactions(group, me, meta) {
  /** @type {Map<string, { count: number, isMine: boolean }>} */
  const counts = new Map();
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

/** @param {ChatMessage} item @param {Placement} placement */
function renderMeta({ message }, placement) {
  return h(
    'span',
    { class: 'meta', title: metaTitle(message) },
    message.author_signature && h('span', null, message.author_signature),
    message.edit_date !== undefined && h('span', null, 'edited'),
    h('time', { datetime: new Date(message.date * 1000).toISOString() }, formatTime(message.date)),
    placement.isOwn && ticks(true),
  );
}

/** @param {Message} message */
function metaTitle(message) {
  const edited = message.edit_date === undefined ? '' : `\nEdited: ${formatMoment(message.edit_date)}`;
  return `${formatMoment(message.date)}${edited}\nMessage ${message.message_id}`;
}
