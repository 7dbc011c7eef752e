import { render } from 'preact';
import type { ChatMessage } from '../control-protocol.ts';
import { senderOf, summarize } from './summary.ts';

/** A message that is being edited is announced once it has not changed for this long. */
const STILL_MS = 1_500;
const MAX_LENGTH = 600;
const MAX_LINES = 20;

/**
 * Announces each new message to screen readers once, not at every edit.
 * @param log a polite live region
 */
export function createAnnouncer(log: HTMLElement) {
  const pending = new Map<string, { item: ChatMessage; timer: ReturnType<typeof setTimeout> }>();
  let lines: readonly { key: number; text: string }[] = [];
  let count = 0;

  const say = (key: string) => {
    const item = pending.get(key)?.item;
    pending.delete(key);
    if (!item) return;
    const text = `${senderOf(item.message).name}: ${summarize(item.message).slice(0, MAX_LENGTH)}`;
    lines = [...lines, { key: ++count, text }].slice(-MAX_LINES);
    render(
      lines.map((line) => <p key={line.key}>{line.text}</p>),
      log,
    );
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
