import type { Update } from '@grammyjs/types';
import { countsAlone } from '../core/conversations/index.ts';

/** Ids of messages that are known: of those that came in updates, and of those that were sent and confirmed. */
export interface MessageIds {
  note(chatId: number, messageId: number): void;
  /** The newest known id of the chat's counter; whatever is sent from now on gets a greater one. 0 where none is known. */
  newest(chatId: number): number;
  isKnown(chatId: number, messageId: number): boolean;
}

interface Counter {
  newest: number;
  readonly known: Set<number>;
}

const MAX_SHARED_IDS = 20_000;
const MAX_IDS_OF_A_CHAT = 500;
const MAX_CHATS = 10_000;
const SHARED = 'shared';

/**
 * Remembers the newest ids. A bot's private chats and basic groups share one counter, so an id that is known from one of them can't be
 * a message of another.
 */
export function createMessageIds(): MessageIds {
  const counters = new Map<number | typeof SHARED, Counter>();
  const keyOf = (chatId: number) => (countsAlone(chatId) ? chatId : SHARED);

  const counterOf = (chatId: number): Counter => {
    const key = keyOf(chatId);
    const counter = counters.get(key) ?? { newest: 0, known: new Set() };
    // What was used last stands last: the first is the one to forget.
    if (key !== SHARED) counters.delete(key);
    counters.set(key, counter);
    if (counters.size > MAX_CHATS) forgetFirst();
    return counter;
  };

  const forgetFirst = () => {
    for (const key of counters.keys()) {
      if (key === SHARED) continue;
      counters.delete(key);
      return;
    }
  };

  return {
    note(chatId, messageId) {
      // One that is none would count as the newest of all chats for ever.
      if (!isMessageId(messageId)) return;
      const counter = counterOf(chatId);
      const { known } = counter;
      known.add(messageId);
      counter.newest = Math.max(counter.newest, messageId);
      const [oldest] = known;
      const capacity = keyOf(chatId) === SHARED ? MAX_SHARED_IDS : MAX_IDS_OF_A_CHAT;
      if (known.size > capacity && oldest !== undefined) known.delete(oldest);
    },
    newest: (chatId) => counters.get(keyOf(chatId))?.newest ?? 0,
    isKnown: (chatId, messageId) => counters.get(keyOf(chatId))?.known.has(messageId) ?? false,
  };
}

/** Ids of messages are positive numbers of 32 bits (TDLib, ServerMessageId). */
function isMessageId(id: number): boolean {
  return Number.isInteger(id) && id > 0 && id < 2 ** 31;
}

/** Notes the message that an update brings. */
export function noteUpdate(messageIds: MessageIds, { message }: Update): void {
  // A webhook takes whatever has an id: nothing is sure of it.
  const [chatId, messageId] = [message?.chat?.id, message?.message_id];
  if (Number.isSafeInteger(chatId) && Number.isSafeInteger(messageId))
    messageIds.note(Number(chatId), Number(messageId));
}
