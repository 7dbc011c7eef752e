/** @import { ChatMessage } from '../control-protocol.ts' */
import { h } from './dom.js';
import { senderOf, summarize } from './summary.js';

/** A message that is still being edited is read out once it has been still for this long. */
const STILL_MS = 1_500;
const MAX_LENGTH = 600;
const MAX_LINES = 20;

/**
 * Tells screen readers about new messages, once each and not at every edit.
 * @param {HTMLElement} log a polite live region
 */
export function createAnnouncer(log) {
  /** @type {Map<string, { item: ChatMessage, timer: ReturnType<typeof setTimeout> }>} */
  const pending = new Map();

  /** @param {string} key */
  const say = (key) => {
    const item = pending.get(key)?.item;
    pending.delete(key);
    if (!item) return;
    log.append(h('p', null, `${senderOf(item.message).name}: ${summarize(item.message).slice(0, MAX_LENGTH)}`));
    while (log.children.length > MAX_LINES) log.firstElementChild?.remove();
  };
  /** @param {string} key @param {ChatMessage} item */
  const wait = (key, item) => {
    clearTimeout(pending.get(key)?.timer);
    pending.set(key, { item, timer: setTimeout(say, STILL_MS, key) });
  };
  /** @param {ChatMessage} item */
  const keyOf = (item) => `${item.chatId}/${item.message.message_id}`;

  return {
    /** @param {ChatMessage} item */
    takeNew: (item) => wait(keyOf(item), item),
    /** @param {ChatMessage} item */
    takeChange(item) {
      if (pending.has(keyOf(item))) wait(keyOf(item), item);
    },
  };
}
