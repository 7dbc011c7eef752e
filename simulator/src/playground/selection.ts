import type { ChatView, Person } from '../control-protocol.ts';
import type { State } from './state.ts';

export type Selection = ReturnType<typeof createSelection>;

/**
 * Tracks the open chat and topic, and the acting user. The open chat is stored in the URL (`#<chat>/<topic>`), so the
 * back button leaves a chat and a reload restores it.
 */
export function createSelection({ state }: { state: State }) {
  /** Selected user by group id. */
  const personas = new Map<number, number>();
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  addEventListener('hashchange', notify);

  /** Returns the chat id and topic id in the URL. */
  const place = () => {
    const [, chatId, topicId] = /^#(-?\d+)(?:\/(\d+))?$/.exec(location.hash) ?? [];
    return { chatId: chatId ? Number(chatId) : undefined, topicId: topicId ? Number(topicId) : undefined };
  };

  return {
    get chat(): ChatView | undefined {
      const { chatId } = place();
      return chatId === undefined ? undefined : state.current?.chats.get(chatId);
    },
    /** Undefined in the General topic and in chats without topics. */
    get topicId() {
      return place().topicId;
    },
    /** Returns the acting user: the user of a private chat, otherwise the selected or the first member. */
    meIn(chat: ChatView | undefined): Person | undefined {
      const people = state.current?.people;
      if (!people) return undefined;
      const everybody = [...people.values()];
      if (!chat) return everybody[0];
      if (chat.type === 'private') return people.get(chat.id);
      const chosen = personas.get(chat.id);
      const id = chosen !== undefined && chat.memberIds.includes(chosen) ? chosen : chat.memberIds[0];
      return (id === undefined ? undefined : people.get(id)) ?? everybody[0];
    },
    speakAs(chatId: number, personId: number) {
      personas.set(chatId, personId);
      notify();
    },
    /** @param options `replaces`: without a new entry in the browser's history */
    open(chatId: number, topicId?: number, options: { replaces?: boolean } = {}) {
      const hash = `#${chatId}${topicId === undefined ? '' : `/${topicId}`}`;
      if (location.hash === hash) return notify();
      if (options.replaces) {
        history.replaceState(null, '', hash);
        notify();
      } else location.hash = hash;
    },
    /** Returns to the list of chats. */
    close() {
      history.pushState(null, '', location.pathname + location.search);
      notify();
    },
    subscribe(listener: () => void) {
      listeners.add(listener);
    },
  };
}
