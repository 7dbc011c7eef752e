import type { InlineKeyboardButton, InlineKeyboardMarkup, KeyboardButton, ReplyKeyboardMarkup } from '@grammyjs/types';
import { h } from './dom.ts';
import { icon } from './icons.ts';
import { toSafeUrl } from './links.ts';

/**
 * The buttons under a message.
 * @param isBusy whether the bot still owes an answer to a press
 */
export function renderInlineKeyboard(markup: InlineKeyboardMarkup, isBusy: (row: number, column: number) => boolean) {
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

function renderInlineButton(button: InlineKeyboardButton, row: number, column: number, isBusy: boolean) {
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

/** The keyboard under the composer: each button sends its text. */
export function renderReplyKeyboard(markup: ReplyKeyboardMarkup) {
  return markup.keyboard.map((buttons) =>
    h(
      'div',
      { class: 'keyboard-row' },
      buttons.map((button) => renderReplyButton(button)),
    ),
  );
}

function renderReplyButton(button: KeyboardButton | string) {
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

/** Why the playground can't do what a button asks for, or an empty string. */
function requestOf(button: Exclude<KeyboardButton, string>) {
  const special = Object.keys(button).find((field) => field.startsWith('request_') || field === 'web_app');
  return special ? `“${special}” works in Telegram only` : '';
}
