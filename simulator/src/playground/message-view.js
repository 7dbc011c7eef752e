/** @import { ChatMessage, DraftView } from '../control-protocol.ts' */
/** @import { ReaderState } from './entities-view.js' */
import { renderBubble } from './bubble-view.js';
import { h } from './dom.js';
import { renderEntities } from './entities-view.js';
import { colourOf, formatTime, initials } from './format.js';
import { icon } from './icons.js';
import { renderInlineKeyboard } from './keyboard-view.js';
import { renderRichBlocks } from './rich-view.js';
import { describeService, senderOf } from './summary.js';

/**
 * How a message stands in its conversation.
 * @typedef {object} Placement
 * @property {boolean} isOwn
 * @property {boolean} isFirst of several by the same sender in a row
 * @property {boolean} isLast of several by the same sender in a row
 * @property {boolean} showsSender name above and avatar beside it
 * @property {boolean} isTabStop whether the Tab key reaches it; arrows walk on from there
 * @property {number} me id of the person who looks
 * @property {ReaderState} reader
 * @property {(row: number, column: number) => boolean} isBusy
 */

/**
 * A message, or an album: several messages of one media group as one bubble.
 * @param {readonly ChatMessage[]} group oldest first, at least one
 * @param {Placement} placement
 * @returns {HTMLElement}
 */
export function renderMessage(group, placement) {
  const first = /** @type {ChatMessage} */ (group[0]);
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

/** @param {string} text @param {number} messageId */
function renderPill(text, messageId) {
  return h('div', { class: 'service', 'data-message': messageId, tabindex: -1 }, h('span', { class: 'pill' }, text));
}

/** @param {{ id: number, name: string }} who */
export function renderAvatar(who) {
  return h('span', { class: `avatar colour-${colourOf(who.id)}`, 'aria-hidden': 'true' }, initials(who.name));
}

/** @param {ChatMessage} item @param {Placement} placement */
function labelOf(item, placement) {
  const who = placement.isOwn ? 'You' : senderOf(item.message).name;
  return `${who}, ${formatTime(item.message.date)}`;
}

/**
 * A reply that is still being written.
 * @param {DraftView} draft
 * @param {{ id: number, name: string }} sender
 * @param {boolean} showsSender
 */
export function renderDraft(draft, sender, showsSender) {
  const reader = { revealed: false, expanded: new Set() };
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
