import type { ChatView, Person } from '../control-protocol.ts';
import type { State } from './state.ts';

export type Selection = ReturnType<typeof createSelection>;

/**
 * Which chat and topic is open, and as whom the reader acts in it. The open chat stands in the address
 * (`#<chat>/<topic>`), so the browser's back button leaves a chat and a reload returns to it.
 */
export function createSelection({ state }: { state: State }) {
  /** Whom the reader chose to be in a group. */
  const personas = new Map<number, number>();
  const listeners = new Set<() => void>();
  const notify = () => {
    for (const listener of listeners) listener();
  };
  addEventListener('hashchange', notify);

  /** The chat's id and topic's id in the address. */
  const place = () => {
    const [, chatId, topicId] = /^#(-?\d+)(?:\/(\d+))?$/.exec(location.hash) ?? [];
    return { chatId: chatId ? Number(chatId) : undefined, topicId: topicId ? Number(topicId) : undefined };
  };

  return {
    get chat(): ChatView | undefined {
      const { chatId } = place();
      return chatId === undefined ? undefined : state.current?.chats.get(chatId);
    },
    /** Undefined in the general topic and where there are no topics. */
    get topicId() {
      return place().topicId;
    },
    /** Who acts in a chat: its person in a private chat, else the chosen or the first member. */
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
    /** @param options `replaces`: without a step in the browser's history */
    open(chatId: number, topicId?: number, options: { replaces?: boolean } = {}) {
      const hash = `#${chatId}${topicId === undefined ? '' : `/${topicId}`}`;
      if (location.hash === hash) return notify();
      if (options.replaces) {
        history.replaceState(null, '', hash);
        notify();
      } else location.hash = hash;
    },
    /** Back to the list of chats. */
    close() {
      history.pushState(null, '', location.pathname + location.search);
      notify();
    },
    subscribe(listener: () => void) {
      listeners.add(listener);
    },
  };
}
