import type { ChatMessage, DraftView } from '../control-protocol.ts';
import { renderBubble } from './bubble-view.ts';
import { h } from './dom.ts';
import type { ReaderState } from './entities-view.ts';
import { renderEntities } from './entities-view.ts';
import { colourOf, formatTime, initials } from './format.ts';
import { icon } from './icons.ts';
import { renderInlineKeyboard } from './keyboard-view.ts';
import type { Placement } from './placement.ts';
import { renderRichBlocks } from './rich-view.ts';
import { describeService, senderOf } from './summary.ts';

/**
 * A message, or an album: several messages of one media group as one bubble.
 * @param group oldest first, at least one
 */
export function renderMessage(group: readonly ChatMessage[], placement: Placement): HTMLElement {
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
  return h(
    'article',
    {
      class: classes.filter(Boolean).join(' '),
      'data-message': message.message_id,
      tabindex: placement.isTabStop ? 0 : -1,
      'aria-label': labelOf(first, placement),
    },
    placement.showsSender &&
      !placement.isOwn &&
      (placement.isLast ? renderAvatar(sender) : h('span', { class: 'avatar-gap' })),
    h(
      'div',
      { class: `message-body${keyboard ? ' has-keyboard' : ''}` },
      renderBubble(group, placement, sender),
      keyboard && renderInlineKeyboard(keyboard, placement.isBusy),
    ),
    h(
      'button',
      {
        type: 'button',
        class: 'more-button',
        'data-action': 'open-menu',
        'aria-label': 'Message actions',
        'aria-haspopup': 'menu',
        tabindex: -1,
      },
      icon('more', 'is-small is-bold'),
    ),
  );
}

function renderPill(text: string, messageId: number) {
  return h('div', { class: 'service', 'data-message': messageId, tabindex: -1 }, h('span', { class: 'pill' }, text));
}

export function renderAvatar(who: { id: number; name: string }) {
  return h('span', { class: `avatar colour-${colourOf(who.id)}`, 'aria-hidden': 'true' }, initials(who.name));
}

function labelOf(item: ChatMessage, placement: Placement) {
  const who = placement.isOwn ? 'You' : senderOf(item.message).name;
  return `${who}, ${formatTime(item.message.date)}`;
}

/** A reply that is still being written. */
export function renderDraft(draft: DraftView, sender: { id: number; name: string }, showsSender: boolean) {
  const reader: ReaderState = { revealed: false, expanded: new Set() };
  const isEmpty = draft.text === '' && !draft.richBlocks?.length;
  const content = draft.richBlocks?.length
    ? renderRichBlocks(draft.richBlocks, reader, `draft-${draft.draftId}`)
    : renderEntities(draft.text, draft.entities, reader);
  const dots = h('span', { class: 'dots', 'aria-hidden': 'true' }, h('i'), h('i'), h('i'));
  return h(
    'article',
    { class: 'message is-other is-first is-last is-draft', 'aria-label': `${sender.name} is writing` },
    showsSender && renderAvatar(sender),
    h(
      'div',
      { class: 'message-body' },
      h(
        'div',
        { class: `bubble${draft.richBlocks?.length ? ' is-rich' : ''}` },
        h(
          'div',
          { class: `text${draft.richBlocks?.length ? ' rich' : ''}`, dir: 'auto' },
          isEmpty ? h('span', { class: 'thinking' }, 'Thinking') : content,
          isEmpty && dots,
        ),
        h('span', { class: 'meta' }, !isEmpty && dots),
      ),
      draft.canStop &&
        h(
          'button',
          { type: 'button', class: 'stop-button', 'data-action': 'stop-draft', 'data-value': draft.draftId },
          icon('stop', 'is-small'),
          'Stop',
        ),
    ),
  );
}
