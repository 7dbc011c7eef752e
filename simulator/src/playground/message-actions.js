/** @import { ButtonPressed, ChatMessage, ChatView } from '../control-protocol.ts' */
/** @import { Composer } from './composer.js' */
/** @import { ReaderState } from './entities-view.js' */
/** @import { MenuItem } from './menu.js' */
/** @import { Presses } from './presses.js' */
/** @import { Selection } from './selection.js' */
/** @import { State } from './state.js' */
/** @import { Toasts } from './toasts.js' */
import { canEdit } from './composer.js';
import * as control from './control-client.js';
import { openSource, openViewer } from './dialogs.js';
import { actionTarget } from './dom.js';
import { findStartLink, toSafeUrl } from './links.js';
import { largestPhoto } from './media-view.js';
import { openMenu } from './menu.js';
import { messagesOf } from './state.js';

const REACTIONS = ['👍', '👎', '❤', '🔥', '🎉', '🤔', '😁', '😢'];

/**
 * @typedef {object} MessageActionDeps
 * @property {HTMLElement} list
 * @property {State} state
 * @property {Selection} selection
 * @property {Presses} presses
 * @property {Composer} composer
 * @property {Toasts} toasts
 * @property {(chatId: number, messageId: number, change: (reader: ReaderState) => void) => void} changeReader
 * @property {(messageId: number) => void} jumpTo
 * @property {(error: unknown) => void} onError
 */

/**
 * Everything that can be done to a message: by its buttons, by its menu, by keys.
 * @param {MessageActionDeps} deps
 */
export function createMessageActions(deps) {
  const { list, state, selection, presses, composer, toasts, changeReader, jumpTo, onError } = deps;

  /** @param {Element} element @returns {{ chat: ChatView, item: ChatMessage } | undefined} */
  const messageAt = (element) => {
    const id = Number(element.closest('[data-message]')?.getAttribute('data-message'));
    const chat = selection.chat;
    const item = chat && state.current?.messages.get(chat.id)?.get(id);
    return chat && item ? { chat, item } : undefined;
  };

  /** @param {string} text */
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      toasts.show('Copied to the clipboard.');
    } catch {
      toasts.show('The browser did not allow copying.');
    }
  };

  /** @param {ButtonPressed | undefined} pressed */
  const finishPress = (pressed) => {
    if (pressed?.copiedText !== undefined) copy(pressed.copiedText).catch(onError);
    else if (pressed?.url !== undefined) follow(pressed.url);
  };

  /** Links to the bot itself start it here; others open in a new tab. @param {string} url @returns {boolean} whether it was a link to the bot */
  const startBot = (url) => {
    const start = findStartLink(url, state.current?.bot.username ?? '');
    const me = selection.meIn(selection.chat);
    if (!start || !me) return false;
    selection.open(me.id);
    if (start.payload) composer.send(`/start ${start.payload}`);
    return true;
  };
  /** @param {string} url */
  const follow = (url) => {
    const safe = toSafeUrl(url);
    if (safe && !startBot(safe)) open(safe, '_blank', 'noopener,noreferrer');
  };

  /** @param {HTMLElement} button */
  const press = (button) => {
    const found = messageAt(button);
    const me = selection.meIn(selection.chat);
    if (!found || !me) return;
    const row = Number(button.dataset.row);
    const column = Number(button.dataset.column);
    const pressedButton = found.item.message.reply_markup?.inline_keyboard[row]?.[column];
    if (!pressedButton) return;
    if ('copy_text' in pressedButton) return copy(pressedButton.copy_text.text);
    const mention = `@${state.current?.bot.username} `;
    if ('switch_inline_query_current_chat' in pressedButton)
      return composer.insert(mention + pressedButton.switch_inline_query_current_chat);
    if ('switch_inline_query' in pressedButton) return composer.insert(mention + pressedButton.switch_inline_query);
    if ('switch_inline_query_chosen_chat' in pressedButton)
      return composer.insert(mention + (pressedButton.switch_inline_query_chosen_chat.query ?? ''));
    if (!('callback_data' in pressedButton) && !('callback_game' in pressedButton))
      return toasts.show('This button works in Telegram only.');
    return presses
      .press({ chatId: found.chat.id, messageId: found.item.message.message_id, row, column, from: me.id })
      .then(finishPress);
  };

  /** @param {HTMLElement} button */
  const pressRich = (button) => {
    const { callback, copy: text, query } = button.dataset;
    const found = messageAt(button);
    const me = selection.meIn(selection.chat);
    if (text !== undefined) return copy(text);
    if (query !== undefined) return composer.insert(`@${state.current?.bot.username} ${query}`);
    if (callback === undefined || !found || !me) return toasts.show('This button works in Telegram only.');
    return presses
      .press({
        chatId: found.chat.id,
        messageId: found.item.message.message_id,
        row: -1,
        column: 0,
        from: me.id,
        data: callback,
      })
      .then(finishPress);
  };

  /** @param {ChatMessage} item @param {string} emoji */
  const toggleReaction = (item, emoji) => {
    const me = selection.meIn(selection.chat);
    if (!me) return;
    const mine = item.reactions.find((reaction) => reaction.userId === me.id)?.emoji ?? [];
    const wanted = mine.includes(emoji) ? [] : [emoji];
    control.react(item.chatId, item.message.message_id, { from: me.id, emoji: wanted }).catch(onError);
  };

  /** @param {string} fileId */
  const openPhoto = (fileId) => {
    const chat = selection.chat;
    if (!chat || !state.current) return;
    const files = messagesOf(state.current, chat.id).flatMap(({ message }) => {
      const photo = message.photo && largestPhoto(message.photo);
      return photo
        ? [{ id: photo.file_id, url: control.fileUrl(photo.file_id), label: message.caption ?? 'Photo' }]
        : [];
    });
    const place = files.findIndex((file) => file.id === fileId);
    if (place >= 0) openViewer(files, place);
    else openViewer([{ url: control.fileUrl(fileId), label: 'Photo' }], 0);
  };

  /** @param {Element} element @param {{ x: number, y: number }} at */
  const openMessageMenu = (element, at) => {
    const found = messageAt(element);
    const me = selection.meIn(selection.chat);
    if (!found || !me) return;
    const { item, chat } = found;
    const { message } = item;
    const isOwn = message.from?.id === me.id;
    const text = message.text ?? message.caption ?? item.richSource?.markdown;
    /** @type {MenuItem[]} */
    const items = [{ icon: 'reply', label: 'Reply', run: () => composer.reply(item) }];
    if (isOwn && canEdit(item)) items.push({ icon: 'edit', label: 'Edit', run: () => composer.edit(item) });
    if (text) items.push({ icon: 'copy', label: 'Copy text', run: () => void copy(text).catch(onError) });
    items.push({ icon: 'search', label: 'Show source', run: () => openSource(item) });
    items.push({
      icon: 'trash',
      label: 'Delete',
      isDangerous: true,
      run: () => void control.deleteMessage(chat.id, message.message_id).catch(onError),
    });
    openMenu({
      label: 'Message',
      at,
      items,
      quick: REACTIONS.map((emoji) => ({
        text: emoji,
        label: `React with ${emoji}`,
        run: () => toggleReaction(item, emoji),
      })),
    });
  };

  /** @param {HTMLElement} target @param {Event} event @returns {unknown} */
  const act = (target, event) => {
    const { action, value } = target.dataset;
    const found = messageAt(target);
    switch (action) {
      case 'follow':
        if (target instanceof HTMLAnchorElement && startBot(target.href)) event.preventDefault();
        return undefined;
      case 'press':
        return press(target);
      case 'press-rich':
        return pressRich(target);
      case 'send-command':
        return value && composer.send(value);
      case 'copy-text':
        return copy(target.textContent ?? '');
      case 'copy-block':
        return copy(target.closest('.code-block')?.querySelector('pre')?.textContent ?? '');
      case 'open-photo':
        return openPhoto(target.dataset.file ?? '');
      case 'jump-to-message':
        return jumpTo(Number(value));
      case 'jump':
        return document.getElementById(value ?? '')?.scrollIntoView({ block: 'center' });
      case 'stop-draft':
        return selection.chat && control.stopDraft(selection.chat.id, value ?? '');
      case 'react':
        return found && toggleReaction(found.item, value ?? '');
      case 'reveal':
        return found && changeReader(found.chat.id, groupId(target), reveal);
      case 'toggle-quote':
        return (
          found &&
          changeReader(found.chat.id, groupId(target), ({ expanded }) =>
            togglePlace(expanded, Number(target.dataset.place)),
          )
        );
      case 'open-menu': {
        const { left, bottom } = target.getBoundingClientRect();
        return openMessageMenu(target, { x: left, y: bottom });
      }
      default:
        return undefined;
    }
  };

  list.addEventListener('click', (event) => {
    const target = actionTarget(event);
    if (target) Promise.resolve(act(target, event)).catch(onError);
  });
  list.addEventListener('contextmenu', (event) => {
    const target = event.target instanceof Element ? event.target : null;
    // Links, pictures and selected text keep the browser's own menu.
    if (!target || target.closest('a[href], img') || getSelection()?.isCollapsed === false || !messageAt(target))
      return;
    event.preventDefault();
    const box = target.getBoundingClientRect();
    const isKeyboard = event.clientX === 0 && event.clientY === 0;
    openMessageMenu(
      target,
      isKeyboard ? { x: box.left + 40, y: box.top + 24 } : { x: event.clientX, y: event.clientY },
    );
  });
  list.addEventListener('dblclick', (event) => {
    const target =
      event.target instanceof Element && event.target.matches('.message, .message-body')
        ? messageAt(event.target)
        : undefined;
    if (target) composer.reply(target.item);
  });
  list.addEventListener('keydown', (event) => {
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (!target) return;
    const isButtonLike = target.getAttribute('role') === 'button';
    if (isButtonLike && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault();
      target.click();
      return;
    }
    if (target.matches('[data-message]')) moveOrOpen(event, target);
  });

  /** @param {KeyboardEvent} event @param {HTMLElement} target a message */
  const moveOrOpen = (event, target) => {
    const stops = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('article[data-message]')]);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = step === undefined ? undefined : stops[stops.indexOf(target) + step];
    if (next) {
      event.preventDefault();
      next.focus();
    } else if (event.key === 'Enter' || event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
      event.preventDefault();
      const { left, top } = target.getBoundingClientRect();
      openMessageMenu(target, { x: left + 60, y: Math.max(top, 80) });
    }
  };
}

/** Id of the first message of the bubble: under it the reader's doings are kept. @param {Element} element */
const groupId = (element) => Number(element.closest('article')?.getAttribute('data-message'));

/** @param {ReaderState} reader */
function reveal(reader) {
  reader.revealed = true;
}

/** @param {Set<number>} expanded @param {number} place */
function togglePlace(expanded, place) {
  if (!expanded.delete(place)) expanded.add(place);
}
