import type { ReplyKeyboardMarkup } from '@grammyjs/types';
import { render } from 'preact';
import { byId } from './by-id.ts';
import { renderReplyKeyboard } from './keyboard-view.tsx';
import type { Selection } from './selection.ts';
import { messagesOf, type State } from './state.ts';

/** Creates the bot's reply keyboard below the composer. Its buttons send their text. */
export function createReplyKeyboard({
  state,
  selection,
  onSend,
}: {
  state: State;
  selection: Selection;
  onSend: (text: string) => void;
}) {
  const box = byId('reply-keyboard', HTMLElement);
  const toggle = byId('toggle-keyboard', HTMLButtonElement);
  /** Message id of the keyboard that the user has hidden. */
  let hidden: number | undefined;

  /** Returns the newest keyboard, unless it was removed. */
  const find = (): { markup: ReplyKeyboardMarkup; messageId: number } | undefined => {
    const chat = selection.chat;
    const messages = chat && state.current ? messagesOf(state.current, chat.id) : [];
    const newest = messages.findLast(
      ({ keyboard }) => keyboard && ('keyboard' in keyboard || 'remove_keyboard' in keyboard),
    );
    if (!newest?.keyboard || !('keyboard' in newest.keyboard)) return undefined;
    return { markup: newest.keyboard, messageId: newest.message.message_id };
  };
  const draw = () => {
    const found = find();
    const isShown = found !== undefined && hidden !== found.messageId;
    toggle.hidden = found === undefined;
    toggle.setAttribute('aria-expanded', String(isShown));
    box.hidden = !isShown;
    const rows = found && isShown ? renderReplyKeyboard(found.markup) : [];
    render(rows, box);
  };

  toggle.addEventListener('click', () => {
    hidden = hidden === undefined ? find()?.messageId : undefined;
    draw();
  });
  box.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    if (!button?.dataset.value) return;
    const found = find();
    if (found?.markup.one_time_keyboard) hidden = found.messageId;
    onSend(button.dataset.value);
    draw();
  });

  return {
    draw,
    /** Placeholder of the empty text field. */
    get placeholder(): string | undefined {
      return find()?.markup.input_field_placeholder;
    },
  };
}
