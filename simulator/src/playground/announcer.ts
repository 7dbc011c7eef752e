import type { ChatMessage } from '../control-protocol.ts';
import { h } from './dom.ts';
import { senderOf, summarize } from './summary.ts';

/** A message that is still being edited is read out once it has been still for this long. */
const STILL_MS = 1_500;
const MAX_LENGTH = 600;
const MAX_LINES = 20;

/**
 * Tells screen readers about new messages, once each and not at every edit.
 * @param log a polite live region
 */
export function createAnnouncer(log: HTMLElement) {
  const pending = new Map<string, { item: ChatMessage; timer: ReturnType<typeof setTimeout> }>();

  const say = (key: string) => {
    const item = pending.get(key)?.item;
    pending.delete(key);
    if (!item) return;
    log.append(h('p', null, `${senderOf(item.message).name}: ${summarize(item.message).slice(0, MAX_LENGTH)}`));
    while (log.children.length > MAX_LINES) log.firstElementChild?.remove();
  };
  const wait = (key: string, item: ChatMessage) => {
    clearTimeout(pending.get(key)?.timer);
    pending.set(key, { item, timer: setTimeout(say, STILL_MS, key) });
  };
  const keyOf = (item: ChatMessage) => `${item.chatId}/${item.message.message_id}`;

  return {
    takeNew: (item: ChatMessage) => wait(keyOf(item), item),
    takeChange(item: ChatMessage) {
      if (pending.has(keyOf(item))) wait(keyOf(item), item);
    },
  };
}
