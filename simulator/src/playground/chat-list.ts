import type { ChatView } from '../control-protocol.ts';
import { h } from './dom.ts';
import { formatListTime, fullName } from './format.ts';
import { icon } from './icons.ts';
import { renderAvatar } from './message-view.ts';
import { morph } from './morph.ts';
import type { Selection } from './selection.ts';
import type { PageState, State } from './state.ts';
import { avatarOf, lastMessageOf, titleOf } from './state.ts';
import { describeAction } from './status.ts';
import { summarize } from './summary.ts';
import type { Unread } from './unread.ts';

/** The chats at the left, newest first. */
export function createChatList({
  list,
  state,
  selection,
  unread,
}: {
  list: HTMLElement;
  state: State;
  selection: Selection;
  unread: Unread;
}) {
  list.addEventListener('keydown', (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    const links: Element[] = [...list.querySelectorAll('a')];
    const next = document.activeElement && links[links.indexOf(document.activeElement) + step];
    if (!(next instanceof HTMLElement)) return;
    event.preventDefault();
    next.focus();
  });

  return {
    render() {
      const current = state.current;
      if (!current) return;
      const chats = [...current.chats.values()].sort(
        (left, right) => lastDate(current, right) - lastDate(current, left),
      );
      const wanted = h(
        'ul',
        { id: list.id, 'aria-label': 'Chats' },
        chats.map((chat) => renderChat(current, chat, chat.id === selection.chat?.id, unread.countOfChat(chat))),
      );
      morph(list, wanted);
    },
  };
}

const lastDate = (state: PageState, chat: ChatView) => lastMessageOf(state, chat.id)?.message.date ?? 0;

function renderChat(state: PageState, chat: ChatView, isOpen: boolean, unreadCount: number) {
  const last = lastMessageOf(state, chat.id);
  const hasSeveralPersonas = [...state.chats.values()].filter(({ type }) => type === 'private').length > 1;
  const person = chat.type === 'private' ? state.people.get(chat.id) : undefined;
  return h(
    'li',
    { 'data-key': chat.id },
    h(
      'a',
      {
        class: `chat${isOpen ? ' is-open' : ''}`,
        href: `${location.pathname}${location.search}#${chat.id}`,
        'aria-current': isOpen ? 'true' : null,
      },
      renderAvatar(avatarOf(state, chat)),
      h(
        'span',
        { class: 'chat-about' },
        h(
          'span',
          { class: 'chat-line' },
          h(
            'span',
            { class: 'chat-title' },
            chat.type !== 'private' &&
              icon(chat.isForum ? 'forum' : chat.type === 'channel' ? 'channel' : 'group', 'is-tiny'),
            titleOf(state, chat),
          ),
          person && hasSeveralPersonas && h('span', { class: 'chat-persona' }, `as ${person.firstName}`),
          last &&
            h(
              'time',
              { class: 'chat-time', datetime: new Date(last.message.date * 1000).toISOString() },
              formatListTime(last.message.date),
            ),
        ),
        h(
          'span',
          { class: 'chat-line' },
          renderPreview(state, chat),
          unreadCount > 0 && h('span', { class: 'badge', 'aria-label': `${unreadCount} unread` }, unreadCount),
        ),
      ),
    ),
  );
}

function renderPreview(state: PageState, chat: ChatView) {
  const action = [...state.actions].find(([key]) => key.startsWith(`${chat.id}/`))?.[1];
  if (action) return h('span', { class: 'chat-preview accent' }, describeAction(action.action));
  if ([...state.drafts.values()].some((draft) => draft.chatId === chat.id))
    return h('span', { class: 'chat-preview accent' }, 'writing…');
  const last = lastMessageOf(state, chat.id)?.message;
  if (!last)
    return h(
      'span',
      { class: 'chat-preview' },
      chat.type === 'private' ? state.bot.shortDescription || 'No messages yet' : 'No messages yet',
    );
  const sender = chat.type !== 'private' && chat.type !== 'channel' && last.from ? `${fullName(last.from)}: ` : '';
  return h(
    'span',
    { class: 'chat-preview', dir: 'auto' },
    sender && h('span', { class: 'chat-sender' }, sender),
    summarize(last).slice(0, 160),
  );
}
