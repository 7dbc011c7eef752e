import { render } from 'preact';
import { byId } from './by-id.ts';
import { renderAvatar } from './message-view.tsx';
import type { Selection } from './selection.ts';
import type { State } from './state.ts';
import { translate } from './texts.ts';

/**
 * Renders an empty chat: the bot's description and, in a private chat, the start button. The button is also shown if a
 * start link opened the page; it then sends the payload.
 */
export function renderWelcome(state: State, selection: Selection, hasPayload: boolean) {
  const box = byId('welcome', HTMLElement);
  const start = byId('start', HTMLButtonElement);
  const chat = selection.chat;
  const isEmpty = chat !== undefined && (state.current?.messages.get(chat.id)?.size ?? 0) === 0;
  const bot = state.current?.bot;
  box.hidden = !isEmpty;
  start.hidden = !(isEmpty || hasPayload) || chat?.type !== 'private';
  if (!isEmpty || !bot) return;
  const about =
    bot.description ||
    bot.shortDescription ||
    translate('Write something: the bot answers here as it would in Telegram.');
  const hint = chat.type === 'private' ? about : translate('Mention @{}, reply to it or send a command.', bot.username);
  render(
    <>
      {renderAvatar({ id: bot.id, name: bot.name })}
      <b>{bot.name}</b>
      <p>{hint}</p>
    </>,
    box,
  );
}
