import type { InlineKeyboardButton, InlineKeyboardMarkup, KeyboardButton, ReplyKeyboardMarkup } from '@grammyjs/types';
import { icon } from './icons.tsx';
import { toSafeUrl } from './links.ts';

/**
 * Renders the inline keyboard of a message.
 * @param isBusy whether the bot has not yet answered the press of a button
 */
export function renderInlineKeyboard(markup: InlineKeyboardMarkup, isBusy: (row: number, column: number) => boolean) {
  return (
    <div class="inline-keyboard">
      {markup.inline_keyboard.map((buttons, row) => (
        <div class="keyboard-row">
          {buttons.map((button, column) => renderInlineButton(button, row, column, isBusy(row, column)))}
        </div>
      ))}
    </div>
  );
}

function renderInlineButton(button: InlineKeyboardButton, row: number, column: number, isBusy: boolean) {
  const classes = `inline-button${'style' in button && button.style ? ` style-${button.style}` : ''}${isBusy ? ' is-busy' : ''}`;
  const href = 'url' in button ? toSafeUrl(button.url) : undefined;
  if (href) {
    return (
      <a class={classes} href={href} target="_blank" rel="noopener noreferrer" title={href} data-action="follow">
        <span>{button.text}</span>
        {icon('link', 'is-tiny')}
      </a>
    );
  }
  return (
    <button
      type="button"
      class={classes}
      disabled={'disabled' in button}
      aria-busy={isBusy ? 'true' : undefined}
      data-action="press"
      data-row={row}
      data-column={column}
    >
      <span>{button.text}</span>
      {'copy_text' in button && icon('copy', 'is-tiny')}
      {'switch_inline_query' in button && icon('reply', 'is-tiny')}
      {isBusy && <span class="spinner" aria-hidden="true" />}
    </button>
  );
}

/** Renders the reply keyboard below the composer. Each button sends its text. */
export function renderReplyKeyboard(markup: ReplyKeyboardMarkup) {
  return markup.keyboard.map((buttons) => (
    <div class="keyboard-row">{buttons.map((button) => renderReplyButton(button))}</div>
  ));
}

function renderReplyButton(button: KeyboardButton | string) {
  const text = typeof button === 'string' ? button : button.text;
  const request = typeof button === 'string' ? '' : requestOf(button);
  return (
    <button
      type="button"
      class="reply-button"
      data-action="send-text"
      data-value={text}
      disabled={request !== ''}
      title={request || undefined}
    >
      {text}
    </button>
  );
}

/** Returns why the playground can't perform a button's action, or an empty string. */
function requestOf(button: Exclude<KeyboardButton, string>) {
  const special = Object.keys(button).find((field) => field.startsWith('request_') || field === 'web_app');
  return special ? `“${special}” works in Telegram only` : '';
}
