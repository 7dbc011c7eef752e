import type { VNode } from 'preact';
import type { ChatMessage, DraftView } from '../control-protocol.ts';
import { renderBubble } from './bubble-view.tsx';
import { type ReaderState, renderEntities } from './entities-view.tsx';
import { colourOf, formatTime, initials } from './format.ts';
import { icon } from './icons.tsx';
import { renderInlineKeyboard } from './keyboard-view.tsx';
import type { Placement } from './placement.ts';
import { renderRichBlocks } from './rich-view.tsx';
import { describeService, senderOf } from './summary.ts';
import { translate } from './texts.ts';

/**
 * Renders a message, or an album as one bubble.
 * @param group oldest first, at least one
 */
export function renderMessage(group: readonly ChatMessage[], placement: Placement): VNode {
  const first = group[0] as ChatMessage;
  const { message } = first;
  const service = describeService(message);
  if (service) return renderPill(service, message.message_id);
  const sender = senderOf(message);
  const classes = [
    'message',
    placement.isOwn ? 'is-own' : 'is-other',
    placement.isFirst && 'is-first',
    group.at(-1)?.message.edit_date !== undefined && 'is-edited',
    placement.isLast && 'is-last',
  ];
  const keyboard = group.map((item) => item.message.reply_markup).find((markup) => markup?.inline_keyboard?.length);
  return (
    <article
      class={classes.filter(Boolean).join(' ')}
      data-message={message.message_id}
      tabindex={placement.isTabStop ? 0 : -1}
      aria-label={labelOf(first, placement)}
    >
      {placement.showsSender &&
        !placement.isOwn &&
        (placement.isLast ? renderAvatar(sender) : <span class="avatar-gap" />)}
      <div class={`message-body${keyboard ? ' has-keyboard' : ''}`}>
        {renderBubble(group, placement, sender)}
        {keyboard && renderInlineKeyboard(keyboard, placement.isBusy)}
      </div>
      <button
        type="button"
        class="more-button"
        data-action="open-menu"
        aria-label={translate('Message actions')}
        aria-haspopup="menu"
        tabindex={-1}
      >
        {icon('more', 'is-small is-bold')}
      </button>
    </article>
  );
}

function renderPill(text: string, messageId: number) {
  return (
    <div class="service" data-message={messageId} tabindex={-1}>
      <span class="pill">{text}</span>
    </div>
  );
}

export function renderAvatar(who: { id: number; name: string }) {
  return (
    <span class={`avatar colour-${colourOf(who.id)}`} aria-hidden="true">
      {initials(who.name)}
    </span>
  );
}

function labelOf(item: ChatMessage, placement: Placement) {
  const who = placement.isOwn ? translate('You') : senderOf(item.message).name;
  return `${who}, ${formatTime(item.message.date)}`;
}

/** Renders a draft: a reply that is still being generated. */
export function renderDraft(draft: DraftView, sender: { id: number; name: string }, showsSender: boolean) {
  const reader: ReaderState = { revealed: false, expanded: new Set() };
  const isEmpty = draft.text === '' && !draft.richBlocks?.length;
  const content = draft.richBlocks?.length
    ? renderRichBlocks(draft.richBlocks, reader, `draft-${draft.draftId}`)
    : renderEntities(draft, reader);
  const dots = (
    <span class="dots" aria-hidden="true">
      <i />
      <i />
      <i />
    </span>
  );
  return (
    <article class="message is-other is-first is-last is-draft" aria-label={translate('{} is writing', sender.name)}>
      {showsSender && renderAvatar(sender)}
      <div class="message-body">
        <div class={`bubble${draft.richBlocks?.length ? ' is-rich' : ''}`}>
          <div class={`text${draft.richBlocks?.length ? ' rich' : ''}`} dir="auto">
            {isEmpty ? <span class="thinking">{translate('Thinking')}</span> : content}
            {isEmpty && dots}
          </div>
          <span class="meta">{!isEmpty && dots}</span>
        </div>
        {draft.canStop && (
          <button type="button" class="stop-button" data-action="stop-draft" data-value={draft.draftId}>
            {icon('stop', 'is-small')}
            {translate('Stop')}
          </button>
        )}
      </div>
    </article>
  );
}
