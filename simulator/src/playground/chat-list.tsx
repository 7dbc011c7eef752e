import { render } from 'preact';
import type { ChatView } from '../control-protocol.ts';
import { formatListTime, fullName } from './format.ts';
import { icon } from './icons.tsx';
import { renderAvatar } from './message-view.tsx';
import type { Selection } from './selection.ts';
import { avatarOf, lastMessageOf, type PageState, type State, titleOf } from './state.ts';
import { describeAction } from './status.ts';
import { summarize } from './summary.ts';
import { translate } from './texts.ts';
import type { Unread } from './unread.ts';

/** Creates the list of chats, newest first. */
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
      const open = selection.chat?.id;
      const items = chats.map((chat) => renderChat(current, chat, chat.id === open, unread.countOfChat(chat)));
      render(items, list);
    },
  };
}

const lastDate = (state: PageState, chat: ChatView) => lastMessageOf(state, chat.id)?.message.date ?? 0;

function renderChat(state: PageState, chat: ChatView, isOpen: boolean, unreadCount: number) {
  const last = lastMessageOf(state, chat.id);
  const hasSeveralPersonas = [...state.chats.values()].filter(({ type }) => type === 'private').length > 1;
  const person = chat.type === 'private' ? state.people.get(chat.id) : undefined;
  return (
    <li key={chat.id}>
      <a
        class={`chat${isOpen ? ' is-open' : ''}`}
        href={`${location.pathname}${location.search}#${chat.id}`}
        aria-current={isOpen ? 'true' : undefined}
      >
        {renderAvatar(avatarOf(state, chat))}
        <span class="chat-about">
          <span class="chat-line">
            <span class="chat-title">
              {chat.type !== 'private' &&
                icon(chat.isForum ? 'forum' : chat.type === 'channel' ? 'channel' : 'group', 'is-tiny')}
              {titleOf(state, chat)}
            </span>
            {person && hasSeveralPersonas && <span class="chat-persona">{`as ${person.firstName}`}</span>}
            {last && (
              <time class="chat-time" datetime={new Date(last.message.date * 1000).toISOString()}>
                {formatListTime(last.message.date)}
              </time>
            )}
          </span>
          <span class="chat-line">
            {renderPreview(state, chat)}
            {unreadCount > 0 && (
              <span class="badge" role="img" aria-label={`${unreadCount} unread`}>
                {unreadCount}
              </span>
            )}
          </span>
        </span>
      </a>
    </li>
  );
}

function renderPreview(state: PageState, chat: ChatView) {
  const action = [...state.actions].find(([key]) => key.startsWith(`${chat.id}/`))?.[1];
  if (action) return <span class="chat-preview accent">{describeAction(action.action)}</span>;
  if ([...state.drafts.values()].some((draft) => draft.chatId === chat.id))
    return <span class="chat-preview accent">writing…</span>;
  const last = lastMessageOf(state, chat.id)?.message;
  if (!last)
    return (
      <span class="chat-preview">
        {chat.type === 'private'
          ? state.bot.shortDescription || translate('No messages yet')
          : translate('No messages yet')}
      </span>
    );
  const sender = chat.type !== 'private' && chat.type !== 'channel' && last.from ? `${fullName(last.from)}: ` : '';
  return (
    <span class="chat-preview" dir="auto">
      {sender && <span class="chat-sender">{sender}</span>}
      {summarize(last).slice(0, 160)}
    </span>
  );
}
