/** @import { InlineKeyboardButton, InlineKeyboardMarkup, KeyboardButton, ReplyKeyboardMarkup } from '@grammyjs/types' */
import { h } from './dom.js';
import { icon } from './icons.js';
import { toSafeUrl } from './links.js';

/**
 * The buttons under a message.
 * @param {InlineKeyboardMarkup} markup
 * @param {(row: number, column: number) => boolean} isBusy whether the bot still owes an answer to a press
 */
export function renderInlineKeyboard(markup, isBusy) {
  return h(
    'div',
    { class: 'inline-keyboard' },
    markup.inline_keyboard.map((buttons, row) =>
      h(
        'div',
        { class: 'keyboard-row' },
        buttons.map((button, column) => renderInlineButton(button, row, column, isBusy(row, column))),
      ),
    ),
  );
}

/** @param {InlineKeyboardButton} button @param {number} row @param {number} column @param {boolean} isBusy */
function renderInlineButton(button, row, column, isBusy) {
  const classes = `inline-button${'style' in button && button.style ? ` style-${button.style}` : ''}${isBusy ? ' is-busy' : ''}`;
  const href = 'url' in button ? toSafeUrl(button.url) : undefined;
  if (href) {
    return h(
      'a',
      { class: classes, href, target: '_blank', rel: 'noopener noreferrer', title: href, 'data-action': 'follow' },
      h('span', null, button.text),
      icon('link', 'is-tiny'),
    );
  }
  return h(
    'button',
    {
      type: 'button',
      class: classes,
      disabled: 'disabled' in button,
      'aria-busy': isBusy ? 'true' : null,
      'data-action': 'press',
      'data-row': row,
      'data-column': column,
    },
    h('span', null, button.text),
    'copy_text' in button && icon('copy', 'is-tiny'),
    'switch_inline_query' in button && icon('reply', 'is-tiny'),
    isBusy && h('span', { class: 'spinner', 'aria-hidden': 'true' }),
  );
}

/** The keyboard under the composer: each button sends its text. @param {ReplyKeyboardMarkup} markup */
export function renderReplyKeyboard(markup) {
  return markup.keyboard.map((buttons) =>
    h(
      'div',
      { class: 'keyboard-row' },
      buttons.map((button) => renderReplyButton(button)),
    ),
  );
}

/** @param {KeyboardButton | string} button */
function renderReplyButton(button) {
  const text = typeof button === 'string' ? button : button.text;
  const request = typeof button === 'string' ? '' : requestOf(button);
  return h(
    'button',
    {
      type: 'button',
      class: 'reply-button',
      'data-action': 'send-text',
      'data-value': text,
      disabled: request !== '',
      title: request || null,
    },
    text,
  );
}

/** Why the playground can't do what a button asks for, or an empty string. @param {Exclude<KeyboardButton, string>} button */
function requestOf(button) {
  const special = Object.keys(button).find((field) => field.startsWith('request_') || field === 'web_app');
  return special ? `“${special}” works in Telegram only` : '';
}
