import type { ButtonPressed, ChatMessage, ChatView } from '../control-protocol.ts';
import { actionTarget } from './action-target.ts';
import { type Composer, canEdit } from './composer.tsx';
import * as control from './control-client.ts';
import { openSource, openViewer } from './dialogs.tsx';
import type { ReaderState } from './entities-view.tsx';
import { findStartLink, toSafeUrl } from './links.ts';
import { largestPhoto } from './media-view.tsx';
import { type MenuItem, openMenu } from './menu.tsx';
import type { Presses } from './presses.ts';
import type { Selection } from './selection.ts';
import { messagesOf, type State } from './state.ts';
import { translate } from './texts.ts';
import type { Toasts } from './toasts.tsx';

const REACTIONS = ['👍', '👎', '❤', '🔥', '🎉', '🤔', '😁', '😢'];

interface MessageActionDeps {
  list: HTMLElement;
  state: State;
  selection: Selection;
  presses: Presses;
  composer: Composer;
  toasts: Toasts;
  changeReader: (chatId: number, messageId: number, change: (reader: ReaderState) => void) => void;
  jumpTo: (messageId: number) => void;
  onError: (error: unknown) => void;
}

/** Handles all actions on messages: buttons, context menu, keys. */
export function createMessageActions(deps: MessageActionDeps) {
  const { list, state, selection, presses, composer, toasts, changeReader, jumpTo, onError } = deps;

  const messageAt = (element: Element): { chat: ChatView; item: ChatMessage } | undefined => {
    const id = Number(element.closest('[data-message]')?.getAttribute('data-message'));
    const chat = selection.chat;
    const item = chat && state.current?.messages.get(chat.id)?.get(id);
    return chat && item ? { chat, item } : undefined;
  };

  const copy = async (text: string) => {
    try {
      await navigator.clipboard.writeText(text);
      toasts.show(translate('Copied to the clipboard.'));
    } catch {
      toasts.show(translate('The browser did not allow copying.'));
    }
  };

  const finishPress = (pressed: ButtonPressed | undefined) => {
    if (pressed?.copiedText !== undefined) copy(pressed.copiedText).catch(onError);
    else if (pressed?.url !== undefined) follow(pressed.url);
  };

  /**
   * Starts the bot if the link points to it.
   * @returns whether it was a link to the bot
   */
  const startBot = (url: string): boolean => {
    const start = findStartLink(url, state.current?.bot.username ?? '');
    const me = selection.meIn(selection.chat);
    if (!start || !me) return false;
    selection.open(me.id);
    if (start.payload) composer.send(`/start ${start.payload}`);
    return true;
  };
  const follow = (url: string) => {
    const safe = toSafeUrl(url);
    if (safe && !startBot(safe)) open(safe, '_blank', 'noopener,noreferrer');
  };

  const press = (button: HTMLElement) => {
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
      return toasts.show(translate('This button works in Telegram only.'));
    return presses
      .press({ chatId: found.chat.id, messageId: found.item.message.message_id, row, column, from: me.id })
      .then(finishPress);
  };

  const pressRich = (button: HTMLElement) => {
    const { callback, copy: text, query } = button.dataset;
    const found = messageAt(button);
    const me = selection.meIn(selection.chat);
    if (text !== undefined) return copy(text);
    if (query !== undefined) return composer.insert(`@${state.current?.bot.username} ${query}`);
    if (callback === undefined || !found || !me) return toasts.show(translate('This button works in Telegram only.'));
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

  const toggleReaction = (item: ChatMessage, emoji: string) => {
    const me = selection.meIn(selection.chat);
    if (!me) return;
    const mine = item.reactions.find((reaction) => reaction.userId === me.id)?.emoji ?? [];
    const wanted = mine.includes(emoji) ? [] : [emoji];
    control.react(item.chatId, item.message.message_id, { from: me.id, emoji: wanted }).catch(onError);
  };

  const openPhoto = (fileId: string) => {
    const chat = selection.chat;
    if (!chat || !state.current) return;
    const files = messagesOf(state.current, chat.id).flatMap(({ message }) => {
      const photo = message.photo && largestPhoto(message.photo);
      return photo
        ? [{ id: photo.file_id, url: control.fileUrl(photo.file_id), label: message.caption ?? translate('Photo') }]
        : [];
    });
    const place = files.findIndex((file) => file.id === fileId);
    if (place >= 0) openViewer(files, place);
    else openViewer([{ url: control.fileUrl(fileId), label: translate('Photo') }], 0);
  };

  const openMessageMenu = (element: Element, at: { x: number; y: number }) => {
    const found = messageAt(element);
    const me = selection.meIn(selection.chat);
    if (!found || !me) return;
    const { item, chat } = found;
    const { message } = item;
    const isOwn = message.from?.id === me.id;
    const text = message.text ?? message.caption ?? item.richSource?.markdown;
    const items: MenuItem[] = [{ icon: 'reply', label: translate('Reply'), run: () => composer.reply(item) }];
    if (isOwn && canEdit(item)) items.push({ icon: 'edit', label: translate('Edit'), run: () => composer.edit(item) });
    if (text) items.push({ icon: 'copy', label: translate('Copy text'), run: () => void copy(text).catch(onError) });
    items.push({ icon: 'search', label: translate('Show source'), run: () => openSource(item) });
    items.push({
      icon: 'trash',
      label: translate('Delete'),
      isDangerous: true,
      run: () => void control.deleteMessage(chat.id, message.message_id).catch(onError),
    });
    openMenu({
      label: translate('Message'),
      at,
      items,
      quick: REACTIONS.map((emoji) => ({
        text: emoji,
        label: translate('React with {}', emoji),
        run: () => toggleReaction(item, emoji),
      })),
    });
  };

  const act = (target: HTMLElement, event: Event): unknown => {
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
    // Links, images and selected text keep the browser's context menu.
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

  /** @param target a message */
  const moveOrOpen = (event: KeyboardEvent, target: HTMLElement) => {
    const stops = [...list.querySelectorAll('article[data-message]')] as HTMLElement[];
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

/** Returns the id of the first message of the bubble, the key of its view state. */
const groupId = (element: Element) => Number(element.closest('article')?.getAttribute('data-message'));

function reveal(reader: ReaderState) {
  reader.revealed = true;
}

function togglePlace(expanded: Set<number>, place: number) {
  if (!expanded.delete(place)) expanded.add(place);
}
