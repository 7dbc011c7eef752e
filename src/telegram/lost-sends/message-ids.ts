import type { Update } from '@grammyjs/types';
import { countsAlone } from '../../core/conversations/index.ts';

/** Known message ids: from updates and from confirmed sends. */
export type MessageIds = ReturnType<typeof createMessageIds>;

interface Counter {
  newest: number;
  readonly known: Set<number>;
}

const MAX_SHARED_IDS = 20_000;
const MAX_IDS_OF_A_CHAT = 500;
const MAX_CHATS = 10_000;
const SHARED = 'shared';

/**
 * Creates an in-memory registry of the newest ids. A bot's private chats and basic groups share one id counter, so an
 * id known from one of these chats can't occur in another.
 */
export function createMessageIds() {
  const counters = new Map<number | typeof SHARED, Counter>();
  const keyOf = (chatId: number) => (countsAlone(chatId) ? chatId : SHARED);

  const counterOf = (chatId: number): Counter => {
    const key = keyOf(chatId);
    const counter = counters.get(key) ?? { newest: 0, known: new Set() };
    // Insertion order is the order of use, so the first key is the one to evict.
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
    record(chatId: number, messageId: number): void {
      // An invalid id could become the newest one of all chats for good.
      if (!isMessageId(messageId)) return;
      const counter = counterOf(chatId);
      const { known } = counter;
      known.add(messageId);
      counter.newest = Math.max(counter.newest, messageId);
      const [oldest] = known;
      const capacity = keyOf(chatId) === SHARED ? MAX_SHARED_IDS : MAX_IDS_OF_A_CHAT;
      if (known.size > capacity && oldest !== undefined) known.delete(oldest);
    },
    /** Returns the newest known id of the chat's counter, 0 if none is known. Later messages get greater ids. */
    newest: (chatId: number): number => counters.get(keyOf(chatId))?.newest ?? 0,
    isKnown: (chatId: number, messageId: number): boolean => counters.get(keyOf(chatId))?.known.has(messageId) ?? false,
  };
}

/** Returns true for a valid message id: a positive 32-bit number (TDLib, ServerMessageId). */
function isMessageId(id: number): boolean {
  return Number.isInteger(id) && id > 0 && id < 2 ** 31;
}

/** Records the id of an update's message. */
export function recordUpdate(messageIds: MessageIds, { message }: Update): void {
  // The webhook checks only the update's id, so no other field can be trusted to exist.
  const [chatId, messageId] = [message?.chat?.id, message?.message_id];
  if (Number.isSafeInteger(chatId) && Number.isSafeInteger(messageId))
    messageIds.record(Number(chatId), Number(messageId));
}
