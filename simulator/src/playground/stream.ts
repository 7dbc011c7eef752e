import type { ChatMessage, ControlEvent } from '../control-protocol.ts';
import { ControlRequestError, controlUrl, loadState } from './control-client.ts';
import { messagesOf, type State } from './state.ts';

const FIRST_RETRY_MS = 400;
const LAST_RETRY_MS = 5_000;

/** `gone`: the server runs without the playground now. */
export type Connection = 'connecting' | 'online' | 'offline' | 'gone';

/**
 * Keeps the page's state in sync with the simulator: loads it, then follows the events. Reloads after a disconnect,
 * because the simulator may have restarted. Retries at most 5 s apart, until the server says that there is no playground.
 */
export function createStream({
  state,
  onConnection,
  onMissed,
}: {
  state: State;
  onConnection: (connection: Connection) => void;
  /** Called for each message that arrived during a disconnect. */
  onMissed: (missed: ChatMessage) => void;
}) {
  /** Sequence of the last event in the state. */
  let cursor = 0;
  let source: EventSource | undefined;
  /** Events that arrive while the state is loading. */
  let waiting: ControlEvent[] | undefined;
  let retryMs = FIRST_RETRY_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const resync = async () => {
    waiting = [];
    const before = state.current;
    const loaded = await loadState();
    cursor = loaded.cursor;
    state.load(loaded);
    for (const item of before ? Object.values(loaded.messages).flat() : []) {
      const newest = before && messagesOf(before, item.chatId).at(-1)?.message.message_id;
      if (item.message.message_id > (newest ?? 0)) onMissed(item);
    }
    const late = waiting;
    waiting = undefined;
    for (const event of late) take(event);
  };

  const take = (event: ControlEvent) => {
    if (event.type === 'reset') resync().catch(retry);
    else if (waiting) waiting.push(event);
    else if (event.sequence > cursor) {
      cursor = event.sequence;
      state.apply(event);
    }
  };

  const retry = () => {
    source?.close();
    source = undefined;
    waiting = undefined;
    onConnection('offline');
    clearTimeout(timer);
    timer = setTimeout(connect, retryMs);
    retryMs = Math.min(retryMs * 1.7, LAST_RETRY_MS);
  };

  const follow = () => {
    const opened = new EventSource(controlUrl(`control/events?after=${cursor}`));
    source = opened;
    opened.onopen = () => {
      retryMs = FIRST_RETRY_MS;
      onConnection('online');
    };
    opened.onerror = () => {
      if (source === opened) retry();
    };
    opened.onmessage = (message) => {
      if (source === opened) take(JSON.parse(message.data));
    };
  };

  let isConnecting = false;
  const connect = async () => {
    clearTimeout(timer);
    if (isConnecting || source) return;
    isConnecting = true;
    try {
      await resync();
      follow();
    } catch (error) {
      if (error instanceof ControlRequestError && error.code === 'not_found') onConnection('gone');
      else retry();
    } finally {
      isConnecting = false;
    }
  };

  /** Reconnects at once instead of at the end of the delay. */
  const retryNow = () => {
    connect().catch(retry);
  };
  onConnection('connecting');
  retryNow();
  // After a network change or wake-up, reconnect at once.
  addEventListener('online', retryNow);
  return { retryNow };
}
