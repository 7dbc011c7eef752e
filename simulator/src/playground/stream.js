/** @import { ChatMessage, ControlEvent } from '../control-protocol.ts' */
/** @import { State } from './state.js' */
import { controlUrl, loadState } from './control-client.js';
import { messagesOf } from './state.js';

const FIRST_RETRY_MS = 400;
const LAST_RETRY_MS = 5_000;

/** @typedef {'connecting' | 'online' | 'offline'} Connection */

/**
 * Keeps the page's state equal to the simulator's: loads it, follows the events from there, and does both again after
 * a break, since the simulator may have been started anew meanwhile. Never gives up; waits at most 5 s between attempts.
 * @param {object} deps
 * @param {State} deps.state
 * @param {(connection: Connection) => void} deps.onConnection
 * @param {(missed: ChatMessage) => void} deps.onMissed a message that came while there was no connection
 */
export function createStream({ state, onConnection, onMissed }) {
  /** Sequence of the last event that the state holds. */
  let cursor = 0;
  /** @type {EventSource | undefined} */
  let source;
  /** Events that arrive while the state is being loaded. @type {ControlEvent[] | undefined} */
  let waiting;
  let retryMs = FIRST_RETRY_MS;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

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

  /** @param {ControlEvent} event */
  const take = (event) => {
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
    } catch {
      retry();
    } finally {
      isConnecting = false;
    }
  };

  /** Tries at once instead of at the end of the pause. */
  const retryNow = () => {
    connect().catch(retry);
  };
  onConnection('connecting');
  retryNow();
  // A laptop that wakes up or a network that is back need not wait for the next attempt.
  addEventListener('online', retryNow);
  return { retryNow };
}
