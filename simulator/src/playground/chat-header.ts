import type { BotMembership, ChatView } from '../control-protocol.ts';
import * as control from './control-client.ts';
import { openPrompt } from './dialogs.ts';
import { byId, h } from './dom.ts';
import { icon } from './icons.ts';
import { type MenuItem, openMenu } from './menu.ts';
import { renderAvatar } from './message-view.ts';
import { morph } from './morph.ts';
import type { Selection } from './selection.ts';
import type { State } from './state.ts';
import { avatarOf, titleOf } from './state.ts';
import { statusOf } from './status.ts';
import type { Connection } from './stream.ts';
import { summarize } from './summary.ts';
import type { Unread } from './unread.ts';

/** Name and doings of the open chat, its topics and its pinned message. */
export function createChatHeader({
  state,
  selection,
  unread,
  onError,
  onJump,
}: {
  state: State;
  selection: Selection;
  unread: Unread;
  onError: (error: unknown) => void;
  onJump: (messageId: number) => void;
}) {
  const about = byId('chat-about', HTMLElement);
  const topics = byId('topics', HTMLElement);
  const pinned = byId('pinned', HTMLButtonElement);
  const persona = byId('speak-as', HTMLSelectElement);
  const more = byId('chat-menu', HTMLButtonElement);

  topics.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button') : null;
    const chat = selection.chat;
    if (!button || !chat) return;
    if (button.dataset.value === 'new') askForTopic(chat);
    else selection.open(chat.id, button.dataset.value ? Number(button.dataset.value) : undefined, { replaces: true });
  });
  persona.addEventListener('change', () => {
    const chat = selection.chat;
    if (chat) selection.speakAs(chat.id, Number(persona.value));
  });
  pinned.addEventListener('click', () => onJump(Number(pinned.dataset.value)));
  more.addEventListener('click', () => {
    const chat = selection.chat;
    const { right, bottom } = more.getBoundingClientRect();
    if (chat) openMenu({ label: 'Chat', at: { x: right, y: bottom }, items: membershipItems(chat) });
  });

  const askForTopic = (chat: ChatView) => {
    openPrompt('New topic', 'Name', 'Create', (name) => {
      const from = selection.meIn(chat)?.id;
      const known = new Set(chat.topics.map((topic) => topic.id));
      control
        .createTopic({ chatId: chat.id, name, ...(from !== undefined && { from }) })
        .then((changed) => {
          const made = changed.topics.find((topic) => !known.has(topic.id));
          if (made) selection.open(chat.id, made.id, { replaces: true });
        })
        .catch(onError);
    });
  };

  const membershipItems = (chat: ChatView): MenuItem[] => {
    const from = selection.meIn(chat)?.id;
    const change = (action: BotMembership['action']) => () => {
      control.changeBotMembership(chat.id, { action, ...(from !== undefined && { from }) }).catch(onError);
    };
    const isOut = chat.botStatus === 'left' || chat.botStatus === 'kicked';
    const bot = state.current?.bot;
    if (chat.type === 'private') {
      return [
        {
          icon: 'forum',
          label: bot?.privateTopics ? 'Switch topics off' : 'Switch topics on',
          run: () => {
            selection.open(chat.id, undefined, { replaces: true });
            control.changeBot({ privateTopics: !bot?.privateTopics }).catch(onError);
          },
        },
        { icon: 'trash', label: 'Clear history', run: () => void control.clearHistory(chat.id).catch(onError) },
        chat.botStatus === 'blocked'
          ? { icon: 'check', label: 'Unblock the bot', run: change('unblock') }
          : { icon: 'close', label: 'Block the bot', run: change('block'), isDangerous: true },
      ];
    }
    if (isOut) return [{ icon: 'plus', label: 'Add the bot', run: change('add') }];
    return [
      chat.botStatus === 'administrator'
        ? { icon: 'person', label: 'Make the bot an ordinary member', run: change('demote') }
        : { icon: 'check', label: 'Make the bot an administrator', run: change('promote') },
      {
        icon: 'search',
        label: bot?.privacyMode ? 'Let the bot read every message' : 'Show the bot only what is meant for it',
        run: () => {
          control.changeBot({ privacyMode: !bot?.privacyMode }).catch(onError);
        },
      },
      { icon: 'close', label: 'Remove the bot', run: change('remove'), isDangerous: true },
    ];
  };

  const renderTopics = (chat: ChatView) => {
    topics.hidden = !chat.isForum;
    if (!chat.isForum) return;
    const tab = (id: number | undefined, name: string) => {
      const isOpen = selection.topicId === id;
      const count = isOpen ? 0 : unread.countOf(chat.id, id);
      return h(
        'button',
        {
          type: 'button',
          class: `topic${isOpen ? ' is-open' : ''}`,
          'data-value': id ?? '',
          'data-key': id ?? 'general',
          'aria-current': isOpen ? 'true' : null,
        },
        name,
        count > 0 && h('span', { class: 'badge' }, count),
      );
    };
    morph(
      topics,
      h(
        'nav',
        { id: 'topics', 'aria-label': 'Topics' },
        tab(undefined, 'General'),
        chat.topics.map((topic) => tab(topic.id, topic.isClosed ? `🔒 ${topic.name}` : topic.name)),
        h(
          'button',
          { type: 'button', class: 'topic', 'data-value': 'new', 'aria-label': 'New topic' },
          icon('plus', 'is-small'),
        ),
      ),
    );
  };

  const renderPersonas = (chat: ChatView) => {
    const people = state.current?.people;
    const members = chat.memberIds.flatMap((id) => people?.get(id) ?? []);
    const isChoice = chat.type !== 'private' && chat.type !== 'channel' && members.length > 1;
    persona.parentElement?.toggleAttribute('hidden', !isChoice);
    if (!isChoice) return;
    const me = selection.meIn(chat)?.id;
    persona.replaceChildren(
      ...members.map((person) => h('option', { value: person.id, selected: person.id === me }, person.firstName)),
    );
  };

  const renderPinned = (chat: ChatView) => {
    const id = chat.pinnedMessageIds.at(-1);
    const item = id === undefined ? undefined : state.current?.messages.get(chat.id)?.get(id);
    pinned.hidden = !item;
    if (!item) return;
    pinned.dataset.value = String(id);
    pinned.replaceChildren(h('b', null, 'Pinned message'), h('span', null, summarize(item.message).slice(0, 200)));
  };

  return {
    render(connection: Connection) {
      const chat = selection.chat;
      if (!chat || !state.current) return;
      const status =
        connection === 'online'
          ? statusOf(state.current, chat, selection.topicId)
          : { text: 'connecting…', isActive: true };
      morph(
        about,
        h(
          'div',
          { id: 'chat-about' },
          renderAvatar(avatarOf(state.current, chat)),
          h(
            'div',
            { class: 'chat-names' },
            h('h2', { id: 'chat-title' }, titleOf(state.current, chat)),
            h('div', { id: 'chat-status', class: status.isActive ? 'accent' : 'dim' }, status.text),
          ),
        ),
      );
      renderTopics(chat);
      renderPersonas(chat);
      renderPinned(chat);
    },
  };
}
