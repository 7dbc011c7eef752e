import { render } from 'preact';
import type { BotMembership, ChatView } from '../control-protocol.ts';
import { byId } from './by-id.ts';
import * as control from './control-client.ts';
import { openPrompt } from './dialogs.tsx';
import { icon } from './icons.tsx';
import { type MenuItem, openMenu } from './menu.tsx';
import { renderAvatar } from './message-view.tsx';
import type { Selection } from './selection.ts';
import { avatarOf, type State, titleOf } from './state.ts';
import { statusOf } from './status.ts';
import type { Connection } from './stream.ts';
import { summarize } from './summary.ts';
import { translate } from './texts.ts';
import type { Unread } from './unread.ts';

/** Creates the header of the open chat: title, status, topics and pinned message. */
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
    if (chat) openMenu({ label: translate('Chat'), at: { x: right, y: bottom }, items: membershipItems(chat) });
  });

  const askForTopic = (chat: ChatView) => {
    openPrompt(translate('New topic'), translate('Name'), translate('Create'), (name) => {
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
          label: bot?.privateTopics ? translate('Switch topics off') : translate('Switch topics on'),
          run: () => {
            selection.open(chat.id, undefined, { replaces: true });
            control.changeBot({ privateTopics: !bot?.privateTopics }).catch(onError);
          },
        },
        {
          icon: 'trash',
          label: translate('Clear history'),
          run: () => void control.clearHistory(chat.id).catch(onError),
        },
        chat.botStatus === 'blocked'
          ? { icon: 'check', label: translate('Unblock the bot'), run: change('unblock') }
          : { icon: 'close', label: translate('Block the bot'), run: change('block'), isDangerous: true },
      ];
    }
    if (isOut) return [{ icon: 'plus', label: translate('Add the bot'), run: change('add') }];
    return [
      chat.botStatus === 'administrator'
        ? { icon: 'person', label: translate('Make the bot a regular member'), run: change('demote') }
        : { icon: 'check', label: translate('Make the bot an administrator'), run: change('promote') },
      {
        icon: 'search',
        label: bot?.privacyMode
          ? translate('Let the bot read all messages')
          : translate('Show the bot only messages addressed to it'),
        run: () => {
          control.changeBot({ privacyMode: !bot?.privacyMode }).catch(onError);
        },
      },
      { icon: 'close', label: translate('Remove the bot'), run: change('remove'), isDangerous: true },
    ];
  };

  const renderTopics = (chat: ChatView) => {
    topics.hidden = !chat.isForum;
    if (!chat.isForum) return;
    const tab = (id: number | undefined, name: string) => {
      const isOpen = selection.topicId === id;
      const count = isOpen ? 0 : unread.countOf(chat.id, id);
      return (
        <button
          key={id ?? 'general'}
          type="button"
          class={`topic${isOpen ? ' is-open' : ''}`}
          data-value={id ?? ''}
          aria-current={isOpen ? 'true' : undefined}
        >
          {name}
          {count > 0 && <span class="badge">{count}</span>}
        </button>
      );
    };
    render(
      <>
        {tab(undefined, translate('General'))}
        {chat.topics.map((topic) => tab(topic.id, topic.isClosed ? `🔒 ${topic.name}` : topic.name))}
        <button type="button" class="topic" data-value="new" aria-label={translate('New topic')}>
          {icon('plus', 'is-small')}
        </button>
      </>,
      topics,
    );
  };

  const renderPersonas = (chat: ChatView) => {
    const people = state.current?.people;
    const members = chat.memberIds.flatMap((id) => people?.get(id) ?? []);
    const isChoice = chat.type !== 'private' && chat.type !== 'channel' && members.length > 1;
    persona.parentElement?.toggleAttribute('hidden', !isChoice);
    if (!isChoice) return;
    const me = selection.meIn(chat)?.id;
    const options = members.map((person) => (
      <option key={person.id} value={person.id}>
        {person.firstName}
      </option>
    ));
    render(options, persona);
    persona.value = String(me);
  };

  const renderPinned = (chat: ChatView) => {
    const id = chat.pinnedMessageIds.at(-1);
    const item = id === undefined ? undefined : state.current?.messages.get(chat.id)?.get(id);
    pinned.hidden = !item;
    if (!item) return;
    pinned.dataset.value = String(id);
    const text = summarize(item.message).slice(0, 200);
    render(
      <>
        <b>{translate('Pinned message')}</b>
        <span>{text}</span>
      </>,
      pinned,
    );
  };

  return {
    render(connection: Connection) {
      const chat = selection.chat;
      if (!chat || !state.current) return;
      const status =
        connection === 'online'
          ? statusOf(state.current, chat, selection.topicId)
          : { text: 'connecting…', isActive: true };
      render(
        <>
          {renderAvatar(avatarOf(state.current, chat))}
          <div class="chat-names">
            <h2 id="chat-title">{titleOf(state.current, chat)}</h2>
            <div id="chat-status" class={status.isActive ? 'accent' : 'dim'}>
              {status.text}
            </div>
          </div>
        </>,
        about,
      );
      renderTopics(chat);
      renderPersonas(chat);
      renderPinned(chat);
    },
  };
}
