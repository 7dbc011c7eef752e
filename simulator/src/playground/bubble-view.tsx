import type { Message } from '@grammyjs/types';
import type { VNode } from 'preact';
import type { ChatMessage } from '../control-protocol.ts';
import { isPictured, renderAttached } from './attached-view.tsx';
import { type EntityText, endsWithBlock, type ReaderState, renderEntities } from './entities-view.tsx';
import { colourOf, formatMoment, formatTime } from './format.ts';
import { icon, ticks } from './icons.tsx';
import type { Placement } from './placement.ts';
import { renderRichBlocks } from './rich-view.tsx';
import { senderOf, summarize } from './summary.ts';

/** Renders the bubble of a message or an album. */
export function renderBubble(
  group: readonly ChatMessage[],
  placement: Placement,
  sender: { id: number; name: string },
) {
  const first = group[0] as ChatMessage;
  const last = group[group.length - 1] as ChatMessage;
  const { message } = first;
  const attached = renderAttached(group, placement.reader);
  const texted = message.rich_message ? message : group.find((item) => textOf(item.message).text !== '')?.message;
  const text = texted && renderContent(texted, placement.reader);
  const meta = renderMeta(last, placement);
  const reactions = renderReactions(group, placement.me, meta);
  const showsName = placement.showsSender && placement.isFirst && !placement.isOwn;
  const isTextFirst = message.show_caption_above_media === true;
  return (
    <div class={`bubble ${shapeOf(group, texted, reactions !== null)}`}>
      {showsName && <div class={`sender colour-${colourOf(sender.id)}`}>{sender.name}</div>}
      {message.forward_origin && <div class="forwarded">{`Forwarded from ${originOf(message.forward_origin)}`}</div>}
      {message.via_bot && (
        <div class="forwarded">{`via @${message.via_bot.username ?? message.via_bot.first_name}`}</div>
      )}
      {message.reply_to_message && renderQuote(message)}
      {isTextFirst && text}
      {attached}
      {!isTextFirst && text}
      {reactions ?? meta}
    </div>
  );
}

/**
 * Returns the layout of the bubble as CSS classes: whether images extend to its edges, and whether the time is in the
 * last line of the text, over an image, or below.
 * @param texted the message of the group that has the text
 */
function shapeOf(group: readonly ChatMessage[], texted: Message | undefined, hasReactions: boolean) {
  const { message } = group[0] as ChatMessage;
  const isPicture = isPictured(group);
  const isBare = isJumbo(message) || (!texted && Boolean(message.sticker ?? message.video_note ?? message.dice));
  const isInline =
    texted && !message.rich_message && !endsWithBlock(textOf(texted)) && !message.show_caption_above_media;
  const isOver = isBare || (isPicture && !texted);
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

/** Renders the text, caption or rich blocks. */
function renderContent(message: Message, reader: ReaderState) {
  if (message.rich_message) {
    const { blocks, is_rtl: isRightToLeft } = message.rich_message;
    return (
      <div class="text rich" dir={isRightToLeft ? 'rtl' : 'auto'}>
        {renderRichBlocks(blocks, reader, `${message.chat.id}-${message.message_id}`)}
      </div>
    );
  }
  return (
    <div class="text" dir="auto">
      {renderEntities(textOf(message), reader)}
    </div>
  );
}

function textOf(message: Message): EntityText {
  return message.text === undefined
    ? { text: message.caption ?? '', entities: message.caption_entities ?? [] }
    : { text: message.text, entities: message.entities ?? [] };
}

/** Tells whether a text consists of one to three emoji, which are displayed large. */
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

/** Renders the replied-to message as a line that jumps to it. */
function renderQuote(message: Message) {
  const target = message.reply_to_message;
  if (!target) return null;
  const sender = senderOf(target);
  const photo = target.photo?.[0];
  return (
    <button
      type="button"
      class={`quote colour-${colourOf(sender.id)}`}
      data-action="jump-to-message"
      data-value={target.message_id}
    >
      {photo && <span class="quote-photo">{icon('image')}</span>}
      <span class="quote-sender">
        <span class="visually-hidden">{'In reply to '}</span>
        {sender.name}
      </span>
      <span class="quote-text">{message.quote?.text ?? summarize(target).slice(0, 200)}</span>
    </button>
  );
}

/** @param meta shown at the end of the last row */
function renderReactions(group: readonly ChatMessage[], me: number, meta: VNode) {
  const counts = new Map<string, { count: number; isMine: boolean }>();
  for (const { userId, emoji } of group.flatMap((item) => item.reactions)) {
    for (const one of emoji) {
      const entry = counts.get(one) ?? { count: 0, isMine: false };
      counts.set(one, { count: entry.count + 1, isMine: entry.isMine || userId === me });
    }
  }
  if (counts.size === 0) return null;
  const buttons = [...counts].map(([emoji, { count, isMine }]) => (
    <button
      type="button"
      class={`reaction${isMine ? ' is-mine' : ''}`}
      data-action="react"
      data-value={emoji}
      aria-pressed={isMine}
      aria-label={`Reaction ${emoji}, ${count}`}
    >
      {emoji}
      <span>{count}</span>
    </button>
  ));
  return (
    <div class="reactions">
      {buttons}
      {meta}
    </div>
  );
}

function renderMeta({ message }: ChatMessage, placement: Placement) {
  return (
    <span class="meta" title={metaTitle(message)}>
      {message.author_signature && <span>{message.author_signature}</span>}
      {message.edit_date !== undefined && <span>edited</span>}
      <time datetime={new Date(message.date * 1000).toISOString()}>{formatTime(message.date)}</time>
      {placement.isOwn && ticks()}
    </span>
  );
}

function metaTitle(message: Message) {
  const edited = message.edit_date === undefined ? '' : `\nEdited: ${formatMoment(message.edit_date)}`;
  return `${formatMoment(message.date)}${edited}\nMessage ${message.message_id}`;
}
